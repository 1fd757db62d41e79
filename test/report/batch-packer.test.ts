import { expect, test } from 'vitest'
import { createBatchPacker, unpackBatches } from '../../src/report/batch-packer.ts'
import { batchOf, joinBatches, type ReadBatch } from '../../src/report/report-batch.ts'
import { manyDeclarations } from '../support/part-declarations.ts'

/** Packs these batches, and the number of rows in each piece. */
function packed(batches: readonly ReadBatch[]): {
  readonly all: ReadBatch
  readonly rows: readonly number[]
} {
  const packer = createBatchPacker()
  const pieces = [...batches.map(packer.add), packer.rest(), packer.rest()]
  const unpacked = pieces.filter((piece) => piece !== undefined).map(unpackBatches)
  return { all: joinBatches(unpacked), rows: unpacked.map(({ rows }) => rows.length) }
}

test('batches are packed some hundred rows together, and restored in order', () => {
  const rows = manyDeclarations(1_300)
  const batches = rows.map((row, index) =>
    batchOf({ rows: [row], starts: index % 2 === 0 ? [0] : [], skipped: [`${index}.txt`] }),
  )
  const { all, rows: counts } = packed(batches)
  expect(all).toEqual(joinBatches(batches))
  expect(all.starts).toEqual(rows.flatMap((_, index) => (index % 2 === 0 ? [index] : [])))
  expect(counts).toEqual([500, 500, 300])
})

test('a batch with more rows is a piece by itself', () => {
  const large = batchOf({ rows: manyDeclarations(700), starts: [0] })
  expect(packed([large, large])).toEqual({ all: joinBatches([large, large]), rows: [700, 700] })
})

test('a batch without rows is kept', () => {
  const empty = batchOf({ skipped: ['readme.txt'], requests: ['ask.xml'] })
  expect(packed([empty]).all).toEqual(empty)
})

test('nothing is packed as nothing', () => {
  expect(packed([]).rows).toEqual([])
})
