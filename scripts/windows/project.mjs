// The project itself in that Windows, with its packages there: its build, its npm package, and its tests.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, win32 } from 'node:path'
import { forwarderDll } from './forwarder-dll.mjs'
import { SKIPPED } from './tests.mjs'
import { drive, nodeOptions, projectRoot, runThere } from './wine.mjs'

const folder = join(drive, 'tests')

/** Builds and packs the project there; resolves with the failures, each a line. */
export async function buildThere(node, say) {
  const failures = []
  const files = ['dist/main.js', 'dist/workers/hash-worker.js', 'completions/matdecl.bash', 'package.json']
  const step = async (name, args, isDone) => {
    const { code, stdout, stderr } = await runThere(node, args, {
      cwd: folder,
      more: nodeOptions(),
      timeoutMs: 120_000,
    })
    const isRight = code === 0 && isDone(stdout)
    say(`${isRight ? 'ok  ' : 'FAIL'} project: ${name}`)
    if (!isRight)
      failures.push(`project: ${name} ended with ${code}: ${`${stdout}${stderr}`.trim().slice(-1_000)}`)
  }
  // A clone with the default of Git for Windows has its line ends, except where this rule is.
  const rule = readFileSync(join(projectRoot, '.gitattributes'), 'utf8')
  if (!/^\* text=auto eol=lf$/m.test(rule)) failures.push('project: .gitattributes does not keep line feeds')
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await step('build', ['scripts\\build.mjs'], () => existsSync(join(folder, files[0])))
  const npm = join(
    dirname(realpathSync(process.execPath)),
    '..',
    'lib',
    'node_modules',
    'npm',
    'bin',
    'npm-cli.js',
  )
  // Its script would install and build again.
  const pack = [`Z:${npm.replaceAll('/', '\\')}`, 'pack', '--ignore-scripts', '--dry-run', '--json']
  await step('npm pack', pack, (text) => {
    const packed = JSON.parse(text)[0].files.map(({ path }) => path)
    return files.every((path) => packed.includes(path))
  })
  return failures
}

/** Runs the tests of `tests.mjs`; resolves with the failures, each a line. `say` gets a line for each file that is skipped, with the reason. */
export async function runTests(node, say) {
  for (const [path, reason] of Object.entries(SKIPPED)) say(`skip ${path}: ${reason}`)
  const result = join(folder, 'result.json')
  rmSync(result, { force: true })
  const exclude = Object.keys(SKIPPED).flatMap((path) => [
    '--exclude',
    path.endsWith('.ts') ? path : `${path}/**`,
  ])
  const vitest = win32.join('C:\\tests', 'node_modules', 'vitest', 'vitest.mjs')
  const args = [
    vitest,
    'run',
    'test',
    ...exclude,
    '--pool=threads',
    '--testTimeout=240000',
    '--reporter=json',
    '--outputFile=result.json',
  ]
  const { code, stdout, stderr } = await runThere(node, args, {
    cwd: folder,
    more: nodeOptions(),
    timeoutMs: 2_400_000,
  })
  if (!existsSync(result)) return [`vitest ended with ${code}: ${`${stdout}${stderr}`.slice(-2_000)}`]
  const { testResults, numPassedTests, numPendingTests } = JSON.parse(readFileSync(result, 'utf8'))
  say(`tests: ${numPassedTests} passed, ${numPendingTests} skipped`)
  if (numPassedTests === 0)
    return [`no test was run: vitest ended with ${code}: ${`${stdout}${stderr}`.slice(-2_000)}`]
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = name.replaceAll(win32.sep, posix.sep).replace(/^.*\/tests\/test\//, 'test/')
    const failed = assertionResults.filter((one) => one.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [`${path}: ${message}`] : []
    return failed.map(
      ({ fullName, failureMessages }) => `${path}: ${fullName}: ${failureMessages[0]?.split('\n')[0]}`,
    )
  })
  return failures.length === 0 && code !== 0 ? [`vitest ended with ${code}`] : failures
}

/** Copies the project into that Windows, and installs its packages. */
export function installThere() {
  mkdirSync(folder, { recursive: true })
  const lock = readFileSync(join(projectRoot, 'package-lock.json'))
  const installed = join(folder, 'package-lock.json')
  cpSync(join(projectRoot, 'package.json'), join(folder, 'package.json'))
  if (!existsSync(installed) || !readFileSync(installed).equals(lock)) {
    writeFileSync(installed, lock)
    const args = ['ci', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund']
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) {
      rmSync(installed)
      throw new Error(`npm ci for Windows failed: ${stderr}`)
    }
  }
  for (const name of [
    'src',
    'test',
    'scripts',
    'bin',
    'docs',
    'completions',
    'examples',
    'man',
    'LICENSE',
    'README.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'tsconfig.json',
    'vitest.config.ts',
  ]) {
    rmSync(join(folder, name), { recursive: true, force: true })
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
  }
  // wine 8 has no library of this name; the bundler of vitest needs one function of it.
  const library = forwarderDll('bcryptprimitives.dll', { ProcessPrng: 'advapi32.SystemFunction036' })
  writeFileSync(join(drive, 'windows', 'system32', 'bcryptprimitives.dll'), library)
}
