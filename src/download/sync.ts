import type { AccountEntry } from '../base/account-entry.ts'
import { type Failure, type FailureKind, isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { formatCount, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { IfLocked } from '../fs/lock.ts'
import type { Service } from '../http/service.ts'
import { type Answer, type Search, searchKey } from '../library/answers.ts'
import type { IncomingResponse } from '../library/incoming.ts'
import {
  accountOfKnown,
  answeredAnew,
  isWithin,
  type KnownPart,
  type KnownSearch,
  mayContinue,
  type Reason,
  replay,
  type WantedOptions,
  type WantedParts,
  WHOLE,
  wantedParts,
} from '../library/known.ts'
import { type Kept, type Library, lostArchives, openLibrary, readLibrary } from '../library/library.ts'
import type { Criteria } from '../request/request.ts'
import { Plan, type PlanLimits } from './plan.ts'
import type { SearchPlan } from './request-queue.ts'
import type { RequestSettings } from './run-context.ts'
import { keptWords, type Responses, sendRequests, verifyResponse } from './send-requests.ts'

const DAY_MS = 86_400_000
/** A run without criteria asks for the parts that a run named within this time. */
const NAMED_MS = 365 * DAY_MS
const NAMED_NEVER_FOUND_MS = 30 * DAY_MS
/** A service may fail for three nights before anyone needs to know; no night begins at the second of the one before. */
const MAY_FAIL_MS = 3 * DAY_MS + DAY_MS / 4

/** What a run asks the service for. */
export interface SyncCriteria {
  /** Without a start date. */
  readonly criteria: Criteria
  /** None: everything that matches the criteria. */
  readonly parts: readonly string[]
}

/** What a plan of a library depends on. */
export interface SyncPlanOptions extends Omit<WantedOptions, 'nowMs'> {
  readonly directory: string
  /** Where requests go. */
  readonly baseUrl: string
  /** The address in what is remembered: that of the service, or one for every sandbox. */
  readonly address: string
  /** Undefined: every search of the address that the library knows is refreshed. */
  readonly wanted: SyncCriteria | undefined
  /** The version of the API of such searches. */
  readonly api: Criteria['api']
  readonly urlLimits: PlanLimits
}

interface SyncOptions
  extends SyncPlanOptions,
    Omit<RequestSettings, 'service' | 'reconcile' | 'allowPartial'> {
  readonly ifLocked: IfLocked
  readonly tool: string
}

/** What one search is asked for, and why. */
interface PlannedSearch {
  readonly search: Search
  /** Undefined when nothing is to be asked. */
  readonly plan: Plan | undefined
  readonly wanted: WantedParts
  readonly known: KnownSearch | undefined
}

/** What a library is asked for. */
export interface SyncPlan {
  readonly searches: readonly PlannedSearch[]
  readonly requestCount: number
  readonly partCount: number
  readonly freshCount: number
}

/** How often each reason occurs. */
export type Reasons = ReadonlyMap<string, number>

/** What came of a run. */
export interface Synced extends Pick<Responses, 'requests' | 'rateLimit' | 'learned'> {
  /** The first failure in the order of their exit codes; its hint says what is kept. */
  readonly failure: unknown
  /** Everything that the run is for was answered in the last days, in this run or before: a service that fails may come back. */
  readonly mayWait: boolean
  /** Parts that were found for the first time. */
  readonly newParts: readonly string[]
  /** Parts with content that the library did not have, the new ones aside. */
  readonly changedParts: readonly string[]
  /** How many parts that were asked for, or left out as fresh, any answer has. */
  readonly foundParts: number
  /** Parts that were asked for, and never found. */
  readonly missingParts: readonly string[]
  /** Parts that were found once, and that an answer without a start date no longer has. */
  readonly withdrawnParts: readonly string[]
  /** What became of the parts that the run is for. */
  readonly parts: AccountEntry
}

/** A library that is open, with the plan for it. Nothing has been sent. */
interface OpenSync extends AsyncDisposable {
  readonly plan: SyncPlan
  /** Sends the requests of the plan. Does not reject with a Failure: it is in the result. */
  readonly send: (service: Service, apiKey: string | undefined) => Promise<Synced>
}

/** Plans what a library would be asked for, and changes nothing. */
export async function planSync(
  world: World,
  options: SyncPlanOptions,
  reporter: Reporter,
): Promise<SyncPlan> {
  const { directory } = options
  const { answers, openRun, newlyDamaged: damagedRecords } = await readLibrary(world, directory)
  const lost = await lostArchives(world, directory, answers, world.interrupt)
  const known = replay(answers, { openRun, isLost: ({ archive }) => lost.has(archive ?? '') })
  noticeDamage({ answers, lost, damagedRecords, abandonedCount: 0 }, reporter)
  return planSearches(known, options, world.clock.nowMs())
}

/** Opens a library, finishes what a run that was stopped has left, and plans. Undefined when another run holds it and is not waited for. */
export async function openSync(
  world: World,
  options: SyncOptions,
  reporter: Reporter,
): Promise<OpenSync | undefined> {
  await using held = new ResourceStack()
  const { directory, ifLocked, tool, signal } = options
  const verify = (path: string) =>
    verifyResponse({ world, ...options, reconcile: true, reporter: SILENT }, path)
  const library = await openLibrary(world, directory, {
    isJob: false,
    lock: ifLocked,
    tool,
    reporter,
    signal,
    verify,
  })
  if (library === undefined) return undefined
  held.use(library)
  const { answers, lost, damagedRecords, abandonedCount } = library
  noticeDamage({ answers, lost, damagedRecords, abandonedCount }, reporter)
  const startedMs = world.clock.nowMs()
  const plan = planSearches(library.known(), options, startedMs)
  const resources = held.move()
  return {
    plan,
    send: async (service, apiKey) => {
      const context = { world, reporter, ...options, service, apiKey, reconcile: true, allowPartial: true }
      const plans = await searchPlans(library, plan, options.wanted !== undefined)
      noticeBegun(library.kept(plans.flatMap(({ begun }) => begun)), reporter)
      const responses = await sendRequests(context, library, plans)
      const failure = worstFailure(responses)
      if (failure === undefined) await library.endRun()
      const mayWait = wasAnsweredLately(library, plan, startedMs)
      return { ...responses, failure, mayWait, ...partsOf(library, plan) }
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

function planSearches(
  known: ReadonlyMap<string, KnownSearch>,
  options: SyncPlanOptions,
  nowMs: number,
): SyncPlan {
  const searches = wantedSearches(known, options, nowMs).map(({ search, parts }): PlannedSearch => {
    const of = known.get(searchKey(search))
    const wanted = wantedParts(parts, of, { ...options, nowMs })
    return { search, wanted, known: of, plan: planOf(search, wanted, options) }
  })
  const sum = (count: (one: PlannedSearch) => number): number =>
    searches.reduce((total, one) => total + count(one), 0)
  return {
    searches,
    requestCount: sum(({ plan }) => plan?.requestCount ?? 0),
    partCount: sum(({ plan }) => plan?.partCount ?? 0),
    freshCount: sum(({ wanted }) => wanted.fresh.length),
  }
}

function planOf(
  search: Search,
  { ask }: WantedParts,
  { baseUrl, urlLimits }: SyncPlanOptions,
): Plan | undefined {
  if (ask.length === 0) return undefined
  const { baseUrl: _, ...criteria } = search
  const parts = ask.flatMap(({ part }) => (part === WHOLE ? [] : part))
  return new Plan(baseUrl, criteria, { parts, starts: ask.map(({ start }) => start) }, urlLimits)
}

/** The searches that a run is for, each with its parts. */
function wantedSearches(
  known: ReadonlyMap<string, KnownSearch>,
  { wanted, address, api }: SyncPlanOptions,
  nowMs: number,
): readonly { readonly search: Search; readonly parts: readonly string[] }[] {
  if (wanted !== undefined) {
    const { startDate: _, ...criteria } = wanted.criteria
    return [{ search: { ...criteria, baseUrl: address }, parts: wanted.parts }]
  }
  return [...known.values()]
    .filter(({ search }) => search.baseUrl === address && search.api === api)
    .flatMap(({ search, parts }) => {
      const named = [...parts].flatMap(([part, { listedAt, everFound }]) => {
        const ageMs = nowMs - (listedAt ?? Number.NEGATIVE_INFINITY)
        return ageMs < (everFound ? NAMED_MS : NAMED_NEVER_FOUND_MS) ? part : []
      })
      const own = named.filter((part) => part !== WHOLE)
      return [
        ...(own.length === 0 ? [] : [{ search, parts: own }]),
        ...(own.length === named.length ? [] : [{ search, parts: [] }]),
      ]
    })
}

/** Why parts are asked for or left out, in words, with their number. */
export function reasonsOf({ searches }: SyncPlan): Reasons {
  const reasons = new Map<string, number>()
  const count = (words: string): void => void reasons.set(words, (reasons.get(words) ?? 0) + 1)
  for (const { wanted } of searches) {
    for (const { reason, day } of wanted.ask) count(reasonWords(reason, day))
    for (const { reason } of wanted.fresh) count(reason)
  }
  return reasons
}

/** `since 2026-11-21`, `without a date since 2026-08-01`, or the reason as it is. */
export function reasonWords(reason: Reason, day: string | undefined): string {
  return day === undefined ? reason : `${reason} ${day}`
}

// What was begun, and is not asked for in this way, is given up where its parts are asked for anew.
async function searchPlans(
  library: Library,
  { searches }: SyncPlan,
  isListed: boolean,
): Promise<SearchPlan[]> {
  const plans: SearchPlan[] = []
  for (const { search, plan, wanted } of searches) {
    if (plan === undefined) continue
    const starts = new Map(wanted.ask.map(({ part, start }) => [part, start]))
    const begun: IncomingResponse[] = []
    for (const response of library.begun()) {
      if (searchKey(response.request.search) !== searchKey(search)) continue
      const { parts } = response.request
      const asked = (parts.length === 0 ? [WHOLE] : parts).filter((part) => starts.has(part))
      if (mayContinue(response.request, starts)) {
        begun.push(response)
        for (const part of asked) starts.delete(part)
      } else if (asked.length > 0) await library.abandon(response)
    }
    plans.push({ search, plan, done: new Set(), begun, isListed })
  }
  return plans
}

/** The kinds of failures in the order of their weight. */
const WORST_FIRST: readonly FailureKind[] = [
  'interrupted',
  'locked',
  'io',
  'config',
  'auth',
  'limited',
  'unavailable',
  'archive',
  'rejected',
]

function worstFailure({ requests, failure }: Responses): unknown {
  if (failure !== undefined && !isFailure(failure)) return failure
  const failed = requests.flatMap(({ error }) => error ?? [])
  const all: readonly Failure[] = failure === undefined ? failed : [failure, ...failed]
  const weight = ({ kind }: Failure): number =>
    (WORST_FIRST.indexOf(kind) + WORST_FIRST.length + 1) % (WORST_FIRST.length + 1)
  const [worst] = all.toSorted((one, other) => weight(one) - weight(other))
  if (worst === undefined || failed.length < 2 || worst === failure) return worst
  return worst.with({
    message: `${formatCount(failed.length)} of ${plural(requests.length, 'request')} failed: ${worst.message}`,
    cause: worst,
  })
}

function partsOf(
  library: Library,
  { searches }: SyncPlan,
): Pick<Synced, 'newParts' | 'changedParts' | 'foundParts' | 'missingParts' | 'withdrawnParts' | 'parts'> {
  const [before, after] = [library.knownBefore(), library.known()]
  const newParts = new Set<string>()
  const foundParts = new Set<string>()
  const missingParts = new Set<string>()
  const withdrawnParts = new Set<string>()
  const asked: [part: string, known: readonly (KnownPart | undefined)[]][] = []
  for (const { search, wanted } of searches) {
    const key = searchKey(search)
    for (const { part } of [...wanted.ask, ...wanted.fresh]) {
      const now = after.get(key)?.parts.get(part)
      if (part !== WHOLE) asked.push([part, [now]])
      const was = before.get(key)?.parts.get(part)
      // The first answer to a search without parts.
      if (part === WHOLE && was === undefined) for (const each of library.changedParts) newParts.add(each)
      // Of what was in a lost archive it is not known whether the service still has it.
      if (part === WHOLE || now === undefined || now.isLost) continue
      if (now.everFound) foundParts.add(part)
      if (now.everFound && was?.everFound !== true) newParts.add(part)
      if (!now.everFound && now.at !== undefined) missingParts.add(part)
      if (was?.found === true && !now.found) withdrawnParts.add(part)
    }
  }
  const changedParts = [...library.changedParts].filter((part) => !newParts.has(part))
  return {
    newParts: [...newParts],
    changedParts,
    foundParts: foundParts.size,
    missingParts: [...missingParts],
    withdrawnParts: [...withdrawnParts],
    parts: accountOfKnown(asked),
  }
}

function wasAnsweredLately(library: Library, { searches }: SyncPlan, nowMs: number): boolean {
  const known = library.known()
  return searches.every(({ search, wanted }) =>
    [...wanted.ask, ...wanted.fresh].every(({ part }) => {
      const now = known.get(searchKey(search))?.parts.get(part)
      return now !== undefined && !now.isLost && isWithin(nowMs, now.at, MAY_FAIL_MS)
    }),
  )
}

interface Damage {
  readonly answers: readonly Answer[]
  /** Archives that are gone or have changed. */
  readonly lost: ReadonlySet<string>
  readonly damagedRecords: number
  readonly abandonedCount: number
}

function noticeBegun(begun: readonly Kept[], reporter: Reporter): void {
  const message = `resuming an unfinished run: ${keptWords(begun, 0, 0)} kept`
  if (begun.length > 0) reporter.notice({ level: 'info', event: 'job.resumed', message })
}

function noticeDamage({ answers, lost, damagedRecords, abandonedCount }: Damage, reporter: Reporter): void {
  const replaced = answeredAnew(answers, lost)
  const missed = [...lost].filter((archive) => !replaced.has(archive))
  const notice = (event: string, message: string): void =>
    reporter.notice({ level: 'warning', event, message, needsLook: true })
  if (missed.length > 0) {
    const names = missed.slice(0, 3)
    const more = missed.length > names.length ? ` and ${formatCount(missed.length - names.length)} more` : ''
    const [are, their] =
      missed.length === 1 ? ['is gone or has changed', 'its'] : ['are gone or have changed', 'their']
    notice(
      'library.lost',
      `${names.join(', ')}${more} ${are}: a run that names ${their} parts asks for them again, without a start date`,
    )
  }
  if (damagedRecords > 0) {
    const count = plural(damagedRecords, 'record')
    notice('library.damaged', `${count} of the library cannot be read: the parts are asked for again`)
  }
  if (abandonedCount > 0) {
    const count = plural(abandonedCount, 'request')
    notice(
      'job.unanswered',
      `${count} of an earlier run had no complete response; sending again, which may use allowance twice`,
    )
  }
}
