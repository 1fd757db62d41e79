import type { RateLimit } from './rate-headers.ts'

const MINUTE_MS = 60_000
/** At most this share of a minute's requests starts at once: 4 of 100. */
const BURST_SHARE = 1 / 25
/** Accepted requests after which one more may be in flight. */
const IN_FLIGHT_EVERY = 5
/** Accepted requests after which the rate is raised, and by how much the first time. */
const RAISE_EVERY = 16
const RAISE = 0.03
const LOWERED = 0.8
/** After refusals that lowered the rate, it is raised when so many times their length has passed. */
const RAISE_COST = 4
const MEASURED = 0.95
/** Windows that services count in, and that refusals are explained with. */
const WINDOWS_MS = [1_000, 10_000, 20_000, 30_000, MINUTE_MS] as const
/** Fewer accepted do not say what a window allows; in a minute, the limit is probably one a second. */
const FEW_ACCEPTED = 5
const FEW_IN_PROBE = 3
const MOST_LOWERED = 1 / 4
const SLOWEST_PER_MINUTE = 0.5
/** A refusal adds points, and an accepted request takes one away: three refusals in a short time are more than strays. */
const POINTS = 5
const MOST_POINTS = 15
/** Waits after refusals in a row: for limits a second, for evenly spaced ones, and until a minute is over. */
const PROBES_MS = [1_000, 6_000, 25_000] as const
/** When less than this is left of the longest wait, the request is not sent again. */
const SHORTEST_REST_MS = 1_000
/** Reset times are truncated to seconds, and so is a minute. */
const RESET_PAD_MS = 1_000
/** Of two requests, the second may travel faster by so much. */
const TRAVEL_MS = 50
const MOST_JITTER_MS = 1_000

/** What headers say of a limit. Times are milliseconds of one clock. */
export interface StatedLimit {
  readonly perMinute?: number | undefined
  /** How many requests are left until a time. */
  readonly budget?: { readonly left: number; readonly untilMs: number } | undefined
  /** Nothing is accepted before this time. */
  readonly closedUntilMs?: number | undefined
}

/** A request that was started. */
export interface Start {
  readonly startMs: number
  /** How many were started before. */
  readonly order: number
  /** How many were in flight when it started. */
  readonly others: number
}

/** How requests will start if none is refused. */
export interface Pace {
  readonly perMinute: number
  readonly mostInFlight: number
  /** When the last of so many may start. */
  readonly startMs: (count: number) => number
}

interface Refusal {
  /** How long the service wants it to wait. */
  readonly requestedMs: number | undefined
  readonly limit?: RateLimit | undefined
  /** In [0, 1): clients must not come back in step. */
  readonly random: number
}

/** The requests of a run that are refused one after another. */
interface Block {
  /** The last refusal of a request that was sent after the one before. */
  lastMs: number
  /** Nothing starts before this time. */
  untilMs: number
  /** Refusals that said nothing about when to come back; the first of them was at `silentMs`. */
  silent: number
  silentMs: number | undefined
  /** True when the last one said when to come back. */
  wasTold: boolean
  /** When the minute before the first refusal began, or the run. */
  readonly fromMs: number
  /** How many requests were accepted before the first refusal, in each of the windows. */
  readonly accepted: readonly number[]
}

/**
 * How fast the requests of a run start, and how many are in flight. Plain rules of times and outcomes, without a clock or timers:
 *
 * 1. Requests start in a small burst, then evenly spaced. In no minute are there more than the rate.
 * 2. A limit in headers is kept to: what is left may start without spacing, then nothing until the reset. Requests that started after
 *    the one whose response says it are not counted in what is left.
 * 3. A time to come back in a refusal is waited for. It says nothing about the rate; a second one in a row was too short.
 * 4. A refusal while others are in flight: no more are in flight than are left. Five accepted requests allow one more.
 * 5. A refusal of a request alone: nothing starts for 1 s, 6 s, until a minute is over, then a minute each time.
 * 6. Then one request at a time, until one is accepted. What was in flight at a refusal is the same refusal.
 * 7. After three refusals in a row, the rate is what was accepted in the shortest window that explains them, later in a minute, less 5 %.
 * 8. Fewer are tolerated, one in six: three of them in a short time lower the rate by a fifth, or to what was accepted in a short window.
 * 9. Sixteen accepted requests raise the rate by 3 %, the next sixteen by 6 %, and so on until a refusal; after (7) not before four times
 *    the length of that wait.
 */
export class RateControl {
  /** Of this run and of others: what headers have said. */
  stated: StatedLimit = {}

  readonly #most: { readonly perMinute: number; readonly inFlight: number; readonly waitMs: number }
  readonly #open = new Set<Start>()
  /** The starts of the last minute, and those that were accepted, in order. */
  readonly #starts: number[] = []
  readonly #accepted: number[] = []
  /** When the next request is due, if they are spaced evenly. */
  #dueMs = 0
  /** Learned from refusals; the most allowed otherwise. */
  #perMinute: number
  #mostInFlight: number
  #points = 0
  /** Accepted since the rate, or the number in flight, was last changed; and how often the rate was raised since. */
  #sinceRate = 0
  #sinceInFlight = 0
  #raises = 0
  /** How long the last refusals that lowered the rate took, and when it is raised at the earliest. */
  #costMs = 0
  /** True when refusals were once explained by a window. */
  #isMeasured = false
  #raiseMs = Number.NEGATIVE_INFINITY
  #block: Block | undefined
  #started = 0
  readonly #window = new StatedWindow()
  /** The request whose response has said what is left: of those that did, the last to start. */
  #statedOrder = 0
  /** Seconds until a reset count from the request, or, after a refusal in between, from the response: when that would be. */
  #isFromResponse = false
  #resetFromResponseMs = Number.NEGATIVE_INFINITY
  /** True when the number in flight was raised since it was lowered; and when it was lowered again after that. */
  #isInFlightRaised = false
  #isInFlightConfirmed = false
  /** Since requests started again after the last refusals: from when, how many were accepted, and the start of the first refused one. */
  #flow = { fromMs: Number.NaN, accepted: 0, refusedMs: Number.POSITIVE_INFINITY }
  /** How many were accepted from one refusal to the next, and how long that took with the wait. */
  #cycle: { readonly size: number; readonly everyMs: number } | undefined

  constructor(most: { readonly perMinute: number; readonly inFlight: number; readonly waitMs: number }) {
    this.#most = most
    this.#perMinute = most.perMinute
    this.#mostInFlight = most.inFlight
  }

  get inFlight(): number {
    return this.#open.size
  }

  /** When the next request may start; undefined while an answer has to come first. */
  nextMs(nowMs: number): number | undefined {
    const block = this.#block
    if (this.#open.size >= this.#mostInFlight) return undefined
    if (block !== undefined && [...this.#open].some(({ startMs }) => startMs > block.lastMs)) return undefined
    const budget = this.#budget(nowMs)
    const most = Math.max(1, Math.floor(this.#bound()))
    const starts = this.#starts.filter((startMs) => startMs > nowMs - MINUTE_MS)
    return Math.max(
      nowMs,
      block?.untilMs ?? nowMs,
      this.stated.closedUntilMs ?? nowMs,
      starts.length < most ? nowMs : starts.at(-most)! + MINUTE_MS,
      budget !== undefined && budget.left <= 0 ? budget.untilMs : nowMs,
      budget !== undefined && !this.#isLowered() ? nowMs : this.#dueMs - this.#burstMs(),
    )
  }

  /** How requests will start from now on. */
  pace(nowMs: number): Pace {
    const firstMs = this.nextMs(nowMs) ?? nowMs
    const budget = this.#isLowered() ? undefined : this.#probableBudget(nowMs)
    const cycle = this.#cycleWindow(nowMs)
    const intervalMs = this.#intervalMs()
    return {
      perMinute: Math.max(1, Math.floor(this.#rate())),
      // A single refusal does not say how many are accepted.
      mostInFlight: this.#isInFlightConfirmed ? this.#mostInFlight : this.#most.inFlight,
      startMs: (count) => {
        if (budget !== undefined) {
          return Math.max(firstMs, windowStartMs(budget, count, 0), this.#ownStartMs(count, nowMs))
        }
        const evenMs = firstMs + (count - 1) * intervalMs
        return cycle === undefined ? evenMs : Math.max(evenMs, windowStartMs(cycle, count, intervalMs))
      },
    }
  }

  start(nowMs: number): Start {
    if (Number.isNaN(this.#flow.fromMs)) this.#flow.fromMs = nowMs
    const start = { startMs: nowMs, order: this.#started, others: this.#open.size }
    this.#started += 1
    this.#open.add(start)
    this.#starts.push(nowMs)
    forget(this.#starts, nowMs - MINUTE_MS)
    this.#dueMs = Math.min(Math.max(this.#dueMs, nowMs), nowMs + this.#burstMs()) + this.#intervalMs()
    const budget = this.#budget(nowMs)
    if (budget !== undefined) this.stated = { ...this.stated, budget: { ...budget, left: budget.left - 1 } }
    return start
  }

  /** The service let the request pass; it stays in flight until `end`. */
  accept(start: Start, nowMs: number, limit?: RateLimit): void {
    const { startMs } = start
    if (limit !== undefined) this.#state(limit, start, nowMs)
    this.#accepted.push(startMs)
    forget(this.#accepted, nowMs - 2 * MINUTE_MS)
    this.#flow.accepted += 1
    const block = this.#block
    if (block !== undefined && startMs <= block.lastMs) return
    this.#block = undefined
    const { fromMs, accepted } = this.#flow
    if (block !== undefined && accepted > 1) {
      this.#cycle = { size: accepted - 1, everyMs: startMs - fromMs }
      this.#flow = { fromMs: startMs, accepted: 1, refusedMs: Number.POSITIVE_INFINITY }
    }
    if (block === undefined) this.#points = Math.max(0, this.#points - 1)
    else this.#learn(block, nowMs)
    this.#raise(nowMs)
  }

  /** The request is no longer in flight. */
  end(start: Start): void {
    this.#open.delete(start)
  }

  /**
   * The service refused the request, which is then no longer in flight. Returns the wait until the next one, undefined when it may
   * start as soon as one in flight is answered; `isOver` when refusals without a time to come back have taken the longest wait.
   */
  refuse(
    start: Start,
    nowMs: number,
    { requestedMs, limit, random }: Refusal,
  ): { readonly waitMs: number | undefined; readonly isOver: boolean } {
    const { startMs } = start
    this.#open.delete(start)
    this.#flow.refusedMs = Math.min(this.#flow.refusedMs, startMs)
    const { budget } = this.stated
    if (budget !== undefined && startMs >= budget.untilMs && startMs < this.#resetFromResponseMs)
      this.#isFromResponse = true
    if (budget !== undefined && startMs >= budget.untilMs && startMs < budget.untilMs + 1_000)
      this.#window.wasShort()
    if (limit !== undefined) this.#state(limit, start, nowMs)
    const isTold = requestedMs !== undefined
    const toldMs = isTold ? requestedMs + random * Math.min(MOST_JITTER_MS, requestedMs / 4) : 0
    if (start.others > 0) this.#lowerInFlight()
    if (this.#block !== undefined && start.startMs <= this.#block.lastMs) {
      this.#block.untilMs = Math.max(this.#block.untilMs, nowMs + toldMs)
      return this.#waiting(nowMs, false)
    }
    if (start.others > 0 && !isTold) return { waitMs: undefined, isOver: false }
    this.#block ??= this.#newBlock(startMs, nowMs)
    const block = this.#block
    const isHonoured = isTold && !block.wasTold
    block.lastMs = nowMs
    block.wasTold = isTold
    block.untilMs = nowMs + toldMs
    if (isHonoured) {
      if (toldMs > 0) this.stated = { ...this.stated, closedUntilMs: block.untilMs }
      return this.#waiting(nowMs, false)
    }
    this.#raises = 0
    this.#sinceRate = 0
    block.silent += 1
    block.silentMs ??= nowMs
    const leftMs = Math.max(0, block.silentMs + this.#most.waitMs - nowMs)
    const probeMs = probeWaitMs(block, nowMs)
    const ownMs = Math.round(probeMs + random * Math.min(MOST_JITTER_MS, probeMs / 10))
    block.untilMs = nowMs + Math.max(toldMs, Math.min(ownMs, leftMs))
    return this.#waiting(nowMs, leftMs < SHORTEST_REST_MS)
  }

  /** For how long the service has said that it accepts nothing, in milliseconds. */
  closedMs(nowMs: number): number {
    const { budget, closedUntilMs = nowMs } = this.stated
    const resetMs = budget !== undefined && budget.left <= 0 ? budget.untilMs - RESET_PAD_MS : nowMs
    return Math.max(0, closedUntilMs - nowMs, resetMs - nowMs)
  }

  // A response states its limit: a rate, and what remains until a reset within the longest wait. A service counts requests when they
  // arrive, so that those started later are not counted yet.
  #state(limit: RateLimit, start: Start, nowMs: number): void {
    const window = this.#window
    window.read(limit, start.startMs, this.stated.budget?.untilMs)
    const { perMinute } = window
    if (perMinute !== undefined && perMinute >= 1) {
      this.stated = { ...this.stated, perMinute: Math.min(perMinute, this.stated.perMinute ?? perMinute) }
    }
    const { remaining, resetMs = limit.windowMs } = limit
    if (remaining === undefined || resetMs === undefined || resetMs > this.#most.waitMs) return
    if (start.order < this.#statedOrder) return
    this.#statedOrder = start.order
    const waitMs = window.waitMs(resetMs)
    const isFromResponse = limit.isResetDate === true || this.#isFromResponse
    const untilMs = (isFromResponse ? nowMs : start.startMs) + waitMs
    this.#resetFromResponseMs = nowMs + waitMs
    const left = Math.max(0, remaining - (this.#started - start.order - 1))
    this.stated = { ...this.stated, budget: { left, untilMs } }
  }

  #newBlock(startMs: number, nowMs: number): Block {
    const fromMs = Math.max(this.#starts[0] ?? nowMs, nowMs - MINUTE_MS)
    const accepted = WINDOWS_MS.map(
      (windowMs) => this.#accepted.filter((each) => each > startMs - windowMs).length,
    )
    return { lastMs: nowMs, untilMs: nowMs, silent: 0, silentMs: undefined, wasTold: false, fromMs, accepted }
  }

  #waiting(nowMs: number, isOver: boolean): { readonly waitMs: number; readonly isOver: boolean } {
    return { waitMs: Math.max(0, Math.round((this.#block?.untilMs ?? nowMs) - nowMs)), isOver }
  }

  #learn({ silent, silentMs, accepted }: Block, nowMs: number): void {
    if (silent === 0) return
    const rate = this.#rate()
    const measured = accepted.map((count, at) => (MEASURED * count * MINUTE_MS) / WINDOWS_MS[at]!)
    if (silent < PROBES_MS.length) {
      this.#points += POINTS
      if (this.#points < MOST_POINTS) return
      this.#points -= POINTS
      // A wait of a second was for a window of a second, the next one for a window of ten.
      const isKnown = accepted[silent - 1]! >= FEW_IN_PROBE && measured[silent - 1]! < LOWERED * rate
      this.#lowerRate(isKnown ? Math.max(measured[silent - 1]!, rate / 3) : LOWERED * rate, nowMs)
      return
    }
    this.#points = MOST_POINTS - POINTS
    this.#costMs = nowMs - silentMs!
    this.#raiseMs = nowMs + RAISE_COST * this.#costMs
    // The shortest window that explains the refusal: in longer ones, what was accepted may only be what this run has sent. A second
    // time, it is a minute.
    const explained = measured.find((each, at) => accepted[at]! >= FEW_ACCEPTED && each < LOWERED * rate)
    const inMinute = Math.max(measured.at(-1)!, accepted.at(-1)! < FEW_ACCEPTED ? rate * MOST_LOWERED : 0)
    const cycle = this.#cycle
    this.#lowerRate(this.#isMeasured ? inMinute : (explained ?? inMinute), nowMs)
    // Until it has accepted more, it may as well be the minute.
    if (!this.#isMeasured) this.#cycle = cycle
    this.#isMeasured = true
  }

  #lowerRate(perMinute: number, nowMs: number): void {
    this.#perMinute = Math.max(SLOWEST_PER_MINUTE, Math.min(perMinute, this.#rate()))
    this.#cycle = undefined
    this.#sinceRate = 0
    this.#raises = 0
    this.#dueMs = nowMs + this.#intervalMs()
  }

  #lowerInFlight(): void {
    this.#mostInFlight = Math.max(1, Math.min(this.#mostInFlight, this.#open.size))
    this.#isInFlightConfirmed ||= this.#isInFlightRaised
    this.#isInFlightRaised = false
    this.#sinceInFlight = 0
  }

  #raise(nowMs: number): void {
    this.#sinceInFlight += 1
    if (this.#sinceInFlight >= IN_FLIGHT_EVERY) {
      this.#sinceInFlight = 0
      this.#isInFlightRaised = this.#mostInFlight < this.#most.inFlight
      this.#isInFlightConfirmed &&= this.#isInFlightRaised
      this.#mostInFlight = Math.min(this.#most.inFlight, this.#mostInFlight + 1)
    }
    this.#sinceRate += 1
    if (this.#sinceRate >= RAISE_EVERY && nowMs >= this.#raiseMs) {
      this.#sinceRate = 0
      this.#raiseMs = nowMs + RAISE_COST * this.#costMs
      this.#perMinute = Math.min(this.#most.perMinute, this.#perMinute * (1 + RAISE * 2 ** this.#raises))
      this.#raises += 1
    }
  }

  #bound(): number {
    return Math.min(this.#most.perMinute, this.stated.perMinute ?? Number.POSITIVE_INFINITY)
  }

  #rate(): number {
    return Math.min(this.#bound(), this.#perMinute)
  }

  #isLowered(): boolean {
    return this.#perMinute < this.#most.perMinute
  }

  #intervalMs(): number {
    return Math.max(MINUTE_MS / this.#rate(), this.#window.spaceMs(this.stated.perMinute))
  }

  /** How early a burst may start. */
  #burstMs(): number {
    if (this.#isLowered() || this.stated.perMinute !== undefined) return 0
    return Math.max(0, Math.floor(this.#rate() * BURST_SHARE) - 1) * this.#intervalMs()
  }

  // What the service has said is left, or will probably say next.
  #probableBudget(nowMs: number): Window | undefined {
    const { budget } = this.stated
    const everyMs = this.#window.everyMs
    if (budget === undefined || nowMs >= budget.untilMs + everyMs) return undefined
    const size = this.#window.limit ?? Math.floor((this.#bound() * everyMs) / MINUTE_MS)
    const window = { size: Math.max(1, size), everyMs }
    const { left, untilMs } = budget
    if (nowMs < untilMs) return { ...window, left, untilMs }
    const since = this.#starts.filter((startMs) => startMs >= untilMs).length
    return { ...window, left: Math.max(0, window.size - since), untilMs: untilMs + everyMs }
  }

  // In no minute are there more than the rate.
  #ownStartMs(count: number, nowMs: number): number {
    const size = Math.max(1, Math.floor(this.#bound()))
    const recent = this.#starts.filter((startMs) => startMs > nowMs - MINUTE_MS)
    const minutes = Math.max(0, Math.ceil(count / size) - 1)
    const before = recent[recent.length + (count - minutes * size) - size - 1]
    return (before === undefined ? nowMs : before + MINUTE_MS) + minutes * MINUTE_MS
  }

  // A service that says nothing of its limit refuses again after as many requests as before.
  #cycleWindow(nowMs: number): Window | undefined {
    const { fromMs, accepted, refusedMs } = this.#flow
    if (this.#block !== undefined) {
      const { untilMs } = this.#block
      const others = [...this.#open].filter(({ startMs }) => startMs < refusedMs).length
      return {
        left: 0,
        untilMs,
        size: Math.max(1, accepted + others),
        everyMs: Math.max(0, untilMs - fromMs),
      }
    }
    if (this.#cycle === undefined) return undefined
    const left = this.#cycle.size - accepted - this.#open.size
    const untilMs = fromMs + this.#cycle.everyMs
    return left < 0 || untilMs <= nowMs ? undefined : { left, untilMs, ...this.#cycle }
  }

  #budget(nowMs: number): StatedLimit['budget'] {
    const { budget } = this.stated
    return budget !== undefined && nowMs < budget.untilMs ? budget : undefined
  }
}

/** The window of a limit, as responses state it or as their resets show it. */
class StatedWindow {
  limit: number | undefined
  #statedMs: number | undefined
  /** The longest reset so far, in whole seconds, or in a second more where resets are rounded down. */
  #longestMs: number | undefined
  #isRoundedDown = false
  /** True when a second window was seen. */
  #isWhole = false
  #isDate = false
  #wasShort = false

  /** After a reset by this window, a request was refused. */
  wasShort(): void {
    this.#wasShort = true
  }

  read(
    { limit, resetMs, isResetDate, windowMs }: RateLimit,
    startMs: number,
    untilMs: number | undefined,
  ): void {
    this.limit = limit
    this.#statedMs = windowMs
    if (resetMs === undefined) return
    // A date can be past by the time of the response.
    this.#isDate = isResetDate === true
    this.#isRoundedDown ||= resetMs === 0 && isResetDate !== true
    this.#isWhole ||= untilMs !== undefined && startMs >= untilMs
    this.#longestMs = Math.max(this.#longestMs ?? 0, resetMs)
  }

  #shownMs(): number {
    const longestMs = this.#longestMs ?? 0
    const seconds = this.#isRoundedDown ? Math.floor(longestMs / 1000) + 1 : Math.ceil(longestMs / 1000)
    // A date is compared with one that is rounded down: two seconds may be one, until that is refused.
    if (seconds === 2 && this.#isDate && !this.#wasShort) return 1_000
    const shownMs = Math.max(1, seconds) * 1000
    return shownMs > MINUTE_MS && shownMs <= MINUTE_MS + 5_000 ? MINUTE_MS : shownMs
  }

  /** The rate of a limit for a window of a minute or less. Without a word of the window, it is a minute. */
  get perMinute(): number | undefined {
    const { limit } = this
    const windowMs = this.#statedMs ?? (this.#longestMs === undefined ? MINUTE_MS : this.#shownMs())
    return limit === undefined || windowMs > MINUTE_MS ? undefined : (limit * MINUTE_MS) / windowMs
  }

  /** How long to wait for a reset: reset times are rounded, but no reset is farther away than the window is long. */
  waitMs(resetMs: number): number {
    const shownMs = this.#isWhole ? this.#shownMs() : Number.POSITIVE_INFINITY
    // A minute may be a few seconds longer.
    const windowMs = this.#statedMs ?? (shownMs === MINUTE_MS ? Math.max(resetMs, shownMs) : shownMs)
    return Math.min(resetMs + RESET_PAD_MS, windowMs + TRAVEL_MS)
  }

  /** The interval of a rate that is for a window of less than a minute: some services count in any time of that length. */
  spaceMs(perMinute: number | undefined): number {
    if (perMinute === undefined || (this.#statedMs ?? this.#shownMs()) >= MINUTE_MS) return 0
    return MINUTE_MS / perMinute / MEASURED
  }

  /** How often what is left is probably renewed. */
  get everyMs(): number {
    return this.#statedMs ?? (this.#isWhole ? this.#shownMs() : Math.max(MINUTE_MS, this.#shownMs()))
  }
}

// The third wait lasts until the minute before the first refusal has passed twice, and a little longer.
function probeWaitMs({ silent, fromMs }: Block, nowMs: number): number {
  const shortest = PROBES_MS[silent - 1] ?? MINUTE_MS
  return silent === PROBES_MS.length ? Math.max(shortest, fromMs + 1.05 * MINUTE_MS - nowMs) : shortest
}

/** `left` requests until a time, then `size` every so often. */
interface Window {
  readonly left: number
  readonly untilMs: number
  readonly size: number
  readonly everyMs: number
}

function windowStartMs({ left, untilMs, size, everyMs }: Window, count: number, intervalMs: number): number {
  if (count <= left) return Number.NEGATIVE_INFINITY
  const windows = Math.ceil((count - left) / size) - 1
  return untilMs + windows * everyMs + (count - left - windows * size - 1) * intervalMs
}

function forget(times: number[], untilMs: number): void {
  while (times.length > 0 && times[0]! <= untilMs) times.shift()
}
