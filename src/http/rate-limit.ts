import { parseHttpDate, parseTimestamp } from './retry-after.ts'

/** The rate limit in a response. Times are relative, so clocks may differ. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** Milliseconds from the response until the window resets. */
  readonly resetMs?: number
}

// A later reset is a misread value, such as an id.
const FARTHEST_RESET_MS = 400 * 86_400_000

/**
 * Reads `X-RateLimit-Limit`, `-Remaining` and `-Reset` from lower-case headers; undefined when none of them is valid. Reset may be a
 * date-time, epoch seconds, epoch milliseconds or seconds from now: the interpretation after the server's own time counts.
 */
export function readRateLimit(
  headers: Readonly<Record<string, string>>,
  serverDateMs: number | undefined,
  nowMs: number,
): RateLimit | undefined {
  const limit = count(headers['x-ratelimit-limit'])
  const remaining = count(headers['x-ratelimit-remaining'])
  const resetMs = readReset(headers['x-ratelimit-reset'], serverDateMs ?? nowMs)
  if (limit === undefined && remaining === undefined && resetMs === undefined) return undefined
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetMs === undefined ? {} : { resetMs }),
  }
}

function readReset(value: string | undefined, serverNowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  const readings = /^\d{1,16}(?:\.\d+)?$/.test(text)
    ? [Number(text) * 1000 - serverNowMs, Number(text) - serverNowMs, Number(text) * 1000]
    : [(parseTimestamp(text) ?? parseHttpDate(text) ?? Number.NaN) - serverNowMs]
  return readings.find((waitMs) => waitMs > 0 && waitMs <= FARTHEST_RESET_MS)
}

function count(value: string | undefined): number | undefined {
  const match = /^\s*(\d{1,15})\s*(?:[,;].*)?$/.exec(value ?? '')
  return match ? Number(match[1]) : undefined
}
