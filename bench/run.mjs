// `npm run bench [-- row…]`: every figure of performance against its peers in the same run; prints the table and keeps it in RESULTS.md.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OWN = ['run.mjs', 'job-service.mjs']
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url))

const wanted = process.argv.slice(2)
const here = fileURLToPath(new URL('.', import.meta.url))
const rows = {}
for (const name of readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && !OWN.includes(file))
  .sort()) {
  const { ROWS } = await import(new URL(name, import.meta.url))
  Object.assign(rows, ROWS)
}

const unknown = wanted.filter((id) => rows[id] === undefined)
if (unknown.length > 0) {
  process.stderr.write(
    `bench: there is no row ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}\n`,
  )
  process.exit(2)
}

const results = []
for (const [id, measure] of Object.entries(rows)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue
  process.stderr.write(`bench: ${id}\n`)
  // On tmpfs where there is one, so that the disk does not drown the signal.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'matdecl-bench-'))
  try {
    results.push(...(await measure(folder)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const table = [
  '| row | ours | peer | against | ratio | reach | |',
  '|---|---|---|---|---|---|---|',
  ...results.map(
    ({ id, ours, peer, against, ratio, reach, isReached }) =>
      `| ${id} | ${figure(ours)} | ${figure(peer)} | ${against} | ${figure(ratio)} | ${reach} | ${isReached ? 'reached' : 'not reached'} |`,
  ),
].join('\n')
process.stdout.write(`${table}\n`)

if (wanted.length === 0) {
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
