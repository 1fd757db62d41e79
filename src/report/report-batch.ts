import type { ReadRow } from './rows/part-declaration.ts'
import type { SubstanceRow } from './rows/report-row.ts'

/** Declarations as they are read, of some files or of a part of one. */
export interface ReadBatch {
  readonly rows: readonly ReadRow[]
  /** The index in `rows` at which each file begins. Rows before the first are of the last file of the batch before. */
  readonly starts: readonly number[]
  readonly substances: readonly SubstanceRow[]
  /** For each substance the index in `rows` of its part; -1 is the last row of the batch before. */
  readonly owners: readonly number[]
  /** Entries left out because they are not XML. */
  readonly skipped: readonly string[]
  /** Files that ask for a declaration and declare nothing. */
  readonly requests: readonly string[]
}

/** Rows of a batch: messages between threads are copied as one. */
const FULL = 500

type Sized = Pick<ReadBatch, 'rows' | 'substances'>

/** The rows of both tables. */
export function sizeOf({ rows, substances }: Sized): number {
  return rows.length + substances.length
}

export function isFull(batch: Sized): boolean {
  return sizeOf(batch) >= FULL
}

export function batchOf(some: Partial<ReadBatch>): ReadBatch {
  return { rows: [], starts: [], substances: [], owners: [], skipped: [], requests: [], ...some }
}

/** Batches that follow each other as one. */
export function joinBatches(batches: readonly ReadBatch[]): ReadBatch {
  const firstRows: number[] = []
  let count = 0
  for (const { rows } of batches) {
    firstRows.push(count)
    count += rows.length
  }
  const moved = (name: 'starts' | 'owners'): number[] =>
    batches.flatMap((batch, number) => batch[name].map((index) => index + firstRows[number]!))
  return {
    rows: batches.flatMap(({ rows }) => rows),
    starts: moved('starts'),
    substances: batches.flatMap(({ substances }) => substances),
    owners: moved('owners'),
    skipped: batches.flatMap(({ skipped }) => skipped),
    requests: batches.flatMap(({ requests }) => requests),
  }
}
