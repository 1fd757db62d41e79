import * as z from 'zod/mini'
import { isFailure } from '../base/failure.ts'
import type { Service } from './service.ts'

/** The yearly allowance of requests, as `/v2/quota` reports it. */
export interface Quota {
  readonly limit: number
  readonly used: number
  readonly left: number
  /** True when the service says that this token may not download. */
  readonly isForbidden: boolean
}

const COUNT = z.number().check(z.nonnegative())
const RESPONSE = z.object({
  'api:consume': z.object({ tier_limit: COUNT, tier_usage: COUNT, authorized: z.optional(z.unknown()) }),
})

const WITHOUT_QUOTA = new WeakSet<Service>()

/**
 * Gets `/v2/quota`, which costs no allowance. Undefined when the service does not have it, which is not asked twice, or its response
 * is not usable. Rejects only when aborted.
 */
export async function fetchQuota(service: Service, signal: AbortSignal): Promise<Quota | undefined> {
  if (WITHOUT_QUOTA.has(service)) return undefined
  try {
    const quota = readQuota((await service.getJson('/v2/quota', { signal }))?.value)
    if (quota === undefined) WITHOUT_QUOTA.add(service)
    return quota
  } catch (error) {
    if (isFailure(error) && error.kind === 'rejected') WITHOUT_QUOTA.add(service)
    signal.throwIfAborted()
    return undefined
  }
}

/** The download counter (`api:consume`) in a quota response, or undefined. */
export function readQuota(value: unknown): Quota | undefined {
  const { data } = RESPONSE.safeParse(value)
  if (data === undefined) return undefined
  const { tier_limit: limit, tier_usage: used, authorized } = data['api:consume']
  return { limit, used, left: Math.max(0, limit - used), isForbidden: authorized === false }
}
