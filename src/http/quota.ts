import type { Service } from './service.ts'

/** The yearly allowance of requests, as `/v2/quota` tells it. */
export interface Quota {
  readonly limit: number
  readonly used: number
  readonly left: number
}

/**
 * Asks `/v2/quota`, which costs no allowance. Undefined where the service does not have it or answers with anything but the
 * two numbers: nothing depends on it. Only an abort rejects.
 */
export async function askQuota(service: Service, signal: AbortSignal): Promise<Quota | undefined> {
  try {
    return readQuota((await service.getJson('/v2/quota', { signal }))?.value)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** The download counter (`api:consume`) of a quota answer, or undefined when it is not there. */
export function readQuota(value: unknown): Quota | undefined {
  const counter = field(value, 'api:consume')
  const limit = field(counter, 'tier_limit')
  const used = field(counter, 'tier_usage')
  if (!isCount(limit) || !isCount(used)) return undefined
  return { limit, used, left: Math.max(0, limit - used) }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
