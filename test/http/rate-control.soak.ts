import { expect, test } from 'vitest'
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
  strays,
} from '../support/rate-limits.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const SEEDS = [1, 2, 3, 4]

/** Limits in windows of each length. */
const WINDOWS: readonly (readonly [windowMs: number, counts: readonly number[]])[] = [
  [SECOND, [1, 2, 5]],
  [10 * SECOND, [3, 10, 20]],
  [MINUTE, [6, 10, 30, 100]],
  [HOUR, [20, 100]],
]

/** How many requests are sent; in other windows, up to six times their limit. */
const COUNTS = new Map([
  [SECOND, 200],
  [10 * SECOND, 100],
])

type Row = readonly [name: string, service: SimulatedService]

const LIMITED = WINDOWS.flatMap(([windowMs, counts]) =>
  counts.flatMap((count): Row[] => {
    const kinds = [
      ['fixed', fixedWindow(count, windowMs)],
      ['fixed, from its middle', fixedWindow(count, windowMs, 0.4)],
      ['sliding', slidingWindow(count, windowMs)],
    ] as const
    const silent = [
      ...kinds,
      ['bucket', bucket((count * MINUTE) / windowMs, Math.max(1, Math.ceil(count / 2)))],
      ...(windowMs === HOUR
        ? []
        : [['sliding, with refused ones', slidingWindow(count, windowMs, true)] as const]),
    ] as const
    const client = {
      count: COUNTS.get(windowMs) ?? Math.max(40, Math.min(300, 6 * count)),
      maxWaitMs: windowMs === HOUR ? 2 * HOUR : 5 * MINUTE,
      ...(windowMs === SECOND && { ratePerMinute: 600, answerMs: 200 }),
    }
    const base = `${count} in ${windowMs / 1000} s`
    return [
      ...silent.map(([kind, limit]): Row => [`${base}, ${kind}`, { ...client, limits: [limit] }]),
      ...kinds.flatMap(([kind, limit]): Row[] => [
        ...Object.entries(HEADERS).map(
          ([header, headers]): Row => [
            `${base}, ${kind}, ${header}`,
            { ...client, limits: [limit], headers },
          ],
        ),
        [
          `${base}, ${kind}, slow, policy`,
          { ...client, limits: [limit], headers: HEADERS.policy, answerMs: 3 * SECOND },
        ],
        [
          `${base}, ${kind}, stated at the answer`,
          { ...client, limits: [limit], headers: HEADERS.seconds, isStatedAtAnswer: true },
        ],
        [
          `${base}, ${kind}, Retry-After`,
          { ...client, limits: [limit], retryAfterMs: (freeMs) => Math.ceil(freeMs / 1000) * 1000 },
        ],
      ]),
    ]
  }),
)

const OTHERS: readonly Row[] = [
  ...[20, 30, 40].flatMap((shut): Row[] =>
    [false, true].flatMap((isExtended) =>
      (
        [
          [10, 10],
          [5, 10],
          [20, 20],
          [30, 60],
        ] as const
      ).map(
        ([count, seconds]): Row => [
          `${count} in ${seconds} s, then shut for ${shut} s${isExtended ? ', again with each attempt' : ''}`,
          { limits: [penaltyBox(count, seconds * SECOND, shut * SECOND, isExtended)], count: 240 },
        ],
      ),
    ),
  ),
  ...[1, 2, 3].map(
    (count): Row => [`${count} in flight`, { limits: [inFlight(count)], count: 60, answerMs: 3000 }],
  ),
  ...[0.01, 0.02, 0.05].map((share): Row => [`${share} strays`, { limits: [strays(share)], count: 200 }]),
  ['an outage of a minute', { limits: [outage(50_000, MINUTE)], count: 200 }],
]

/** More than 1.5 times the ideal: a wait that is stated in whole seconds is long for these windows, or the window has to be found out. */
const SLOWER = new Map([
  ['1 in 1 s, sliding, floored', 2.1],
  ['5 in 1 s, sliding, Retry-After', 2],
  ['5 in 1 s, sliding, with refused ones', 1.9],
  ['5 in 1 s, sliding', 1.7],
  ['3 in 10 s, sliding, with refused ones', 1.6],
  ['3 in 10 s, sliding', 1.6],
])

test.each([...LIMITED, ...OTHERS])('%s takes at most 1.5 times the ideal', (name, service) => {
  const ideal = idealMs(service)
  const runs = SEEDS.map((seed) => simulate(service, seed))
  const times = runs.map(({ endedMs }) => endedMs / ideal)
  expect(runs.filter(({ isOver }) => isOver)).toEqual([])
  expect(times.reduce((sum, each) => sum + each) / times.length).toBeLessThanOrEqual(SLOWER.get(name) ?? 1.5)
  expect(Math.max(...times)).toBeLessThanOrEqual(3)
})
