// Rows `job`, `resume`, `plan` and `parts`: many parts through a slow service, the same after a kill, a million parts planned, and
// what is read from a list shown.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ENV, makeInput, medians, memoryRow, NODE, run, scaled, TOOL, timeRow, version } from './measure.mjs'

const SERVICE = fileURLToPath(new URL('./job-service.mjs', import.meta.url))
const PARTS = scaled(10_000)
const CONCURRENCY = 4

export const ROWS = { job, requests, resume, plan, parts }

async function job(folder) {
  return withService(async (url, seen) => {
    const options = askFor(url, writeParts(folder))
    const command = [NODE, TOOL, ...options, '-o', join(folder, 'job.zip'), '--overwrite']
    await run(command)
    const requests = seen.splice(0)
    const [ours, peer] = await medians([command, ['sh', writeLoop(folder, options)]])
    const against = `sh, ${version('curl')}, then ${version('unzip', '-v')} -tq`
    const bound = { seconds: boundOf(requests) }
    return [
      timeRow('job', ours, peer, against, 0.3),
      timeRow('job bound', ours, bound, `latency × ${requests.length} requests / ${CONCURRENCY}`, 1.25),
    ]
  })
}

// Ten times the requests, each with one part.
async function requests(folder) {
  return withService(
    async (url) => {
      const peak = async (count) => {
        const options = [...askFor(url, writeParts(folder, count), 8), '--batch-size', '1']
        return (await run([NODE, TOOL, ...options, '-o', join(folder, `${count}.zip`)])).mebibytes
      }
      const few = await peak(scaled(4_000))
      return [memoryRow('requests memory', await peak(scaled(40_000)), 1.2 * few)]
    },
    ['--fast'],
  )
}

// Seconds that the service alone takes, when every connection sends the next request at once.
function boundOf(requests) {
  const connections = Array.from({ length: CONCURRENCY }, () => 0)
  for (const { count } of requests) {
    connections[connections.indexOf(Math.min(...connections))] += (200 + count) / 1000
  }
  return Math.max(...connections)
}

async function resume(folder) {
  return withService(async (url, seen) => {
    const output = join(folder, 'resume.zip')
    const args = [TOOL, ...askFor(url, writeParts(folder)), '--batch-size', '50', '-o', output]
    const total = Math.ceil(PARTS / 50)
    const child = spawn(NODE, args, { env: ENV, stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (seen.length < total / 2 && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    child.kill('SIGKILL')
    if ((await ended)[1] !== 'SIGKILL') throw new Error('the run ended before it could be killed')
    const [job] = readdirSync(`${output}.parts`)
    const records = join(`${output}.parts`, job, '.matdecl', 'answers.jsonl')
    const verified = verifiedIn(readFileSync(records, 'utf8'))
    if (verified.size === 0) throw new Error('no request was verified before the run was killed')
    seen.splice(0)
    await run([NODE, ...args])
    const again = seen.filter(({ first }) => verified.has(Number(first.slice(3)))).length
    const against = `requests sent again; ${verified.size} of ${total} verified when killed, ${seen.length} sent afterwards`
    return [{ id: 'resume job', ours: again, peer: total, against, ratio: again / total, reach: 0 }]
  })
}

/** The numbers of the first parts of the answers that a job has recorded. Its last line may be torn. */
function verifiedIn(text) {
  const lines = text.split('\n').slice(0, -1)
  // A checksum of eight digits precedes the JSON.
  const records = lines.map((line) => JSON.parse(line.slice(9)))
  return new Set(
    records.filter(({ parts }) => parts !== undefined).map(({ parts }) => Number(parts[0].slice(3))),
  )
}

async function plan(folder) {
  const csv = join(folder, 'list.csv')
  makeInput('list', csv, scaled(1_000_000))
  const options = [
    '--base-url',
    'https://api.example.com',
    '--parts-file',
    csv,
    '--parts-column',
    'Part Number',
  ]
  const read = 'import csv,sys\nfor row in csv.reader(open(sys.argv[1],newline="")): pass'
  const commands = [
    [NODE, TOOL, ...options, '--dry-run'],
    ['python3', '-c', read, csv],
  ]
  const [ours, peer] = await medians(commands)
  return [
    timeRow('plan', ours, peer, `the csv module of ${version('python3')}`, 2.5),
    memoryRow('plan memory', ours.mebibytes, 400),
  ]
}

async function parts(folder) {
  const csv = join(folder, 'shown.csv')
  makeInput('list', csv, scaled(300_000))
  const [ours, peer] = await medians([
    [NODE, TOOL, 'parts', csv, '--json'],
    [NODE, TOOL, '--base-url', 'https://api.example.com', '--parts-file', csv, '--dry-run'],
  ])
  return [
    timeRow('parts', ours, peer, 'download --dry-run of the same list', 1.5),
    memoryRow('parts memory', ours.mebibytes, 250),
  ]
}

function askFor(url, list, concurrency = CONCURRENCY) {
  const service = ['--base-url', url, '--parts-file', list, '-q']
  return [...service, '--rate', '100000', '--concurrency', String(concurrency)]
}

function writeParts(folder, count = PARTS) {
  const list = join(folder, 'parts.txt')
  writeFileSync(
    list,
    Array.from({ length: count }, (_, index) => `PN-${String(index).padStart(7, '0')}`).join('\n'),
  )
  return list
}

// The same requests, one after the other, each response tested immediately.
function writeLoop(folder, options) {
  const { stdout } = spawnSync(NODE, [TOOL, ...options, '--dry-run', '--json'], {
    env: ENV,
    maxBuffer: 1 << 30,
  })
  const lines = JSON.parse(stdout).requests.map(({ url }, index) => {
    const file = `'${folder}/${index}.zip'`
    return `curl -sgf -o ${file} -H 'Authorization: Bearer bench-token' '${url}' && unzip -tq ${file} >/dev/null || exit 1`
  })
  const script = join(folder, 'loop.sh')
  writeFileSync(script, `${lines.join('\n')}\n`)
  return script
}

async function withService(use, options = []) {
  const child = spawn(NODE, [SERVICE, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [url] = await once(lines, 'line')
  const seen = []
  lines.on('line', (line) => {
    const [first, count] = line.split(' ')
    seen.push({ first, count: Number(count) })
  })
  try {
    return await use(url, seen)
  } finally {
    child.kill()
  }
}
