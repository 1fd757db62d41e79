import type { JudgedRow, SubstanceRow } from './report-row.ts'

/** What came out of (a part of) a job. Part numbers are as written, everything else is cleaned. */
export interface JobBatch {
  readonly rows: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
  /** Files that were read, and entries left out because they are no XML. */
  readonly files: number
  readonly skipped: readonly string[]
}

/** Takes batches; the next one comes when the promise resolves. */
export type EmitBatch = (batch: JobBatch, isLast: boolean) => void | Promise<void>

/** Rows on their way out of a job. */
export interface Gathering {
  readonly row: (row: JudgedRow) => void
  readonly substance: (row: SubstanceRow) => void
  /** Counts a file that was read, or one that is no XML. */
  readonly file: () => void
  readonly skip: (source: string) => void
  /** Hands over what there is, in batches of a bounded size; with `isLast` at least one. */
  readonly flush: (isLast: boolean) => Promise<void>
  readonly flushIfFull: () => Promise<void>
}

/** Rows of a batch: a message between threads is copied whole. */
const FULL = 500

export function createGathering(emit: EmitBatch): Gathering {
  const rows: JudgedRow[] = []
  const substances: SubstanceRow[] = []
  let skipped: string[] = []
  let files = 0
  const flush = async (isLast: boolean): Promise<void> => {
    do {
      const batch = { rows: rows.splice(0, FULL), substances: substances.splice(0, FULL), files, skipped }
      skipped = []
      files = 0
      await emit(batch, isLast && rows.length + substances.length === 0)
    } while (rows.length + substances.length > 0)
  }
  return {
    row: (row) => void rows.push(row),
    substance: (row) => void substances.push(row),
    file: () => {
      files += 1
    },
    skip: (source) => void skipped.push(source),
    flush,
    flushIfFull: async () => {
      if (rows.length + substances.length >= FULL) await flush(false)
    },
  }
}
