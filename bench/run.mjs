// `npm run bench [-- ROW…] [--scale 0.01]`: measures the rows and prints their table; all of them at full size go into RESULTS.md.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const FILES = ['start', 'download', 'archive', 'job', 'limited', 'report', 'library']
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url))

const { values, positionals } = parseArgs({
  options: { scale: { type: 'string' }, measure: { type: 'boolean' } },
  allowPositionals: true,
})
const modules = await Promise.all(FILES.map((name) => import(`./${name}.mjs`)))
const rows = Object.assign({}, ...modules.map(({ ROWS }) => ROWS))

if (values.measure) await measureHere(positionals[0])
else printTable(positionals)

// On tmpfs if there is one, so that the disk does not add noise.
async function measureHere(id) {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'matdecl-bench-'))
  try {
    process.stdout.write(JSON.stringify(await rows[id](folder)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printTable(wanted) {
  const unknown = wanted.filter((id) => rows[id] === undefined)
  if (unknown.length > 0) {
    process.stderr.write(
      `bench: unknown row ${unknown.join(', ')}: expected ${Object.keys(rows).join(', ')}\n`,
    )
    process.exitCode = 2
    return
  }
  const ids = wanted.length > 0 ? wanted : Object.keys(rows)
  const table = tableOf(ids.flatMap(measure))
  process.stdout.write(`${table}\n`)
  const isWhole = wanted.length === 0 && values.scale === undefined && process.exitCode === undefined
  if (isWhole) keep(table)
}

// Each row runs in a separate process: a large one takes longer to start others. Without its peer, it fails alone.
function measure(id) {
  process.stderr.write(`bench: ${id}\n`)
  const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--measure', id], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, MATDECL_BENCH_SCALE: values.scale ?? '1' },
  })
  if (status === 0) return JSON.parse(stdout.toString())
  process.stderr.write(`bench: ${id} was not measured\n`)
  process.exitCode = 1
  return []
}

function tableOf(results) {
  const line = ({ id, ours, cpu, peer, peerCpu, against, ratio, reach }) => [
    id,
    ours,
    cpu,
    peer,
    peerCpu,
    against,
    ratio,
    `≤ ${reach}`,
    verdict(ratio, reach),
  ]
  const cells = [
    ['row', 'ours', 'CPU', 'peer', 'CPU', 'against', 'ratio', 'reach', ''],
    ['---', '---', '---', '---', '---', '---', '---', '---', '---'],
    ...results.map(line),
  ]
  return cells.map((row) => `| ${row.map(figure).join(' | ')} |`).join('\n')
}

// Small inputs measure only start-up time: they get no verdict.
function verdict(ratio, reach) {
  if (values.scale !== undefined) return ''
  return ratio <= reach ? 'reached' : 'not reached'
}

function figure(value) {
  return typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : (value ?? '')
}

function keep(table) {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(
    RESULTS,
    `# Results

${today}, ${machine}. Seconds of wall clock and of CPU, medians of at least five runs, both sides in turn. Made by \`npm run bench\`.

${table}
`,
  )
}
