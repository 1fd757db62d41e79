/** How often a fault is retried within the configured retries; `once` and `twice` are for faults that rarely pass. */
export type RetryRule = 'never' | 'once' | 'twice' | 'always'

/** Statuses that may change later: the service is busy, slow or broken (522 and 524 are timeouts of a proxy). */
export const RETRIED_STATUSES: readonly number[] = [408, 425, 429, 500, 502, 503, 504, 522, 524]

/** The limit for attempts that each receive some bytes: a server that sends one byte at a time would never end. */
export const MOST_ATTEMPTS = 200

const FIRST_WAIT_MS = 1_000
const LONGEST_OWN_WAIT_MS = 60_000
const SHORTEST_WAIT_MS = 100

/** What has happened to one request so far. */
export interface Tally {
  readonly attempts: number
  /** Failed attempts that received no new bytes. */
  readonly fruitless: number
  /** Failed attempts under the rule of the last fault. */
  readonly sameRule: number
}

/** Whether to retry after a fault with `rule`; `tally` includes the failed attempt. */
export function mayRetry(rule: RetryRule, tally: Tally, retries: number): boolean {
  if (rule === 'never' || retries <= 0 || tally.attempts >= MOST_ATTEMPTS) return false
  const allowed = rule === 'once' ? Math.min(1, retries) : rule === 'twice' ? Math.min(2, retries) : retries
  const counted = rule === 'once' || rule === 'twice' ? tally.sameRule : tally.fruitless
  return counted <= allowed && tally.fruitless <= retries
}

/**
 * The wait before the next attempt, in milliseconds: full jitter under a doubling ceiling of 1 s to 60 s, or what the server
 * requested plus up to a second, so that clients do not retry in lockstep. `random` is in [0, 1); `fruitless` counts failures from 1.
 */
export function retryWaitMs(
  fruitless: number,
  random: number,
  options: {
    readonly requestedMs?: number | undefined
    readonly atLeastMs?: number
    readonly maxWaitMs: number
  },
): number {
  const { requestedMs = 0, atLeastMs = SHORTEST_WAIT_MS, maxWaitMs } = options
  const ceiling = Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, fruitless - 1), 10))
  const own = Math.max(atLeastMs, random * ceiling)
  const waitMs =
    requestedMs > 0 ? Math.max(requestedMs + random * Math.min(FIRST_WAIT_MS, requestedMs), atLeastMs) : own
  return Math.round(Math.min(waitMs, Math.max(maxWaitMs, requestedMs)))
}
