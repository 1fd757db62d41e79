import {
  COMPOSITION,
  type Coverage,
  coverageText,
  isCovered,
  readCoverage,
  replaces,
  type Standing,
} from '../../compliance/currency.ts'
import { isAhead, type Moment, readMoment } from '../../compliance/response-date.ts'
import type { PartDeclaration } from './part-declaration.ts'

/** What decides whether a declaration counts. */
export interface Candidate
  extends Pick<PartDeclaration, 'key' | 'part' | 'requesterPart' | 'dateText' | 'isUnaccepted' | 'digest'> {
  /** What it states, as `coverageText` writes it. */
  readonly coverage: string
}

export function candidateOf({ record, composition, ...declaration }: PartDeclaration): Candidate {
  const { key, part, requesterPart, dateText, isUnaccepted, digest } = declaration
  const coverage = coverageText(record, composition)
  return { key, part, requesterPart, dateText, isUnaccepted, digest, coverage }
}

/**
 * Which declarations count for each part. About 150 bytes for each declaration that counts (measured with a million), whatever the
 * number of those that newer ones replace.
 */
interface CurrentDeclarations {
  /** Takes the next declaration; one without a part number stands alone. All must be seen before the first question. */
  readonly see: (declaration: Candidate) => void
  /** The numbers of the declarations that count for a part, in the order in which they were seen, from 0. */
  readonly of: (key: string) => readonly number[]
  /** True when the composition of a declaration that counts is not replaced by another one. */
  readonly hasCurrentComposition: (key: string, number: number) => boolean
  /** The day of the newest declaration that replaces one that does not count, `YYYY-MM-DD`; empty where an equal one does. */
  readonly replacementDay: (key: string, declaration: PartDeclaration) => string
}

/** When a declaration was made; undefined where its date cannot be compared with others. */
export function momentOf({ dateText }: Pick<PartDeclaration, 'dateText'>, nowMs: number): Moment | undefined {
  const moment = readMoment(dateText)
  return moment === undefined || isAhead(moment, nowMs) ? undefined : moment
}

/** What decides which of two declarations replaces the other. */
export function standingOf(
  declaration: Pick<PartDeclaration, 'dateText' | 'isUnaccepted'>,
  nowMs: number,
): Standing {
  return { moment: momentOf(declaration, nowMs), isAccepted: declaration.isUnaccepted === false }
}

/** A declaration that counts, as far as the others of its part are seen. */
interface Kept extends Standing {
  readonly number: number
  readonly coverage: number
  readonly digest: string
}

export function createCurrentDeclarations(nowMs: number): CurrentDeclarations {
  const kept = new Map<string, Kept | readonly Kept[]>()
  const coverages = createCoverages()
  let count = 0
  const all = (key: string): readonly Kept[] => {
    const found = kept.get(key)
    return found === undefined ? [] : 'number' in found ? [found] : found
  }

  return {
    see(declaration) {
      const { key } = declaration
      if (key === undefined) return
      const { moment, isAccepted } = standingOf(declaration, nowMs)
      const next: Kept = {
        moment,
        isAccepted,
        number: count,
        coverage: coverages.add(declaration.coverage),
        digest: declaration.digest,
      }
      count += 1
      const others = all(key)
      if (others.length === 0) {
        kept.set(key, next)
        return
      }
      // The same declaration in a later download.
      const together = [...others.filter(({ digest }) => digest !== next.digest), next]
      const current = together.filter((one) => !isReplaced(one, together))
      kept.set(key, current.length === 1 ? current[0]! : current)
    },
    of: (key) => all(key).map(({ number }) => number),
    hasCurrentComposition(key, number) {
      const found = all(key)
      const own = found.find((one) => one.number === number)
      const isComposed = (one: Kept): boolean => coverages.read(one.coverage).states.has(COMPOSITION)
      return own !== undefined && !found.some((one) => one !== own && isComposed(one) && replaces(one, own))
    },
    replacementDay(key, declaration) {
      const own = standingOf(declaration, nowMs)
      const newer = all(key).filter((one) => replaces(one, own))
      const latest = Math.max(...newer.map(({ moment }) => moment!.fromMs))
      return newer.length === 0 ? '' : new Date(latest).toISOString().slice(0, 10)
    },
  }

  function isReplaced(one: Kept, together: readonly Kept[]): boolean {
    const newer = together.filter((other) => replaces(other, one))
    const own = coverages.read(one.coverage)
    // A file that states nothing leaves the place to one that does.
    if (own.needs.size === 0) {
      return newer.length > 0 || together.some(({ coverage }) => coverages.read(coverage).needs.size > 0)
    }
    if (newer.length === 0) return false
    return coverages.isCovered(one.coverage, [...new Set(newer.map(({ coverage }) => coverage))])
  }
}

/** Coverage texts by number: a report has a handful, for most files of a writer state the same. */
function createCoverages() {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  const read = new Map<number, Coverage>()
  const covered = new Map<string, boolean>()
  const coverageOf = (number: number): Coverage => {
    const known = read.get(number)
    if (known !== undefined) return known
    const coverage = readCoverage(texts[number]!)
    if (read.size >= MOST_READ) read.clear()
    read.set(number, coverage)
    return coverage
  }
  return {
    add(text: string): number {
      const known = numbers.get(text)
      if (known !== undefined) return known
      numbers.set(text, texts.length)
      return texts.push(text) - 1
    },
    read: coverageOf,
    isCovered(number: number, newer: readonly number[]): boolean {
      const key = `${number} ${newer.join(' ')}`
      const known = covered.get(key)
      if (known !== undefined) return known
      const result = isCovered(coverageOf(number), newer.map(coverageOf))
      if (covered.size >= MOST_READ) covered.clear()
      covered.set(key, result)
      return result
    },
  }
}

const MOST_READ = 1_000
