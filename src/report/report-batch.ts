import type { JudgedRow, SubstanceRow } from './report-row.ts'

/** The rows of a file or job, or of a part of it. Part numbers are as written, all other text is cleaned. */
export interface ReadBatch {
  readonly rows: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
  /** Files that were read. */
  readonly files: number
  /** Entries left out because they are not XML. */
  readonly skipped: readonly string[]
  /** Files that ask for a declaration and declare nothing. */
  readonly requests: readonly string[]
}

/** Rows of a batch: messages between threads are copied as one. */
const FULL = 500

export function isFull({ rows, substances }: Pick<ReadBatch, 'rows' | 'substances'>): boolean {
  return rows.length + substances.length >= FULL
}

export function batchOf(some: Partial<ReadBatch>): ReadBatch {
  return { rows: [], substances: [], files: 0, skipped: [], requests: [], ...some }
}

export function mergeBatches(a: ReadBatch, b: ReadBatch): ReadBatch {
  return {
    rows: [...a.rows, ...b.rows],
    substances: [...a.substances, ...b.substances],
    files: a.files + b.files,
    skipped: [...a.skipped, ...b.skipped],
    requests: [...a.requests, ...b.requests],
  }
}
