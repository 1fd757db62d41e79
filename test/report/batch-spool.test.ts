import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createBatchSpool } from '../../src/report/batch-spool.ts'
import { batchOf, joinBatches, type ReadBatch } from '../../src/report/report-batch.ts'
import { manyDeclarations } from '../support/part-declarations.ts'
import { testWorld, withFolder } from '../support/world.ts'

const ROWS = manyDeclarations(3_000)
const BATCHES = Array.from({ length: 100 }, (_, n) =>
  batchOf({ rows: ROWS.slice(n * 30, (n + 1) * 30), starts: [0, 29] }),
)
const ALL = joinBatches(BATCHES)

async function spooled(memoryBytes: number, tempDir: string, add = BATCHES): Promise<ReadBatch[]> {
  const world = testWorld()
  await using spool = createBatchSpool({ ...world, host: { ...world.host, tempDir } }, memoryBytes)
  for (const batch of add) await spool.add(batch)
  const read: ReadBatch[] = []
  for await (const batch of spool.batches()) read.push(batch)
  return read
}

describe('a spool of batches', () => {
  it.each([
    ['in memory', Infinity],
    ['on disk', 0],
    ['in memory and on disk', 30_000],
  ])('%s has all rows in their order, and where files begin', async (_, memoryBytes) => {
    await withFolder(async (folder) => {
      const read = await spooled(memoryBytes, folder)
      expect(joinBatches(read)).toEqual(ALL)
      for (const { rows } of read) expect(rows.length).toBeLessThan(500 + 30)
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('touches the disk only beyond its memory', async () => {
    expect(joinBatches(await spooled(10_000_000, '/nowhere'))).toEqual(ALL)
    await expect(spooled(30_000, '/nowhere')).rejects.toMatchObject({ kind: 'io' })
  })

  it('of nothing has no row', async () => {
    expect(await spooled(0, '/nowhere', [])).toEqual([])
  })
})
