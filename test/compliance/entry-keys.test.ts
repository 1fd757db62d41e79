import { describe, expect, test } from 'vitest'
import {
  casOfEntry,
  countEntries,
  type Entry,
  entryKey,
  hasEntry,
  nameKey,
} from '../../src/compliance/entry-keys.ts'

const entry = (name: string, code = '', cas: readonly string[] = []): Entry => ({
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

describe('entries are the same', () => {
  test.each<[string, Entry, Entry, boolean, boolean]>([
    ['by code in the same list', entry('Lead', '00188'), entry('Plomb', '00188'), true, true],
    ['not by code between lists', entry('Lead', '00188'), entry('Plomb', '00188'), false, false],
    [
      'not by name in the same list, where both have codes',
      entry('Lead', '00188'),
      entry('Lead', '00189'),
      true,
      false,
    ],
    ['by name between lists', entry('Lead', '00188'), entry('lead', '00009'), false, true],
    ['by name in the same list, where one has no code', entry('Lead', '00188'), entry('Lead'), true, true],
    ['by an abbreviation', entry('DEHP'), entry('Bis(2-ethylhexyl) phthalate (DEHP)'), false, true],
    [
      'by CAS number between lists',
      entry('Lead', '00188', ['7439-92-1']),
      entry('Pb (7439-92-1)'),
      false,
      true,
    ],
    ['not by a piece of a name', entry('Lead'), entry('Lead oxide'), false, false],
    [
      'not by what many names have in brackets',
      entry('A (and its salts)'),
      entry('B (and its salts)'),
      false,
      false,
    ],
  ])('%s', (_, one, other, isSameList, expected) => {
    expect(hasEntry([one], other, isSameList)).toBe(expected)
    expect(hasEntry([other], one, isSameList)).toBe(expected)
  })
})

test('an entry that is listed for several applications counts once', () => {
  expect(countEntries([entry('Lead', '00001'), entry('Lead', '00002')])).toBe(1)
  expect(countEntries([entry('Lead', '00001'), entry('Lead, batteries', '00001')])).toBe(1)
  expect(countEntries([entry('', '00001'), entry('', '00002')])).toBe(2)
})
