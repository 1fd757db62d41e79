import { expect, it } from 'vitest'
import { casNumber, isValidCas, substanceNames } from '../../src/compliance/substance-identity.ts'

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

it.each([
  ['7439-92-1', '7439-92-1'],
  [' 7439-92-1 ', '7439-92-1'],
  ['0007439-92-1', '7439-92-1'],
  ['7439\u201392\u20111', '7439-92-1'],
  ['0000050-00-0', '50-00-0'],
  ['CAS 7439-92-1', '7439-92-1'],
  ['CAS-No.: 7439-92-1', '7439-92-1'],
  ['CAS# 7439-92-1', '7439-92-1'],
  ['7439-92-2', undefined],
  ['CAS 7439-92-2', undefined],
  ['system', undefined],
])('%j is read as the CAS number %j', (text, expected) => {
  expect([casNumber(text), casNumber(text)]).toEqual([expected, expected])
})

it.each([
  ['Lead', ['lead']],
  ['Bis (2-ethylhexyl) phthalate (DEHP)', ['bis2ethylhexylphthalatedehp', 'bis2ethylhexylphthalate', 'dehp']],
  [
    'Perfluorohexane-1-sulphonic acid (PFHxS) and its salts',
    ['perfluorohexane1sulfonicacidpfhxsanditssalts', 'pfhxs'],
  ],
  ['Lead(II) bis(methanesulfonate)', ['leadiibismethanesulfonate']],
  [
    '1,2-bis(2-methoxyethoxy)ethane (TEGDME; triglyme)',
    ['12bis2methoxyethoxyethanetegdmetriglyme', '12bis2methoxyethoxyethane', 'tegdme', 'triglyme'],
  ],
])('%j is called by its own names alone', (name, expected) => {
  expect(substanceNames(name)).toEqual(expected)
})
