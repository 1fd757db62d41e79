import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/base/notice.ts'
import { JobProgress, probableEndMs } from '../../src/download/job-progress.ts'
import type { Pace } from '../../src/http/rate-control.ts'
import { bucket, fixedWindow, HEADERS, type SimulatedService, simulate } from '../support/rate-limits.ts'

const EVEN: Pace = { perMinute: 100, mostInFlight: 4, startMs: (count) => count * 600 }

/** A job at a rate of a request a second, on a clock that the test sets. */
function job(done: number, total: number, doneBytes = 0) {
  const seen: Progress[] = []
  const clock = { ms: 0 }
  const progress = new JobProgress(
    { notice: () => undefined, progress: (one) => seen.push(one) },
    {
      done,
      total,
      doneBytes,
      nowMs: () => clock.ms,
      pace: () => ({ perMinute: 60, mostInFlight: 2, startMs: (count) => clock.ms + (count - 1) * 1_000 }),
    },
  )
  return { progress, clock, last: () => seen.at(-1) }
}

describe('the time left', () => {
  /** What it is at each answer from the second on, and what it was in truth. */
  function timesLeft(service: SimulatedService, seed: number) {
    let latest: Progress | undefined
    let now = 0
    let pace = (): Pace => EVEN
    let isRefused = false
    const progress = new JobProgress(
      {
        notice: () => undefined,
        progress: (one) => {
          latest = one
        },
      },
      { done: 0, total: service.count, doneBytes: 0, nowMs: () => now, pace: () => pace() },
    )
    const shown: {
      readonly atMs: number
      readonly leftMs: number | undefined
      readonly isRefused: boolean
    }[] = []
    const { endedMs } = simulate(service, seed, false, (what, start, nowMs, control) => {
      now = nowMs
      pace = () => control.pace(nowMs)
      isRefused ||= what === 'refused'
      if (what === 'sent') {
        progress.begin(start)
        progress.of(start).progress({ phase: 'asking' })
        return
      }
      progress.end(start, what === 'answered')
      const { endMs, requestsDone = 0 } = latest!
      if (requestsDone < 2 || requestsDone === service.count) return
      shown.push({ atMs: nowMs, leftMs: endMs && endMs - nowMs, isRefused })
    })
    return shown.map(({ atMs, leftMs, isRefused }) => ({ leftMs, trueMs: endedMs - atMs, isRefused }))
  }

  /** Answers take between 0.7 and 1.3 of their time, which shows when few are left. What is not known is the rest of a late one. */
  const isClose = (
    { leftMs, trueMs }: { leftMs: number | undefined; trueMs: number },
    answerMs: number,
  ): boolean => Math.abs((leftMs ?? 0) - trueMs) <= Math.max(0.25 * trueMs, 0.6 * answerMs)

  test.each<[string, SimulatedService]>([
    ['at a rate of its own', { limits: [], count: 60, ratePerMinute: 20 }],
    ['at the default rate', { limits: [], count: 300 }],
    ['of a service that works on each for long', { limits: [], count: 60, answerMs: 8_000 }],
    ['of one at a time', { limits: [], count: 40, answerMs: 3_000, concurrency: 1 }],
    ['of a service that says: 20 a minute', { limits: [fixedWindow(20)], count: 60, headers: HEADERS.date }],
    [
      'of one that says so in the middle of its minute',
      { limits: [fixedWindow(20, 60_000, 0.6)], count: 70, headers: HEADERS.date },
    ],
    ['of one that says: 10 a minute', { limits: [fixedWindow(10)], count: 60, headers: HEADERS.date }],
    [
      'of one that accepts more than the rate',
      { limits: [fixedWindow(500)], count: 260, headers: HEADERS.date },
    ],
  ])('of many requests is within 25 %% from the second answer on: %s', (_, service) => {
    for (const seed of [1, 2, 3]) {
      const { answerMs = 500 } = service
      const shown = timesLeft(service, seed)
      expect(shown.length).toBeGreaterThanOrEqual(service.count - 2)
      // A response that was overtaken says that fewer are left than are, until the next one.
      expect(shown.filter((one) => !isClose(one, answerMs)).length).toBeLessThanOrEqual(shown.length / 50)
    }
  })

  test.each<[string, SimulatedService]>([
    [
      'with a time',
      { limits: [fixedWindow(20)], count: 100, retryAfterMs: (ms) => Math.ceil(ms / 1000) * 1000 },
    ],
    ['without one', { limits: [fixedWindow(20)], count: 100 }],
    ['evenly', { limits: [bucket(30, 5)], count: 150 }],
  ])('is right for most of a run that is refused, once it was: %s', (_, service) => {
    for (const seed of [1, 2, 3]) {
      const shown = timesLeft(service, seed).filter(({ isRefused }) => isRefused)
      const right = shown.filter((one) => isClose(one, 500))
      expect(shown.length).toBeGreaterThan(service.count / 2)
      expect(right.length / shown.length).toBeGreaterThan(0.85)
    }
  })
})

test('one request keeps its own bytes and phases', () => {
  const { progress, last } = job(0, 1)
  const ask = {}
  expect(progress.begin(ask)).toBe('request 1 of 1')
  expect(last()).toMatchObject({ phase: 'asking', requestsDone: 0, requestsTotal: 1 })
  progress.of(ask).progress({ phase: 'receiving', bytes: 5, totalBytes: 10 })
  expect(last()).toMatchObject({ phase: 'receiving', bytes: 5, totalBytes: 10 })
})

test('a resumed job counts what earlier runs received, and what they kept of a request', () => {
  const { progress, last } = job(1, 4, 1_000)
  const [one, two] = [{}, {}]
  progress.begin(one)
  expect(last()).toMatchObject({ bytes: 1_000, requestsDone: 1, perMinute: 60, endMs: undefined })
  progress.of(one).progress({ phase: 'asking', bytes: 300, totalBytes: 400 })
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_300 })
  progress.begin(two)
  progress.of(one).progress({ phase: 'receiving', bytes: 400, totalBytes: 400 })
  // It is complete, and is verified when the others have been sent.
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_400 })
  progress.end(one, true)
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_400, requestsDone: 2 })
  progress.of(two).progress({ phase: 'receiving', bytes: 50 })
  progress.end(two, false)
  expect(last()).toMatchObject({ bytes: 1_400, requestsDone: 2 })
})

test('the time left is known after the second answer, and no longer when the last one takes longer than the others', () => {
  const { progress, clock, last } = job(0, 3)
  const requests = [{}, {}, {}]
  for (const one of requests) {
    progress.begin(one)
    progress.of(one).progress({ phase: 'asking' })
  }
  clock.ms = 4_000
  progress.end(requests[0]!, true)
  expect(last()).toMatchObject({ requestsDone: 1, endMs: undefined })
  clock.ms = 6_000
  progress.of(requests[1]!).progress({ phase: 'waiting', waitUntilMs: 9_000, next: 'retrying' })
  progress.end(requests[1]!, true)
  expect(last()).toMatchObject({ requestsDone: 2, endMs: undefined })
})

describe('before the first answer', () => {
  const MIB = 1024 ** 2
  const lengths = [10, 20, 5, 10.8].map((mib) => mib * MIB)

  /** Requests in flight, of which so many have sent their lengths and a quarter MiB a second, for two seconds or another time. */
  function inFlight(total: number, known: number, sinceMs = 2_000) {
    const { progress, clock, last } = job(0, total)
    const requests = lengths.slice(0, Math.min(total, 4)).map((length) => ({ length }))
    for (const one of requests) {
      progress.begin(one)
      progress.of(one).progress({ phase: 'asking' })
    }
    clock.ms = 30_000
    for (const ms of [0, sinceMs]) {
      clock.ms = 30_000 + ms
      for (const one of requests.slice(0, known)) {
        const bytes = 1_000 + (ms / 4_000) * MIB
        progress.of(one).progress({ phase: 'receiving', bytes, totalBytes: one.length })
      }
    }
    return { last, nowMs: clock.ms }
  }

  test('the size of the whole is known when all lengths are, and the speed says the rest', () => {
    expect(inFlight(4, 4).last()).toMatchObject({
      phase: 'receiving',
      bytes: 4_000 + 2 * MIB,
      totalBytes: 45.8 * MIB,
      endMs: undefined,
    })
    expect(inFlight(4, 3).last()).not.toHaveProperty('totalBytes')
  })

  test('the time left follows from the lengths in flight when there are more requests', () => {
    const { last, nowMs } = inFlight(12, 4)
    const { endMs, totalBytes } = last()!
    expect(totalBytes).toBeUndefined()
    // The service took 30 s for each, and a transfer takes 46 s on average: the rest of these, and two rounds of four.
    expect(endMs! - nowMs).toBeGreaterThan(2 * 76_000)
    expect(endMs! - nowMs).toBeLessThan(3.2 * 76_000)
    expect(inFlight(12, 1).last()!.endMs).toBeUndefined()
  })

  test('the time left is not known when the transfers have just begun', () => {
    expect(inFlight(12, 4, 400).last()).toMatchObject({ phase: 'receiving', endMs: undefined })
  })
})

const MEASURED = { transferMs: 2_000, wholeMs: 2_500 }
const FREE: Pace = { perMinute: 6_000, mostInFlight: 2, startMs: () => 0 }

test.each([
  [
    'follows from the rate',
    { pace: { ...FREE, startMs: (count: number) => count * 3_000 }, unsent: 5 },
    17_500,
  ],
  ['follows from how many are in flight', { unsent: 5, answeredMs: [500, 1_500] }, 7_000],
  ['waits for a retry', { unsent: 1, notBeforeMs: 60_000 }, 62_500],
  ['follows from the verification', { unsent: 8, measured: { transferMs: 10, wholeMs: 4_000 } }, 8_000],
  ['is that of the last in flight', { answeredMs: [700, undefined, 900] }, 900],
  ['is not known when these take longer than others', { answeredMs: [undefined] }, undefined],
])('the end %s', (_, remaining, endMs) => {
  const rest = { pace: FREE, unsent: 0, notBeforeMs: 0, answeredMs: [], measured: MEASURED }
  expect(probableEndMs({ ...rest, ...remaining }, 0)).toBe(endMs)
})

test('of several waits the first to end shows', () => {
  const { progress, last } = job(0, 3)
  const [one, two] = [{}, {}]
  const wait = { phase: 'waiting', reason: 'waiting for the rate limit' } as const
  progress.begin(one)
  progress.begin(two)
  progress.of(one).progress({ ...wait, waitUntilMs: 50 })
  progress.of(two).progress({ ...wait, waitUntilMs: 9 })
  expect(last()).toMatchObject({ phase: 'waiting', waitUntilMs: 9 })
})

test('a wait shows when nothing else is under way, and comes back when the others are done', () => {
  const { progress, last } = job(0, 3)
  const [one, two] = [{}, {}]
  const wait = { phase: 'waiting', waitUntilMs: 9, reason: 'rate limited', next: 'retrying' } as const
  progress.begin(one)
  progress.begin(two)
  progress.of(two).progress({ phase: 'receiving', bytes: 1 })
  progress.of(one).progress(wait)
  expect(last()).toMatchObject({ phase: 'receiving' })
  progress.end(two, true)
  expect(last()).toMatchObject({ ...wait, bytes: 1, requestsDone: 1, requestsTotal: 3 })
  // Another one waits for its turn behind it.
  const three = {}
  progress.begin(three)
  expect(last()).toMatchObject(wait)
  progress.of(three).progress({ phase: 'asking' })
  expect(last()).toMatchObject({ phase: 'asking' })
})

test('a request that is divided becomes one of several', () => {
  const { progress, last } = job(0, 1)
  const ask = {}
  progress.begin(ask)
  progress.end(ask, false)
  progress.remaining(2)
  expect(progress.begin({})).toBe('request 2 of 3')
  expect(last()).toMatchObject({ requestsDone: 0, requestsTotal: 2 })
})
