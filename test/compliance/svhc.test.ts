import { describe, expect, it } from 'vitest'
import { worstReach } from '../../src/compliance/reach.ts'
import { type CategoryXml, fileA, listXml, productXml } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const NONE: CategoryXml = { name: 'Anthracene', code: '00011', over: 'false' }
const LEAD: CategoryXml = {
  name: 'Lead',
  code: '00167',
  over: 'true',
  inside: '<Amount value="0.25" UOM="massPercent"/>',
}

function rowOf(...lists: string[]): ReturnType<typeof readRow> {
  return readRow(fileA(productXml(['P1'], lists.join(''))))
}

describe('substances of very high concern', () => {
  it('have no count, not even 0, if no REACH list was declared', () => {
    const row = rowOf(listXml('EUROHS-1907', [NONE]))
    expect(row.svhc_count).toBeNull()
    expect(row.reach_list).toBe('')
    expect(row.note).toContain('no REACH list declared')
  })

  it('are none if the list declares none, and the date of the list is noted', () => {
    const row = rowOf(listXml('EUREACH-0624', [NONE]))
    expect(row).toMatchObject({ svhc_count: 0, svhc: '', reach_list: 'EUREACH-0624' })
    expect(row.note).toContain('no SVHC of the 1 entry of EUREACH-0624 (June 2024)')
  })

  it('are not all stated where entries have no statement, which are counted', () => {
    const silent = { name: 'Silent', code: '00012', over: undefined }
    const unclear = { name: 'Unclear', code: '00013', over: 'maybe' }
    const row = rowOf(listXml('EUREACH-0624', [NONE, silent, unclear]))
    expect(row.reach).toBe('incomplete')
    expect(row.note).toContain('REACH: 1 of 3 entries without a statement')
  })

  it('are listed with their code and worst case in the part', () => {
    const ppm = { ...LEAD, name: 'Lead monoxide', code: '00001', inside: '<Amount value="1500" UOM="PPM"/>' }
    const mass = { ...LEAD, name: 'Bare', code: '', inside: '<Amount value="3" UOM="mg"/>' }
    const row = rowOf(listXml('EUREACH-0624', [NONE, LEAD, ppm, mass]))
    expect(row.svhc_count).toBe(3)
    expect(row.svhc).toBe('Lead (00167, 0.25 %); Lead monoxide (00001, 0.15 %); Bare (3 mg)')
    expect(row.svhc_names).toEqual(['Lead', 'Lead monoxide', 'Bare'])
  })

  it('are noted if their amount has a decimal comma or is not recognized', () => {
    const noteOf = (value: string, unit: string): string =>
      rowOf(listXml('EUREACH-0624', [{ ...LEAD, inside: `<Amount value="${value}" UOM="${unit}"/>` }])).note
    expect(noteOf('0,25', 'massPercent')).toContain('decimal comma in the amount of Lead')
    expect(noteOf('1', 'constructor')).toContain('amount "1 constructor" of Lead not recognized')
    expect(noteOf('3', 'mg')).not.toContain('amount')
  })

  it('come from the newest list, and the others are noted', () => {
    const row = rowOf(listXml('EUREACH-0124', [LEAD]), listXml('EUREACH-0622', [LEAD, LEAD]))
    expect(row).toMatchObject({ svhc_count: 1, reach_list: 'EUREACH-0124' })
    expect(row.note).toContain('older REACH list also declared: EUREACH-0622')
  })

  it('are incomplete if a list that is no EUREACH-MMYY states one, which is named', () => {
    const row = rowOf(listXml('EUREACH-2024', [LEAD]), listXml('EUREACH-0624', [NONE]))
    expect(row).toMatchObject({
      reach: 'incomplete',
      svhc_count: null,
      reach_list: 'EUREACH-0624',
      has_gaps: true,
    })
    expect(row.note).toContain(
      'list EUREACH-2024 is not identified as a Candidate List (EUREACH-MMYY): states over Lead',
    )
    expect(row.note).not.toContain('older')
  })

  it('are incomplete if a category has no statement', () => {
    const row = rowOf(listXml('EUREACH-0624', [NONE, { ...NONE, code: '00012', over: undefined }]))
    expect(row).toMatchObject({ reach: 'incomplete', svhc_count: null })
    expect(row.note).toContain('1 of 2 entries without a statement')
    expect(row.note).not.toContain('no SVHC')
    expect(row.has_gaps).toBe(true)
  })

  it('count once, with the worst case, if a list has several applications of one', () => {
    const worse = { ...LEAD, inside: '<Amount value="4" UOM="massPercent"/>' }
    const sameName = { ...LEAD, code: '00168' }
    const row = rowOf(listXml('EUREACH-0624', [LEAD, worse, NONE, sameName]), listXml('EUREACH-0624', [LEAD]))
    expect(row.svhc_count).toBe(2)
    expect(row.svhc).toBe('Lead (00167, 4 %); Lead (00168, 0.25 %)')
  })

  it('are not declared by a list whose categories have no statements', () => {
    const row = rowOf(listXml('EUREACH-0624', [{ ...NONE, over: undefined }]))
    expect(row).toMatchObject({ svhc_count: null, reach_list: 'EUREACH-0624', has_gaps: true })
    expect(row.note).toContain('1 of 1 entries without a statement')
  })

  it('are not declared by a list without categories', () => {
    const row = rowOf(listXml('EUREACH-0624', []))
    expect(row.svhc_count).toBeNull()
    expect(row.has_gaps).toBe(true)
    expect(row.note).toContain('without categories')
  })
})

describe('substances of very high concern in sub-products', () => {
  const sub = (info: string): string =>
    `<SubProduct><ProductID itemNumber="S"/><MaterialInfo>${info}</MaterialInfo></SubProduct>`
  const rowOfAll = (...after: string[]): ReturnType<typeof readRow> =>
    readRow(fileA(productXml(['P1'], '', { after: after.join('') })))

  it('count once, with the worst case of all articles, in any order', () => {
    const worse = { ...LEAD, inside: '<Amount value="4" UOM="massPercent"/>' }
    for (const [first, second] of [
      [LEAD, worse],
      [worse, LEAD],
    ] as const) {
      const row = rowOfAll(sub(listXml('EUREACH-0624', [first])), sub(listXml('EUREACH-0624', [second])))
      expect(row).toMatchObject({ svhc_count: 1, svhc: 'Lead (00167, 4 %)' })
    }
  })

  it('are two if lists of two articles use one code for two substances', () => {
    const other = { ...LEAD, name: 'Cadmium' }
    const row = rowOfAll(sub(listXml('EUREACH-0624', [LEAD])), sub(listXml('EUREACH-0119', [other])))
    expect(row.svhc_count).toBe(2)
  })

  it('are incomplete if a sub-product and its part have no list', () => {
    const row = rowOfAll(sub(listXml('EUREACH-0624', [NONE])), sub(''))
    expect(row.has_gaps).toBe(true)
    expect(row.note).toContain('S has no REACH list; S states 1 entry')
    const own = productXml(['P1'], listXml('EUREACH-0624', [NONE]), { after: sub('') })
    expect(readRow(fileA(own)).has_gaps).toBe(false)
  })
})

describe('other lists', () => {
  it('are listed with what they state over', () => {
    const row = rowOf(listXml('IEC_62474 D19.00', [NONE, LEAD], 'IEC_62474'))
    expect(row.other_lists).toBe('IEC_62474 D19.00: over: Lead')
    expect(row.rohs).toBe('not declared')
  })
})

it.each([
  [[], 'not declared'],
  [['not declared'], 'not declared'],
  [['no SVHC', 'no SVHC'], 'no SVHC'],
  [['no SVHC', 'not declared'], 'incomplete'],
  [['no SVHC', 'incomplete'], 'incomplete'],
  [['not declared', 'SVHC', 'incomplete'], 'SVHC'],
] as const)('parts with %j have together %s', (statuses, worst) => expect(worstReach(statuses)).toBe(worst))
