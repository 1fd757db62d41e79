import { escapeUnsafe } from '../base/clean-text.ts'
import { nearKey } from '../parts/near-part.ts'
import { type JudgedRow, missingRow } from './report-row.ts'

/** Matches requested part numbers with declared ones. */
export interface AskedParts {
  readonly see: (row: JudgedRow) => void
  /** A row for each part that no row declared, in batches. */
  readonly missing: () => Generator<readonly JudgedRow[]>
}

const MISSING_BATCH = 1_000

/** Matches are exact, with the supplier's or the buyer's number; a similar number is only mentioned in a note. */
export function createAskedParts(parts: readonly string[]): AskedParts {
  const open = new Set(parts)
  const near = new Map<string, string>()
  const nearWanted = new Set(parts.map(nearKey))
  return {
    see(row) {
      if (parts.length === 0 || row.status !== 'declared') return
      for (const number of [row.part, row.requester_part]) {
        if (number === '' || open.delete(number)) continue
        const key = nearKey(number)
        if (nearWanted.has(key) && !near.has(key)) near.set(key, number)
      }
    },
    *missing() {
      let rows: JudgedRow[] = []
      for (const part of open) {
        const like = near.get(nearKey(part))
        const hint = like === undefined || like === part ? '' : `; near: ${escapeUnsafe(like)}`
        rows.push(missingRow(part, `requested, not declared${hint}`))
        if (rows.length < MISSING_BATCH) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
  }
}
