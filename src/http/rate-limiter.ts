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

/** Limits how fast the requests of a run start. */
export interface RateLimiter {
  /**
   * Resolves when a request may start: in order, a retry before the others. Rejects with the reason of the signal, and with `limited`
   * when the service has told another run to wait for longer than the maximum.
   */
  readonly turn: (options: TurnOptions) => Promise<Turn>
}

interface TurnOptions {
  readonly signal: AbortSignal
  readonly isRetry: boolean
  /** Undefined: until the service answers another request. */
  readonly onWait: (waitMs: number | undefined) => void
}

/** A request that was started. One of `accepted`, `refused` and `noResponse` must be called. */
export interface Turn {
  /** Whether a 503 counts as rate limiting: other requests succeeded, or may still succeed. */
  readonly isOneOfMany: () => boolean
  /** The service let the request pass. */
  readonly accepted: (response: {
    readonly limit: RateLimit | undefined
    readonly isSuccess: boolean
  }) => void
  /**
   * The service refused the request: nothing starts for `requestedMs`, or else for a time that the limiter chooses, then one request
   * at a time until one is accepted. Resolves with the wait; `isOver` when the refusals without `requestedMs` have taken the maximum
   * wait.
   */
  readonly refused: (response: {
    readonly limit: RateLimit | undefined
    readonly requestedMs: number | undefined
  }) => Promise<Refused>
  readonly noResponse: () => void
}

export interface Refused {
  readonly waitMs: number
  readonly isOver: boolean
}

/** Where the state of a rate limit is kept; changes are made one after another. */
export interface RateStore {
  readonly change: <T>(step: (state: RateState, nowMs: number) => readonly [RateState, T]) => Promise<T>
}

interface Claimed {
  /** Undefined while the one request that may start after a refusal is in flight. */
  readonly waitMs: number | undefined
  readonly startMs: number
}

// When less than this is left of the maximum wait, the request is not sent again.
const SHORTEST_REST_MS = 1_000

/** A limiter of at most `ratePerMinute` starts per minute, by the rules of `rate-rules.ts`. Without a store it is the run's own. */
export function createRateLimiter(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  options: {
    readonly ratePerMinute: number
    readonly maxWaitMs: number
    readonly store?: RateStore | undefined
  },
): RateLimiter {
  const { maxWaitMs } = options
  const ratePerMinute = Math.max(1, options.ratePerMinute)
  const store = options.store ?? createRateStore(clock)
  const inFlight = new Set<{ readonly startMs: number }>()
  const line = new FifoQueue()
  let onSettled: () => void = () => undefined
  let hasSucceeded = false
  // The service has told this run to wait until then.
  let ownUntilMs = Number.NEGATIVE_INFINITY
  let refusedSinceMs: number | undefined

  async function turn({ signal, isRetry, onWait }: TurnOptions): Promise<Turn> {
    await line.enter(signal, { isFirst: isRetry })
    try {
      while (true) {
        const settled = nextSettled()
        const { waitMs, startMs } = await claim()
        if (waitMs === 0) return openTurn(startMs)
        onWait(waitMs)
        await (waitMs === undefined ? orAborted(settled, signal) : clock.sleep(waitMs, signal))
      }
    } finally {
      line.leave()
    }
  }

  function nextSettled(): Promise<void> {
    return new Promise((resolve) => {
      onSettled = resolve
    })
  }

  function claim(): Promise<Claimed> {
    return store.change<Claimed>((state, nowMs) => {
      const { refusal } = state
      const isProbing = refusal !== undefined && [...inFlight].some(({ startMs }) => startMs > refusal.lastMs)
      if (isProbing) return [state, { waitMs: undefined, startMs: nowMs }]
      const blocked = blockedMs(state, nowMs)
      // A request of this run that is told to wait for too long ends the run by itself.
      const isOwn = nowMs + blocked <= ownUntilMs + SHORTEST_REST_MS
      if (!isOwn && blocked > maxWaitMs + SHORTEST_REST_MS) throw waitTooLong(blocked)
      const claimed = claimStart(state, ratePerMinute, nowMs)
      return [claimed.state, { waitMs: claimed.waitMs, startMs: nowMs }]
    })
  }

  function waitTooLong(waitMs: number): Failure {
    const retryAtMs = clock.nowMs() + waitMs
    const [wait, most] = [formatDuration(waitMs), formatDuration(maxWaitMs)]
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

  function openTurn(startMs: number): Turn {
    const started = { startMs }
    inFlight.add(started)
    let isSettled = false

    function settle(): void {
      if (isSettled) return
      isSettled = true
      inFlight.delete(started)
      onSettled()
    }

    function accepted({ limit, isSuccess }: Parameters<Turn['accepted']>[0]): void {
      hasSucceeded ||= isSuccess
      const changed = store.change((state, nowMs) => {
        const next = withLimit(startAccepted(state, ratePerMinute, startMs), limit, nowMs)
        if (next.refusal === undefined) refusedSinceMs = undefined
        return [next, undefined]
      })
      void changed.then(settle)
    }

    async function refused({ limit, requestedMs }: Parameters<Turn['refused']>[0]): Promise<Refused> {
      const result = await store.change((state, nowMs) => {
        if (requestedMs === undefined) refusedSinceMs ??= nowMs
        const longestMs =
          requestedMs === undefined ? (refusedSinceMs ?? nowMs) + maxWaitMs - nowMs : maxWaitMs
        const isSilent = limit?.resetMs === undefined
        const facts = {
          startMs,
          nowMs,
          requestedMs,
          isSilent,
          random: random(),
          longestMs: Math.max(0, longestMs),
        }
        const next = withLimit(startRefused(state, ratePerMinute, facts), limit, nowMs)
        const waitMs = Math.max(0, (next.refusal?.untilMs ?? nowMs) - nowMs)
        ownUntilMs = Math.max(ownUntilMs, nowMs + waitMs)
        return [next, { waitMs, isOver: longestMs < SHORTEST_REST_MS }]
      })
      settle()
      return result
    }

    function withLimit(state: RateState, limit: RateLimit | undefined, nowMs: number): RateState {
      return limit ? limitStated(state, limit, { nowMs, inFlight: inFlight.size - 1, maxWaitMs }) : state
    }

    return {
      isOneOfMany: () => hasSucceeded || inFlight.size > (isSettled ? 0 : 1),
      accepted,
      refused,
      noResponse: settle,
    }
  }

  return { turn }
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
