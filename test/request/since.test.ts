import { describe, expect, test } from 'vitest'
import { parseSince, resolveSince } from '../../src/request/since.ts'

const NOW = Date.parse('2026-03-01T00:30:00Z')

describe('a period', () => {
  test.each([
    ['7d', '2026-02-22'],
    ['2w', '2026-02-15'],
    ['yesterday', '2026-02-28'],
    ['1D', '2026-02-28'],
  ])('%s starts on %s', (text, startDate) => {
    expect(resolveSince(parseSince(text), ['A'], NOW, undefined)).toEqual([{ parts: ['A'], startDate }])
  })

  test.each(['', '0d', 'd', '7', '7h', '-7d', '1.5d', '999999d', 'tomorrow', '2026-01-01', '7d2w'])(
    '%j is a mistake',
    (text) => expect(() => parseSince(text)).toThrow(expect.objectContaining({ kind: 'usage' })),
  )
})

describe('the period last-run', () => {
  const since = parseSince('last-run')
  const serverDateMs = Date.parse('2026-02-27T23:59:59Z')
  const lastRun = (...parts: string[]): Parameters<typeof resolveSince>[3] => ({
    serverDateMs,
    hasPart: (part) => parts.includes(part),
  })

  test('has no start date the first time', () => {
    expect(resolveSince(since, ['A', 'B'], NOW, undefined)).toEqual([{ parts: ['A', 'B'] }])
  })

  test('starts the day before the last run, without a date for new parts', () => {
    expect(resolveSince(since, ['A', 'N', 'B'], NOW, lastRun('A', 'B'))).toEqual([
      { parts: ['A', 'B'], startDate: '2026-02-26' },
      { parts: ['N'] },
    ])
  })

  test('leaves out empty groups', () => {
    expect(resolveSince(since, ['A'], NOW, lastRun('A'))).toEqual([{ parts: ['A'], startDate: '2026-02-26' }])
    expect(resolveSince(since, ['N'], NOW, lastRun('A'))).toEqual([{ parts: ['N'] }])
  })

  test('works without parts', () => {
    expect(resolveSince(since, [], NOW, lastRun())).toEqual([{ parts: [], startDate: '2026-02-26' }])
  })
})
