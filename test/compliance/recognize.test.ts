import { describe, expect, test } from 'vitest'
import type { ListEntry } from '../../src/compliance/entry-keys.ts'
import { entriesUntil, findEntry, recognize } from '../../src/compliance/recognize.ts'
import { builtInTables } from '../support/reference-tables.ts'

const tables = await builtInTables()

const entry = (name: string, code = '', cas: readonly string[] = []): ListEntry => ({
  code,
  authority: 'IPC',
  name,
  cas,
  threshold: '',
})

describe('entries are the same', () => {
  test.each<[string, ListEntry, ListEntry, boolean, boolean]>([
    ['by code in the same list', entry('Foo', '00188'), entry('Bar', '00188'), true, true],
    ['by code where one has no name', entry('Lead', '00188'), entry('', '00188'), true, true],
    [
      'not by code under the name of another entry',
      entry('Lead', '00188'),
      entry('Melamine', '00188'),
      true,
      false,
    ],
    [
      'not by code under a name that is not known',
      entry('Lead', '00188'),
      entry('Foo', '00188'),
      true,
      false,
    ],
    ['by names of the table', entry('Lead', '00188'), entry('7439-92-1', '00001'), true, true],
    ['not by code between lists', entry('Foo', '00188'), entry('Bar', '00188'), false, false],
    [
      'by name in the same Candidate List, whatever the codes',
      entry('Lead', '00188'),
      entry('Lead', '00189'),
      true,
      true,
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
    expect(findEntry([one], other, { kind: 'reach', isSameList, tables }) !== undefined).toBe(expected)
    expect(findEntry([other], one, { kind: 'reach', isSameList, tables }) !== undefined).toBe(expected)
  })
})

test('entries of other lists that have several with one name are the same by code', () => {
  const same = { kind: 'named', isSameList: true, tables } as const
  expect(findEntry([entry('Lead', '00021')], entry('Lead', '00022'), same) !== undefined).toBe(false)
  expect(findEntry([entry('Lead', '00021')], entry('Lead', '00021'), same) !== undefined).toBe(true)
})

test('a category that is not known is not taken back by the group whose code it has', () => {
  const same = { isSameList: true, tables } as const
  const [unknown, lead] = [entry('Compound of nothing', '00005'), entry('Lead/lead compounds', '00005')]
  expect(findEntry([lead], unknown, { ...same, kind: 'rohs' }) !== undefined).toBe(false)
  expect(findEntry([lead], unknown, { ...same, kind: 'named' }) !== undefined).toBe(true)
})

test('a group takes back its members, a member does not take back the group or another member', () => {
  const same = { kind: 'reach', isSameList: true, tables } as const
  const group = entry('Hexabromocyclododecane (HBCDD)')
  const [alpha, beta] = [entry('alpha-hexabromocyclododecane'), entry('134237-51-7')]
  expect(findEntry([group], alpha, same) !== undefined).toBe(true)
  expect(findEntry([alpha], group, same) !== undefined).toBe(false)
  expect(findEntry([alpha], beta, same) !== undefined).toBe(false)
})

const entriesOf = (one: ListEntry): readonly string[] =>
  recognize('reach', one, tables).entries.map(
    (id) => tables.entries.find((known) => known.entry === id)!.name,
  )

test.each([
  [entry('Lead'), ['Lead']],
  [entry('LEAD '), ['Lead']],
  [entry('Melamine', '00182'), ['Melamine']],
  [entry('Melamine', '', ['7439-92-1']), ['Melamine']],
  [entry('', '', ['7439-92-1']), ['Lead']],
  [entry('Something', '7439921'), ['Lead']],
  [entry('Lead', '', ['7439-92-1']), ['Lead']],
  [entry('', '00182'), []],
  [entry('Foo', '00182'), []],
  [entry('Foo (Lead)'), []],
  [entry('Something (HBCDD)'), ['Hexabromocyclododecane (HBCDD)']],
  [entry('Octamethylcyclotetrasiloxane [D4]'), ['Octamethylcyclotetrasiloxane']],
])('%j is recognized as %j', (one, names) => {
  expect(entriesOf(one)).toEqual(names)
})

test('groups of RoHS are known by name, by CAS number, and by code only in the list of IPC and without a name', () => {
  const groupsOf = (kind: 'rohs' | 'named', one: ListEntry) => recognize(kind, one, tables).groups
  expect(groupsOf('rohs', entry('', '00005'))).toEqual(['Lead'])
  expect(groupsOf('named', entry('', '00005'))).toEqual([])
  expect(groupsOf('rohs', entry('Cadmium', '00005'))).toEqual(['Cadmium'])
  expect(groupsOf('rohs', entry('Melamine', '00005'))).toEqual([])
  expect(groupsOf('rohs', entry('Melamine', '00005', ['7439-92-1']))).toEqual([])
  expect(groupsOf('rohs', entry('Something', '', ['7439-92-1']))).toEqual(['Lead'])
})

test('a table without days has all entries at any day', () => {
  expect(entriesUntil(tables)('2024-06-27')).toHaveLength(241)
  expect(entriesUntil(tables)('2007-01-01')).toHaveLength(0)
})
