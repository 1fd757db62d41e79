import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { Failure } from '../base/failure.ts'
import { jsonValue } from '../base/json-text.ts'
import { formatDuration, formatInstant } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../fs/cache-files.ts'
import { stateDirectory } from '../fs/user-files.ts'
import { type Pace, RateControl, type Start, type StatedLimit } from './rate-control.ts'
import type { RateLimit } from './rate-headers.ts'
import { orAborted } from './watchdog.ts'

/** A request that was started. `accepted` or `refused` is called when there is a response, and `end` in any case. */
export type Turn = Awaited<ReturnType<RateLimiter['turn']>>

/** What became of a refused request. */
export interface Refused {
  /** Undefined when it may start as soon as one in flight is answered. */
  readonly waitMs: number | undefined
  /** True when refusals that did not say when to come back have taken the maximum wait. */
  readonly isOver: boolean
}

// A wait of a moment longer than the maximum is still waited for.
const SLACK_MS = 1_000

/** Lets the requests of a run start by the rules of `RateControl`, in order. What headers say is shared with runs of the same key. */
export class RateLimiter {
  readonly #clock: World['clock']
  readonly #random: World['random']
  readonly #maxWaitMs: number
  readonly #control: RateControl
  readonly #file: SharedLimit | undefined
  readonly #line = new FifoQueue()
  #onSettled: () => void = () => undefined
  #hasSucceeded = false
  /** The service has told this run to wait until then. */
  #ownUntilMs = Number.NEGATIVE_INFINITY

  constructor(
    world: World,
    options: {
      readonly ratePerMinute: number
      readonly concurrency: number
      readonly maxWaitMs: number
      /** Of `sharedRateKey`; undefined for a run on its own. */
      readonly sharedKey?: string | undefined
    },
  ) {
    const { ratePerMinute, concurrency, maxWaitMs, sharedKey } = options
    this.#clock = world.clock
    this.#random = world.random
    this.#maxWaitMs = maxWaitMs
    this.#control = new RateControl({
      perMinute: Math.max(1, ratePerMinute),
      inFlight: Math.max(1, concurrency),
      waitMs: maxWaitMs,
    })
    this.#file = sharedKey === undefined ? undefined : new SharedLimit(world, sharedKey)
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
      await this.#file?.ready()
      while (true) {
        const settled = new Promise<void>((resolve) => {
          this.#onSettled = resolve
        })
        const nowMs = this.#clock.monotonicMs()
        this.#control.stated = this.#file?.read() ?? this.#control.stated
        this.#checkWait(nowMs)
        const dueMs = this.#control.nextMs(nowMs)
        if (dueMs !== undefined && dueMs <= nowMs) {
          return this.#opened(this.#shared(() => this.#control.start(nowMs)))
        }
        const waitMs = dueMs === undefined ? undefined : Math.ceil(dueMs - nowMs)
        onWait(waitMs)
        await (waitMs === undefined ? orAborted(settled, signal) : this.#clock.sleep(waitMs, signal))
      }
    } finally {
      this.#line.leave()
    }
  }

  /** How requests will start from now on. */
  pace(): Pace {
    return this.#control.pace(this.#clock.monotonicMs())
  }

  // A request of this run that is told to wait for too long ends the run by itself.
  #checkWait(nowMs: number): void {
    const waitMs = this.#control.closedMs(nowMs)
    const isOwn = nowMs + waitMs <= this.#ownUntilMs + SLACK_MS
    if (isOwn || waitMs <= this.#maxWaitMs + SLACK_MS) return
    const retryAtMs = this.#clock.nowMs() + waitMs
    const [wait, most] = [formatDuration(waitMs), formatDuration(this.#maxWaitMs)]
    throw new Failure(
      'limited',
      `the service told an earlier run with this token to wait: ${wait} are left, longer than the maximum of ${most}`,
      {
        retryAtMs,
        hint: `retry at ${formatInstant(retryAtMs)}, or raise the maximum wait`,
        options: ['max-wait'],
      },
    )
  }

  /** Saves what headers say when this step has changed it. */
  #shared<T>(step: () => T): T {
    const before = this.#control.stated
    const result = step()
    if (this.#control.stated !== before) this.#file?.write(this.#control.stated)
    return result
  }

  #opened(start: Start) {
    const control = this.#control
    let isInFlight = true
    const nowMs = (): number => this.#clock.monotonicMs()
    const left = (): void => {
      isInFlight = false
      this.#onSettled()
    }
    return {
      /** Whether a 503 counts as rate limiting: other requests succeeded, or may still succeed. */
      isOneOfMany: (): boolean => this.#hasSucceeded || control.inFlight > (isInFlight ? 1 : 0),
      /** The service let the request pass. */
      accepted: (response: { readonly limit: RateLimit | undefined; readonly isSuccess: boolean }): void => {
        this.#hasSucceeded ||= response.isSuccess
        this.#shared(() => control.accept(start, nowMs(), response.limit))
        this.#onSettled()
      },
      /** The service refused the request, and may have said when to come back. */
      refused: ({ limit, requestedMs }: Refusal): Refused =>
        this.#shared(() => {
          const refused = control.refuse(start, nowMs(), { requestedMs, limit, random: this.#random() })
          this.#ownUntilMs = Math.max(this.#ownUntilMs, nowMs() + (refused.waitMs ?? 0))
          left()
          return refused
        }),
      /** Its last byte was received, or there is no response: it is no longer in flight. */
      end: (): void => {
        control.end(start)
        left()
      },
    }
  }
}

interface Refusal {
  readonly limit: RateLimit | undefined
  readonly requestedMs: number | undefined
}

/** The name of the file that runs with this secret share; nothing can be learned from it about the secret. */
export function sharedRateKey(baseUrl: string, secret: string): string {
  return createHmac('sha256', secret).update(`matdecl rate ${baseUrl}`).digest('hex').slice(0, 32)
}

const time = z.number().check(z.refine(Number.isFinite))
const sharedFile = z.object({
  schema: z.literal('matdecl.rate/2'),
  savedMs: time,
  perMinute: z.optional(z.number().check(z.positive())),
  budget: z.optional(z.object({ left: z.number(), untilMs: time })),
  closedUntilMs: z.optional(time),
})

// What is older says nothing any more.
const FORGOTTEN_MS = 10 * 60_000
const BOUNDS: CacheBounds = {
  ending: '.json',
  fileBytes: 4096,
  totalBytes: 256 * 1024,
  unusedMs: 7 * 24 * 3_600_000,
}

/**
 * A file of the state directory with what headers say, for the runs of one user. The last one to write wins; a file that is missing,
 * damaged, old or of another clock says nothing, and where there can be none, the run continues alone.
 */
class SharedLimit {
  readonly #world: World
  readonly #name: string
  #files: CacheFiles | undefined
  #queue: Promise<unknown>
  /** When the newest state that this run has seen was saved. */
  #savedMs = Number.NEGATIVE_INFINITY

  constructor(world: World, key: string) {
    this.#world = world
    this.#name = `${key}.json`
    this.#queue = this.#open().catch(() => undefined)
  }

  async #open(): Promise<void> {
    const base = stateDirectory(this.#world)
    if (base === undefined) return
    this.#files = await openCacheFiles(this.#world, join(base, 'rates'), BOUNDS)
    await this.#files.removeOld()
  }

  /** Resolves when the directory is there, or cannot be used, and everything so far is written. */
  ready(): Promise<unknown> {
    return this.#queue
  }

  /** What another run has saved since the last call; undefined when there is nothing new. */
  read(): StatedLimit | undefined {
    const { data } = sharedFile.safeParse(jsonValue(this.#files?.read(this.#name)?.toString() ?? ''))
    if (data === undefined) return undefined
    const { savedMs, schema: _, ...limit } = data
    const { clock } = this.#world
    const nowMs = clock.nowMs()
    if (savedMs <= this.#savedMs || savedMs > nowMs + SLACK_MS || savedMs < nowMs - FORGOTTEN_MS)
      return undefined
    this.#savedMs = savedMs
    return movedLimit(limit, clock.monotonicMs() - nowMs)
  }

  write(limit: StatedLimit): void {
    const { clock } = this.#world
    const savedMs = clock.nowMs()
    this.#savedMs = savedMs
    const saved = { schema: 'matdecl.rate/2', savedMs, ...movedLimit(limit, savedMs - clock.monotonicMs()) }
    const bytes = Buffer.from(JSON.stringify(saved))
    this.#queue = this.#queue.then(() => this.#files?.write(this.#name, [bytes])).catch(() => undefined)
  }
}

/** The same limit by another clock, which shows `byMs` more. */
function movedLimit({ perMinute, budget, closedUntilMs }: StatedLimit, byMs: number): StatedLimit {
  return {
    perMinute,
    budget: budget && { left: budget.left, untilMs: budget.untilMs + byMs },
    closedUntilMs: closedUntilMs === undefined ? undefined : closedUntilMs + byMs,
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
