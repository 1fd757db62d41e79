import { describe, expect, test } from 'vitest'
import { RateControl, type Start } from '../../src/http/rate-control.ts'
import type { RateLimit } from '../../src/http/rate-headers.ts'
import {
  bucket,
  fixedWindow,
  HEADERS,
  idealMs,
  inFlight,
  outage,
  penaltyBox,
  type SimulatedService,
  simulate,
  slidingWindow,
  spacing,
  stickTable,
  strays,
} from '../support/rate-limits.ts'
import { seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'

const MINUTE = 60_000
const SEEDS = Array.from({ length: 16 }, (_, seed) => seed)
const rightMs = (freeInMs: number): number => Math.ceil(freeInMs / 1000) * 1000
const perMinute = (count: number): number => (count <= 10 ? 60 : 200)

/** `most` times the ideal, on average over the seeds. */
const SERVICES: readonly (readonly [name: string, most: number, service: SimulatedService])[] = [
  ...[6, 10, 60].flatMap((count) => {
    const row = (name: string, make: SimulatedService['limits'][number], most = 1.3) =>
      [`${count} a minute, ${name}`, most, { limits: [make], count: perMinute(count) }] as const
    return [
      row('fixed', fixedWindow(count)),
      row('fixed, from the middle', fixedWindow(count, MINUTE, 0.4), 1.4),
      row('sliding', slidingWindow(count)),
      row('sliding, with refused ones', slidingWindow(count, MINUTE, true), 1.5),
      row('stick table', stickTable(count), 1.4),
      row('bucket', bucket(count, count)),
      row('evenly spaced', spacing(count)),
    ]
  }),
  ['100 a minute, fixed', 1.1, { limits: [fixedWindow(100)], count: 200 }],
  ['100 a minute, evenly spaced', 1.5, { limits: [spacing(100)], count: 200 }],
  ['1 a second', 1.5, { limits: [fixedWindow(1, 1000)], count: 40, answerMs: 100 }],
  [
    '2 a second',
    1.5,
    { limits: [fixedWindow(2, 1000)], count: 200, answerMs: 100, ratePerMinute: 600, concurrency: 8 },
  ],
  ['a bucket of 5, 60 a minute', 1.5, { limits: [bucket(60, 5)], count: 200 }],
  [
    '300 a minute for 16 connections',
    1.5,
    { limits: [fixedWindow(300)], count: 1000, ratePerMinute: 600, concurrency: 16 },
  ],
  ...[1, 2, 3].map(
    (count) =>
      [`${count} in flight`, 1.15, { limits: [inFlight(count)], count: 60, answerMs: 3000 }] as const,
  ),
  ['1 in flight, quick', 1.5, { limits: [inFlight(1)], count: 60 }],
  ['4 in flight of 16', 1.2, { limits: [inFlight(4)], count: 200, ratePerMinute: 600, concurrency: 16 }],
  [
    '60 a minute and 2 in flight',
    1.3,
    { limits: [fixedWindow(60), inFlight(2)], count: 200, answerMs: 3000 },
  ],
  ['10 a minute and 1 in flight', 1.5, { limits: [slidingWindow(10), inFlight(1)], count: 60 }],
  ...[0.01, 0.02, 0.05].flatMap((share) => [
    [`${100 * share} % strays`, 1.25, { limits: [strays(share)], count: 200 }] as const,
    [`${100 * share} % strays, slow`, 1.25, { limits: [strays(share)], count: 200, answerMs: 3000 }] as const,
    [
      `${100 * share} % strays, Retry-After 1`,
      1.25,
      { limits: [strays(share)], count: 200, retryAfterMs: () => 1000 },
    ] as const,
  ]),
  ...[0.02, 0.01, 0.05]
    .slice(0, sweep(1, 3))
    .map(
      (share) =>
        [
          `${100 * share} % strays, 16 connections`,
          1.25,
          { limits: [strays(share)], count: 1000, ratePerMinute: 600, concurrency: 16 },
        ] as const,
    ),
  ['60 a minute with 5 % strays', 1.5, { limits: [fixedWindow(60), strays(0.05)], count: 200 }],
  ['2 in flight with 5 % strays', 1.5, { limits: [inFlight(2), strays(0.05)], count: 200, answerMs: 3000 }],
  ...(['seconds', 'date', 'policy', 'oldKong'] as const).map((kind) => {
    const limits = [fixedWindow(1, 1000)]
    return [`1 a second, stated as ${kind}`, 1.3, { limits, count: 100, headers: HEADERS[kind] }] as const
  }),
  [
    '5 a second, stated',
    1.2,
    { limits: [fixedWindow(5, 1000)], count: 200, ratePerMinute: 600, headers: HEADERS.structured },
  ],
  ['15 in 20 s', 1.6, { limits: [slidingWindow(15, 20_000)], count: 100 }],
  ['10 in 10 s, then shut for 30 s', 1.5, { limits: [penaltyBox(10, 10_000, 30_000)], count: 200 }],
  ['an outage of a minute', 1.5, { limits: [outage(50_000, MINUTE)], count: 200 }],
  ...[fixedWindow(10), slidingWindow(10)].flatMap((make, index) => {
    const kind = ['fixed', 'sliding'][index]!
    const row = (name: string, most: number, more: Partial<SimulatedService>) =>
      [`10 a minute, ${kind}, ${name}`, most, { limits: [make], count: 60, ...more }] as const
    return [
      row('Retry-After right', 1.1, { retryAfterMs: rightMs }),
      row('Retry-After too short', 1.5, { retryAfterMs: () => 1000 }),
      row('X-RateLimit', 1.15, { headers: HEADERS.date }),
    ]
  }),
]

describe('a service with', () => {
  test.each(SERVICES)('%s takes at most %d times the ideal', (_, most, service) => {
    const ideal = idealMs(service)
    const runs = SEEDS.map((seed) => simulate(service, seed))
    expect(runs.filter(({ isOver }) => isOver)).toEqual([])
    const meanMs = runs.reduce((sum, { endedMs }) => sum + endedMs, 0) / runs.length
    expect(meanMs / ideal).toBeLessThanOrEqual(most)
    for (const { startsMs } of runs) expectWithin(startsMs, service.ratePerMinute ?? 100)
  })
})

function expectWithin(startsMs: readonly number[], rate: number): void {
  const tooEarly = startsMs.filter(
    (startMs, at) => at >= rate && startMs - startsMs[at - rate]! < MINUTE - 1e-6,
  )
  expect(tooEarly).toEqual([])
}

describe('starts', () => {
  const startsOf = (rate: number, count: number): number[] => {
    const control = newControl(rate)
    let nowMs = 0
    return Array.from({ length: count }, () => {
      nowMs = control.nextMs(nowMs)!
      answer(control, control.start(nowMs), nowMs)
      return nowMs
    })
  }

  test.each([
    [100, [0, 0, 0, 0, 600, 1200, 1800]],
    [10, [0, 6000, 12_000]],
    [50, [0, 0, 1200]],
  ])('at %i a minute are at %j ms', (rate, expected) => {
    expect(startsOf(rate, expected.length)).toEqual(expected)
  })

  test.each([1, 3, 10, 100, 250])('are at most %i in any minute', (rate) => {
    const startsMs = startsOf(rate, rate * 5)
    expectWithin(startsMs, rate)
    expect(startsMs.at(-1)).toBeLessThanOrEqual(5 * MINUTE)
  })
})

describe('a refusal of a request alone', () => {
  test('stops all starts, for longer each time', () => {
    const control = newControl()
    let nowMs = 0
    const waits = [1, 2, 3, 4, 5].map(() => {
      nowMs = control.nextMs(nowMs)!
      const { waitMs } = control.refuse(control.start(nowMs), nowMs, { requestedMs: undefined, random: 0 })
      return waitMs
    })
    expect(waits).toEqual([1000, 6000, 56_000, 60_000, 60_000])
  })

  test('lets one request at a time start until one is accepted', () => {
    const control = newControl()
    control.refuse(control.start(0), 0, { requestedMs: undefined, random: 0 })
    const probe = control.start(1000)
    expect(control.nextMs(1000)).toBeUndefined()
    answer(control, probe, 1100)
    expect(control.nextMs(1100)).toBe(1100)
  })

  test('is over when such refusals have taken the longest wait', () => {
    const control = newControl(100, { waitMs: 10_000 })
    const overs: boolean[] = []
    for (let nowMs = 0; overs.at(-1) !== true; nowMs = control.nextMs(nowMs)!) {
      overs.push(control.refuse(control.start(nowMs), nowMs, { requestedMs: undefined, random: 0 }).isOver)
    }
    expect(overs).toEqual([false, false, false, true])
  })
})

describe('a refusal while others are in flight', () => {
  test('leaves those, and starts the next after an answer', () => {
    const control = newControl()
    const starts = [0, 0, 0, 0].map(() => control.start(0))
    expect(control.refuse(starts[3]!, 20, { requestedMs: undefined, random: 0 })).toEqual({
      waitMs: undefined,
      isOver: false,
    })
    expect(control.nextMs(20)).toBeUndefined()
    control.accept(starts[0]!, 500)
    expect(control.nextMs(500)).toBeUndefined()
    control.end(starts[0]!)
    expect(control.nextMs(600)).toBe(600)
  })

  test('says how many are accepted when it comes a second time', () => {
    const control = newControl(6000)
    const refuseOneOfTwo = (nowMs: number): number => {
      const [kept, refused] = [control.start(nowMs), control.start(nowMs)]
      control.refuse(refused, nowMs, { requestedMs: undefined, random: 0 })
      answer(control, kept, nowMs)
      return control.pace(nowMs).mostInFlight
    }
    expect(refuseOneOfTwo(0)).toBe(4)
    for (let nowMs = 100; nowMs <= 500; nowMs += 100) answer(control, control.start(nowMs), nowMs)
    expect(refuseOneOfTwo(600)).toBe(1)
  })

  test('is followed by one more in flight after five accepted ones', () => {
    const control = newControl(6000)
    const [kept, refused] = [control.start(0), control.start(0)]
    control.refuse(refused, 0, { requestedMs: undefined, random: 0 })
    control.end(kept)
    for (let nowMs = 100; nowMs <= 500; nowMs += 100) {
      const start = control.start(nowMs)
      expect(control.nextMs(nowMs)).toBeUndefined()
      answer(control, start, nowMs)
    }
    control.start(600)
    expect(control.nextMs(600)).toBe(600)
  })
})

test('the service accepts nothing for as long as it has told, and until the reset of what is used up', () => {
  const told = newControl()
  told.refuse(told.start(0), 0, { requestedMs: 20_000, random: 0 })
  const usedUp = newControl()
  usedUp.accept(usedUp.start(0), 0, { remaining: 0, resetMs: 20_000 })
  for (const control of [told, usedUp])
    expect([5_000, 30_000].map((nowMs) => control.closedMs(nowMs))).toEqual([15_000, 0])
  const oneLeft = newControl()
  oneLeft.accept(oneLeft.start(0), 0, { remaining: 1, resetMs: 20_000 })
  expect(oneLeft.closedMs(5_000)).toBe(0)
})

test('what is left after a reset is less what has started since, from that moment on', () => {
  const control = newControl(600)
  const first = control.start(0)
  control.accept(first, 0, { limit: 10, remaining: 0, windowMs: 20_000, resetMs: 20_000 })
  control.end(first)
  const { untilMs } = control.stated.budget!
  answer(control, control.start(untilMs), untilMs)
  const { startMs } = control.pace(untilMs)
  expect(startMs(9)).toBeLessThan(untilMs + 20_000)
  expect(startMs(10)).toBe(untilMs + 20_000)
})

test('a service that refuses is expected to refuse again after as many requests, those in flight among them', () => {
  const control = newControl(1_000)
  for (let count = 0; count < 5; count += 1) answer(control, control.start(0), 0)
  expect(control.refuse(control.start(0), 0, { requestedMs: undefined, random: 0 }).waitMs).toBe(1_000)
  answer(control, control.start(1_000), 1_000)
  const open = control.start(1_000)
  const { startMs } = control.pace(1_000)
  expect([3, 4].map(startMs)).toEqual([expect.closeTo(1_120, -2), 2_000])
  answer(control, open, 1_000)
  expect([3, 4].map(control.pace(1_000).startMs)).toEqual([expect.closeTo(1_120, -2), 2_000])
})

describe('a time to come back', () => {
  const requestedMs = 7000

  test('is waited for, and a second one in a row counts as none', () => {
    const control = newControl()
    expect(control.refuse(control.start(0), 0, { requestedMs, random: 0.5 }).waitMs).toBe(7500)
    expect(control.refuse(control.start(7500), 7500, { requestedMs: 1, random: 0 }).waitMs).toBe(1000)
    expect(control.refuse(control.start(8500), 8500, { requestedMs, random: 0 }).waitMs).toBe(7000)
  })

  test('is not over when a request is accepted that was sent before it was said again', () => {
    const control = newControl()
    control.refuse(control.start(0), 0, { requestedMs: 1000, random: 0 })
    const [one, other] = [control.start(1500), control.start(1600)]
    control.refuse(other, 1700, { requestedMs, random: 0 })
    control.accept(one, 1800)
    control.end(one)
    expect(control.nextMs(1800)).toBe(8700)
  })

  test('teaches no rate', () => {
    const control = newControl()
    for (let nowMs = 0; nowMs < 10 * MINUTE; nowMs += MINUTE) {
      control.refuse(control.start(nowMs), nowMs, { requestedMs, random: 0 })
      answer(control, control.start(nowMs + 7000), nowMs + 7000)
    }
    expect([0, 0, 0, 0].map(() => control.start(10 * MINUTE)).length).toBe(4)
    expect(control.stated).toEqual({ closedUntilMs: 9 * MINUTE + 7000 })
  })

  test('of requests in flight together is the longest of theirs', () => {
    const control = newControl()
    const starts = [0, 0].map(() => control.start(0))
    control.refuse(starts[0]!, 10, { requestedMs, random: 0 })
    expect(control.refuse(starts[1]!, 11, { requestedMs: 9000, random: 0 }).waitMs).toBe(9000)
    expect(control.nextMs(12)).toBe(9011)
  })
})

describe('the limit in a response', () => {
  const accepted = (limit: RateLimit, waitMs = MINUTE): RateControl => {
    const control = newControl(100, { waitMs })
    const start = control.start(0)
    control.accept(start, 0, limit)
    control.end(start)
    return control
  }

  test.each([
    [{ limit: 10 }, { perMinute: 10 }],
    [{ limit: 1 }, { perMinute: 1 }],
    [{ limit: 10, resetMs: 60_000 }, { perMinute: 10 }],
    [{ limit: 10, resetMs: 1_000 }, { perMinute: 600 }],
    [{ limit: 10, resetMs: 300 }, { perMinute: 600 }],
    [{ limit: 10, resetMs: 0 }, { perMinute: 600 }],
    [
      { limit: 10, remaining: 2, windowMs: 1000 },
      { perMinute: 600, budget: { left: 2, untilMs: 1050 } },
    ],
    [{ limit: 10, resetMs: 3_600_000 }, {}],
    [{ limit: 2, windowMs: 1000 }, { perMinute: 120 }],
    [{ limit: 1000, windowMs: 3_600_000 }, {}],
    [{ limit: 0 }, {}],
    [{ remaining: 3, resetMs: 20_000 }, { budget: { left: 3, untilMs: 21_000 } }],
    [{ remaining: 0, resetMs: 60_001 }, {}],
  ])('%j says %j', (limit, stated) => {
    expect(accepted(limit).stated).toEqual(stated)
  })

  test('lets what remains start at once, less the requests in flight, then waits for the reset', () => {
    const control = newControl()
    const [first] = [0, 0, 0].map(() => control.start(0))
    control.accept(first!, 0, { remaining: 24, resetMs: 20_000 })
    let started = 0
    for (; control.nextMs(0) === 0; started += 1) answer(control, control.start(0), 0)
    expect([started, control.nextMs(0)]).toEqual([22, 21_000])
  })

  test('does not count the requests in flight that started before it', () => {
    const control = newControl()
    const starts = [0, 0, 0].map(() => control.start(0))
    control.accept(starts[2]!, 0, { remaining: 24, resetMs: 20_000 })
    control.accept(starts[0]!, 0, { remaining: 26, resetMs: 20_000 })
    expect(control.stated.budget).toEqual({ left: 24, untilMs: 21_000 })
  })

  test('counts seconds from the response when a refusal shows that it must', () => {
    const untilMs = [false, true].map((isRefused) => {
      const control = newControl()
      const limit = { remaining: 0, resetMs: 19_000, windowMs: 20_000 }
      control.accept(control.start(0), 1000, limit)
      if (isRefused) control.refuse(control.start(20_500), 20_500, { requestedMs: 500, random: 0 })
      control.accept(control.start(30_000), 31_000, limit)
      return control.stated.budget!.untilMs
    })
    expect(untilMs).toEqual([50_000, 51_000])
  })

  test('never raises the rate again', () => {
    const control = accepted({ limit: 10 })
    control.accept(control.start(6000), 6000, { limit: 1000 })
    expect(control.stated.perMinute).toBe(10)
  })
})

test('any sequence of events leaves a finite wait and starts within the rate', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seeded(seed)
    const rate = [1, 7, 100, 100_000][seed % 4]!
    const control = newControl(rate)
    const open: Start[] = []
    const startsMs: number[] = []
    let nowMs = 0
    for (let step = 0; step < 80; step += 1) {
      const nextMs = control.nextMs(nowMs)
      if (nextMs === nowMs) {
        open.push(control.start(nowMs))
        startsMs.push(nowMs)
      } else if (nextMs === undefined) expect(open.length, `seed ${seed}`).toBeGreaterThan(0)
      else expect(nextMs - nowMs, `seed ${seed}`).toBeLessThanOrEqual(20 * MINUTE)
      const [start] = open.splice(Math.floor(random() * open.length), random() < 0.7 ? 1 : 0)
      if (start !== undefined) {
        const limit =
          random() < 0.2 ? { limit: Math.floor(random() * 50), remaining: 3, resetMs: 9000 } : undefined
        const requestedMs = random() < 0.2 ? random() * MINUTE : undefined
        if (random() < 0.5) control.accept(start, nowMs, limit)
        else control.refuse(start, nowMs, { requestedMs, limit, random: random() })
        control.end(start)
      }
      nowMs += Math.ceil(random() * (random() < 0.2 ? 2 * MINUTE : 1_000))
    }
    expectWithin(startsMs, rate)
  }
})

function newControl(perMinute = 100, { inFlight = 4, waitMs = 5 * MINUTE } = {}): RateControl {
  return new RateControl({ perMinute, inFlight, waitMs })
}

function answer(control: RateControl, start: Start, nowMs: number): void {
  control.accept(start, nowMs)
  control.end(start)
}

test.each([
  ['a second, in dates that are rounded up', slidingWindow(1, 1_000), HEADERS.epoch, 1_000],
  ['a second, in dates with milliseconds', slidingWindow(1, 1_000), HEADERS.epochMs, 1_000],
  ['two seconds, in dates that are rounded down', fixedWindow(1, 2_000), HEADERS.date, 2_000],
  ['two seconds, in dates that are rounded up', slidingWindow(1, 2_000), HEADERS.epoch, 3_000],
])('one request in %s takes about as long as the limit', (_, limit, headers, everyMs) => {
  const service = { limits: [limit], headers, count: 30, ratePerMinute: 600, answerMs: 20 }
  const { endedMs, refused } = simulate(service, 1)
  expect(endedMs).toBeLessThan(1.3 * 30 * everyMs)
  expect(refused).toBeLessThan(8)
})
