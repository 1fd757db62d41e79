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
const MANY: Progress = {
  phase: 'receiving',
  bytes: 5 * MIB,
  requestsDone: 3,
  requestsTotal: 4,
  perMinute: 100,
}
const FAST: Meter = { ...METER, bytesPerSecond: MIB, leftMs: 7_000 }

describe('one line of progress', () => {
  test.each<[string, Progress, Meter, string]>([
    ['one download', SINGLE, FAST, '41%  7 s left  receiving  5.0 MiB of 12.0 MiB  1.0 MiB/s'],
    ['many requests', MANY, FAST, '3 of 4 requests  7 s left  receiving  5.0 MiB  1.0 MiB/s'],
    [
      'many requests of known lengths before the first answer',
      { ...MANY, bytes: 3.2 * MIB, totalBytes: 45.8 * MIB, requestsDone: 0 },
      { ...FAST, leftMs: 11_000 },
      '4 requests  11 s left  receiving  3.2 MiB of 45.8 MiB  1.0 MiB/s',
    ],
    [
      'many requests before anything is known',
      { phase: 'asking', bytes: 0, requestsDone: 0, requestsTotal: 1_060, perMinute: 100 },
      METER,
      '1,060 requests, at most 100 a minute  waiting for the service',
    ],
    [
      'what earlier runs kept, before anything is known',
      { ...MANY, phase: 'asking' },
      { ...METER, phaseMs: 3_000 },
      '3 of 4 requests, at most 100 a minute  waiting for the service 3 s  5.0 MiB',
    ],
    [
      'a stalled transfer',
      SINGLE,
      { ...METER, bytesPerSecond: 0 },
      '41%  receiving  5.0 MiB of 12.0 MiB  0 B/s',
    ],
    ['an unknown size', { phase: 'receiving', bytes: MIB }, METER, 'receiving  1.0 MiB'],
    [
      'a request without an answer',
      { phase: 'asking' },
      { ...METER, phaseMs: 12_400 },
      'waiting for the service 12 s',
    ],
    [
      'a request just sent',
      { phase: 'asking', bytes: 0 },
      { ...METER, phaseMs: 900 },
      'waiting for the service',
    ],
    ['files read', { phase: 'reporting', filesDone: 1_234 }, METER, '1,234 files  reporting'],
  ])('%s', (_, progress, meter, expected) => {
    expect(progressLine(progress, meter)).toBe(expected)
  })

  test.each([
    [200, '3 of 4 requests  7 s left  receiving  5.0 MiB  1.0 MiB/s'],
    [50, '3 of 4 requests  7 s left  receiving  5.0 MiB'],
    [40, '3 of 4 requests  7 s left  receiving'],
    [30, '3 of 4 requests  7 s left'],
    [20, '3 of 4 requests'],
    [8, ''],
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
  const LEFT = '3 of 4 requests  1 min 40 s left'
  test.each([
    ['counts down', four, 5_000, 100, `${LEFT}  ${RATE}, retrying in 35 s`],
    ['has its size', { ...four, bytes: MIB }, 5_000, 100, `${LEFT}  ${RATE}, retrying in 35 s  1.0 MiB`],
    ['ends at zero', four, 99_000, 100, `${LEFT}  ${RATE}, retrying in 0 s`],
    ['of one request', wait, 30_900, 80, `1 min 40 s left  ${RATE}, retrying in 10 s`],
    ['with a long reason in 70 columns', busy, 5_000, 70, `${LEFT}  api.example.com i…, retrying in 35 s`],
    ['in 50 columns', busy, 5_000, 50, `${LEFT}  retrying in 35 s`],
    ['in 44 columns', busy, 5_000, 44, LEFT],
    ['in 20 columns', busy, 5_000, 20, '3 of 4 requests'],
  ])('%s', (_, progress, nowMs, columns, expected) => {
    const line = progressLine(progress, { ...METER, leftMs: 100_000, nowMs }, columns)
    expect(line).toBe(expected)
    expect(line.length).toBeLessThanOrEqual(columns)
  })
})
