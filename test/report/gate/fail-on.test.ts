import { describe, expect, it } from 'vitest'
import { isFailure } from '../../../src/base/failure.ts'
import { parseFailOn } from '../../../src/report/gate/fail-on.ts'
import { finishRow } from '../../../src/report/rows/make-row.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../../src/report/rows/report-row.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { readJudged } from '../../support/read-text.ts'
import { NOW, partRowOf } from '../../support/report-rows.ts'

const row = (...lists: string[]): JudgedRow => readJudged(fileA(productXml(['P1'], lists.join(''))))
const ROWS = {
  good: row(listXml('EUROHS-1907', rohsCategories()), listXml('EUREACH-0624', [{ over: 'false' }])),
  bad: row(listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))),
  svhc: row(listXml('EUREACH-0624', [{ over: 'true' }])),
  gap: row(listXml('EUROHS-1907', rohsCategories({ Lead: { over: undefined } }))),
  reachGap: row(listXml('EUROHS-1907', rohsCategories()), listXml('EUREACH-0624', [{ over: undefined }])),
  none: row(),
  old: row(listXml('EUROHS-1506', rohsCategories()), listXml('EUREACH-0119', [{ over: 'false' }])),
  undated: row(listXml('EUROHS', rohsCategories()), listXml('EUREACH-2', [{ over: 'false' }])),
  ends: partRowOf({ reach_list: '', exemption_expires: '2027-06-30' }),
  passed: partRowOf({ reach_list: '', exemption_expires: '2021-07-21' }),
  missing: missingRow('P2'),
  unreadable: unreadableRow('x.xml', 'broken'),
}

function matches(words: string): string[] {
  const context = { nowMs: NOW, failOn: parseFailOn(words) }
  return Object.entries(ROWS)
    .filter(([, one]) => finishRow({ ...one }, context).gate.open.length > 0)
    .map(([name]) => name)
}

describe('a gate', () => {
  it.each([
    ['not-compliant', ['bad']],
    ['svhc', ['svhc']],
    ['missing', ['missing']],
    ['incomplete', ['gap', 'reachGap', 'undated']],
    ['failed', ['bad']],
    ['unreadable', ['unreadable']],
    ['not-declared', ['svhc', 'none']],
    ['stale:EUREACH-0624', ['old', 'undated']],
    ['stale:EUREACH-0119', ['undated']],
    ['stale:EUREACH-0120', ['old', 'undated']],
    ['stale:EUROHS-1907', ['old', 'undated']],
    ['stale:eurohs-1506', ['undated']],
    ['exemption-expires:2027-06-29', ['passed']],
    ['exemption-expires:2027-06-30', ['ends', 'passed']],
    [' Exemption-Expires: 2020-01-01 ', []],
    ['stale:1m', ['good', 'svhc', 'reachGap', 'old', 'undated']],
    ['stale:20m', ['good', 'svhc', 'reachGap', 'old', 'undated']],
    ['stale:21m', ['good', 'svhc', 'reachGap', 'old', 'undated']],
    ['stale:22m', ['old', 'undated']],
    ['stale:2y', ['old', 'undated']],
    ['stale:7Y', ['old', 'undated']],
    ['stale:8y', ['undated']],
    ['reach-not-declared', ['bad', 'gap', 'none']],
    ['older:18m', []],
    ['older:17m', ['good', 'bad', 'svhc', 'gap', 'reachGap', 'none', 'old', 'undated', 'ends', 'passed']],
    ['not-compliant, SVHC ,,missing', ['bad', 'svhc', 'missing']],
  ])('%s matches %j', (words, expected) => {
    expect(matches(words)).toEqual(expected)
  })

  it.each([
    ['true', 'over in Prop_65: Lead/lead compounds'],
    ['maybe', 'may be over in Prop_65: categories: statement not recognized ("maybe"): Lead/lead compounds'],
    ['false', undefined],
  ])('of another list matches what is over or not understood in it: %s', (over, sentence) => {
    const listed = row(listXml('Prop_65', [{ name: 'Lead/lead compounds', over }]))
    const { gate, findings } = finishRow(listed, { nowMs: NOW, failOn: parseFailOn('over:Prop_65') })
    expect(gate.open).toEqual(sentence === undefined ? [] : ['over:Prop_65'])
    expect(findings.find(({ rule }) => rule === 'over')?.sentence).toBe(sentence)
  })

  it('never matches a superseded declaration', () => {
    const superseded = { ...ROWS.bad, status: 'superseded' as const }
    const context = { nowMs: NOW, failOn: parseFailOn('not-compliant') }
    expect(finishRow({ ...ROWS.bad }, context).gate.open).toEqual(['not-compliant'])
    expect(finishRow(superseded, context).gate.open).toEqual([])
  })

  it('has each rule once, in the given order', () => {
    expect(parseFailOn('svhc,missing,svhc,stale:eureach-0624,stale:1Y').map((rule) => rule.word)).toEqual([
      'svhc',
      'missing',
      'stale:EUREACH-0624',
      'stale:1y',
    ])
  })

  it.each([
    ['not-complaint', 'did you mean not-compliant?'],
    ['svhcs', 'did you mean svhc?'],
    ['stale', 'did you mean stale:EUREACH-0624?'],
    ['zzzzzzzzz', 'the rules are failed, doubtful, not-compliant'],
    ['', 'the rules are failed, doubtful, not-compliant'],
    [' , ', 'the rules are failed, doubtful, not-compliant'],
    ['exemption-expires', 'did you mean exemption-expires:2027-06-30?'],
    ['exemption-expires:', 'such as exemption-expires:2027-06-30'],
    ['exemption-expires:2027-02-30', 'such as exemption-expires:2027-06-30'],
    ['stale:0m', 'such as stale:12m'],
    ['stale:12d', 'such as stale:12m'],
    ['stale:12', 'such as stale:12m'],
    ['stale:IEC_62474', 'such as stale:EUREACH-0624'],
    ['stale:EUREACH-2406', 'such as stale:EUREACH-0624'],
  ])('%j is a usage error with a hint', (words, hint) => {
    try {
      parseFailOn(words)
      expect.unreachable()
    } catch (error) {
      expect(isFailure(error) && error.kind).toBe('usage')
      expect(isFailure(error) && error.hint).toContain(hint)
      expect(isFailure(error) && error.message).not.toContain('--')
    }
  })
})
