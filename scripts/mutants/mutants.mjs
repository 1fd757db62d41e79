// Changes one place of the program at a time and runs the tests of its folder, which should fail:
// npm run mutants -- [--count 200] [--seed 1] [--folder src/parts]... [--at src/parts/bom.ts:64]...
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { importsOf, isSameMutation, mutationsOf, staleEntries } from './mutations.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
process.chdir(root)

const SESSIONS = 2
// A mutant that keeps its tests busy for so long has made an endless loop, on a machine that is not too busy.
const LONGEST_MS = 600_000
const STOPPED = 'the time limit'
// Tests elsewhere that are about a folder, by the start of their paths.
const ALSO_TESTED_BY = {
  archive: [
    'test/cli/commands/hostile-',
    'test/cli/commands/list-',
    'test/cli/commands/verify-',
    'test/cli/golden/',
  ],
  cli: ['test/documents', 'test/recipes', 'test/scripts/'],
  compliance: ['test/report/meaning/', 'test/report/golden/'],
  declaration: ['test/report/meaning/', 'test/report/golden/'],
  diff: ['test/report/meaning/diff', 'test/report/golden/', 'test/cli/commands/diff-'],
  doctor: ['test/cli/commands/doctor-'],
  download: ['test/cli/golden/', 'test/cli/commands/download-', 'test/cli/commands/sync'],
  fs: ['test/archive/staging', 'test/archive/extract-', 'test/cli/created-', 'test/download/collect-'],
  http: ['test/download/fetch-', 'test/cli/commands/download-access', 'test/cli/commands/doctor-'],
  library: ['test/cli/commands/sync', 'test/download/download.', 'test/download/send-'],
  migrate: ['test/cli/commands/migrat', 'test/cli/golden/'],
  parts: ['test/cli/golden/', 'test/cli/commands/parts-', 'test/cli/commands/report-rollup'],
  report: ['test/cli/commands/report-', 'test/cli/report/'],
  request: ['test/cli/commands/download-request', 'test/download/plan'],
  sandbox: ['test/report/golden/', 'test/cli/commands/sandbox-'],
  terminal: ['test/spawned/terminal'],
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true, default: ['src'] },
    at: { type: 'string', multiple: true },
  },
})

const texts = new Map(
  [...filesIn('src'), ...filesIn('test')].map((file) => [file, readFileSync(file, 'utf8')]),
)
const imports = new Map(
  [...texts].map(([file, text]) => [
    file,
    importsOf(file, text).map((path) => normalize(join(dirname(file), path))),
  ]),
)
const accepted = JSON.parse(readFileSync('scripts/mutants/accepted.json', 'utf8'))
const stale = staleEntries(accepted, (file) => texts.get(file) ?? '')

const mutants = sample()
console.error(`mutants: ${mutants.length}, seed ${values.seed}`)
const results = await runAll()
const survivors = results.filter(({ killedBy }) => killedBy === undefined)
const unexplained = survivors.filter((each) => !accepted.some((other) => isSameMutation(each, other)))
for (const { file, line, source, change } of survivors) {
  const isAccepted = !unexplained.some(
    (each) => each.file === file && each.line === line && each.change === change,
  )
  console.log(`${isAccepted ? 'accepted' : 'survived'} ${file}:${line}: ${change}\n    ${source}`)
}
printFolders()
for (const { file, source, change } of stale)
  console.log(`accepted.json: nothing in ${file} is changed so any more: ${change}\n    ${source}`)
process.exitCode = unexplained.length + stale.length > 0 ? 1 : 0

function sample() {
  const all = [...texts]
    .filter(([file]) => file.startsWith('src/') && !file.endsWith('.client.ts'))
    .filter(([file]) =>
      values.folder.some((folder) => `${file}/`.startsWith(`${folder.replace(/\/$/, '')}/`)),
    )
    .flatMap(([file, text]) => mutationsOf(file, text))
  if (values.at !== undefined) return all.filter(({ file, line }) => values.at.includes(`${file}:${line}`))
  // A change elsewhere leaves the rest of the sample as it was.
  const keyOf = ({ file, source, change }) =>
    createHash('sha256').update(`${values.seed}\n${file}\n${source}\n${change}`).digest('hex')
  return all
    .map((mutant) => ({ mutant, key: keyOf(mutant) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, Number(values.count))
    .map(({ mutant }) => mutant)
}

async function runAll() {
  const waiting = mutants.map((mutant) => ({ ...mutant, ...testsOf(mutant.file) }))
  const done = []
  const scratch = mkdtempSync(join(tmpdir(), 'matdecl-mutants-'))
  const sessions = new Set()
  const remove = () => {
    for (const session of sessions) session.end()
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      remove()
      process.exit(1)
    })
  }
  try {
    await Promise.all(
      Array.from({ length: SESSIONS }, async (_, index) => {
        const copy = copyProject(join(scratch, String(index)))
        let session
        for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
          if (session === undefined) {
            session = await openSession(copy)
            sessions.add(session)
          }
          const began = performance.now()
          const answer = await session.attempt(mutant)
          if (answer.isStopped) {
            session = undefined
            cpSync(join(root, mutant.file), join(copy, mutant.file))
          }
          const killedBy = answer.isStopped ? STOPPED : answer.killedBy
          done.push({ ...mutant, killedBy })
          const seconds = ((performance.now() - began) / 1000).toFixed(0)
          const verdict = killedBy === undefined ? `SURVIVED ${mutant.change}` : `killed by ${killedBy}`
          console.error(
            `${done.length}/${mutants.length} ${mutant.file}:${mutant.line} ${verdict} (${seconds} s)`,
          )
          for (const path of answer.failing ?? [])
            console.error(`  ${path} fails without a change and was left out`)
        }
      }),
    )
    return done
  } finally {
    remove()
  }
}

function copyProject(target) {
  for (const name of readdirSync(root)) {
    if (['.git', 'node_modules', 'dist', 'build', 'coverage', '.tmp'].includes(name)) continue
    cpSync(join(root, name), join(target, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'))
  return target
}

async function openSession(cwd) {
  const child = fork(join(cwd, 'scripts/mutants/session.mjs'), {
    cwd,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const next = () => new Promise((resolve) => child.once('message', resolve))
  await next()
  return {
    end,
    async attempt(mutant) {
      const answer = next()
      child.send(mutant)
      let timer
      const late = new Promise((resolve) => {
        timer = setTimeout(() => resolve({ isStopped: true }), LONGEST_MS)
      })
      const died = new Promise((resolve) => child.once('exit', () => resolve({ isStopped: true })))
      const result = await Promise.race([answer, late, died])
      clearTimeout(timer)
      if (result.isStopped) end()
      return result
    },
  }
}

// Tests in the folder that mirrors that of the file, and of its command: first those of the file itself, then those that reach it through imports.
function testsOf(file) {
  const [, folder] = file.split('/')
  const stem = file.replace(/^src/, 'test').replace(/\.ts$/, '')
  const inFolder = [...texts.keys()].filter(
    (path) =>
      path.endsWith('.test.ts') &&
      (folder.endsWith('.ts')
        ? dirname(path) === 'test'
        : [`test/${folder}/`, ...(ALSO_TESTED_BY[folder] ?? [])].some((start) => path.startsWith(start))),
  )
  const isOwn = (path) => path === `${stem}.test.ts` || path.startsWith(`${stem}-`)
  const own = inFolder.filter(isOwn)
  const first = [...new Set([...own, ...inFolder.filter((path) => imports.get(path).includes(file))])]
  const isInWorkers = [...texts.keys()].some((path) => path.includes('/workers/') && reaches(path, file))
  const others = inFolder.filter((path) => !first.includes(path) && (isInWorkers || reaches(path, file)))
  return { first, others, isInWorkers }
}

function reaches(from, file) {
  const seen = new Set([from])
  for (const path of seen) {
    for (const next of imports.get(path) ?? []) seen.add(next)
  }
  return seen.has(file)
}

function printFolders() {
  const counts = new Map()
  for (const { file, killedBy } of results) {
    const folder = dirname(file).split('/')[1] ?? 'src'
    const { killed, all } = counts.get(folder) ?? { killed: 0, all: 0 }
    counts.set(folder, { killed: killed + (killedBy === undefined ? 0 : 1), all: all + 1 })
  }
  for (const [folder, { killed, all }] of [...counts].sort())
    console.log(`${folder}: ${killed} of ${all} killed`)
  const killed = results.length - survivors.length
  const share = ((100 * killed) / results.length).toFixed(1)
  const stopped = results.filter(({ killedBy }) => killedBy === STOPPED).length
  console.log(`${killed} of ${results.length} killed (${share} %), ${stopped} of them by ${STOPPED}`)
  console.log(`${survivors.length - unexplained.length} survivors accepted, ${unexplained.length} not`)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts'))
}
