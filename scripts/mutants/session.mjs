// Tries mutants, one at a time, in the copy of the project that is the working directory; see mutants.mjs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BaseSequencer, createVitest } from 'vitest/node'

const { buildAll } = await import(pathToFileURL(resolve('scripts/build.mjs')).href)
// Of this run: the results that vitest returns have those of earlier runs, too.
let failures = []
const durations = new Map()

// One failing test is enough: those that have not run yet in the order given, the others by the time that they took.
class QuickestFirst extends BaseSequencer {
  async sort(files) {
    const durationOf = ({ moduleId }) => durations.get(moduleId) ?? 0
    return [...files].sort((a, b) => durationOf(a) - durationOf(b))
  }
}

const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  sequence: { sequencer: QuickestFirst },
  reporters: [
    {
      onTestModuleEnd: (ended) => {
        if (ended.state() === 'failed') failures.push(ended.moduleId)
        else durations.set(ended.moduleId, ended.diagnostic().duration)
      },
    },
  ],
  testTimeout: 20_000,
  onConsoleLog: () => false,
})
const specifications = new Map(
  (await vitest.globTestSpecifications()).map((each) => [
    each.moduleId.slice(process.cwd().length + 1),
    each,
  ]),
)
const passes = new Map()
const compiles = await isCompiled()

process.on('message', async (mutant) => process.send(await attempt(mutant)))
process.on('disconnect', () => process.exit())
process.send('ready')

// Returns what fails with the mutant but not without it.
async function attempt(mutant) {
  const { file, start, end, replacement, first, others, isInWorkers } = mutant
  const original = readFileSync(file, 'utf8')
  const changed = original.slice(0, start) + replacement + original.slice(end)
  const write = (text) => {
    writeFileSync(file, text)
    vitest.invalidateFile(resolve(file))
  }
  const killer = async (paths) => {
    for (;;) {
      const failed = await firstFailure(paths.filter((path) => passes.get(path) !== false))
      if (failed === undefined || passes.get(failed)) return failed
      write(original)
      passes.set(failed, (await firstFailure([failed])) === undefined)
      write(changed)
      if (passes.get(failed)) return failed
    }
  }
  write(changed)
  try {
    const dropsAwait = original.slice(start, end).startsWith('await')
    let killedBy = await killer(first)
    if (killedBy === undefined && compiles && !(await isCompiled())) killedBy = 'the compiler'
    if (killedBy === undefined && dropsAwait) killedBy = await killer(['test/floating-promises.test.ts'])
    if (killedBy !== undefined) return { killedBy }
    if (isInWorkers) await rebuild()
    killedBy = await killer(others)
    return { killedBy, failing: [...passes].flatMap(([path, isPassing]) => (isPassing ? [] : [path])) }
  } finally {
    write(original)
    if (isInWorkers) await rebuild()
  }
}

async function isCompiled() {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  const child = spawn(process.execPath, [tsc, '--noEmit'], { stdio: 'ignore' })
  const [status] = await once(child, 'exit')
  return status === 0
}

async function firstFailure(paths) {
  const chosen = paths.map((path) => specifications.get(path)).filter((each) => each !== undefined)
  if (chosen.length === 0) return undefined
  failures = []
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen)
  const failed = failures[0]?.slice(process.cwd().length + 1)
  return failed ?? (unhandledErrors.length > 0 ? paths[0] : undefined)
}

// Threads of the tests run the build that the first run of tests has made.
async function rebuild() {
  const folder = process.env.MATDECL_TEST_BUILD
  if (folder !== undefined) await buildAll(join(folder, 'dist'))
}
