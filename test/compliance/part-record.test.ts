import { describe, expect, test } from 'vitest'
import { isOver, isPlaceholder, type PartRecord, partRecord } from '../../src/compliance/part-record.ts'
import {
  type CategoryXml,
  exemptionXml,
  fileA,
  listXml,
  productXml,
  rohsCategories,
} from '../support/declarations.ts'
import { readText } from '../support/read-text.ts'

const recordOf = (info: string, after = ''): PartRecord =>
  partRecord(readText(fileA(productXml(['P'], info, { after }))).products[0]!)

test.each([
  ['true', true],
  [' TRUE ', true],
  ['1', true],
  ['false', false],
  ['False', false],
  [' 0', false],
  ['', undefined],
  ['yes', undefined],
  ['10', undefined],
  [undefined, undefined],
])('a threshold of %j says that an entry is over: %s', (over, expected) => {
  expect(isOver({ over })).toBe(expected)
})

test.each([
  ['', true],
  [' - ', true],
  ['0', true],
  ['n/a', true],
  ['N.A.', true],
  ['none', true],
  ['Not applicable', true],
  ['no exemptions', true],
  ['TBD', true],
  ['6(c)', false],
  ['7', false],
  ['none of these', false],
])('%j states no exemption: %s', (text, expected) => expect(isPlaceholder(text)).toBe(expected))

describe('the record of a part', () => {
  const entry = (name: string, more: CategoryXml = {}): CategoryXml => ({
    name,
    code: name,
    over: 'false',
    ...more,
  })

  test('has the classes whose elements occur, in the part or its sub-products', () => {
    const answers =
      '<QueryList><QueryListID identity="Q"/><Query code="1" statement="x" response="true"/></QueryList>'
    expect(recordOf('')).toMatchObject({ classes: '', lists: [], answers: [], remarks: [], unread: [] })
    expect(recordOf(answers).classes).toBe('A')
    expect(recordOf(listXml('EUROHS-1907', rohsCategories())).classes).toBe('C')
    const after = `<SubProduct><MaterialInfo>${listXml('X', [entry('a')])}</MaterialInfo></SubProduct>`
    expect(recordOf(answers, after).classes).toBe('AC')
  })

  test('joins lists of the same identity into one', () => {
    const { lists } = recordOf(
      listXml('X', [entry('a'), entry('b', { over: 'true', inside: exemptionXml('6(c)') })]) +
        listXml('X', [entry('c', { over: 'yes' }), entry('d', { over: undefined })]),
    )
    expect(lists).toHaveLength(1)
    expect(lists[0]!.marked.map(({ name, state }) => [name, state])).toEqual([
      ['b', 'over'],
      ['c', 'unclear'],
    ])
    expect(lists[0]!.plain.map(({ name }) => name)).toEqual(['a'])
    expect(lists[0]!.silent.map(({ entry: { name } }) => name)).toEqual(['d'])
  })

  test('keeps the first fifty statements of class A, and counts all', () => {
    const queries = Array.from(
      { length: 51 },
      (_, index) => `<Query code="${index}" statement="s" response="x"/>`,
    )
    const { answers } = recordOf(`<QueryList><QueryListID identity="Q"/>${queries.join('')}</QueryList>`)
    expect(answers).toMatchObject([{ list: 'Q', count: 51 }])
    expect(answers[0]!.statements.map(({ code }) => code)).toEqual(
      Array.from({ length: 50 }, (_, index) => String(index)),
    )
  })

  test.each([
    ['true', true],
    ['Yes', true],
    ['x', true],
    ['selected', true],
    ['0', false],
    ['no', false],
    ['', false],
    ['maybe', undefined],
  ])('reads the answer %j as %s', (response, expected) => {
    const query = `<Query code="1" statement="s" response="${response}"/>`
    const { answers } = recordOf(`<QueryList><QueryListID identity="Q"/>${query}</QueryList>`)
    expect(answers[0]!.statements[0]!.answer).toBe(expected)
  })

  test('keeps twenty remarks on how values are written', () => {
    const categories = Array.from({ length: 21 }, (_, index) =>
      entry(`e${index}`, { inside: '<Amount value="0,5" UOM="ppm"/>' }),
    )
    expect(recordOf(listXml('X', categories.slice(0, 20))).remarks).toHaveLength(20)
    const { remarks } = recordOf(listXml('X', categories))
    expect(remarks).toHaveLength(20)
    expect(remarks[0]).toBe('decimal comma in the amount of e0')
  })
})
