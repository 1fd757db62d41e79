import { expect, test } from 'vitest'
import {
  casOfEntry,
  entryKey,
  type ListEntry,
  nameKey,
  namesOfEntry,
} from '../../src/compliance/entry-keys.ts'

const entry = (name: string, code = '', cas: readonly string[] = []): ListEntry => ({
  code,
  authority: 'IPC',
  name,
  cas,
  threshold: '',
})

test('an entry is known by its code, else by its name without case, spaces and punctuation', () => {
  expect(entryKey(entry('Lead', ' 00188 '))).toBe('00188')
  expect(entryKey(entry('Lead', ' 00a1 '))).toBe('00A1~lead')
  expect(entryKey(entry('Bis (2-ethylhexyl) phthalate'))).toBe(nameKey('bis(2-EthylHexyl)phthalate'))
  expect(entryKey(entry('Lead'))).not.toBe(entryKey(entry('Lead oxide')))
  expect(nameKey('—')).toBe('~—')
})

test('the CAS numbers of an entry are those of its substances, its code and its name', () => {
  expect(casOfEntry(entry('Lead (7439-92-1)'))).toEqual(['7439-92-1'])
  expect(casOfEntry(entry('Lead', '7439-92-1'))).toEqual(['7439-92-1'])
  expect(casOfEntry(entry('Lead', '00188', ['7439-92-1', 'system']))).toEqual(['7439-92-1'])
  expect(casOfEntry(entry('Lead (7439-92-2)'))).toEqual([])
})

test('another list may name an entry as a whole, without its abbreviation, or by that if it has three letters', () => {
  expect(namesOfEntry(entry('Bis (2-ethylhexyl) phthalate (DEHP)'))).toEqual([
    'bis2ethylhexylphthalatedehp',
    'bis2ethylhexylphthalate',
    'dehp',
  ])
  expect(namesOfEntry(entry('Dimethylformamide (DMF)'))).toContain('dmf')
  expect(namesOfEntry(entry('Nickel (NI)'))).toEqual(['nickelni', 'nickel'])
})
