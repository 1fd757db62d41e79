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

/** Which declarations count for each part. A report on a million parts needs about 220 bytes for each of them (measured). */
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
}

export function createCurrentDeclarations(nowMs: number): CurrentDeclarations {
  const kept = new Map<string, number | readonly number[]>()
  const table = createTable()
  const coverages = createCoverages()
  const numbersOf = (key: string): readonly number[] => {
    const found = kept.get(key)
    return found === undefined ? [] : typeof found === 'number' ? [found] : found
  }
  const all = (key: string): readonly Kept[] =>
    numbersOf(key).map((number) => ({ number, ...table.factsOf(number) }))

  return {
    see(declaration) {
      const { key, digest } = declaration
      if (key === undefined) return
      const number = table.add(digest, {
        ...standingOf(declaration, nowMs),
        coverage: coverages.add(declaration.coverage),
      })
      const others = all(key)
      if (others.length === 0) {
        kept.set(key, number)
        return
      }
      const next = { number, ...table.factsOf(number) }
      // The same declaration in a later download.
      const together = [...others.filter((other) => !table.areSame(other.number, number)), next]
      const current = together.filter((one) => !isReplaced(one, together)).map((one) => one.number)
      kept.set(key, current.length === 1 ? current[0]! : current)
    },
    of: numbersOf,
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

type Facts = Omit<Kept, 'number'>

/** What must be known of each declaration, in columns of numbers: as objects they would take ten times as much. */
function createTable() {
  let digests = new BigUint64Array(1_024)
  let kinds = new Uint32Array(1_024)
  let count = 0
  // Most declarations share their date and what they state with others.
  const kindNumbers = new Map<string, number>()
  const factsByKind: Facts[] = []
  const kindOf = (facts: Facts): number => {
    const { moment, isAccepted, coverage } = facts
    const text = [moment?.fromMs, moment?.toMs, isAccepted, coverage].join(' ')
    const known = kindNumbers.get(text)
    if (known !== undefined) return known
    kindNumbers.set(text, factsByKind.length)
    return factsByKind.push(facts) - 1
  }
  return {
    /** The number of the declaration, from 0. */
    add(digest: string, facts: Facts): number {
      if (count === kinds.length) {
        const [fewDigests, fewKinds] = [digests, kinds]
        digests = new BigUint64Array(2 * count)
        digests.set(fewDigests)
        kinds = new Uint32Array(2 * count)
        kinds.set(fewKinds)
      }
      digests[count] = BigInt(`0x${digest}`)
      kinds[count] = kindOf(facts)
      count += 1
      return count - 1
    },
    areSame: (one: number, other: number): boolean => digests[one] === digests[other],
    factsOf: (number: number): Facts => factsByKind[kinds[number]!]!,
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
