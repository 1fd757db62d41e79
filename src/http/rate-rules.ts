import * as z from 'zod/mini'
import type { RateLimit } from './rate-headers.ts'

const time = z.number().check(z.refine(Number.isFinite))
const count = z.int().check(z.nonnegative())
const rate = z.optional(z.number().check(z.positive()))

/** Of fast runs, the last starts only are saved. */
export const MOST_SAVED_STARTS = 1_000

// Consecutive refused starts, until one is accepted again.
const rateRefusal = z.object({
  /** The last refusal that was not of a request already in flight at the one before. */
  lastMs: time,
  /** Consecutive refusals; those of requests in flight at the same time count once. */
  count,
  /** The total number of refused starts. */
  refusedStarts: count,
  /** The start of the time that the rate is learned from, at most a minute before the first refusal. */
  fromMs: time,
  /** Starts that were accepted since then. */
  accepted: count,
  /** Nothing starts before this time. */
  untilMs: time,
  /** False when the responses state their limit, so that the rate need not be learned. */
  isSilent: z.boolean(),
})
type RateRefusal = Readonly<z.infer<typeof rateRefusal>>

/** What is known about a rate limit. Plain data, so that runs can share it; all times are milliseconds of one clock. */
export const rateState = z.object({
  /** The starts of the last minute, in order. */
  starts: z.array(time).check(z.maxLength(MOST_SAVED_STARTS)),
  /** When the start after those so far is due, if starts are spaced evenly. */
  dueMs: time,
  /** The rate learned from refusals, in starts per minute. */
  learned: rate,
  /** The share by which an accepted start raises that rate. */
  raise: rate,
  /** Starts before this time say nothing about the rate. */
  learnedFromMs: z.optional(time),
  /** The limit a minute that the service states. */
  stated: rate,
  /** What the service says is left until a time. */
  budget: z.optional(z.object({ left: z.number(), untilMs: time })),
  refusal: z.optional(rateRefusal),
})
export type RateState = Readonly<z.infer<typeof rateState>>

export const UNKNOWN_RATE: RateState = { starts: [], dueMs: 0 }

const MINUTE_MS = 60_000
// Reset times are truncated to seconds.
const RESET_PAD_MS = 1_000
// A burst takes at most this share of a minute's starts: 4 of 100.
const BURST_SHARE = 1 / 25
const LOWERED = 0.9
// The factor where an evenly spaced start was refused and the next one accepted.
const LOWERED_LITTLE = 0.8
// The rate is raised by 6 % a minute; the first time faster, the fewer starts it was learned from.
const RAISED = 0.06
const SLOWEST_PER_MINUTE = 0.5
const FIRST_PROBES_MS = [1_000, 6_000] as const
const LATER_PROBE_MS = 25_000
const MOST_JITTER_MS = 1_000
// With fewer accepted starts, the limit is probably not one a minute.
const LIKELY_MINUTE = 4

/** Starts per minute that are allowed now, at most `ratePerMinute`. */
export function allowedRate(state: RateState, ratePerMinute: number): number {
  return Math.min(ratePerMinute, state.stated ?? ratePerMinute, state.learned ?? ratePerMinute)
}

/**
 * The state after a start, or the milliseconds until the next try. Starts are spaced evenly after a small burst, except while the
 * service says how many are left; in no minute are there more than `ratePerMinute`.
 */
export function claimStart(
  state: RateState,
  ratePerMinute: number,
  nowMs: number,
): { readonly state: RateState; readonly waitMs: number } {
  const starts = state.starts.filter((startMs) => startMs > nowMs - MINUTE_MS)
  const budget = state.budget && nowMs < state.budget.untilMs ? state.budget : undefined
  const rate = allowedRate(state, ratePerMinute)
  const intervalMs = MINUTE_MS / rate
  const burst = state.learned === undefined ? Math.max(1, Math.floor(rate * BURST_SHARE)) : 1
  const dueMs = Math.max(state.dueMs, nowMs)
  const most = Math.max(1, Math.floor(Math.min(ratePerMinute, state.stated ?? ratePerMinute)))
  const waitMs = Math.max(
    (state.refusal?.untilMs ?? nowMs) - nowMs,
    starts.length < most ? 0 : starts[starts.length - most]! + MINUTE_MS - nowMs,
    budget && budget.left <= 0 ? budget.untilMs - nowMs : 0,
    budget && state.learned === undefined ? 0 : dueMs - (burst - 1) * intervalMs - nowMs,
  )
  if (waitMs > 0) return { state, waitMs: Math.ceil(waitMs) }
  return {
    state: {
      ...state,
      starts: [...starts, nowMs],
      dueMs: Math.min(dueMs, nowMs + (burst - 1) * intervalMs) + intervalMs,
      budget: budget && { ...budget, left: budget.left - 1 },
    },
    waitMs: 0,
  }
}

/** For how long the service has said that it accepts nothing, in milliseconds. */
export function blockedMs({ refusal, budget }: RateState, nowMs: number): number {
  const resetMs = budget && budget.left <= 0 ? budget.untilMs - RESET_PAD_MS : nowMs
  return Math.max(0, (refusal?.untilMs ?? nowMs) - nowMs, resetMs - nowMs)
}

/**
 * The state after a response that states its limit: the limit when its window is a minute, and what remains, less the requests in
 * flight, until a reset within `maxWaitMs`.
 */
export function limitStated(
  state: RateState,
  { limit, remaining, resetMs }: RateLimit,
  at: { readonly nowMs: number; readonly inFlight: number; readonly maxWaitMs: number },
): RateState {
  const isMinute = limit !== undefined && limit >= 1 && (resetMs ?? 0) <= MINUTE_MS + 5_000
  const stated = isMinute ? Math.min(limit, state.stated ?? limit) : state.stated
  if (remaining === undefined || resetMs === undefined || resetMs > at.maxWaitMs) return { ...state, stated }
  const left = Math.max(0, remaining - at.inFlight)
  return { ...state, stated, budget: { left, untilMs: at.nowMs + resetMs + RESET_PAD_MS } }
}

/** The state after the start at `startMs` was accepted: the rate is raised a little, or learned after refusals. */
export function startAccepted(state: RateState, ratePerMinute: number, startMs: number): RateState {
  const { refusal, learned } = state
  if (refusal && startMs <= refusal.lastMs) return state
  if (!refusal) {
    if (learned === undefined) return state
    const raised = learned * (1 + (state.raise ?? RAISED))
    return { ...state, learned: raised < ratePerMinute ? raised : undefined }
  }
  const rest: RateState = { ...state, refusal: undefined, learnedFromMs: startMs }
  if (!refusal.isSilent) return rest
  const current = allowedRate(state, ratePerMinute)
  const lowered = Math.max(SLOWEST_PER_MINUTE, loweredRate(refusal, current, startMs))
  const raise = RAISED / Math.max(1, state.learned === undefined ? refusal.accepted : lowered)
  return { ...rest, learned: lowered, raise, dueMs: startMs + MINUTE_MS / lowered }
}

function loweredRate(
  { accepted, fromMs, lastMs, count }: RateRefusal,
  current: number,
  startMs: number,
): number {
  const isNear = count === 1 && startMs - lastMs <= (1.5 * MINUTE_MS) / current
  if (isNear) return current * LOWERED_LITTLE
  if (accepted === 0) return current / 2
  const spanMs = startMs - fromMs
  const measured =
    accepted < LIKELY_MINUTE ? MINUTE_MS / spanMs : (accepted * MINUTE_MS) / Math.min(spanMs, MINUTE_MS)
  return Math.min(measured, current) * LOWERED
}

/**
 * The state after the start at `startMs` was refused: nothing starts for a time, which grows while starts are refused, or for
 * `requestedMs`.
 */
export function startRefused(
  state: RateState,
  ratePerMinute: number,
  refused: {
    readonly startMs: number
    readonly nowMs: number
    readonly requestedMs?: number | undefined
    readonly isSilent: boolean
    /** In [0, 1): clients must not try again in step. */
    readonly random: number
    /** The longest wait without `requestedMs`. */
    readonly longestMs: number
  },
): RateState {
  const { startMs, nowMs, requestedMs, random } = refused
  const earlier = state.refusal
  if (earlier && startMs <= earlier.lastMs) {
    const untilMs = Math.max(earlier.untilMs, nowMs + (requestedMs ?? 0))
    const accepted = startMs >= earlier.fromMs ? Math.max(0, earlier.accepted - 1) : earlier.accepted
    return {
      ...state,
      refusal: { ...earlier, untilMs, accepted, refusedStarts: earlier.refusedStarts + 1 },
    }
  }
  const fromMs =
    earlier?.fromMs ??
    Math.max(state.learnedFromMs ?? nowMs - MINUTE_MS, state.starts[0] ?? nowMs, nowMs - MINUTE_MS)
  const accepted =
    earlier?.accepted ??
    Math.max(0, state.starts.filter((each) => each >= fromMs && each <= nowMs).length - 1)
  const refusal: RateRefusal = {
    lastMs: nowMs,
    count: (earlier?.count ?? 0) + 1,
    refusedStarts: (earlier?.refusedStarts ?? 0) + 1,
    fromMs,
    accepted,
    untilMs: nowMs,
    isSilent: refused.isSilent || (earlier?.isSilent ?? false),
  }
  const probeMs = probeWaitMs(refusal, MINUTE_MS / allowedRate(state, ratePerMinute), nowMs)
  const ownMs = probeMs + random * Math.min(MOST_JITTER_MS, probeMs / 10)
  const waitMs = requestedMs ?? Math.min(Math.round(ownMs), refused.longestMs)
  return { ...state, refusal: { ...refusal, untilMs: nowMs + waitMs } }
}

// The first waits are short, for limits per second; later ones are what is left of a minute, for limits per minute. A service may
// count refused starts against the next minute.
function probeWaitMs(
  { count, fromMs, accepted, refusedStarts }: RateRefusal,
  intervalMs: number,
  nowMs: number,
): number {
  const first = FIRST_PROBES_MS[count - 1]
  if (first !== undefined) return Math.max(first, Math.min(intervalMs * count, MINUTE_MS))
  if (count > FIRST_PROBES_MS.length + 1) return MINUTE_MS
  if (accepted < LIKELY_MINUTE) return LATER_PROBE_MS
  const share = (refusedStarts + 1) / (accepted + refusedStarts)
  return Math.max(LATER_PROBE_MS, fromMs + MINUTE_MS * (1 + share) - nowMs)
}

/** The same state by another clock, which shows `byMs` more. */
export function movedState(state: RateState, byMs: number): RateState {
  const { budget, refusal, learnedFromMs } = state
  return {
    ...state,
    starts: state.starts.map((startMs) => startMs + byMs),
    dueMs: state.dueMs + byMs,
    learnedFromMs: learnedFromMs === undefined ? undefined : learnedFromMs + byMs,
    budget: budget && { ...budget, untilMs: budget.untilMs + byMs },
    refusal: refusal && {
      ...refusal,
      lastMs: refusal.lastMs + byMs,
      fromMs: refusal.fromMs + byMs,
      untilMs: refusal.untilMs + byMs,
    },
  }
}
