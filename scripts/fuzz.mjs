// Compares many mutations of good archives with other readers: node scripts/fuzz.mjs [COUNT [FIRST]]
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [count = '15000', first = '0'] = process.argv.slice(2)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/archive/other-readers.test.ts'], {
  cwd: root,
  env: { ...process.env, CI: 'true', MATDECL_FUZZ_CASES: count, MATDECL_FUZZ_FIRST: first },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
