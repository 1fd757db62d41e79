// Rows `job`, `resume` and `plan` of the benchmark: many parts through a slow service, the same after a kill, and a million parts planned.
// `node bench/job.mjs [row…]`; the build in dist/ is what is measured.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
const SERVICE = fileURLToPath(new URL('./job-service.mjs', import.meta.url))
const RUNS = 5
const PARTS = 10_000
const CONCURRENCY = 4
const ENV = { PATH: process.env.PATH, MATDECL_TOKEN: 'bench-token' }

/** The rows of this file, by id; each resolves with what is printed of it. */
export const ROWS = { job, resume, plan }

async function job(folder) {
  return withService(async (url, seen) => {
    const list = writeParts(folder)
    const args = [...askFor(url, list), '-o', join(folder, 'job.zip'), '--overwrite']
    await run(TOOL, args, folder)
    const requests = seen.splice(0)
    const ours = await median(() => run(TOOL, args, folder))
    const script = writeLoop(folder, url, list)
    const peer = await median(() => runProgram('sh', [script], folder))
    const lanes = Array.from({ length: CONCURRENCY }, () => 0)
    // The bound: every request takes its latency, each lane the next one.
    for (const { count } of requests) lanes[lanes.indexOf(Math.min(...lanes))] += (200 + count) / 1000
    const bound = Math.max(...lanes)
    return [
      row('job', ours, peer, `sh, curl ${version('curl', '--version')}, then unzip -tq`, 0.3),
      row('job-bound', ours, bound, `latency × ${requests.length} requests / ${CONCURRENCY}`, 1.15),
    ]
  })
}

async function resume(folder) {
  return withService(async (url, seen) => {
    const args = [...askFor(url, writeParts(folder)), '--batch-size', '50', '-o', join(folder, 'resume.zip')]
    const total = PARTS / 50
    const child = spawn(process.execPath, [TOOL, ...args], { cwd: folder, env: ENV, stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (seen.length < total / 2 && child.exitCode === null)
      await new Promise((wait) => setTimeout(wait, 5))
    child.kill('SIGKILL')
    if ((await ended)[1] !== 'SIGKILL') throw new Error('the run ended before it could be killed')
    const journal = readFileSync(join(folder, 'resume.zip.parts', 'journal'), 'utf8')
    const verified = new Set(
      [...journal.matchAll(/"event":"verified","from":(\d+)/g)].map((match) => Number(match[1])),
    )
    seen.splice(0)
    await run(TOOL, args, folder)
    const again = seen.filter(({ first }) => verified.has(Number(first.slice(3)))).length
    const sent = `${verified.size} of ${total} verified when it was killed, ${seen.length} sent afterwards`
    return [
      { id: 'resume', ours: again, peer: 0, against: sent, ratio: again, reach: 0, isReached: again === 0 },
    ]
  })
}

async function plan(folder) {
  const csv = join(folder, 'million.csv')
  await writeMillion(csv)
  const args = ['--base-url', 'https://api.example.com', '--parts-file', csv, '--dry-run']
  const read = 'import csv,sys\nfor row in csv.reader(open(sys.argv[1],newline="")): pass'
  const script = join(folder, 'read.sh')
  writeFileSync(script, `wc -l '${csv}' >/dev/null && python3 -c '${read}' '${csv}'\n`)
  const [ours, peer] = await medians(
    () => run(TOOL, args, folder),
    () => runProgram('sh', [script], folder),
  )
  const mebibytes = peakMebibytes(args, folder)
  return [
    row('plan', ours, peer, `wc -l, then the csv module of ${version('python3', '--version')}`, 2),
    {
      id: 'plan-rss',
      ours: mebibytes,
      peer: 400,
      against: 'MiB at most',
      ratio: mebibytes / 400,
      reach: 1,
      isReached: mebibytes <= 400,
    },
  ]
}

function askFor(url, list) {
  return [
    '--base-url',
    url,
    '--parts-file',
    list,
    '--rate',
    '100000',
    '--concurrency',
    String(CONCURRENCY),
    '-q',
  ]
}

function writeParts(folder) {
  const list = join(folder, 'parts.txt')
  writeFileSync(
    list,
    Array.from({ length: PARTS }, (_, index) => `PN-${String(index).padStart(7, '0')}`).join('\n'),
  )
  return list
}

// The same requests, one after the other, as a shell script has them; each answer is tested as it comes.
function writeLoop(folder, url, list) {
  const { requests } = JSON.parse(
    spawnSync(process.execPath, [TOOL, ...askFor(url, list), '--dry-run', '--json'], {
      env: ENV,
      maxBuffer: 1 << 30,
    }).stdout,
  )
  const script = join(folder, 'loop.sh')
  const lines = requests.map(
    (request, index) =>
      `curl -sgf -o '${folder}/${index}.zip' -H 'Authorization: Bearer bench-token' '${request.url}' && unzip -tq '${folder}/${index}.zip' >/dev/null || exit 1`,
  )
  writeFileSync(script, `${lines.join('\n')}\n`)
  return script
}

function writeMillion(path) {
  const out = createWriteStream(path)
  let seed = 1
  const next = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  out.write('Part Number,Description,Qty\n')
  for (let from = 0; from < 1_000_000; from += 10_000) {
    const lines = Array.from(
      { length: 10_000 },
      (_, index) =>
        `PN-${String(from + index).padStart(7, '0')}-${next(999)},Capacitor ${next(100)} uF,${next(50)}`,
    )
    out.write(`${lines.join('\n')}\n`)
  }
  out.end()
  return once(out, 'finish')
}

async function withService(body) {
  const child = spawn(process.execPath, [SERVICE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [url] = await once(lines, 'line')
  const seen = []
  lines.on('line', (line) => {
    const [first, count] = line.split(' ')
    seen.push({ first, count: Number(count) })
  })
  try {
    return await body(url, seen)
  } finally {
    child.kill()
  }
}

function run(tool, args, cwd) {
  return runProgram(process.execPath, [tool, ...args], cwd)
}

/** Seconds that a program takes; its output goes nowhere. */
async function runProgram(program, args, cwd) {
  const started = performance.now()
  const child = spawn(program, args, { cwd, env: ENV, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${said}`)
  return (performance.now() - started) / 1000
}

async function median(measure) {
  const [middle] = await medians(measure)
  return middle
}

// Taken in turn, so that a busy minute of the machine falls on all alike.
async function medians(...measures) {
  const times = measures.map(() => [])
  for (let round = 0; round < RUNS; round += 1) {
    for (const [index, measure] of measures.entries()) times[index].push(await measure())
  }
  return times.map((some) => some.sort((a, b) => a - b)[Math.floor(RUNS / 2)])
}

function peakMebibytes(args, cwd) {
  const measure =
    'import resource,subprocess,sys\nsubprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL,check=True)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
  const { stdout } = spawnSync('python3', ['-c', measure, process.execPath, TOOL, ...args], { cwd, env: ENV })
  return Math.round(Number(stdout) / 1024)
}

function version(program, flag) {
  return /\d+\.\d+(?:\.\d+)?/.exec(spawnSync(program, [flag]).stdout?.toString() ?? '')?.[0] ?? '?'
}

function row(id, ours, peer, against, reach) {
  const ratio = ours / peer
  return { id, ours, peer, against, ratio, reach, isReached: ratio <= reach }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2)
  const tmpfs = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  for (const [id, measure] of Object.entries(ROWS)) {
    if (wanted.length > 0 && !wanted.includes(id)) continue
    const folder = mkdtempSync(join(tmpfs, 'matdecl-bench-'))
    try {
      for (const { id: name, ours, peer, ratio, reach, against, isReached } of await measure(folder)) {
        const figures = `${ours.toFixed(2)} against ${peer.toFixed(2)} (${against}): ${ratio.toFixed(2)}, reach ${reach}`
        process.stdout.write(`${isReached ? 'ok  ' : 'MISS'} ${name.padEnd(10)} ${figures}\n`)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
