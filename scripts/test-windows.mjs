// What a user does on Windows, under wine: the built program with Node 20 and 22, and the executable. Then the tests that can run there.
//   npm run test:windows                   all
//   node scripts/test-windows.mjs smoke    the built program with Node 22 alone
import { smoke } from './windows/smoke.mjs'
import { missingWine, nodeThere, setUpDrive, stopWine } from './windows/wine.mjs'

const only = process.argv[2]
const say = (line) => process.stderr.write(`${line}\n`)
const missing = missingWine()
if (missing !== undefined) {
  say(`test-windows: skipped: ${missing}`)
} else {
  process.exitCode = await main()
}

async function main() {
  setUpDrive()
  const failures = []
  try {
    const node = nodeThere('22.23.2')
    const app = 'C:\\app\\bin\\matdecl.js'
    failures.push(...(await smoke('node22', [node, app], { node, say })))
    if (only !== 'smoke') {
      failures.push(...(await smoke('node20', [nodeThere('20.20.2'), app], { node, say })))
    }
  } finally {
    stopWine()
  }
  for (const failure of failures) say(`test-windows: ${failure}`)
  say(failures.length === 0 ? 'test-windows: passed' : `test-windows: ${failures.length} failed`)
  return failures.length === 0 ? 0 : 1
}
