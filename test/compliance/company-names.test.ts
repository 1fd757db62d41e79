import { describe, expect, test } from 'vitest'
import {
  companyIdentity,
  companyName,
  createNamesAgree,
  isMadeUpCompany,
  isSameCompany,
} from '../../src/compliance/company-names.ts'

const namesAgree = createNamesAgree([
  { name: 'Texas Instruments', alias: 'TI' },
  { name: 'Texas Instruments', alias: 'National Semiconductor' },
])

describe('the manufacturer of a list and a declaring company', () => {
  test.each<[string, string, string, boolean]>([
    ['differ in case, punctuation and legal form', 'VISHAY', 'Vishay, Inc.', true],
    ['differ in words such as Manufacturing', 'Murata', 'Murata Manufacturing Co., Ltd.', true],
    ['differ in the region', 'Acme', 'ACME Europe GmbH', true],
    ['differ in Semiconductor', 'Diotec', 'Diotec Semiconductor AG', true],
    ['begin alike in whole words', 'Northern', 'Northern Lights Capacitors', true],
    ['begin alike, but not in whole words', 'Nort', 'Northern', false],
    ['begin alike with less than four letters', 'TDK', 'TDK Lambda', false],
    ['are named in brackets', 'Acme (Europe)', 'Acme', true],
    ['agree by an alias', 'TI', 'Texas Instruments Incorporated', true],
    ['agree by two aliases of one company', 'TI', 'National Semiconductor Corporation', true],
    ['have the same common words only', 'Acme Electronics', 'Zenith Electronics', false],
    ['share a word that is not the first', 'Northern Resistors', 'Southern Resistors', false],
    ['have nothing in common', 'Acme', 'Other', false],
    ['are not named', '', 'Acme', false],
  ])('%s: %s and %s: %s', (_, listed, declared, expected) => {
    expect(namesAgree(listed, declared)).toBe(expected)
    expect(namesAgree(declared, listed)).toBe(expected)
  })
})

test.each([
  ['Vishay / Siliconix', 'Siliconix Inc.', true],
  ['Vishay/Dale', 'Vishay', true],
  ['Acme; Zenith', 'Zenith GmbH', true],
  ['Danfoss A/S', 'Sierra', false],
])('a list may name several: %s and %s: %s', (listed, declared, expected) => {
  expect(namesAgree(listed, declared)).toBe(expected)
})

test('a company is known by its identifier, and by its name without case, punctuation and legal form', () => {
  const known = (id: string, supplier: string) => companyIdentity({ companyIds: [id], supplier })
  expect(known('80-473-5132', 'ACME, Inc.')).toEqual({ id: '804735132', name: companyName('Acme') })
  for (const placeholder of ['NA', 'TBC', '111111111', '-', '', 'n/a', 'unknown']) {
    expect(known(placeholder, 'Acme').id).toBe('')
  }
})

test.each([
  ['80-473-5132', true],
  ['DE 136 695 976', true],
  ['10101', true],
  ['8047', false],
  ['ACME', false],
  ['No DUNS', false],
  ['不明', false],
  ['99999', false],
  ['12345', false],
  ['0123456789', false],
  ['890123', false],
  ['987654321', false],
])('%j is an identifier: %s', (id, expected) => {
  expect(companyIdentity({ companyIds: [id], supplier: '' }).id !== '').toBe(expected)
})

test.each([
  ['1', 'acme', '1', 'acme', true],
  ['1', 'acme', '', 'acme', true],
  ['', 'acme', '', 'acme', true],
  ['1', '', '1', '', true],
  ['1', 'acme', '2', 'acme', false],
  ['1', 'acme', '1', 'zenith', false],
  ['1', 'acme', '1', '', false],
  ['', '', '', '', false],
  ['1', '', '', '', false],
])(
  'the identifier %j and the name %j beside %j and %j: the same company %s',
  (id, name, id2, name2, expected) => {
    expect(isSameCompany({ id, name }, { id: id2, name: name2 })).toBe(expected)
    expect(isSameCompany({ id: id2, name: name2 }, { id, name })).toBe(expected)
  },
)

test.each([
  ['Made-up data (sandbox)', true],
  ['Example Passives (sandbox)', true],
  ['Murata; Example Passives (sandbox)', true],
  ['Murata', false],
  ['Sandbox Industries', false],
  ['', false],
])('%j is made up: %s', (names, expected) => {
  expect(isMadeUpCompany(names)).toBe(expected)
})
