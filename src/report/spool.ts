import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Row } from './formats/formatter.ts'

/** Keeps rows for formats that begin with a summary: compressed, some tens of bytes per row. */
export interface Spool {
  readonly add: (rows: readonly Row[]) => void
  /** The rows in their order, in batches. */
  readonly batches: () => Generator<readonly Row[]>
}

/** How many rows are compressed together. */
const PACK_ROWS = 500

export function createSpool(columns: readonly string[]): Spool {
  const packed: Buffer[] = []
  let waiting: unknown[][] = []
  const pack = (): void => {
    if (waiting.length > 0) packed.push(deflateRawSync(JSON.stringify(waiting), { level: 1 }))
    waiting = []
  }
  return {
    add(rows) {
      for (const row of rows) {
        waiting.push(columns.map((column) => row[column] ?? null))
        if (waiting.length >= PACK_ROWS) pack()
      }
    },
    *batches() {
      pack()
      for (const buffer of packed) {
        const rows = JSON.parse(inflateRawSync(buffer).toString('utf8')) as unknown[][]
        yield rows.map((values) =>
          Object.fromEntries(columns.map((column, index) => [column, values[index]])),
        )
      }
    },
  }
}
