// What a user does on Windows, under wine: the built program with Node 22 and 20, the executable, a build of the project, and its tests.
//   npm run test:windows                   all of it
//   node scripts/test-windows.mjs smoke    without the tests: three or four minutes
import { packageTargets } from './release-archives.mjs'
import { buildThere, installThere, runTests } from './windows/project.mjs'
import { smoke } from './windows/smoke.mjs'
import { appPath, missingWine, nodeThere, setUpDrive, stopWine, unpackThere } from './windows/wine.mjs'

const onlySmoke = process.argv[2] === 'smoke'
const say = (line) => process.stderr.write(`${line}\n`)
const missing = missingWine()
if (missing === undefined) process.exitCode = await main()
else say(`test-windows: skipped: ${missing}`)

async function main() {
  setUpDrive()
  const [node, oldNode] = [nodeThere('22.23.2'), nodeThere('20.20.2')]
  installThere()
  const [archive] = await packageTargets(['win-x64'])
  const executable = unpackThere(archive, 'matdecl.exe')
  // At once: one waits while another works.
  const failures = await Promise.all([
    smoke('node22', [node, appPath], { node, say }),
    smoke('node20', [oldNode, appPath], { node, say }),
    smoke('exe', [executable], { node, say }),
    buildThere(node, say),
  ])
  const all = failures.flat()
  if (!onlySmoke) all.push(...(await runTests(node, say)))
  stopWine()
  for (const failure of all) say(`test-windows: ${failure}`)
  say(all.length === 0 ? 'test-windows: passed' : `test-windows: ${all.length} failed`)
  return all.length === 0 ? 0 : 1
}
