import { expect, test } from 'vitest'
import { createMeter, shareOf } from '../../src/terminal/progress-meter.ts'
import { createFakeClock } from '../support/world.ts'

const start = () => {
  const clock = createFakeClock()
  return { clock, meter: createMeter({ clock }) }
}

test('the rate is that of the last seconds, and falls to zero when nothing comes', () => {
  const { clock, meter } = start()
  for (let second = 0; second <= 10; second += 1) {
    // Slow at first, then ten times as fast.
    const bytes = second <= 5 ? second * 100 : 500 + (second - 5) * 1_000
    meter.count({ phase: 'receiving', bytes, totalBytes: 10_500 })
    if (second < 10) clock.advance(1_000)
  }
  expect(meter.read()).toMatchObject({ bytesPerSecond: 1_000, leftMs: 5_000 })
  clock.advance(60_000)
  expect(meter.read()).toMatchObject({ bytesPerSecond: 0, leftMs: undefined, phaseMs: 70_000 })
})

test('what an earlier run kept is not part of the rate', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'asking', bytes: 9_000, totalBytes: 10_000 })
  clock.advance(1_000)
  meter.count({ phase: 'receiving', bytes: 9_100, totalBytes: 10_000 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: 100, leftMs: 9_000 })
})

test('the time left of many requests follows from those of this run', () => {
  const { clock, meter } = start()
  const many = (share: number) => ({ phase: 'receiving', share, requestsDone: 0, requestsTotal: 10 }) as const
  meter.count(many(0.5))
  expect(meter.read().leftMs).toBeUndefined()
  clock.advance(20_000)
  meter.count({ ...many(0.6), phase: 'asking' })
  expect(meter.read().leftMs).toBeCloseTo(80_000)
})

test('the time left follows from the allowed rate, and does not rise while requests wait for it', () => {
  const { clock, meter } = start()
  const lastStartMs = clock.monotonicMs() + 180_000
  const many = (share: number) =>
    ({ phase: 'receiving', share, requestsDone: 0, requestsTotal: 10, lastStartMs }) as const
  meter.count(many(0))
  expect(meter.read().leftMs).toBe(180_000)
  clock.advance(2_000)
  meter.count(many(0.25))
  expect(meter.read().leftMs).toBe(178_000)
  meter.count({ ...many(0.25), phase: 'waiting', waitUntilMs: clock.monotonicMs() + 60_000 })
  for (const left of [158_000, 138_000]) {
    clock.advance(20_000)
    expect(meter.read().leftMs).toBe(left)
  }
})

test('a wait is part of the time left', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', share: 0, requestsDone: 0, requestsTotal: 10 })
  clock.advance(2_000)
  const waitUntilMs = clock.monotonicMs() + 30_000
  meter.count({ phase: 'waiting', share: 0.5, requestsDone: 5, requestsTotal: 10, waitUntilMs })
  expect(meter.read().leftMs).toBe(32_000)
  clock.advance(10_000)
  expect(meter.read().leftMs).toBe(22_000)
})

test('another task starts again', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', bytes: 0, totalBytes: 100 })
  clock.advance(1_000)
  meter.count({ phase: 'receiving', bytes: 100, totalBytes: 100 })
  meter.count({ phase: 'verifying', bytes: 10, totalBytes: 100 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: undefined, leftMs: undefined, phaseMs: 0 })
})

test.each([
  [0.5, { share: 0.5, bytes: 1, totalBytes: 4 }],
  [0.25, { bytes: 1, totalBytes: 4, requestsDone: 1, requestsTotal: 2 }],
  [0.5, { requestsDone: 1, requestsTotal: 2 }],
  [1, { bytes: 5, totalBytes: 4 }],
  [0, { share: 0 }],
  [undefined, { bytes: 5, totalBytes: 0 }],
  [undefined, { requestsDone: 0, requestsTotal: 1 }],
  [undefined, { bytes: 5 }],
])('the share is %s of %j', (share, facts) => {
  expect(shareOf({ phase: 'receiving', ...facts })).toBe(share)
})

test('a speed is known after half a second, and a time left after a fiftieth', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', bytes: 0, totalBytes: 1_000 })
  clock.advance(499)
  expect(meter.read()).toMatchObject({ bytesPerSecond: undefined, leftMs: undefined, phaseMs: 499 })
  clock.advance(1)
  meter.count({ phase: 'receiving', bytes: 100, totalBytes: 1_000 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: 200, leftMs: 4_500 })
  meter.count({ phase: 'receiving', bytes: 1_200, totalBytes: 1_000 })
  expect(meter.read().leftMs).toBe(0)
  const many = (share: number) => ({ phase: 'reporting', share }) as const
  meter.count(many(0.5))
  clock.advance(1_000)
  meter.count(many(0.519))
  expect(meter.read().leftMs).toBeUndefined()
  meter.count(many(0.53))
  expect(meter.read().leftMs).toBeCloseTo((1_000 * 0.47) / 0.03)
})

test('bytes of a failed request count no longer', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', bytes: 5_000 })
  clock.advance(1_000)
  meter.count({ phase: 'receiving', bytes: 100 })
  clock.advance(1_000)
  meter.count({ phase: 'receiving', bytes: 300 })
  expect(meter.read().bytesPerSecond).toBe(200)
})
