import { Account } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { calendarDate } from '../base/units.ts'
import { type Answer, type Search, searchKey } from './answers.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A service may compare strictly, and live west of UTC: each costs a day. */
const MARGIN_MS = 2 * DAY_MS
/** What was answered, or begun, less than this time ago is taken up by the next run. */
export const RESUME_MS = 12 * HOUR_MS

/**
 * The date of an answer: a moment before which the service looked at its data, by its own clock. `headerMs` is the `Date` of its first
 * response to the request, which came `waitedMs` after sending it; `atMs` is this machine's clock at sending. Undefined without a
 * `Date`, or when one of the two clocks is wrong by more than a day.
 */
export function answerDate(facts: {
  readonly headerMs: number | undefined
  readonly waitedMs: number
  readonly atMs: number
}): number | undefined {
  const { headerMs, waitedMs, atMs } = facts
  if (headerMs === undefined || Math.abs(headerMs - waitedMs - atMs) > DAY_MS) return undefined
  return Math.floor(Math.min(headerMs - waitedMs, atMs))
}

/** The start date to ask with, so that nothing that was approved after `dateMs` is left out. */
export function startDateAfter(dateMs: number): string {
  return calendarDate(dateMs - MARGIN_MS)
}

/** Stands for the search itself, where it has no parts. */
export const WHOLE = ''

/** The parts of a request, or `WHOLE`. */
export function partsOrWhole(parts: readonly string[]): readonly string[] {
  return parts.length === 0 ? [WHOLE] : parts
}

/** What the answers say of one part of a search. Times are milliseconds since the epoch. */
export interface KnownPart {
  /** The last answer that says all, or one since, has it. */
  found: boolean
  everFound: boolean
  /** Everything until then is in the library, by the service's clock. */
  date: number | undefined
  /** The last answer without a start date, by this machine's clock. */
  undatedAt: number | undefined
  /** The last answer that counts, by this machine's clock. */
  at: number | undefined
  /** The last run that named it. */
  listedAt: number | undefined
  /** Answered in the last run, which was stopped or had failures. */
  isOpen: boolean
  /** An archive with it is gone or changed, and no answer without a start date came since. */
  isLost: boolean
}

export interface KnownSearch {
  readonly search: Search
  readonly parts: ReadonlyMap<string, KnownPart>
}

/**
 * Replays the answers, in their order, into what is known of each part of each search. An answer whose archive is lost counts as never
 * received, for the parts found in it, or for all of its parts where it holds anything else. An answer with a start date counts only
 * where it joins what was known before it; `everyAnswerCounts` is for a job, whose requests have one start date.
 */
export function replay(
  answers: readonly Answer[],
  {
    openRun,
    isLost = () => false,
    everyAnswerCounts = false,
  }: {
    readonly openRun?: string | undefined
    readonly isLost?: (answer: Answer) => boolean
    readonly everyAnswerCounts?: boolean
  } = {},
): ReadonlyMap<string, KnownSearch> {
  const searches = new Map<string, KnownSearch & { parts: Map<string, KnownPart> }>()
  for (const answer of answers) {
    const key = searchKey(answer.search)
    const known = searches.get(key) ?? { search: answer.search, parts: new Map() }
    searches.set(key, known)
    const isGone = answer.archive !== undefined && isLost(answer)
    const found = new Set(answer.found)
    const isUndated = everyAnswerCounts || answer.start === undefined
    // Most parts of an answer have the same date.
    let [joinDate, joins] = [Number.NaN, false]
    for (const part of partsOrWhole(answer.parts)) {
      const it = known.parts.get(part) ?? unknownPart()
      known.parts.set(part, it)
      if (answer.listed) it.listedAt = answer.at
      const isFound = part === WHOLE ? answer.archive !== undefined : found.has(part)
      if (isGone && (isFound || answer.others > 0)) {
        it.isLost = true
        continue
      }
      if (isFound) {
        it.found = true
        it.everFound = true
      }
      if (!isUndated) {
        if (it.date !== undefined && it.date !== joinDate)
          [joinDate, joins] = [it.date, answer.start! <= startDateAfter(it.date)]
        // After a gap its archive is read, but its date proves nothing.
        if (it.date === undefined || !joins) continue
      } else {
        it.found = isFound
        it.undatedAt = answer.at
        it.isLost = false
      }
      it.date = answer.date ?? (isUndated ? undefined : it.date)
      it.at = answer.at
      it.isOpen = answer.run === openRun
    }
  }
  return searches
}

/** Those of the lost archives all of whose parts were answered anew: nothing is missing without them. */
export function answeredAnew(answers: readonly Answer[], lost: ReadonlySet<string>): ReadonlySet<string> {
  const isLost = ({ archive }: Answer): boolean => archive !== undefined && lost.has(archive)
  const known = replay(answers, { isLost })
  const isMissed = ({ search, parts }: Answer): boolean =>
    partsOrWhole(parts).some((part) => known.get(searchKey(search))?.parts.get(part)?.isLost === true)
  return new Set(answers.flatMap((answer) => (isLost(answer) && !isMissed(answer) ? answer.archive! : [])))
}

type Outcome = 'found' | 'withdrawn' | 'missing' | 'unknown'

function outcomeOf(known: KnownPart | undefined): Outcome {
  if (known === undefined || known.isLost) return 'unknown'
  if (known.found) return 'found'
  if (known.everFound) return 'withdrawn'
  return known.at === undefined ? 'unknown' : 'missing'
}

/** What became of parts that were asked for, each with what the searches know of it: the best of these counts. */
export function accountOfKnown(
  parts: Iterable<readonly [part: string, known: readonly (KnownPart | undefined)[]]>,
): AccountEntry {
  const account = new Account()
  for (const [part, known] of parts) {
    const outcomes = known.map(outcomeOf)
    const best = (['found', 'withdrawn', 'missing'] as const).find((one) => outcomes.includes(one))
    account.arrive()
    if (best === 'found') account.use()
    else account.name(best ?? 'unknown', part)
  }
  return account.close('parts')
}

function unknownPart(): KnownPart {
  return {
    found: false,
    everFound: false,
    date: undefined,
    undatedAt: undefined,
    at: undefined,
    listedAt: undefined,
    isOpen: false,
    isLost: false,
  }
}

/** Why a part is asked for, or left out. */
export type Reason =
  | 'never asked'
  | 'never found'
  | 'since'
  | 'without a date since'
  | 'no date from the service'
  | 'archive gone'
  | 'full'
  | 'resumed'
  | 'fresh'

/** One part to ask for. */
interface WantedPart {
  readonly part: string
  /** Undefined: without a start date. */
  readonly start: string | undefined
  readonly reason: Reason
  /** For `since` the start date; for `without a date since` the day of the last answer without one. */
  readonly day?: string | undefined
}

/** What a run asks for, and what it leaves out. */
export interface WantedParts {
  /** Those without a start date first, then by start date, else in the order of the parts. */
  readonly ask: readonly WantedPart[]
  readonly fresh: readonly { readonly part: string; readonly reason: 'fresh' | 'resumed' }[]
}

export interface WantedOptions {
  readonly nowMs: number
  /** What was answered within this time is left out. */
  readonly maxAgeMs: number
  /** Ask for everything without a start date. */
  readonly full: boolean
  /** How old the last answer without a start date may be. */
  readonly fullAfterMs: number
}

/** The same for a part that was never found: it may be approved late, with an old date. */
const NEVER_FOUND_AFTER_MS = 7 * DAY_MS

/** Decides for each part whether, and with which start date, it is asked for. */
export function wantedParts(
  parts: readonly string[],
  known: KnownSearch | undefined,
  options: WantedOptions,
): WantedParts {
  const ask: WantedPart[] = []
  const fresh: { part: string; reason: 'fresh' | 'resumed' }[] = []
  for (const part of new Set(partsOrWhole(parts))) {
    const it = known?.parts.get(part)
    const leftOut = it && reasonToLeaveOut(it, options)
    if (leftOut === undefined) ask.push({ part, ...howToAsk(it, options) })
    else fresh.push({ part, reason: leftOut })
  }
  // The sort is stable.
  ask.sort(({ start: one = '' }, { start: other = '' }) => (one < other ? -1 : one > other ? 1 : 0))
  return { ask, fresh }
}

/**
 * True when a response that was begun can be continued instead of asking anew: each of its parts is still wanted, from its start date or
 * a later one. `starts` has the start date of each part that is wanted.
 */
export function mayContinue(
  { parts, start }: Pick<Answer, 'parts' | 'start'>,
  starts: ReadonlyMap<string, string | undefined>,
): boolean {
  return partsOrWhole(parts).every(
    (part) => starts.has(part) && (start === undefined || start <= (starts.get(part) ?? '')),
  )
}

function reasonToLeaveOut(
  it: KnownPart,
  { nowMs, maxAgeMs, full }: WantedOptions,
): 'fresh' | 'resumed' | undefined {
  if (it.isLost) return undefined
  if (isWithin(nowMs, full ? it.undatedAt : it.at, maxAgeMs)) return 'fresh'
  return it.isOpen && isWithin(nowMs, full ? it.undatedAt : it.at, RESUME_MS) ? 'resumed' : undefined
}

function howToAsk(
  it: KnownPart | undefined,
  { nowMs, full, fullAfterMs }: WantedOptions,
): Omit<WantedPart, 'part'> {
  if (it?.isLost) return { start: undefined, reason: 'archive gone' }
  if (it?.at === undefined) return { start: undefined, reason: 'never asked' }
  if (full) return { start: undefined, reason: 'full' }
  if (it.date === undefined) return { start: undefined, reason: 'no date from the service' }
  const limitMs = it.everFound ? fullAfterMs : Math.min(fullAfterMs, NEVER_FOUND_AFTER_MS)
  if (!isWithin(nowMs, it.undatedAt, limitMs)) {
    if (!it.everFound) return { start: undefined, reason: 'never found' }
    return { start: undefined, reason: 'without a date since', day: calendarDate(it.undatedAt!) }
  }
  const start = startDateAfter(it.date)
  return { start, reason: 'since', day: start }
}

/**
 * True when `atMs` is less than `withinMs` ago, by this machine's clock. Clocks are set back, and those of several machines differ: a time
 * ahead by up to a day is now; one further ahead is of a wrong clock, and proves nothing.
 */
export function isWithin(nowMs: number, atMs: number | undefined, withinMs: number): boolean {
  if (atMs === undefined || atMs - nowMs > DAY_MS) return false
  return Math.max(0, nowMs - atMs) < withinMs
}
