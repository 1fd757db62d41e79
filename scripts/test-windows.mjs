// What a user does on Windows, under wine: the built program with Node 22 and 20, the executable, and the tests that can run there.
//   npm run test:windows                   all of it
//   node scripts/test-windows.mjs smoke    the built program with Node 22 alone: one or two minutes
import { packageTargets } from './release-archives.mjs'
import { smoke } from './windows/smoke.mjs'
import { runTests } from './windows/vitest.mjs'
import { appPath, missingWine, nodeThere, setUpDrive, stopWine, unpackThere } from './windows/wine.mjs'

const onlySmoke = process.argv[2] === 'smoke'
const say = (line) => process.stderr.write(`${line}\n`)
const missing = missingWine()
if (missing === undefined) process.exitCode = await main()
else say(`test-windows: skipped: ${missing}`)

async function main() {
  setUpDrive()
  const node = nodeThere('22.23.2')
  const failures = await smoke('node22', [node, appPath], { node, say })
  if (!onlySmoke) {
    failures.push(...(await smoke('node20', [nodeThere('20.20.2'), appPath], { node, say })))
    const [archive] = await packageTargets(['win-x64'])
    failures.push(...(await smoke('exe', [unpackThere(archive, 'matdecl.exe')], { node, say })))
    failures.push(...runTests(node, say))
  }
  stopWine()
  for (const failure of failures) say(`test-windows: ${failure}`)
  say(failures.length === 0 ? 'test-windows: passed' : `test-windows: ${failures.length} failed`)
  return failures.length === 0 ? 0 : 1
}
