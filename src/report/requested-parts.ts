import { escapeUnsafe } from '../base/clean-text.ts'
import { nearKey } from '../parts/part-number.ts'
import type { PartDeclaration } from './rows/part-declaration.ts'
import { missingRow, type OpenRow } from './rows/report-row.ts'

/** The parts that a report is about, matched with the declared ones. */
export interface RequestedParts {
  /** Takes each declaration, before the first question. */
  readonly see: (row: Numbers) => void
  /** True for a part on the list, by its own numbers or by those of another declaration of it; without a list for every part. */
  readonly isListed: (row: Numbers) => boolean
  /** A row for each part that no row declared. */
  readonly missing: () => Generator<OpenRow>
}

type Numbers = Pick<PartDeclaration, 'part' | 'requesterPart' | 'key'>

/** Matches are exact, with the supplier's or the buyer's number; a similar number is only mentioned in a note. */
export function createRequestedParts(parts: readonly string[] | undefined): RequestedParts {
  const wasFound = new Map((parts ?? []).map((part) => [part, false]))
  const nearWanted = new Set((parts ?? []).map(nearKey))
  const near = new Map<string, string>()
  const listedKeys = new Set<string>()
  const isOnList = (row: Numbers): boolean => wasFound.has(row.part) || wasFound.has(row.requesterPart)
  return {
    see(row) {
      if (parts === undefined) return
      for (const number of [row.part, row.requesterPart]) {
        if (wasFound.has(number)) wasFound.set(number, true)
        else if (number !== '') noteNear(number)
      }
      if (row.key !== undefined && isOnList(row)) listedKeys.add(row.key)
    },
    isListed: (row) =>
      parts === undefined || isOnList(row) || (row.key !== undefined && listedKeys.has(row.key)),
    *missing() {
      for (const [part, isFound] of wasFound) {
        if (isFound) continue
        const like = near.get(nearKey(part))
        const similar = like === undefined ? [] : [`near: ${escapeUnsafe(like)}`]
        yield missingRow(part, 'requested, not declared', ...similar)
      }
    },
  }

  function noteNear(number: string): void {
    const key = nearKey(number)
    if (nearWanted.has(key) && !near.has(key)) near.set(key, number)
  }
}
