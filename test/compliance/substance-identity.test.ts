import { expect, it } from 'vitest'
import { isValidCas } from '../../src/compliance/substance-identity.ts'

it.each([
  ['7439-92-1', true],
  ['12047-27-7', true],
  ['7732-18-5', true],
  ['7439-92-2', false],
  ['7439921', false],
  ['07439-92-1-', false],
  ['system', false],
  ['-', false],
  ['MISC., NOT TO DECLARE', false],
  ['', false],
  [' 7439-92-1', false],
])('CAS %j is valid: %s', (text, expected) => {
  expect(isValidCas(text)).toBe(expected)
})
