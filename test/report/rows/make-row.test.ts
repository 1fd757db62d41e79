import { describe, expect, it, test } from 'vitest'
import { createSubstanceTables } from '../../../src/compliance/recognize.ts'
import { parseFailOn } from '../../../src/report/gate/fail-on.ts'
import { finishRow, judgedRow } from '../../../src/report/rows/make-row.ts'
import { partDeclaration, partFacts } from '../../../src/report/rows/part-declaration.ts'
import { fileA, listXml, productXml } from '../../support/declarations.ts'
import { declarationOf } from '../../support/part-declarations.ts'
import { readJudged, readText } from '../../support/read-text.ts'
import { cellsOf, NOW, partRowOf } from '../../support/report-rows.ts'

const notesOf = (info: string): readonly string[] => readJudged(fileA(productXml(['P'], info))).notes

describe('the remarks of a row', () => {
  const NONE = ['no RoHS list declared', 'no REACH list declared']
  const LAST = 'the file has no Declaration'
  const lists = Array.from({ length: 30 }, (_, index) => `X${index + 10}`)

  test.each([
    [27, [LAST]],
    [28, ['1 more remark']],
    [29, ['2 more remarks']],
  ])('are at most thirty: with %i lists, then %j', (count, more) => {
    const own = lists.slice(0, count)
    expect(notesOf(own.map((identity) => listXml(identity, [])).join(''))).toEqual([
      ...NONE,
      ...own.slice(0, 28).map((identity) => `${identity}: without categories`),
      ...more,
    ])
  })

  test.each([
    [1, '1 substance without a CAS number: not screened'],
    [2, '2 substances without a CAS number: not screened'],
  ])('name %i substances that cannot be screened', (count, note) => {
    const substances = ['Zyx', 'Zyy'].slice(0, count).map((name) => `<Substance name="${name}"/>`)
    const material = `<HomogeneousMaterial name="M"><Amount value="5" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier">${substances.join('')}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial>`
    const info = `<HomogeneousMaterialList>${material}</HomogeneousMaterialList>`
    const tables = createSubstanceTables([], [])
    const { products, header } = readText(fileA(productXml(['P'], info)))
    const [part] = partFacts(products[0]!, tables)
    const declaration = partDeclaration(part!, header, 'file.xml')!
    expect(judgedRow([declaration], { nowMs: NOW, substances: tables }).notes).toContain(note)
  })

  test('say nothing of sources where one product has its number twice', () => {
    const [twice] = ['P', 'P'].map((_, index) => declarationOf({ line: 1, digest: `${index}` }))
    expect(judgedRow([twice!, { ...twice!, digest: 'b' }], { nowMs: NOW }).notes.join()).not.toMatch(/ from /)
    const other = { ...twice!, source: 'other.xml', digest: 'b' }
    expect(judgedRow([twice!, other], { nowMs: NOW }).notes.join()).toMatch(
      / from .*declarations of the same moment/,
    )
  })

  test.each([
    [[], 'without a statement'],
    [['false', 'false'], 'none of 2 statements is true'],
    [['true', 'false'], 'states Q0 "s"'],
    [['maybe'], 'no answer understood for Q0 "s"'],
    [['true', 'maybe'], 'states Q0 "s", no answer understood for Q1 "s"'],
  ])('say of the answers %j: %s', (answers, says) => {
    const queries = answers.map((answer, at) => `<Query code="Q${at}" statement="s" response="${answer}"/>`)
    const list = (id: string): string => `<QueryList>${id}${queries.join('')}</QueryList>`
    expect(notesOf(list('<QueryListID identity="L"/>'))).toEqual([...NONE, `class A, L: ${says}`, LAST])
    expect(notesOf(list(''))).toEqual([...NONE, `class A: ${says}`, LAST])
  })
})

const gateOf = (words: string | undefined, change: Parameters<typeof partRowOf>[0]): string =>
  cellsOf(
    finishRow(partRowOf(change), {
      nowMs: NOW,
      failOn: words === undefined ? undefined : parseFailOn(words),
    }),
  ).gate

describe('a finished row', () => {
  it.each([
    [undefined, { rohs: 'not compliant' }, ''],
    ['not-compliant', {}, ''],
    ['not-compliant', { rohs: 'not compliant' }, 'not-compliant'],
    ['svhc,missing,not-compliant', { rohs: 'not compliant', svhc_count: 1 }, 'svhc; not-compliant'],
    ['stale:eureach-0125', {}, 'stale:EUREACH-0125'],
  ] as const)('of the gate %s has the words that match it: %j is %j', (words, change, expected) => {
    expect(gateOf(words, change)).toBe(expected)
  })

  it('has part numbers that are safe to print', () => {
    const row = partRowOf({ part: 'A\u202eB', requester_part: 'C\nD' })
    expect(cellsOf(row)).toMatchObject({
      part: 'A\\u202eB',
      requester_part: 'C\\u000aD',
    })
  })
})
