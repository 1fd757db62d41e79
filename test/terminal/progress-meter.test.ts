import { expect, test } from 'vitest'
import { createMeter } from '../../src/terminal/progress-meter.ts'
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

test('the time left of many requests is that until their end, and is not known after it', () => {
  const { clock, meter } = start()
  const many = { phase: 'receiving', bytes: 0, requestsDone: 0, requestsTotal: 10 } as const
  meter.count(many)
  clock.advance(2_000)
  meter.count({ ...many, bytes: 500 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: 250, leftMs: undefined })
  meter.count({ ...many, bytes: 500, totalBytes: 1_000 })
  expect(meter.read()).toMatchObject({ leftMs: 2_000 })
  meter.count({ ...many, phase: 'waiting', endMs: clock.monotonicMs() + 60_000 })
  for (const left of [40_000, 20_000, undefined, undefined]) {
    clock.advance(20_000)
    expect(meter.read().leftMs).toBe(left)
  }
})

test('another task starts again', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', bytes: 0, totalBytes: 100 })
  clock.advance(1_000)
  meter.count({ phase: 'receiving', bytes: 100, totalBytes: 100 })
  meter.count({ phase: 'verifying', bytes: 10, totalBytes: 100 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: undefined, leftMs: undefined, phaseMs: 0 })
})

test('a speed is known after half a second', () => {
  const { clock, meter } = start()
  meter.count({ phase: 'receiving', bytes: 0, totalBytes: 1_000 })
  clock.advance(499)
  expect(meter.read()).toMatchObject({ bytesPerSecond: undefined, leftMs: undefined, phaseMs: 499 })
  clock.advance(1)
  meter.count({ phase: 'receiving', bytes: 100, totalBytes: 1_000 })
  expect(meter.read()).toMatchObject({ bytesPerSecond: 200, leftMs: 4_500 })
  meter.count({ phase: 'receiving', bytes: 1_200, totalBytes: 1_000 })
  expect(meter.read().leftMs).toBe(0)
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
