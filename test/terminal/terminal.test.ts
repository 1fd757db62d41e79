import { expect, test } from 'vitest'
import { logLine } from '../../src/terminal/terminal.ts'

const NOW = Date.parse('2026-03-04T05:06:07.089Z')

test.each([
  ['warning', 'warn'],
  ['info', 'info'],
  ['trace', 'trace'],
])('a log line of level %s has the level %s', (level, shown) => {
  expect(JSON.parse(logLine(NOW, level, 'request.retry', 'again', { waitMs: 5 }))).toEqual({
    time: '2026-03-04T05:06:07.089Z',
    level: shown,
    event: 'request.retry',
    message: 'again',
    waitMs: 5,
  })
})

test('data never replaces the message, and a line break stays inside the line', () => {
  const line = logLine(NOW, 'info', 'e', 'one\ntwo', { message: 'other' })
  expect(JSON.parse(line)).toMatchObject({ message: 'one\ntwo' })
  expect(line).not.toContain('\n')
})
