// Tries odd and damaged inputs: node scripts/fuzz.mjs [archives|lists|workbooks|declarations]… [--count N] [--seed N]
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const OTHERS = 'test/cli/fuzzed-inputs.test.ts'
const KINDS = {
  archives: ['test/archive/other-readers.test.ts'],
  lists: [OTHERS, '-t', 'lists'],
  workbooks: [OTHERS, '-t', 'workbooks'],
  declarations: [OTHERS, '-t', 'declaration'],
}
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '0' } },
})
const kinds = positionals.length === 0 ? Object.keys(KINDS) : positionals
const unknown = kinds.filter((kind) => !(kind in KINDS))
if (unknown.length > 0 || !/^\d+$/.test(values.count) || !/^\d+$/.test(values.seed)) {
  console.error(`usage: npm run fuzz -- [${Object.keys(KINDS).join('|')}]… [--count N] [--seed N]`)
  process.exit(2)
}
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
for (const kind of kinds) {
  console.log(`${kind}: ${values.count} from seed ${values.seed}`)
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...KINDS[kind]], {
    cwd: root,
    env: { ...process.env, CI: 'true', MATDECL_FUZZ_CASES: values.count, MATDECL_FUZZ_FIRST: values.seed },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
