import { Failure } from '../base/failure.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import { formatCount, formatDuration, formatInstant, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import { Fault, MOST_ATTEMPTS, mayRetry, outcomeOf, type RetryRule, retryWaitMs } from '../http/outcome.ts'
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
  /** Called when the rate limiter lets the request wait. */
  readonly onRateLimited?: () => void
  readonly reporter: Reporter
  /** Its reason must be a Failure. */
  readonly signal: AbortSignal
  /** Ends the request before its next attempt. Its reason must be a Failure. */
  readonly closing?: AbortSignal
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}

// Longer waits before the first attempt have a notice; that of a retry includes its wait.
const NOTICED_WAIT_MS = 10_000

/** Counts the attempts of one request, waits between them, and ends them when another would not help. */
export class Attempts {
  readonly #world: World
  readonly #options: AttemptOptions
  readonly #startedMs: number
  readonly #sameRule = new Map<RetryRule, number>()
  #attempts = 0
  #fruitless = 0
  #last: ServiceResponse | undefined
  #rateLimit: RateLimit | undefined
  #isQuotaChecked = false
  #turn: Turn | undefined
  /** Of the last attempt, if it was rate limited. */
  #refusal: Promise<Refused> | undefined

  constructor(world: World, options: AttemptOptions) {
    this.#world = world
    this.#options = options
    this.#startedMs = this.#world.clock.monotonicMs()
  }

  /** What the attempts so far have in common. */
  facts(): {
    readonly attempts: number
    readonly serverDateMs: number | undefined
    readonly rateLimit: RateLimit | undefined
  } {
    return { attempts: this.#attempts, serverDateMs: this.#last?.serverDateMs, rateLimit: this.#rateLimit }
  }

  /** Resolves when the rate limiter lets the next attempt start. */
  async waitForTurn(): Promise<void> {
    const { rateLimiter, signal, reporter, onRateLimited } = this.#options
    const isRetry = this.#attempts > 0
    this.#turn = await rateLimiter.turn({
      signal,
      isRetry,
      onWait: (waitMs) => {
        onRateLimited?.()
        if (waitMs === undefined) return
        if (!isRetry && waitMs >= NOTICED_WAIT_MS) this.#noticeWait(waitMs)
        reporter.progress(
          this.#waiting(waitMs, 'waiting for the rate limit', isRetry ? 'retrying' : 'next request'),
        )
      },
    })
    this.#attempts += 1
  }

  /** Records the response of an attempt, or undefined when there was none. */
  record(response: ServiceResponse | undefined): void {
    this.#last = response
    this.#refusal = undefined
    const turn = this.#turn!
    if (response === undefined) {
      turn.noResponse()
      return
    }
    const { status, headers, serverDateMs } = response
    const limit = readRateLimit(headers, serverDateMs, this.#world.clock.nowMs())
    this.#rateLimit = limit ?? this.#rateLimit
    const { rate } = outcomeOf(status, response)
    if (rate === 'always' || (rate === 'of-many' && turn.isOneOfMany())) {
      const requestedMs = this.#requestedWaitMs(status)
      this.#refusal = turn.refused({ limit, requestedMs: requestedMs && this.#retryWait(requestedMs) })
      this.#refusal.catch(() => undefined)
    } else if (status >= 500) turn.noResponse()
    else turn.accepted({ limit, isSuccess: status < 300 })
  }

  /** Resolves when the next attempt is due; rejects with the Failure of the request. The attempt counts as `added` fruitless ones. */
  async failed(error: unknown, added: number): Promise<void> {
    const { signal, closing, maxWaitMs, retries, reporter } = this.#options
    if (signal.aborted) throw signal.reason
    closing?.throwIfAborted()
    if (!(error instanceof Fault)) throw error
    this.#fruitless += added
    const sameRule = (this.#sameRule.get(error.retry) ?? 0) + 1
    this.#sameRule.set(error.retry, sameRule)
    const status = error.details.httpStatus
    if (status === 429) await this.#endIfUsedUp()
    const requestedMs = error.retry === 'never' ? undefined : this.#requestedWaitMs(status)
    if (requestedMs !== undefined && requestedMs > maxWaitMs) throw this.#waitTooLong(error, requestedMs)
    const refused = status === this.#last?.status ? await this.#refusal : undefined
    const isSilent = refused !== undefined && requestedMs === undefined
    const attempts = this.#attempts
    if (isSilent) {
      this.#fruitless -= added
      if (retries === 0 || attempts >= MOST_ATTEMPTS) throw this.#ended(error, undefined)
      if (refused.isOver) throw this.#refusedTooLong(error)
    } else if (!mayRetry(error.retry, { attempts, fruitless: this.#fruitless, sameRule }, retries)) {
      throw this.#ended(error, requestedMs)
    }
    const waitMs = refused?.waitMs ?? this.#retryWait(requestedMs)
    this.#noticeRetry(error, waitMs, isSilent)
    // After a refusal, the rate limiter waits.
    if (refused !== undefined) return
    reporter.progress(this.#waiting(waitMs, error.message, 'retrying'))
    await this.#world.clock.sleep(waitMs, signal)
  }

  #waiting(waitMs: number, reason: string, next: NonNullable<Progress['next']>): Progress {
    return { phase: 'waiting', waitUntilMs: this.#world.clock.monotonicMs() + waitMs, reason, next }
  }

  #retryWait(requestedMs: number | undefined): number {
    const { maxWaitMs } = this.#options
    return retryWaitMs(Math.max(1, this.#fruitless), this.#world.random(), { requestedMs, maxWaitMs })
  }

  #requestedWaitMs(status: number | undefined): number | undefined {
    const last = this.#last
    if (!last || status !== last.status || outcomeOf(status, last).retry !== 'always') return undefined
    const nowMs = this.#world.clock.nowMs()
    const retryAfterMs = parseRetryAfter(last.headers['retry-after'], last.serverDateMs, nowMs)
    if (retryAfterMs !== undefined && retryAfterMs > 0) return retryAfterMs
    if (status !== 429) return undefined
    return readRateLimit(last.headers, last.serverDateMs, nowMs)?.resetMs
  }

  // A 429 means the rate or the yearly allowance; only the rate recovers with time. The quota request is free.
  async #endIfUsedUp(): Promise<void> {
    if (this.#isQuotaChecked || this.#options.request.method !== 'GET') return
    this.#isQuotaChecked = true
    const quota = await fetchQuota(this.#options.service, this.#options.signal)
    if (!quota || quota.used < quota.limit) return
    throw new Failure(
      'limited',
      `the allowance of ${plural(quota.limit, 'request')} is used up (${formatCount(quota.used)} used)`,
      {
        httpStatus: 429,
        attempts: this.#attempts,
        hint: 'wait until it is renewed, or contact the provider; matdecl doctor shows the quota',
      },
    )
  }

  #waitTooLong(error: Fault, requestedMs: number): Failure {
    const retryAtMs = this.#world.clock.nowMs() + requestedMs
    return new Failure(
      'limited',
      `${error.message}; it requests a wait of ${formatDuration(requestedMs)}, longer than the maximum of ${formatDuration(this.#options.maxWaitMs)}`,
      {
        ...error.details,
        cause: error,
        attempts: this.#attempts,
        retryAtMs,
        hint: `retry at ${formatInstant(retryAtMs)}, or raise the maximum wait`,
        options: ['max-wait'],
      },
    )
  }

  #refusedTooLong(error: Fault): Failure {
    const kind = error.details.httpStatus === 429 ? 'limited' : 'unavailable'
    return new Failure(
      kind,
      `${error.message}; no request was accepted within the maximum wait of ${formatDuration(this.#options.maxWaitMs)}`,
      {
        ...error.details,
        cause: error,
        attempts: this.#attempts,
        hint: 'try again later, send fewer requests per minute, or raise the maximum wait',
        options: ['rate', 'max-wait'],
      },
    )
  }

  #ended(error: Fault, requestedMs: number | undefined): Failure {
    const tookMs = this.#world.clock.monotonicMs() - this.#startedMs
    const tries = this.#attempts > 1 ? ` (${this.#attempts} attempts in ${formatDuration(tookMs)})` : ''
    return new Failure(error.kind, `${error.message}${tries}`, {
      ...error.details,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(requestedMs === undefined ? {} : { retryAtMs: this.#world.clock.nowMs() + requestedMs }),
      cause: error.cause ?? error,
      attempts: this.#attempts,
    })
  }

  #noticeWait(delayMs: number): void {
    const { label, reporter } = this.#options
    const message = `${label}: waiting ${formatDuration(delayMs)} for the rate limit`
    reporter.notice({ level: 'info', event: 'request.waiting', message, data: { label, delayMs } })
  }

  #noticeRetry(error: Fault, delayMs: number, isUncounted: boolean): void {
    const attempt = this.#attempts + 1
    const most = this.#options.retries + 1
    const count = attempt <= most && !isUncounted ? `attempt ${attempt} of ${most}` : `attempt ${attempt}`
    const { label, reporter } = this.#options
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
}
