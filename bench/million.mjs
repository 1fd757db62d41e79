// `node bench/million.mjs [--parts 1000000] [--shards 4] [--categories 10] [--folder DIR]`: reports on a million small declarations
// in shards, one after the other, and prints seconds, CPU seconds and peak memory of each. Not a row: making the archives takes longer.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { classCArchive } from './make-declarations.mjs'
import { NODE, run, TOOL } from './measure.mjs'

/** Declarations of an archive. */
const SIZE = 5_000

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: '1000000' },
    shards: { type: 'string', default: '4' },
    // Of each of the three lists: with ten of them a declaration has 10 kB.
    categories: { type: 'string', default: '10' },
    // Archives that are there are used again.
    folder: { type: 'string' },
  },
})
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'matdecl-million-'))
const shards = Number(values.shards)

try {
  await makeArchives(join(folder, 'incoming'), Number(values.parts))
  await reportShards()
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
}

async function makeArchives(target, parts) {
  mkdirSync(target, { recursive: true })
  for (let first = 0; first < parts; first += SIZE) {
    const path = join(target, `${String(first / SIZE).padStart(5, '0')}.zip`)
    if (existsSync(path)) continue
    const draft = join(folder, 'draft.zip')
    const mostCategories = Number(values.categories)
    await classCArchive(draft, Math.min(SIZE, parts - first), { first, mostCategories })
    renameSync(draft, path)
    process.stderr.write(`\rmillion: ${Math.min(parts, first + SIZE)} declarations made`)
  }
  process.stderr.write('\n')
}

async function reportShards() {
  const totals = { rows: 0, seconds: 0, cpu: 0, mebibytes: 0 }
  for (let shard = 1; shard <= shards; shard += 1) {
    const output = join(folder, `parts-${shard}.parquet`)
    const options = ['--shard', `${shard}/${shards}`, '-o', output, '--overwrite', '-q']
    const { seconds, cpu, mebibytes } = await run([
      NODE,
      TOOL,
      'report',
      join(folder, 'incoming'),
      ...options,
    ])
    const { num_rows: rows } = await parquetMetadataAsync(await asyncBufferFromFile(output))
    totals.rows += Number(rows)
    totals.seconds += seconds
    totals.cpu += cpu
    totals.mebibytes = Math.max(totals.mebibytes, mebibytes)
    print(`shard ${shard}/${shards}`, { rows, seconds, cpu, mebibytes })
  }
  print('all shards, one after the other', totals)
}

function print(what, { rows, seconds, cpu, mebibytes }) {
  const figures = `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU, at most ${mebibytes.toFixed(0)} MiB`
  process.stdout.write(`${what}: ${rows} rows, ${figures}\n`)
}
