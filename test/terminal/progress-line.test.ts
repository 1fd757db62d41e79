import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/base/notice.ts'
import { progressLine } from '../../src/terminal/progress-line.ts'
import type { Meter } from '../../src/terminal/progress-meter.ts'

const MIB = 1024 ** 2
const METER: Meter = { bytesPerSecond: undefined, leftMs: undefined, phaseMs: 0, nowMs: 0 }
const SINGLE: Progress = {
  phase: 'receiving',
  bytes: 5 * MIB,
  totalBytes: 12 * MIB,
  requestsDone: 0,
  requestsTotal: 1,
}
const MANY: Progress = { phase: 'receiving', bytes: 5 * MIB, share: 0.815, requestsDone: 3, requestsTotal: 4 }
const FAST: Meter = { ...METER, bytesPerSecond: MIB, leftMs: 7_000 }

describe('one line of progress', () => {
  test.each([
    ['one download', SINGLE, FAST, 'receiving  41%  5.0 MiB of 12.0 MiB  1.0 MiB/s  7 s left'],
    ['many requests', MANY, FAST, 'receiving  81%  5.0 MiB  1.0 MiB/s  7 s left  3 of 4 requests done'],
    [
      'a stalled transfer',
      SINGLE,
      { ...METER, bytesPerSecond: 0 },
      'receiving  41%  5.0 MiB of 12.0 MiB  0 B/s',
    ],
    ['an unknown size', { phase: 'receiving', bytes: MIB }, METER, 'receiving  1.0 MiB'],
    [
      'a request without an answer',
      { phase: 'asking' },
      { ...METER, phaseMs: 12_400 },
      'waiting for the service  12 s',
    ],
    [
      'a request just sent',
      { phase: 'asking', bytes: 0 },
      { ...METER, phaseMs: 900 },
      'waiting for the service',
    ],
    ['files read', { phase: 'reporting', filesDone: 1_234 }, METER, 'reporting  1,234 files'],
  ] as const)('%s', (_, progress, meter, expected) => {
    expect(progressLine(progress, meter)).toBe(expected)
  })

  test.each([
    [200, 'receiving  81%  5.0 MiB  1.0 MiB/s  7 s left  3 of 4 requests done'],
    [65, 'receiving  81%  5.0 MiB  7 s left  3 of 4 requests done'],
    [50, 'receiving  81%  5.0 MiB  7 s left'],
    [30, 'receiving  81%  7 s left'],
    [20, '81%  7 s left'],
    [8, '81%'],
  ])('in %i columns', (columns, expected) => {
    expect(progressLine(MANY, FAST, columns)).toBe(expected)
  })
})

describe('a wait', () => {
  const RATE = 'waiting for the rate limit'
  const wait: Progress = {
    phase: 'waiting',
    waitUntilMs: 40_000,
    reason: 'waiting for the rate limit',
    next: 'retrying',
  }
  const four = { ...wait, requestsDone: 3, requestsTotal: 4 }
  const busy = { ...four, reason: 'api.example.com is temporarily unavailable (status 503)' }
  test.each([
    ['counts down', four, 5_000, 100, `${RATE}, retrying in 35 s  1 min 40 s left  3 of 4 requests done`],
    ['keeps the time left in 80 columns', four, 5_000, 80, `${RATE}, retrying in 35 s  1 min 40 s left`],
    ['ends at zero', four, 99_000, 100, `${RATE}, retrying in 0 s  1 min 40 s left  3 of 4 requests done`],
    ['of one request', wait, 30_900, 80, `${RATE}, retrying in 10 s  1 min 40 s left`],
    ['in 44 columns', four, 5_000, 44, `${RATE}, retrying in 35 s`],
    ['with a long reason in 40 columns', busy, 5_000, 40, 'api.example.com is te…, retrying in 35 s'],
    ['in 20 columns', busy, 5_000, 20, 'retrying in 35 s'],
  ])('%s', (_, progress, nowMs, columns, expected) => {
    const line = progressLine(progress, { ...METER, leftMs: 100_000, nowMs }, columns)
    expect(line).toBe(expected)
    expect(line.length).toBeLessThanOrEqual(columns)
  })
})
