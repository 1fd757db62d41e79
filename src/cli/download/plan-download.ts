import { ResourceStack } from '../../base/resource-stack.ts'
import type { PlanResult } from '../../download/download-result.ts'
import { type Plan, planCost } from '../../download/plan.ts'
import { fetchQuota, type Quota } from '../../http/quota.ts'
import type { Context } from '../context.ts'
import { openService, readAccess } from './access.ts'
import { type Prepared, prepareDownload } from './prepare.ts'
import { startRunSignal } from './run-signal.ts'

/** What a download would send, and the allowance that is left where it is known. */
export interface DownloadPlan {
  readonly plan: Plan
  readonly quota: Quota | undefined
}

/** Plans a download. No request of the plan is sent. */
export async function planDownload(context: Context): Promise<DownloadPlan> {
  await using held = new ResourceStack()
  const prepared = await prepareDownload(context, held)
  return { plan: prepared.plan, quota: await allowanceLeft(context, prepared) }
}

/** A plan as `matdecl.plan/1`. */
export function planResult(plan: Plan, ratePerMinute: number, quota: Quota | undefined): PlanResult {
  const cost = planCost(plan, ratePerMinute)
  return {
    schema: 'matdecl.plan/1',
    requests: Array.from(plan.requests(), ({ url, parts }) => ({ url, parts })),
    parts: plan.partCount,
    seconds: cost.seconds,
    allowance: {
      used: cost.requests,
      ...(quota === undefined ? {} : { limit: quota.limit, left: quota.left }),
    },
  }
}

// The quota needs a token, the plan itself does not.
async function allowanceLeft(context: Context, { target, criteria }: Prepared): Promise<Quota | undefined> {
  const { world, settings } = context
  const hasToken = target.sandboxToken !== undefined || context.planSecret('token') !== undefined
  if (criteria.api !== 'v2' || !hasToken || settings.values.curl) return undefined
  await using held = new ResourceStack()
  const service = await openService(context, await readAccess(context, target, criteria))
  held.defer(service.close)
  using limit = startRunSignal(world, settings.values.connectTimeout)
  const quota = await fetchQuota(service, limit.signal).catch(() => undefined)
  world.interrupt.throwIfAborted()
  return quota
}
