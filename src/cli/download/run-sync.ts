import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../../base/failure.ts'
import type { Notice } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import type { PlanResult, SyncResult } from '../../download/download-result.ts'
import { isoTime, requestFields } from '../../download/manifest.ts'
import { planCost } from '../../download/plan.ts'
import {
  openSync,
  planSync,
  type Reasons,
  reasonsOf,
  reasonWords,
  type SyncCriteria,
  type Synced,
  type SyncPlan,
  type SyncPlanOptions,
} from '../../download/sync.ts'
import { accountOfKnown } from '../../library/known.ts'
import type { PartsRead } from '../../parts/read-parts.ts'
import type { Context } from '../context.ts'
import { FailedRun, printResult } from '../json.ts'
import { aboutLibrary, libraryPath } from '../library-path.ts'
import { listFields, noneFound, type WarningFields } from '../parts-lists.ts'
import {
  connectService,
  fitOpenFiles,
  lengthAdvice,
  openSandbox,
  readAccess,
  requestSettings,
  type ServiceTarget,
  serviceTarget,
  startRunSignal,
} from './access.ts'
import { checkPlanSize, readRequested } from './prepare.ts'
import { rateLimitFields } from './run-download.ts'

const MOST_NAMED = 10

/** What a sync is for, and where it goes. */
export interface SyncRequest {
  /** Undefined: what the library knows. */
  readonly wanted: SyncCriteria | undefined
  /** The lists that the parts were read from. */
  readonly lists: PartsRead['lists']
  /** What looks wrong in them, where nothing else says it. */
  readonly warned?: WarningFields | undefined
  /** The result follows: only what it does not have is said. */
  readonly isStep?: boolean
  readonly target: ServiceTarget
  readonly maxAgeMs: number
}

/** Brings the library up to date, and prints its path; with `--dry-run` the plan. */
export async function printSync(context: Context): Promise<number> {
  await using held = new ResourceStack()
  const { settings, terminal } = context
  const request = await readSyncRequest(context, held)
  if (settings.values.dryRun) return printSyncPlan(context, request)
  const result = await withNoticesHeld(context, (kept) => runSync(kept, request, held))
  saySynced(context, result, request)
  const failure = noneFoundFailure(result, request)
  if (failure !== undefined) throw failedRun(failure, result)
  const text = terminal.choice.quiet ? '' : `${escapeUnsafe(result.library)}\n`
  await printResult(terminal, result, text)
  return 0
}

/** Runs with what is said even with `--quiet` kept until it is known whether anyone needs to look. */
async function withNoticesHeld<T>(context: Context, run: (context: Context) => Promise<T>): Promise<T> {
  const { terminal } = context
  if (!terminal.choice.quiet) return run(context)
  const notices: Notice[] = []
  const reporter = { ...terminal.reporter, notice: (one: Notice) => void notices.push(one) }
  let mayWait = false
  try {
    return await run({ ...context, terminal: { ...terminal, reporter } })
  } catch (error) {
    mayWait = error instanceof FailedRun && error.mayWait
    throw error
  } finally {
    if (!mayWait) for (const one of notices) terminal.reporter.notice(one)
  }
}

/** Says what came, on standard error. */
export function saySynced({ terminal }: Context, result: SyncResult, request: SyncRequest): void {
  if (result.skipped === true || terminal.choice.quiet) return
  const lines = summaryLines(result)
  const isSaid = ({ level, event }: SummaryLine): boolean =>
    request.isStep !== true || level === 'warning' || (event === 'sync.done' && result.requests.length > 0)
  for (const { level, event, message } of lines.filter(isSaid)) {
    if (level === undefined) terminal.saySummary(event, [message])
    else terminal.reporter.notice({ level, event, message })
  }
}

async function readSyncRequest(context: Context, held: ResourceStack): Promise<SyncRequest> {
  const { values, afterDashes, operands } = context.settings
  const { supplier, part, partsFile, maxAge } = values
  const sandbox = values.sandbox ? await openSandbox(context, held) : undefined
  const hasCriteria =
    supplier !== undefined || part.length + partsFile.length + afterDashes.length + operands.length > 0
  const requested = hasCriteria ? await readRequested(context, sandbox?.tip) : undefined
  const target = sandbox ?? serviceTarget(context)
  const { lists = [], warned } = requested ?? {}
  return { wanted: requested, lists, warned, target, maxAgeMs: maxAge ?? 0 }
}

function planOptions(context: Context, { wanted, target, maxAgeMs }: SyncRequest): SyncPlanOptions {
  const { maxUrlLength, batchSize, full, fullAfter, api } = context.settings.values
  const { baseUrl, address } = target
  return {
    directory: libraryPath(context),
    baseUrl,
    address,
    wanted,
    api,
    urlLimits: { maxUrlLength, batchSize },
    maxAgeMs,
    full,
    fullAfterMs: fullAfter,
  }
}

/** Asks the service for what the library does not have yet. Throws a `FailedRun` with what came, when a request failed. */
export async function runSync(
  given: Context,
  request: SyncRequest,
  held: ResourceStack,
): Promise<SyncResult> {
  const context = await fitOpenFiles(given)
  const { world, settings, terminal } = context
  const { values } = settings
  const startedAt = isoTime(world.clock.nowMs())
  const access = await readAccess(context, request.target, {
    api: request.wanted?.criteria.api ?? values.api,
  })
  const { signal } = held.use(startRunSignal(world, values.timeout))
  const planned = planOptions(context, request)
  const options = {
    ...planned,
    ...requestSettings(context, access),
    ifLocked: values.ifLocked,
    tool: `matdecl ${VERSION}`,
    apiKey: access.apiKey,
    signal,
  }
  const library = planned.directory
  // A library that is not there is not made for nothing.
  if (request.wanted === undefined && (await isNowhere(world, library))) throw nothingToRefresh(request)
  const run = await openSync(world, options, terminal.reporter).catch(throwAboutLibrary)
  const isSandbox = request.target.sandboxToken !== undefined
  const facts = { library, isSandbox, startedAt, lists: request.lists, warned: request.warned }
  if (run === undefined) {
    const { parts = [] } = request.wanted ?? {}
    const nothing = syncResult({ ...facts, finishedAt: isoTime(world.clock.nowMs()) }, undefined, {
      ...NOTHING,
      parts: accountOfKnown(parts.map((part) => [part, []])),
    })
    return { ...nothing, skipped: true }
  }
  held.use(run)
  const { plan } = run
  checkPlan(plan, request, values.maxRequests)
  const service = await connectService(context, access)
  held.defer(() => service.close())
  noticeStart(context, request, plan)
  const synced = await run.send(service, access.apiKey)
  const message = lengthAdvice(synced.learned, request.wanted?.criteria.api ?? values.api)
  if (message !== undefined) terminal.reporter.notice({ level: 'info', event: 'sync.too-long', message })
  const result = syncResult({ ...facts, finishedAt: isoTime(world.clock.nowMs()) }, plan, synced)
  if (synced.failure === undefined) return result
  const failure = aboutLibrary(synced.failure)
  const isService = isFailure(failure) && (failure.kind === 'limited' || failure.kind === 'unavailable')
  throw failedRun(failure, result, isService && synced.mayWait)
}

// Without criteria the library says what to ask for: one that has nothing to say is another one, or of another address.
function checkPlan(plan: SyncPlan, request: SyncRequest, maxRequests: number | undefined): void {
  if (request.wanted === undefined && plan.searches.length === 0) throw nothingToRefresh(request)
  checkPlanSize(plan, maxRequests)
}

function nothingToRefresh({ target }: SyncRequest): Failure {
  const address = target.sandboxToken === undefined ? new URL(target.baseUrl).host : 'the sandbox'
  return new Failure(
    'usage',
    `no supplier and no part number given, and the library knows nothing to refresh from ${address}`,
    {
      hint: 'name what to ask for once, or check the library and the service URL',
      options: ['supplier', 'part', 'parts-file', 'library', 'base-url'],
    },
  )
}

async function isNowhere({ disk }: Context['world'], path: string): Promise<boolean> {
  return await disk.stat(path).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  )
}

function throwAboutLibrary(error: unknown): never {
  throw aboutLibrary(error)
}

function failedRun(
  reason: unknown,
  { schema: _, status: __, ...known }: SyncResult,
  mayWait = false,
): FailedRun {
  return new FailedRun(reason, known, mayWait)
}

/** The failure of a run that found none of the parts that it is for, now or before: undefined where it found one, or has no parts. */
export function noneFoundFailure(
  { foundParts, missingParts }: SyncResult,
  { wanted, lists, target }: SyncRequest,
): Failure | undefined {
  if (foundParts > 0 || missingParts.length === 0) return undefined
  const { message, hint } = noneFound(wanted?.parts ?? missingParts, lists, target.tip)
  return new Failure('missing', message, { hint })
}

const NOTHING: Omit<Synced, 'parts'> = {
  requests: [],
  rateLimit: undefined,
  failure: undefined,
  mayWait: false,
  newParts: [],
  changedParts: [],
  foundParts: 0,
  missingParts: [],
  withdrawnParts: [],
}

function syncResult(
  facts: Pick<SyncResult, 'library' | 'startedAt' | 'finishedAt'> & {
    readonly isSandbox: boolean
    readonly lists: PartsRead['lists']
    readonly warned: WarningFields | undefined
  },
  plan: SyncPlan | undefined,
  { requests, rateLimit, newParts, changedParts, foundParts, missingParts, withdrawnParts, parts }: Synced,
): SyncResult {
  const { library, startedAt, finishedAt, isSandbox, lists, warned } = facts
  const { requestCount = 0, partCount = 0, freshCount = 0 } = plan ?? {}
  return {
    schema: 'matdecl.sync/1',
    status: 'ok',
    ...(isSandbox ? { sandbox: true } : {}),
    library,
    plan: { requests: requestCount, parts: partCount, fresh: freshCount },
    requests: requests.map((one) => ({
      ...requestFields(one),
      startDate: one.answer?.start,
      archive: one.answer?.archive ?? null,
    })),
    newParts,
    changedParts,
    foundParts,
    missingParts,
    withdrawnParts,
    account: { parts, ...listFields(lists) },
    ...warned,
    rateLimit: rateLimit === undefined ? null : rateLimitFields(rateLimit),
    startedAt,
    finishedAt,
  }
}

// In a step of another command, what came says the rest.
function noticeStart({ terminal }: Context, { target, isStep }: SyncRequest, plan: SyncPlan): void {
  const { requestCount, freshCount } = plan
  const host = new URL(target.baseUrl).host
  const fresh = freshCount === 0 ? '' : `; ${plural(freshCount, 'part')} answered lately`
  const message =
    requestCount === 0
      ? `nothing to ask${fresh}`
      : `asking ${host} in ${plural(requestCount, 'request')}: ${reasonText(askedReasons(plan))}`
  const data = { requests: requestCount, parts: plan.partCount, fresh: freshCount }
  terminal.reporter.notice({ level: isStep ? 'detail' : 'info', event: 'sync.started', message, data })
}

// Those for what is asked; what is left out is counted apart.
function askedReasons(plan: SyncPlan): Reasons {
  return new Map([...reasonsOf(plan)].filter(([words]) => words !== 'fresh' && words !== 'resumed'))
}

/** `12 never asked, 3 since 2026-11-21`, the most frequent first. */
function reasonText(reasons: Reasons): string {
  const sorted = [...reasons].sort(([, one], [, other]) => other - one)
  const shown = sorted.slice(0, 6).map(([words, count]) => `${formatCount(count)} ${words}`)
  const rest = sorted.slice(6).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`${formatCount(rest)} for other reasons`] : [])].join(', ')
}

interface SummaryLine {
  readonly event: string
  readonly message: string
  readonly level?: 'warning'
}

function summaryLines(result: SyncResult): readonly SummaryLine[] {
  const { newParts, changedParts, missingParts, withdrawnParts, requests, startedAt, finishedAt } = result
  const took = formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))
  const counts = [
    ...(newParts.length > 0 ? [`${formatCount(newParts.length)} new`] : []),
    ...(changedParts.length > 0 ? [`${formatCount(changedParts.length)} changed`] : []),
  ]
  const what = counts.length === 0 ? 'nothing new' : plural(newParts.length + changedParts.length, 'part')
  const which = counts.length === 0 ? '' : `: ${counts.join(', ')}`
  return [
    { event: 'sync.done', message: `${what}${which} (${plural(requests.length, 'request')}, ${took})` },
    ...(missingParts.length > 0
      ? [
          {
            event: 'sync.missing',
            message: `never found: ${plural(missingParts.length, 'part')}, ${named(missingParts)}`,
          },
        ]
      : []),
    ...(withdrawnParts.length > 0
      ? [
          {
            event: 'sync.withdrawn',
            level: 'warning' as const,
            message: `the service no longer has ${plural(withdrawnParts.length, 'part')} that it had: ${named(withdrawnParts)}; the library keeps the declarations`,
          },
        ]
      : []),
    ...(result.sandbox === true ? [{ event: 'sync.sandbox', message: MADE_UP }] : []),
  ]
}

function named(parts: readonly string[]): string {
  const rest = parts.length - MOST_NAMED
  const names = parts.slice(0, MOST_NAMED).map((part) => `'${escapeUnsafe(part)}'`)
  return `${names.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more (all of them: --json)` : ''}`
}

async function printSyncPlan(context: Context, request: SyncRequest): Promise<number> {
  const { world, settings, terminal } = context
  const options = planOptions(context, request)
  const plan = await planSync(world, options, terminal.reporter).catch(throwAboutLibrary)
  checkPlan(plan, request, settings.values.maxRequests)
  const { seconds } = planCost(plan, settings.values.rate)
  const result = {
    schema: 'matdecl.plan/1',
    library: options.directory,
    requests: plannedRequests(plan),
    parts: plan.partCount,
    fresh: plan.freshCount,
    seconds,
    allowance: { used: plan.requestCount },
    ...request.warned,
  } as const satisfies PlanResult
  await printResult(terminal, result, planText(result, plan, settings.values.rate))
  return 0
}

function plannedRequests({ searches }: SyncPlan) {
  return searches.flatMap(({ plan, wanted }) => {
    if (plan === undefined) return []
    const reasons = new Map(wanted.ask.map(({ part, reason, day }) => [part, reasonWords(reason, day)]))
    return Array.from(plan.requests(), ({ url, parts }) => {
      const counts: Record<string, number> = {}
      for (const part of parts.length === 0 ? [''] : parts) {
        const words = reasons.get(part) ?? ''
        counts[words] = (counts[words] ?? 0) + 1
      }
      return { url, parts, reasons: counts }
    })
  })
}

function planText(
  result: PlanResult & { readonly library: string },
  plan: SyncPlan,
  ratePerMinute: number,
): string {
  const { requests, seconds, library } = result
  const reasons = [...reasonsOf(plan)].map(([words, count]) => `  ${formatCount(count)} ${words}\n`)
  return [
    `library ${escapeUnsafe(library)}\n`,
    `${plural(requests.length, 'request')}, about ${formatDuration(seconds * 1000)} at ${formatCount(ratePerMinute)} requests per minute\n`,
    ...reasons,
    ...requests.map(({ url, reasons }, index) => {
      const why = reasonText(new Map(Object.entries(reasons ?? {})))
      return `\nrequest ${index + 1}: ${why}\n  ${escapeUnsafe(url.length > 300 ? `${url.slice(0, 299)}…` : url)}\n`
    }),
  ].join('')
}
