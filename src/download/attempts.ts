import { cleanText } from '../base/clean-text.ts'
import { Failure, isOutOfFiles } from '../base/failure.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import { formatCount, formatDuration, formatInstant, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { AdmittedRequest, Refused } from '../http/admission.ts'
import { type BodyPreview, previewBody, readStart } from '../http/body-preview.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import {
  Fault,
  isWhole,
  MOST_ATTEMPTS,
  mayRetry,
  networkFault,
  type RetryRule,
  retryWaitMs,
} from '../http/outcome.ts'
import { fetchQuota } from '../http/quota.ts'
import {
  parseRetryAfter,
  type RateLimit,
  readRateLimit,
  requestedWaitMs,
  unreadTimes,
} from '../http/rate-headers.ts'
import type { ServiceRequest } from '../request/request.ts'
import type { RunContext } from './run-context.ts'

/** What the attempts of one request are made of. */
export interface AttemptOptions {
  readonly request: ServiceRequest
  /** Its place among the requests of the run. */
  readonly admitted: AdmittedRequest
  readonly reporter: Reporter
  /** Its reason must be a Failure. */
  readonly signal: AbortSignal
  /** Ends the request before its next attempt. Its reason must be a Failure. */
  readonly closing: AbortSignal
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}

/** What the attempts of all requests have in common. */
export type AttemptContext = Pick<RunContext, 'world' | 'service' | 'retries' | 'maxWaitMs'>

/** What the attempts of a request so far have in common. */
export interface AttemptFacts {
  readonly attempts: number
  readonly rateLimit: RateLimit | undefined
}

/** Reports what happens to the request. */
export function notice(
  { label, reporter }: Pick<AttemptOptions, 'label' | 'reporter'>,
  event: string,
  what: string,
  data = {},
): void {
  reporter.notice({ level: 'info', event, message: `${label}: ${what}`, data: { label, ...data } })
}

// Longer waits before the first attempt have a notice; that of a retry includes its wait.
const NOTICED_WAIT_MS = 10_000

// The waits between checks of an archive that is being prepared.
const FIRST_CHECK_MS = 2_000
const LONGEST_CHECK_MS = 60_000
const SHORTEST_CHECK_MS = 1_000
const PREPARING = 'the service is preparing the archive'

/** What the response of an attempt says of the next. */
interface LastResponse {
  readonly status: number
  readonly isRedirected: boolean
  /** The wait that it requests, where a retry may help. */
  readonly requestedMs: number | undefined
  /** Set when it was rate limited. */
  readonly refused: Refused | undefined
}

/** Counts the attempts of one request, waits between them, and ends them when another would not help. */
export class Attempts {
  readonly #world: World
  readonly #context: AttemptContext
  readonly #options: AttemptOptions
  readonly #startedMs: number
  readonly #sameRule = new Map<RetryRule, number>()
  #attempts = 0
  #failures = 0
  #last: LastResponse | undefined
  #rateLimit: RateLimit | undefined
  #isQuotaChecked = false
  /** Aborts when the run is to stop: a request that waits then has nothing to finish. */
  readonly #waits: AbortSignal
  /** Until when the archive may take to be prepared, and the next wait of our own. */
  #preparing: { readonly untilMs: number; waitMs: number } | undefined
  #isPreparingNoticed = false
  #isCheck = false
  #admittedMs = 0

  constructor(context: AttemptContext, options: AttemptOptions) {
    this.#context = context
    this.#world = context.world
    this.#options = options
    this.#startedMs = this.#world.clock.monotonicMs()
    this.#waits = AbortSignal.any([options.signal, options.closing])
  }

  /** What the attempts so far have in common. */
  facts(): AttemptFacts {
    return { attempts: this.#attempts, rateLimit: this.#rateLimit }
  }

  /** Resolves when the next attempt may be sent. A check for an archive that is being prepared is no attempt of its own. */
  async admit(): Promise<void> {
    await this.#admit()
    if (!this.#isCheck) this.#attempts += 1
    this.#isCheck = false
    this.#admittedMs = this.#world.clock.monotonicMs()
  }

  async #admit(): Promise<void> {
    const { admitted, reporter } = this.#options
    const isRetry = this.#attempts > 0
    await admitted.admit({
      signal: this.#waits,
      onWait: (waitMs) => {
        if (waitMs === undefined) return
        if (!isRetry && waitMs >= NOTICED_WAIT_MS) {
          const until = formatInstant(this.#world.clock.nowMs() + waitMs)
          const what = `waiting ${formatDuration(waitMs)} for the rate limit, until ${until}`
          notice(this.#options, 'request.waiting', what, { delayMs: waitMs })
        }
        reporter.progress(
          this.#waiting(waitMs, 'waiting for the rate limit', isRetry ? 'retrying' : 'next request'),
        )
      },
    })
  }

  /** The service has begun to prepare the archive, and has not delivered it. */
  get isPreparing(): boolean {
    return this.#preparing !== undefined
  }

  /**
   * Resolves when it is time to check whether the archive is prepared, after a 202 or a check that failed for now: after the time that the
   * service requests, or else after growing waits. Rejects when the response timeout is over.
   */
  async checkAgain(last: ServiceResponse | Fault): Promise<void> {
    const { clock } = this.#world
    const { responseTimeoutMs } = this.#context.service
    this.#preparing ??= { untilMs: this.#admittedMs + responseTimeoutMs, waitMs: FIRST_CHECK_MS }
    const preparing = this.#preparing
    const requestedMs =
      last instanceof Fault
        ? this.#last?.requestedMs
        : parseRetryAfter(last.headers['retry-after'], last.serverDateMs, clock.nowMs())
    const waitMs = Math.max(SHORTEST_CHECK_MS, requestedMs ?? preparing.waitMs)
    preparing.waitMs = Math.min(LONGEST_CHECK_MS, preparing.waitMs * 2)
    const isOver = clock.monotonicMs() + waitMs > preparing.untilMs
    if (last instanceof Fault) {
      if (isOver) throw last
    } else {
      const start = await readStart(last)
      const { redact } = this.#context.service
      if (isOver)
        throw notPrepared(last, { responseTimeoutMs, requestedMs }, previewBody(start, redact, last))
      if (!this.#isPreparingNoticed) this.#noticePreparing(last, waitMs)
    }
    this.#options.reporter.progress(this.#waiting(waitMs, PREPARING, 'checking again'))
    this.#isCheck = true
    this.#options.admitted.leave()
    await clock.sleep(waitMs, this.#waits)
  }

  #noticePreparing({ headers, isRedirected }: ServiceResponse, delayMs: number): void {
    this.#isPreparingNoticed = true
    const isNamed = isRedirected || headers.location !== undefined || headers['retry-after'] !== undefined
    const how = isNamed ? '' : ' with the same request, which may use allowance twice'
    const what = `${PREPARING}; checking again in ${formatDuration(delayMs)}${how}`
    notice(this.#options, 'request.preparing', what, { delayMs })
  }

  /** Records the response of an attempt, or undefined when there was none. */
  record(response: ServiceResponse | undefined): void {
    this.#last = undefined
    if (response === undefined) return
    const { admitted } = this.#options
    const nowMs = this.#world.clock.nowMs()
    const { status, headers, serverDateMs } = response
    if (isWhole(response) || status === 204 || status === 206) this.#preparing = undefined
    const limit = readRateLimit(headers, serverDateMs, nowMs)
    this.#rateLimit = limit ?? this.#rateLimit
    this.#noticeUnread(response)
    const { rate, retry } = response.outcome
    const requestedMs = retry === 'always' ? requestedWaitMs(response, nowMs) : undefined
    const isRefused = rate === 'always' || (rate === 'of-many' && admitted.isOneOfMany())
    const refused = isRefused ? admitted.refused({ limit, requestedMs }) : undefined
    if (!isRefused && status < 500) admitted.accepted({ limit, isSuccess: status < 300 })
    this.#last = { status, isRedirected: response.isRedirected, requestedMs, refused }
  }

  #noticeUnread({ headers, host }: ServiceResponse): void {
    const { traits } = this.#context.service
    const [unread] = traits.hasUnreadTimes ? [] : unreadTimes(headers)
    if (unread === undefined) return
    traits.hasUnreadTimes = true
    const what = `the header "${cleanText(unread, 80)}" of ${host} is not understood, and not used`
    notice(this.#options, 'rate.unread', what)
  }

  /**
   * Resolves when the next attempt is due; rejects with the Failure of the request. The attempt counts as `added` failed ones; `isPaid`
   * says that the service may have counted it, and will be asked again.
   */
  async failed(
    error: unknown,
    { added, isPaid }: { readonly added: number; readonly isPaid: boolean },
  ): Promise<void> {
    const { signal, closing, reporter } = this.#options
    const { maxWaitMs, retries } = this.#context
    if (signal.aborted) throw signal.reason
    closing.throwIfAborted()
    if (!(error instanceof Fault)) throw error
    if (this.isPreparing && error.retry === 'always') return this.checkAgain(error)
    if (isOutOfFiles(error)) this.#options.admitted.lower()
    this.#failures += added
    const sameRule = (this.#sameRule.get(error.retry) ?? 0) + 1
    this.#sameRule.set(error.retry, sameRule)
    const status = error.details.httpStatus
    // A fault of the body is not what the status says.
    const last = status === this.#last?.status ? this.#last : undefined
    // That of a store is not about the allowance.
    if (last?.status === 429 && !last.isRedirected) await this.#endIfUsedUp(last.requestedMs ?? 0)
    const requestedMs = error.retry === 'never' ? undefined : last?.requestedMs
    if (requestedMs !== undefined && requestedMs > maxWaitMs) throw this.#waitTooLong(error, requestedMs)
    const refused = last?.refused
    const attempts = this.#attempts
    if (refused !== undefined) {
      this.#failures -= added
      if (retries === 0 || attempts >= MOST_ATTEMPTS) throw this.#ended(error, requestedMs)
      if (refused.isOver) throw this.#refusedTooLong(error)
    } else if (!mayRetry(error.retry, { attempts, failures: this.#failures, sameRule }, retries)) {
      throw this.#ended(error, requestedMs)
    }
    // Until here, what it means for the others was not known.
    this.#options.admitted.leave()
    // After a refusal, the admission waits.
    if (refused !== undefined) return this.#noticeRetry(error, refused.waitMs, { isCounted: false, isPaid })
    const waitMs = this.#retryWait(requestedMs)
    this.#noticeRetry(error, waitMs, { isCounted: true, isPaid })
    reporter.progress(this.#waiting(waitMs, error.message, 'retrying'))
    await this.#world.clock.sleep(waitMs, this.#waits)
  }

  #waiting(waitMs: number, reason: string, next: NonNullable<Progress['next']>): Progress {
    return { phase: 'waiting', waitUntilMs: this.#world.clock.monotonicMs() + waitMs, reason, next }
  }

  #retryWait(requestedMs: number | undefined): number {
    const { maxWaitMs } = this.#context
    return retryWaitMs(Math.max(1, this.#failures), this.#world.random(), { requestedMs, maxWaitMs })
  }

  // A 429 means the rate or the yearly allowance; only the rate recovers with time. The quota request is free.
  async #endIfUsedUp(requestedMs: number): Promise<void> {
    if (this.#isQuotaChecked || this.#options.request.method !== 'GET') return
    this.#isQuotaChecked = true
    const quota = await fetchQuota(this.#context.service, this.#waits)
    if (!quota || quota.isForbidden || quota.used < quota.limit) return
    // A shorter wait is that of the rate: the allowance is one of a year.
    const isUntil = requestedMs > this.#context.maxWaitMs
    const retryAtMs = isUntil ? this.#world.clock.nowMs() + requestedMs : undefined
    const until =
      retryAtMs === undefined
        ? 'no header says until when: ask the provider when it is renewed, or for a larger one'
        : `retry at ${formatInstant(retryAtMs)}, as the service requests, or ask the provider for a larger one`
    throw new Failure(
      'limited',
      `the allowance of ${plural(quota.limit, 'request')} is used up (${formatCount(quota.used)} used)`,
      {
        httpStatus: 429,
        attempts: this.#attempts,
        retryAtMs,
        hint: `${until}; matdecl doctor shows what is left`,
      },
    )
  }

  #waitTooLong(error: Fault, requestedMs: number): Failure {
    const retryAtMs = this.#world.clock.nowMs() + requestedMs
    return error.with({
      kind: 'limited',
      message: `${error.message}; it requests a wait of ${formatDuration(requestedMs)}, longer than the maximum of ${formatDuration(this.#context.maxWaitMs)}`,
      cause: error,
      attempts: this.#attempts,
      retryAtMs,
      hint: `retry at ${formatInstant(retryAtMs)}, or raise the maximum wait`,
      options: ['max-wait'],
    })
  }

  #refusedTooLong(error: Fault): Failure {
    return error.with({
      kind: error.details.httpStatus === 429 ? 'limited' : 'unavailable',
      message: `${error.message}; no request was accepted within the maximum wait of ${formatDuration(this.#context.maxWaitMs)}`,
      cause: error,
      attempts: this.#attempts,
      hint: 'no header says until when: try again in an hour, send fewer requests per minute, or raise the maximum wait',
      options: ['rate', 'max-wait'],
    })
  }

  #ended(error: Fault, requestedMs: number | undefined): Failure {
    const tookMs = this.#world.clock.monotonicMs() - this.#startedMs
    const tries = this.#attempts > 1 ? ` (${this.#attempts} attempts in ${formatDuration(tookMs)})` : ''
    const retryAtMs = requestedMs && this.#world.clock.nowMs() + requestedMs
    const hint = retryAtMs ? { hint: `retry at ${formatInstant(retryAtMs)}`, options: [] } : {}
    return error.with({
      message: `${error.message}${tries}`,
      attempts: this.#attempts,
      retryAtMs,
      ...hint,
    })
  }

  #noticeRetry(
    error: Fault,
    delayMs: number | undefined,
    { isCounted, isPaid }: { readonly isCounted: boolean; readonly isPaid: boolean },
  ): void {
    const attempt = this.#attempts + 1
    const most = this.#context.retries + 1
    const count = attempt <= most && isCounted ? `attempt ${attempt} of ${most}` : `attempt ${attempt}`
    const when = delayMs === undefined ? 'after another response' : `in ${formatDuration(delayMs)}`
    const costs = isPaid ? ', which may use allowance twice' : ''
    const what = `${error.message}; retrying ${when} (${count})${costs}`
    const { httpStatus } = error.details
    notice(this.#options, 'request.retry', what, { reason: error.message, attempt, delayMs, httpStatus })
  }
}

function notPrepared(
  { host }: ServiceResponse,
  {
    responseTimeoutMs,
    requestedMs = 0,
  }: { readonly responseTimeoutMs: number; readonly requestedMs: number | undefined },
  { words }: BodyPreview,
): Fault {
  const limit = formatDuration(responseTimeoutMs)
  const what =
    requestedMs > responseTimeoutMs
      ? `is preparing the archive, and requests a wait of ${formatDuration(requestedMs)}, longer than the response timeout of ${limit}`
      : `did not finish preparing the archive within ${limit}`
  return networkFault('never', `${host} ${what}${words === '' ? '' : `: ${words}`}`, {
    httpStatus: 202,
    again: {},
    fewerParts: true,
    hint: 'raise the response timeout',
    options: ['response-timeout'],
  })
}
