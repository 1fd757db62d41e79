import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { orAborted } from '../base/aborted.ts'
import { Failure } from '../base/failure.ts'
import { jsonValue } from '../base/json-text.ts'
import { formatDuration, formatInstant } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../fs/cache-files.ts'
import { stateDirectory } from '../fs/user-files.ts'
import { type Pace, RateControl, type Start, type StatedLimit } from './rate-control.ts'
import type { RateLimit } from './rate-headers.ts'

/** A request of a run, from its first attempt to the last. */
export type AdmittedRequest = ReturnType<Admission['begin']>

/** What became of a refused request. */
export interface Refused {
  /** Undefined when it may start as soon as one in flight is answered. */
  readonly waitMs: number | undefined
  /** True when refusals that did not say when to come back have taken the maximum wait. */
  readonly isOver: boolean
}

/** How a request waits until it may be sent. */
interface AdmitOptions {
  readonly signal: AbortSignal
  /** Gets the milliseconds until the request may be sent, or undefined while another one has to be answered first. */
  readonly onWait: (waitMs: number | undefined) => void
}

/** Where a request is. `apart` while it waits for a retry or is verified: it then holds nothing. */
interface Place {
  stage: 'begun' | 'waiting' | 'admitted' | 'in flight' | 'apart'
  /** Of the last attempt. */
  start: Start | undefined
}

// A wait of a moment longer than the maximum is still waited for.
const SLACK_MS = 1_000

/**
 * Who may send. It alone knows which requests of a run are in flight, which one is next, and by `RateControl` when it may start. A request
 * is admitted or waits: a wait holds nothing that another request needs, and ends with its signal. What headers say of a limit is shared
 * with runs of the same key.
 */
export class Admission {
  readonly #clock: World['clock']
  readonly #random: World['random']
  readonly #maxWaitMs: number
  #most: number
  readonly #control: RateControl
  readonly #file: SharedLimit | undefined
  /** The requests that have begun and are not over. */
  readonly #places = new Set<Place>()
  /** Those that wait to be admitted: retries before new ones, each in order. */
  readonly #line: Place[] = []
  /** The first in the line has to wait. */
  #isHeld = false
  #changed = newChange()
  #onRoom: () => void = () => undefined
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
    this.#most = Math.max(1, concurrency)
    this.#control = new RateControl({
      perMinute: Math.max(1, ratePerMinute),
      inFlight: this.#most,
      waitMs: maxWaitMs,
    })
    this.#file = sharedKey === undefined ? undefined : new SharedLimit(world, sharedKey)
  }

  /**
   * Works on the items that `take` returns, each with a request of its own. One is taken while fewer than the maximum are in flight or
   * about to be, and fewer than twice as many have begun. `take` is called again, after undefined too, whenever there may be room; the
   * call resolves when all are done and it returns undefined. After a failure no item is taken, those that have begun are awaited, and
   * the call rejects with the first failure.
   */
  run<T>(
    take: () => T | undefined,
    work: (item: T, request: AdmittedRequest) => Promise<void>,
  ): Promise<void> {
    const failures: unknown[] = []
    const runOne = async (item: T): Promise<void> => {
      const request = this.begin()
      try {
        await work(item, request)
      } catch (error) {
        failures.push(error)
      }
      request.over()
    }
    return new Promise((resolve, reject) => {
      this.#onRoom = () => {
        while (failures.length === 0 && this.#hasRoom()) {
          const item = take()
          if (item === undefined) break
          void runOne(item)
        }
        if (this.#places.size > 0) return
        if (failures.length > 0) reject(failures[0])
        else resolve()
      }
      this.#onRoom()
    })
  }

  /** A request that is about to be sent; `over` must be called in the end. */
  begin() {
    const place: Place = { stage: 'begun', start: undefined }
    this.#places.add(place)
    return {
      /**
       * Resolves when the request may be sent: in order, a retry before those that are new. Rejects with the reason of the signal, and with
       * `limited` when the service has told another run to wait for longer than the maximum.
       */
      admit: (options: AdmitOptions): Promise<void> => this.#admit(place, options),
      /** It is on its way. */
      sent: (): void => this.#move(place, 'in flight'),
      /** Whether a 503 counts as rate limiting: other requests succeeded, or may still succeed. */
      isOneOfMany: (): boolean => this.#hasSucceeded || this.#control.inFlight > (isInFlight(place) ? 1 : 0),
      /** The service let the request pass. */
      accepted: ({ limit, isSuccess }: Accepted): void => {
        this.#hasSucceeded ||= isSuccess
        this.#shared(() => this.#control.accept(place.start!, this.#clock.monotonicMs(), limit))
        this.#move(place, place.stage)
      },
      /** The service refused the request, and may have said when to come back. */
      refused: (refusal: Refusal): Refused => this.#refused(place, refusal),
      /** Its response is complete, or it waits for a retry: another may start. */
      leave: (): void => this.#move(place, 'apart'),
      /** Resolves when no request is about to be sent, so that the service works while a response is verified. */
      othersSent: (signal: AbortSignal): Promise<void> => this.#quiet(signal),
      /** This machine cannot take so many at once: from now on there is one less. */
      lower: (): void => {
        this.#most = Math.max(1, this.#most - 1)
      },
      /** Nothing is left to do for it. */
      over: (): void => {
        this.#places.delete(place)
        this.#move(place, 'apart')
      },
    }
  }

  /** How requests will start from now on. */
  pace(): Pace {
    return this.#control.pace(this.#clock.monotonicMs())
  }

  async #admit(place: Place, options: AdmitOptions): Promise<void> {
    this.#move(place, 'waiting')
    const firstNew = this.#line.findIndex(({ start }) => start === undefined)
    const isBeforeNew = place.start !== undefined && firstNew >= 0
    this.#line.splice(isBeforeNew ? firstNew : this.#line.length, 0, place)
    let stage: Place['stage'] = 'apart'
    try {
      await this.#untilAdmitted(place, options)
      place.start = this.#shared(() => this.#control.start(this.#clock.monotonicMs()))
      stage = 'admitted'
    } finally {
      this.#line.splice(this.#line.indexOf(place), 1)
      this.#move(place, stage)
    }
  }

  async #untilAdmitted(place: Place, { signal, onWait }: AdmitOptions): Promise<void> {
    if (this.#file !== undefined) await orAborted(this.#file.ready(), signal)
    while (true) {
      signal.throwIfAborted()
      if (this.#line[0] === place) {
        const waitMs = this.#waitMs()
        if (waitMs === 0) return
        this.#hold()
        onWait(waitMs)
        if (waitMs !== undefined) {
          await this.#clock.sleep(waitMs, signal)
          continue
        }
      }
      await orAborted(this.#changed.promise, signal)
    }
  }

  /** How long the first in the line has to wait; undefined while another request has to be answered first. */
  #waitMs(): number | undefined {
    const nowMs = this.#clock.monotonicMs()
    this.#control.stated = this.#file?.read() ?? this.#control.stated
    this.#checkWait(nowMs)
    const dueMs = this.#control.inFlight < this.#most ? this.#control.nextMs(nowMs) : undefined
    return dueMs === undefined ? undefined : Math.ceil(Math.max(0, dueMs - nowMs))
  }

  #refused(place: Place, { limit, requestedMs }: Refusal): Refused {
    const nowMs = this.#clock.monotonicMs()
    const random = this.#random()
    const refused = this.#shared(() =>
      this.#control.refuse(place.start!, nowMs, { requestedMs, limit, random }),
    )
    this.#ownUntilMs = Math.max(this.#ownUntilMs, nowMs + (refused.waitMs ?? 0))
    return refused
  }

  #move(place: Place, stage: Place['stage']): void {
    const wasInFlight = isInFlight(place)
    place.stage = stage
    if (wasInFlight && !isInFlight(place)) this.#control.end(place.start!)
    this.#isHeld = false
    this.#announce()
    this.#onRoom()
  }

  // Nothing is sent for now, which responses that are to be verified wait for.
  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#announce()
  }

  #announce(): void {
    const { resolve } = this.#changed
    this.#changed = newChange()
    resolve()
  }

  #hasRoom(): boolean {
    const count = [...this.#places].filter(({ stage }) => stage !== 'apart').length
    return count < this.#most && this.#places.size < 2 * this.#most
  }

  async #quiet(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#isAboutToSend())
      await orAborted(this.#changed.promise, signal).catch(() => undefined)
  }

  #isAboutToSend(): boolean {
    const isComing = [...this.#places].some(({ stage }) => stage === 'begun' || stage === 'admitted')
    return isComing || (this.#line.length > 0 && !this.#isHeld)
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
        hint: `retry at ${formatInstant(retryAtMs)}, raise the maximum wait, or, if the service accepts requests again, remove ${this.#file?.path}`,
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
}

/** Wakes up everyone who waits for it. */
function newChange() {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}

function isInFlight({ stage }: Place): boolean {
  return stage === 'admitted' || stage === 'in flight'
}

interface Accepted {
  readonly limit: RateLimit | undefined
  readonly isSuccess: boolean
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

const RATES = 'rates'
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
    this.#files = await openCacheFiles(this.#world, join(base, RATES), BOUNDS)
    await this.#files.removeOld()
  }

  get path(): string {
    return join(stateDirectory(this.#world) ?? '', RATES, this.#name)
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
