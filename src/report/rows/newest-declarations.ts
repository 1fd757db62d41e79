import { hash } from 'node:crypto'
import type { JudgedRow } from './report-row.ts'

type Dated = Pick<JudgedRow, 'date' | 'classes'>

/**
 * The newest declarations of all parts. About 100 bytes for each part of a supplier (measured with a million), whatever the number of
 * its declarations; twice that where class C and class D come in files of their own.
 */
export interface NewestDeclarations {
  /** Takes a declaration of the part with this key, in the file with this number. */
  readonly see: (key: string, row: Dated, file: number) => void
  /**
   * The date of the newest declaration that replaces this one: a newer one of the same part with at least its classes. Of equal dates
   * the later file is newer; a date is newer than none (then the text is empty). Undefined where no declaration does.
   */
  readonly replacedBy: (key: string, row: Dated, file: number) => string | undefined
}

/** Finds the newest declarations. First all must be seen, then each can be compared with them. */
export function createNewestDeclarations(): NewestDeclarations {
  const byClasses = new Map<string, Map<string, number>>()
  return {
    see(key, { date, classes }, file) {
      const newest = byClasses.get(classes) ?? new Map<string, number>()
      if (newest.size === 0) byClasses.set(classes, newest)
      const short = shortKey(key)
      const rank = rankOf(date, file)
      if (rank > (newest.get(short) ?? -1)) newest.set(short, rank)
    },
    replacedBy(key, { date, classes }, file) {
      const short = shortKey(key)
      const own = rankOf(date, file)
      let best = own
      for (const [others, newest] of byClasses) {
        if (hasAll(others, classes)) best = Math.max(best, newest.get(short) ?? -1)
      }
      return best === own ? undefined : dateOf(best)
    },
  }
}

function hasAll(letters: string, wanted: string): boolean {
  return [...wanted].every((letter) => letters.includes(letter))
}

/** 96 bits of SHA-256: no two keys of a report share them, not even on purpose. */
function shortKey(key: string): string {
  return hash('sha256', key, 'binary').slice(0, 12)
}

const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.parse('0000-01-01')
const MOST_FILES = 2 ** 31

/** Orders declarations by date, then by file; 0 days are no date. */
function rankOf(date: string, file: number): number {
  const days = date === '' ? 0 : (Date.parse(date) - FIRST_DAY_MS) / DAY_MS + 1
  return days * MOST_FILES + file
}

function dateOf(rank: number): string {
  const days = Math.floor(rank / MOST_FILES)
  return days === 0 ? '' : new Date(FIRST_DAY_MS + (days - 1) * DAY_MS).toISOString().slice(0, 10)
}
