import * as z from 'zod/mini'
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

/**
 * Gets `/v2/quota`, which costs no allowance. Undefined when the service does not have it, or its response is not usable. Rejects
 * only when aborted.
 */
export async function fetchQuota(service: Service, signal: AbortSignal): Promise<Quota | undefined> {
  try {
    return readQuota((await service.getJson('/v2/quota', { signal }))?.value)
  } catch {
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
