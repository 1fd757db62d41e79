// `npm run bench [-- row…]`: every figure of performance against its peers in the same run; prints the table and keeps it in RESULTS.md.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OWN = ['run.mjs', 'job-service.mjs', 'make-archive.mjs', 'make-declarations.mjs']
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url))

const args = process.argv.slice(2)
const here = fileURLToPath(new URL('.', import.meta.url))
const rows = {}
for (const name of readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && !OWN.includes(file))
  .sort()) {
  const { ROWS } = await import(new URL(name, import.meta.url))
  Object.assign(rows, ROWS)
}

if (args[0] === '--measure') {
  // On tmpfs where there is one, so that the disk does not drown the signal.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'matdecl-bench-'))
  try {
    process.stdout.write(JSON.stringify(await rows[args[1]](folder)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
} else report(args)

/** Prints the table of these rows; of all, and keeps it, when none is named. */
function report(wanted) {
  const unknown = wanted.filter((id) => rows[id] === undefined)
  if (unknown.length > 0) {
    process.stderr.write(
      `bench: there is no row ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}\n`,
    )
    process.exitCode = 2
    return
  }
  const table = tableOf(
    Object.keys(rows)
      .filter((id) => wanted.length === 0 || wanted.includes(id))
      .flatMap((id) => measure(id)),
  )
  process.stdout.write(`${table}\n`)
  if (wanted.length === 0) keep(table)
}

// A process of its own for each row: what one has in memory makes every program that it starts slower to start.
function measure(id) {
  process.stderr.write(`bench: ${id}\n`)
  const own = fileURLToPath(import.meta.url)
  const { status, stdout } = spawnSync(process.execPath, [own, '--measure', id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`row ${id} ended with ${status}`)
  return JSON.parse(stdout.toString())
}

function tableOf(results) {
  return [
    '| row | ours | peer | against | ratio | reach | |',
    '|---|---|---|---|---|---|---|',
    ...results.map(
      ({ id, ours, peer, against, ratio, reach, isReached }) =>
        `| ${id} | ${figure(ours)} | ${figure(peer)} | ${against} | ${figure(ratio)} | ${reach} | ${isReached ? 'reached' : 'not reached'} |`,
    ),
  ].join('\n')
}

function keep(table) {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`
  writeFileSync(
    RESULTS,
    `# The last figures\n\n${new Date().toISOString().slice(0, 10)}, ${machine}. Seconds are medians of at least five runs, the two sides in turn; a ratio below its reach is what is wanted.\n\n${table}\n`,
  )
}

function figure(value) {
  return typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : value
}
