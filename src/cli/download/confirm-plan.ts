import { Failure } from '../../base/failure.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { type Plan, planCost } from '../../download/plan.ts'
import { fetchQuota, type Quota } from '../../http/quota.ts'
import type { Service } from '../../http/service.ts'
import type { Context } from '../context.ts'

const MOST_UNCONFIRMED = 50

/** On a terminal a large plan is confirmed before it is sent. */
export async function confirmPlan(
  { world, terminal, settings }: Context,
  plan: Pick<Plan, 'requestCount'>,
  service: Service,
): Promise<void> {
  if (plan.requestCount <= MOST_UNCONFIRMED || !terminal.canAsk) return
  const quota = await fetchQuota(service, world.interrupt)
  if (await terminal.confirm(planQuestion(plan, settings.values.rate, quota))) return
  throw new Failure('usage', 'not confirmed', { hint: 'nothing was sent; skip the question with --no-input' })
}

function planQuestion(
  plan: Pick<Plan, 'requestCount'>,
  ratePerMinute: number,
  quota: Quota | undefined,
): string {
  const { seconds } = planCost(plan, ratePerMinute)
  const left =
    quota === undefined ? '' : ` (${formatCount(quota.left)} of ${formatCount(quota.limit)} are left)`
  const time = `about ${formatDuration(seconds * 1000)} at ${formatCount(ratePerMinute)} a minute`
  return `${plural(plan.requestCount, 'request')}, ${time}, each of which uses allowance${left}. Continue?`
}
