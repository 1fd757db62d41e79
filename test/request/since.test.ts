import { describe, expect, test } from 'vitest'
import { startOfPeriod } from '../../src/request/since.ts'

const NOW = Date.parse('2026-03-01T00:30:00Z')

describe('a period', () => {
  test.each([
    ['7d', '2026-02-22'],
    ['2w', '2026-02-15'],
    ['yesterday', '2026-02-28'],
    ['1D', '2026-02-28'],
  ])('%s starts on %s', (text, startDate) => {
    expect(startOfPeriod(text, NOW)).toBe(startDate)
  })

  test.each([
    '',
    'last-run',
    '0d',
    'd',
    '7',
    '7h',
    '-7d',
    '1.5d',
    '999999d',
    'tomorrow',
    '2026-01-01',
    '7d2w',
  ])('%j is a mistake', (text) =>
    expect(() => startOfPeriod(text, NOW)).toThrow(expect.objectContaining({ kind: 'usage' })),
  )
})
