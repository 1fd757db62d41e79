import { Failure } from '../base/failure.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import { formatCount, formatDuration, formatInstant, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import {
  Fault,
  MOST_ATTEMPTS,
  mayRetry,
  outcomeOf,
  type RetryRule,
  retryWaitMs,
  type Tally,
} from '../http/outcome.ts'
import { fetchQuota } from '../http/quota.ts'
import { parseRetryAfter, type RateLimit, readRateLimit } from '../http/rate-headers.ts'
import type { RateLimiter, Refused, Turn } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import type { ServiceRequest } from '../request/request.ts'

/** How one request is sent. */
export interface AttemptOptions {
  readonly service: Service
  readonly request: ServiceRequest
  /** How many attempts may fail without receiving new bytes. */
  readonly retries: number
  /** The longest wait that a server may request. */
  readonly maxWaitMs: number
  /** Shared by all requests of the run. */
  readonly rateLimiter: RateLimiter
  readonly reporter: Reporter
  /** Its reason must be a Failure. */
  readonly signal: AbortSignal
  /** Ends the request before its next attempt. Its reason must be a Failure. */
  readonly closing?: AbortSignal
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}

/** Counts the attempts of one request, waits between them, and ends them when another would not help. */
export interface Attempts {
  /** Resolves when the rate limiter lets the next attempt start. */
  readonly waitForTurn: () => Promise<void>
  /** Records the response of an attempt, or undefined when there was none. */
  readonly record: (response: ServiceResponse | undefined) => void
  /** Resolves when the next attempt is due; rejects with the Failure of the request. The attempt counts as `added` fruitless ones. */
  readonly failed: (error: unknown, added: number) => Promise<void>
  readonly facts: () => {
    readonly attempts: number
    readonly serverDateMs: number | undefined
    readonly rateLimit: RateLimit | undefined
  }
}

// Of a request that has not been sent; the wait of a retry is in its own notice.
const NOTICED_WAIT_MS = 10_000

export function createAttempts(world: World, options: AttemptOptions): Attempts {
  const { rateLimiter, reporter, signal, label } = options
  const startedMs = world.clock.monotonicMs()
  const sameRule = new Map<RetryRule, number>()
  let attempts = 0
  let fruitless = 0
  let last: ServiceResponse | undefined
  let rateLimit: RateLimit | undefined
  let isQuotaChecked = false
  let turn: Turn | undefined
  // The last attempt if it was rate limited.
  let refusal: Promise<Refused> | undefined

  async function waitForTurn(): Promise<void> {
    turn = await rateLimiter.turn({
      signal,
      isRetry: attempts > 0,
      onWait: (waitMs) => {
        if (waitMs === undefined) return
        if (attempts === 0 && waitMs >= NOTICED_WAIT_MS) noticeWait(waitMs)
        const next = attempts === 0 ? 'next request' : 'retrying'
        reporter.progress(waiting(waitMs, 'rate limited', next))
      },
    })
    attempts += 1
  }

  function record(response: ServiceResponse | undefined): void {
    last = response
    refusal = undefined
    if (response === undefined) {
      turn?.unanswered()
      return
    }
    const { status, headers, serverDateMs } = response
    const limit = readRateLimit(headers, serverDateMs, world.clock.nowMs())
    rateLimit = limit ?? rateLimit
    const { rate } = outcomeOf(status, response)
    if (rate === 'always' || (rate === 'of-many' && turn?.isOneOfMany()))
      refusal = refuse(limit, requestedWaitMs(status))
    else if (status >= 500) turn?.unanswered()
    else turn?.accepted({ limit, isSuccess: status < 300 })
  }

  function refuse(
    limit: RateLimit | undefined,
    requestedMs: number | undefined,
  ): Promise<Refused> | undefined {
    const requested = requestedMs === undefined ? undefined : retryWait(requestedMs)
    const refused = turn?.refused({ limit, requestedMs: requested })
    refused?.catch(() => undefined)
    return refused
  }

  async function failed(error: unknown, added: number): Promise<void> {
    if (signal.aborted) throw signal.reason
    options.closing?.throwIfAborted()
    if (!(error instanceof Fault)) throw error
    fruitless += added
    sameRule.set(error.retry, (sameRule.get(error.retry) ?? 0) + 1)
    const status = error.details.httpStatus
    if (status === 429) await endIfUsedUp()
    const requestedMs = error.retry === 'never' ? undefined : requestedWaitMs(status)
    if (requestedMs !== undefined && requestedMs > options.maxWaitMs) throw waitTooLong(error, requestedMs)
    const refused = status === last?.status ? await refusal : undefined
    const isSilent = refused !== undefined && requestedMs === undefined
    if (isSilent) {
      fruitless -= added
      if (options.retries === 0 || attempts >= MOST_ATTEMPTS) throw ended(error, undefined)
      if (refused.isOver) throw refusedTooLong(error)
    } else if (!mayRetry(error.retry, tallyOf(error), options.retries)) {
      throw ended(error, requestedMs)
    }
    const waitMs = refused?.waitMs ?? retryWait(requestedMs)
    noticeRetry(error, waitMs, isSilent)
    // The rate limiter waits after a refusal.
    if (refused !== undefined) return
    reporter.progress(waiting(waitMs, error.message, 'retrying'))
    await world.clock.sleep(waitMs, signal)
  }

  function waiting(waitMs: number, reason: string, next: NonNullable<Progress['next']>): Progress {
    return { phase: 'waiting', waitUntilMs: world.clock.monotonicMs() + waitMs, reason, next }
  }

  function tallyOf(error: Fault): Tally {
    return { attempts, fruitless, sameRule: sameRule.get(error.retry)! }
  }

  function retryWait(requestedMs: number | undefined): number {
    const { maxWaitMs } = options
    return retryWaitMs(Math.max(1, fruitless), world.random(), { requestedMs, maxWaitMs })
  }

  function requestedWaitMs(status: number | undefined): number | undefined {
    if (!last || status !== last.status || outcomeOf(status, last).retry !== 'always') return undefined
    const nowMs = world.clock.nowMs()
    const retryAfterMs = parseRetryAfter(last.headers['retry-after'], last.serverDateMs, nowMs)
    if (retryAfterMs !== undefined && retryAfterMs > 0) return retryAfterMs
    if (status !== 429) return undefined
    return readRateLimit(last.headers, last.serverDateMs, nowMs)?.resetMs
  }

  // A 429 means the rate or the yearly allowance; only the rate recovers with time. The quota request is free.
  async function endIfUsedUp(): Promise<void> {
    if (isQuotaChecked || options.request.method !== 'GET') return
    isQuotaChecked = true
    const quota = await fetchQuota(options.service, signal)
    if (!quota || quota.used < quota.limit) return
    throw new Failure(
      'limited',
      `the allowance of ${plural(quota.limit, 'request')} is used up (${formatCount(quota.used)} used)`,
      {
        httpStatus: 429,
        attempts,
        hint: 'wait until it is renewed, or contact the provider; matdecl doctor shows the quota',
      },
    )
  }

  function waitTooLong(error: Fault, requestedMs: number): Failure {
    const retryAtMs = world.clock.nowMs() + requestedMs
    return new Failure(
      'limited',
      `${error.message}; it requests a wait of ${formatDuration(requestedMs)}, longer than the maximum of ${formatDuration(options.maxWaitMs)}`,
      {
        ...error.details,
        cause: error,
        attempts,
        retryAtMs,
        hint: `retry at ${formatInstant(retryAtMs)}, or raise the maximum wait`,
        options: ['max-wait'],
      },
    )
  }

  function refusedTooLong(error: Fault): Failure {
    const kind = error.details.httpStatus === 429 ? 'limited' : 'unavailable'
    return new Failure(
      kind,
      `${error.message}; no request was accepted within the maximum wait of ${formatDuration(options.maxWaitMs)}`,
      {
        ...error.details,
        cause: error,
        attempts,
        hint: 'try again later, send fewer requests per minute, or raise the maximum wait',
        options: ['rate', 'max-wait'],
      },
    )
  }

  function ended(error: Fault, requestedMs: number | undefined): Failure {
    const tookMs = world.clock.monotonicMs() - startedMs
    const tries = attempts > 1 ? ` (${attempts} attempts in ${formatDuration(tookMs)})` : ''
    return new Failure(error.kind, `${error.message}${tries}`, {
      ...error.details,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(requestedMs === undefined ? {} : { retryAtMs: world.clock.nowMs() + requestedMs }),
      cause: error.cause ?? error,
      attempts,
    })
  }

  function noticeWait(delayMs: number): void {
    const message = `${label}: waiting ${formatDuration(delayMs)} for the rate limit`
    reporter.notice({ level: 'info', event: 'request.waiting', message, data: { label, delayMs } })
  }

  function noticeRetry(error: Fault, delayMs: number, isUncounted: boolean): void {
    const attempt = attempts + 1
    const most = options.retries + 1
    const count = attempt <= most && !isUncounted ? `attempt ${attempt} of ${most}` : `attempt ${attempt}`
    reporter.notice({
      level: 'info',
      event: 'request.retry',
      message: `${label}: ${error.message}; retrying in ${formatDuration(delayMs)} (${count})`,
      data: {
        label,
        reason: error.message,
        attempt,
        delayMs,
        ...(error.details.httpStatus === undefined ? {} : { httpStatus: error.details.httpStatus }),
      },
    })
  }

  const facts: Attempts['facts'] = () => ({ attempts, serverDateMs: last?.serverDateMs, rateLimit })
  return { waitForTurn, record, failed, facts }
}
