import { calendarDate } from '../../base/calendar-date.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { withOptions } from '../../base/option-names.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { type Plan, planCost, planRequests } from '../../download/plan.ts'
import { proveStateWritable, readState } from '../../download/state.ts'
import { readParts } from '../../parts/read-parts.ts'
import { checkCriteria, type Problem } from '../../request/check-criteria.ts'
import type { PartGroup } from '../../request/part-group.ts'
import type { Criteria } from '../../request/request.ts'
import { watchIdentity } from '../../request/request-identity.ts'
import { parseSince, resolveSince } from '../../request/since.ts'
import type { Context } from '../context.ts'
import type { Target } from './access.ts'

/** What is asked for, checked and packed into requests; nothing has been sent. */
export interface Prepared extends Asked {
  /** The criteria as results tell them: with the start date that `--since` came to, where some of it is asked with one. */
  readonly told: Criteria
  readonly plan: Plan
  /** With `--since last-run`: under what name this run is remembered when it is complete. */
  readonly watchIdentity: string | undefined
}

/** What is asked for, checked; where it is asked does not matter yet. */
export interface Asked {
  readonly criteria: Criteria
  readonly parts: readonly string[]
  readonly duplicates: number
}

/** Reads the parts and checks the criteria; every mistake in them is told at once. `tip` is for who asks for nothing at all. */
export async function checkAsked(context: Context, tip: string | undefined): Promise<Asked> {
  const { world, settings, terminal } = context
  const read = await readAskedParts(context).catch((error: unknown) => {
    if (isFailure(error) && error.kind === 'usage') return error
    throw error
  })
  const { parts, duplicates } = isFailure(read) ? UNREAD : read
  const checked = checkCriteria({ ...settings.values, parts }, world.clock.nowMs())
  if ('problems' in checked) throw criteriaFailure(read, checked.problems, tip)
  if (isFailure(read)) throw read
  if (settings.values.since !== undefined) parseSince(settings.values.since)
  for (const notice of checked.notices) terminal.reporter.notice(notice)
  return { criteria: checked.criteria, parts, duplicates }
}

/** Packs what is asked for into requests. */
export async function prepare(context: Context, { baseUrl }: Target, asked: Asked): Promise<Prepared> {
  const { values } = context.settings
  const { criteria } = asked
  const { groups, watch } = await groupParts(context, baseUrl, criteria, asked.parts)
  const plan = planRequests(baseUrl, criteria, groups, {
    maxUrlLength: values.maxUrlLength,
    batchSize: values.batchSize,
  })
  checkPlanSize(plan, values.maxRequests)
  const startDate = groups.find((group) => group.startDate !== undefined)?.startDate
  return { ...asked, told: { ...criteria, startDate }, plan, watchIdentity: watch }
}

/** On a terminal a large plan is asked about before it is carried out. */
export async function confirmPlan({ terminal, settings }: Context, plan: Plan): Promise<void> {
  if (plan.requestCount <= MOST_UNASKED || settings.values.yes || !terminal.canAsk) return
  const cost = planCost(plan, settings.values.rate)
  const question = `${formatCount(plan.requestCount)} requests, each of which costs allowance, in about ${formatDuration(cost.seconds * 1000)}. Go on?`
  if (await terminal.confirm(question)) return
  throw new Failure('usage', 'not started, as you wished', { hint: 'nothing was sent; --yes does not ask' })
}

const MOST_UNASKED = 50
// Stands for parts that could not be read, so that the rest is judged as if they were there.
const UNREAD = { parts: ['-'], duplicates: 0 }

// With `--since` the same parts may be asked for with different start dates.
async function groupParts(
  { world, settings, terminal }: Context,
  baseUrl: string,
  criteria: Criteria,
  parts: readonly string[],
): Promise<{ groups: readonly PartGroup[]; watch: string | undefined }> {
  const { since: text } = settings.values
  if (text === undefined) return { groups: [{ parts, startDate: criteria.startDate }], watch: undefined }
  const since = parseSince(text)
  const nowMs = world.clock.nowMs()
  if (since.kind !== 'last-run')
    return { groups: resolveSince(since, parts, nowMs, undefined), watch: undefined }
  if (!settings.values.dryRun) await proveStateWritable(world)
  const watch = watchIdentity(baseUrl, criteria, parts.length > 0)
  const lastRun = await readState(world, watch, (message) =>
    terminal.reporter.notice({ level: 'warning', event: 'state.unusable', message }),
  )
  const when =
    lastRun === undefined
      ? 'no earlier complete run is known: everything is asked for'
      : `the last complete run was on ${calendarDate(lastRun.serverDateMs)}`
  terminal.reporter.notice({ level: 'info', event: 'state.last-run', message: when })
  return { groups: resolveSince(since, parts, nowMs, lastRun), watch }
}

async function readAskedParts({
  world,
  settings,
  terminal,
}: Context): Promise<{ parts: readonly string[]; duplicates: number }> {
  const { values, operands, afterDashes } = settings
  if (operands.length > 0) {
    throw new Failure('usage', `download does not take '${operands[0]}'`, {
      hint: 'part numbers go behind --part, into a --parts-file, or after --',
    })
  }
  const parts = [...values.part, ...afterDashes]
  if (parts.length === 0 && values.partsFile.length === 0) return { parts: [], duplicates: 0 }
  return readParts(
    world,
    { parts, files: values.partsFile, column: values.partsColumn, strict: values.strictParts },
    terminal.reporter,
  )
}

function criteriaFailure(read: unknown, problems: readonly Problem[], tip: string | undefined): Failure {
  const [first] = problems
  const ofParts = isFailure(read) ? (read.details.problems ?? [read.message]) : []
  if (problems.length + ofParts.length === 1) {
    const { message, hint, options } = first!
    return new Failure(
      'usage',
      message,
      tip === undefined ? { hint, ...(options && { options }) } : { hint: tip },
    )
  }
  return new Failure('usage', `${plural(problems.length + ofParts.length, 'mistake')} in what is asked for`, {
    problems: [
      ...problems.map(({ message, hint, options }) => withOptions(`${message}: ${hint}`, options)),
      ...ofParts,
    ],
    hint: 'nothing was sent',
  })
}

function checkPlanSize(plan: Plan, maxRequests: number | undefined): void {
  if (maxRequests === undefined || plan.requestCount <= maxRequests) return
  const { requests } = planCost(plan, Number.POSITIVE_INFINITY)
  throw new Failure(
    'usage',
    `the plan has ${formatCount(requests)} requests, more than the ${formatCount(maxRequests)} of --max-requests`,
    {
      hint: 'ask for fewer parts, allow longer addresses with --max-url-length, or raise --max-requests; --dry-run shows the plan',
    },
  )
}
