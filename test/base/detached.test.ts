import { expect, test } from 'vitest'
import { detached } from '../../src/base/detached.ts'

test.each([
  '',
  'A',
  'PN-1',
  'PN-0203908-71',
  '😀 is two units at its start',
  'an end of two units 😀',
  'no\u00a0ASCII at all: Ω',
])('%j is the same text', (text) => {
  expect(detached(text)).toBe(text)
})
