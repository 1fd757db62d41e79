import { cleanText, joinTexts } from '../../base/clean-text.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import type { PlanResult } from '../../download/download-result.ts'
import { type Plan, planCost } from '../../download/plan.ts'
import { fetchQuota, type Quota } from '../../http/quota.ts'
import type { Context } from '../context.ts'
import { printResult } from '../json.ts'
import { connectService, readAccess, startRunSignal } from './access.ts'
import { type Prepared, prepareDownload } from './prepare.ts'

/** What a download would send, and the allowance that is left where it is known. */
interface DownloadPlan extends Pick<Prepared, 'warned'> {
  readonly plan: Plan
  readonly quota: Quota | undefined
}

/** Plans a download. No request of the plan is sent. */
export async function planDownload(context: Context): Promise<DownloadPlan> {
  await using held = new ResourceStack()
  const prepared = await prepareDownload(context, held)
  const { plan, warned } = prepared
  return { plan, warned, quota: await allowanceLeft(context, prepared) }
}

/** A plan as `matdecl.plan/1`. */
function describePlan(context: Context, { plan, quota, warned }: DownloadPlan): PlanResult {
  const cost = planCost(plan, context.settings.values.rate)
  return {
    schema: 'matdecl.plan/1',
    requests: Array.from(plan.requests(), ({ url, parts }) => ({ url, parts })),
    parts: plan.partCount,
    seconds: cost.seconds,
    allowance: {
      used: cost.requests,
      ...(quota === undefined ? {} : { limit: quota.limit, left: quota.left }),
    },
    ...warned,
  }
}

// The quota needs a token, the plan itself does not.
async function allowanceLeft(context: Context, { target, criteria }: Prepared): Promise<Quota | undefined> {
  const { world, settings } = context
  const hasToken = target.sandboxToken !== undefined || context.planSecret('token') !== undefined
  if (criteria.api !== 'v2' || !hasToken) return undefined
  await using held = new ResourceStack()
  const service = await connectService(context, await readAccess(context, target, criteria))
  held.defer(() => service.close())
  using limit = startRunSignal(world, settings.values.connectTimeout)
  const quota = await fetchQuota(service, limit.signal).catch(() => undefined)
  world.interrupt.throwIfAborted()
  return quota
}

/** Prints a plan as text, or as JSON. */
export async function printPlan(context: Context, planned: DownloadPlan): Promise<void> {
  const { terminal, settings } = context
  const { plan, quota } = planned
  if (terminal.choice.json) return printResult(terminal, describePlan(context, planned))
  const isWhole = terminal.choice.verbose > 0 || plan.requestCount <= MOST_SHOWN
  for (const text of joinTexts(textLines(plan, settings.values.rate, quota, isWhole)))
    await terminal.write(text)
}

// Printing more would be too much: the first and the last are enough.
const MOST_SHOWN = 3
const MOST_URL_CHARACTERS = 300

function* textLines(
  plan: Plan,
  ratePerMinute: number,
  quota: Quota | undefined,
  isWhole: boolean,
): Generator<string> {
  const { requests, seconds } = planCost(plan, ratePerMinute)
  const left =
    quota === undefined ? '' : ` of the ${formatCount(quota.left)} left (${formatCount(quota.limit)} in all)`
  yield `${plural(requests, 'request')} for ${plan.partCount === 0 ? 'everything that matches the criteria' : plural(plan.partCount, 'part')}\n`
  yield `about ${formatDuration(seconds * 1000)} at ${formatCount(ratePerMinute)} requests per minute\n`
  yield `allowance: uses ${formatCount(requests)}${left}\n`
  let index = 0
  for (const { url, parts } of plan.requests()) {
    index += 1
    const count = parts.length === 0 ? '' : ` (${plural(parts.length, 'part')})`
    if (!isWhole && index === 2) {
      yield `\n… ${plural(requests - 2, 'request')} more; -v prints all of them, with complete URLs\n`
    }
    if (isWhole || index === 1 || index === requests) {
      yield `\nrequest ${index}${count}\n  ${isWhole ? url : cleanText(url, MOST_URL_CHARACTERS)}\n`
    }
  }
}
