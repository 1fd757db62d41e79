import { Failure } from '../base/failure.ts'
import { formatDuration, formatInstant } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { RateLimit } from './rate-headers.ts'
import {
  blockedMs,
  claimStart,
  limitStated,
  type RateState,
  startAccepted,
  startRefused,
  UNKNOWN_RATE,
} from './rate-rules.ts'
import { orAborted } from './watchdog.ts'

/** Where the state of a rate limit is kept; changes are made one after another. */
export interface RateStore {
  readonly change: <T>(step: (state: RateState, nowMs: number) => readonly [RateState, T]) => Promise<T>
}

// When less than this is left of the maximum wait, the request is not sent again.
const SHORTEST_REST_MS = 1_000

/** A request that was started. One of `accepted`, `refused` and `noResponse` must be called. */
export type Turn = Awaited<ReturnType<RateLimiter['turn']>>

/**
 * Limits how fast the requests of a run start: at most `ratePerMinute`, by the rules of `rate-rules.ts`. Without a store the limit is
 * the run's own.
 */
export class RateLimiter {
  readonly #clock: World['clock']
  readonly #random: World['random']
  readonly #ratePerMinute: number
  readonly #maxWaitMs: number
  readonly #store: RateStore
  readonly #inFlight = new Set<{ readonly startMs: number }>()
  readonly #line = new FifoQueue()
  #onSettled: () => void = () => undefined
  #hasSucceeded = false
  /** The service has told this run to wait until then. */
  #ownUntilMs = Number.NEGATIVE_INFINITY
  #refusedSinceMs: number | undefined

  constructor(
    { clock, random }: Pick<World, 'clock' | 'random'>,
    options: {
      readonly ratePerMinute: number
      readonly maxWaitMs: number
      readonly store?: RateStore | undefined
    },
  ) {
    this.#clock = clock
    this.#random = random
    this.#ratePerMinute = Math.max(1, options.ratePerMinute)
    this.#maxWaitMs = options.maxWaitMs
    this.#store = options.store ?? createRateStore(clock)
  }

  /**
   * Resolves when a request may start: in order, a retry before the others. Rejects with the reason of the signal, and with `limited`
   * when the service has told another run to wait for longer than the maximum. `onWait` gets the milliseconds, or undefined while the
   * service has to answer another request first.
   */
  async turn(options: {
    readonly signal: AbortSignal
    readonly isRetry: boolean
    readonly onWait: (waitMs: number | undefined) => void
  }) {
    const { signal, isRetry, onWait } = options
    await this.#line.enter(signal, { isFirst: isRetry })
    try {
      while (true) {
        const settled = new Promise<void>((resolve) => {
          this.#onSettled = resolve
        })
        const { waitMs, startMs } = await this.#claim()
        if (waitMs === 0) return this.#open(startMs)
        onWait(waitMs)
        await (waitMs === undefined ? orAborted(settled, signal) : this.#clock.sleep(waitMs, signal))
      }
    } finally {
      this.#line.leave()
    }
  }

  #claim(): Promise<Claimed> {
    return this.#store.change<Claimed>((state, nowMs) => {
      const { refusal } = state
      const isProbing =
        refusal !== undefined && [...this.#inFlight].some(({ startMs }) => startMs > refusal.lastMs)
      if (isProbing) return [state, { waitMs: undefined, startMs: nowMs }]
      const blocked = blockedMs(state, nowMs)
      // A request of this run that is told to wait for too long ends the run by itself.
      const isOwn = nowMs + blocked <= this.#ownUntilMs + SHORTEST_REST_MS
      if (!isOwn && blocked > this.#maxWaitMs + SHORTEST_REST_MS) throw this.#waitTooLong(blocked)
      const claimed = claimStart(state, this.#ratePerMinute, nowMs)
      return [claimed.state, { waitMs: claimed.waitMs, startMs: nowMs }]
    })
  }

  #waitTooLong(waitMs: number): Failure {
    const retryAtMs = this.#clock.nowMs() + waitMs
    const [wait, most] = [formatDuration(waitMs), formatDuration(this.#maxWaitMs)]
    return new Failure(
      'limited',
      `the service told an earlier run with this token to wait: ${wait} are left, longer than the maximum of ${most}`,
      {
        retryAtMs,
        hint: `retry at ${formatInstant(retryAtMs)}, or raise the maximum wait`,
        options: ['max-wait'],
      },
    )
  }

  #open(startMs: number) {
    const started = { startMs }
    this.#inFlight.add(started)
    const settle = (): void => {
      if (this.#inFlight.delete(started)) this.#onSettled()
    }
    const withLimit = (state: RateState, limit: RateLimit | undefined, nowMs: number): RateState => {
      const at = { nowMs, inFlight: this.#inFlight.size - 1, maxWaitMs: this.#maxWaitMs }
      return limit ? limitStated(state, limit, at) : state
    }
    return {
      /** Whether a 503 counts as rate limiting: other requests succeeded, or may still succeed. */
      isOneOfMany: (): boolean =>
        this.#hasSucceeded || this.#inFlight.size > (this.#inFlight.has(started) ? 1 : 0),
      /** The service let the request pass. */
      accepted: (response: { readonly limit: RateLimit | undefined; readonly isSuccess: boolean }): void => {
        this.#hasSucceeded ||= response.isSuccess
        const changed = this.#store.change((state, nowMs) => {
          const accepted = startAccepted(state, this.#ratePerMinute, startMs)
          const next = withLimit(accepted, response.limit, nowMs)
          if (next.refusal === undefined) this.#refusedSinceMs = undefined
          return [next, undefined]
        })
        void changed.then(settle)
      },
      /**
       * The service refused the request: nothing starts for `requestedMs`, or else for a time that the limiter chooses, then one request
       * at a time until one is accepted. Resolves with the wait; `isOver` when the refusals without `requestedMs` have taken the maximum
       * wait.
       */
      refused: async ({ limit, requestedMs }: Refusal): Promise<Refused> => {
        const result = await this.#store.change((state, nowMs) => {
          if (requestedMs === undefined) this.#refusedSinceMs ??= nowMs
          const longestMs =
            requestedMs === undefined
              ? (this.#refusedSinceMs ?? nowMs) + this.#maxWaitMs - nowMs
              : this.#maxWaitMs
          const facts = {
            startMs,
            nowMs,
            requestedMs,
            isSilent: limit?.resetMs === undefined,
            random: this.#random(),
            longestMs: Math.max(0, longestMs),
          }
          const next = withLimit(startRefused(state, this.#ratePerMinute, facts), limit, nowMs)
          const waitMs = Math.max(0, (next.refusal?.untilMs ?? nowMs) - nowMs)
          this.#ownUntilMs = Math.max(this.#ownUntilMs, nowMs + waitMs)
          return [next, { waitMs, isOver: longestMs < SHORTEST_REST_MS }]
        })
        settle()
        return result
      },
      noResponse: settle,
    }
  }
}

interface Claimed {
  /** Undefined while the one request that may start after a refusal is in flight. */
  readonly waitMs: number | undefined
  readonly startMs: number
}

interface Refusal {
  readonly limit: RateLimit | undefined
  readonly requestedMs: number | undefined
}

export interface Refused {
  readonly waitMs: number
  readonly isOver: boolean
}

/** Keeps the state in memory. */
export function createRateStore(clock: Pick<World['clock'], 'monotonicMs'>): RateStore {
  let state = UNKNOWN_RATE
  return {
    async change(step) {
      const [next, result] = step(state, clock.monotonicMs())
      state = next
      return result
    },
  }
}

/** A first-in, first-out queue that admits one caller at a time. */
class FifoQueue {
  readonly #waiting: (() => void)[] = []
  #isServing = false

  /** Resolves when it is the caller's turn; every such call needs a `leave`. Rejects with the reason of the signal. */
  async enter(signal: AbortSignal, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
    signal.throwIfAborted()
    if (!this.#isServing) {
      this.#isServing = true
      return
    }
    let serve = (): void => undefined
    const served = new Promise<void>((resolve) => {
      serve = resolve
    })
    this.#waiting[isFirst ? 'unshift' : 'push'](serve)
    try {
      await orAborted(served, signal)
    } catch (error) {
      const at = this.#waiting.indexOf(serve)
      if (at < 0) this.leave()
      else this.#waiting.splice(at, 1)
      throw error
    }
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isServing = false
  }
}
