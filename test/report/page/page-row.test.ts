import { describe, expect, test } from 'vitest'
import {
  createFileTable,
  excerptPlaces,
  mailOf,
  partRow,
  type RowView,
} from '../../../src/report/page/page-row.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../../src/report/rows/report-row.ts'
import { finishedRows, NOW, partRowOf } from '../../support/report-rows.ts'

const VIEW: RowView = {
  nowMs: NOW,
  newest: undefined,
  dates: new Map([['6(c)', '2027-06-30']]),
  supplierName: (name) => name,
  excerpts: new Map(),
  files: createFileTable(new Map()),
}
const shown = (row: JudgedRow) => partRow(finishedRows([row])[0]!, VIEW, false)

describe('a row of the page', () => {
  const exempt = (expires: string) =>
    partRowOf({
      rohs: 'compliant with exemptions',
      exemptions: '6(c) (EL, Lead)',
      exemption_expires: expires,
    })

  test.each([
    ['compliant', partRowOf(), ['good', 'compliant']],
    ['not compliant', partRowOf({ rohs: 'not compliant' }), ['bad', 'Lead 8.5 %']],
    ['exempt', exempt('2027-06-30'), ['fair', 'until 2027-06-30']],
    ['exempt until today', exempt('2026-03-04'), ['fair', 'until 2026-03-04']],
    ['past its date', exempt('2021-07-21'), ['warn', 'date passed 2021-07-21']],
    ['exempt without a date', exempt(''), ['fair', 'exempt', '(no date known)']],
    ['incomplete', partRowOf({ rohs: 'incomplete' }), ['warn', 'incomplete']],
    ['not declared', partRowOf({ rohs: 'not declared' }), ['warn', 'not declared']],
    ['missing', missingRow('P9'), ['missing', 'missing']],
    ['unreadable', unreadableRow('a.xml', 'cut'), ['unreadable', 'unreadable']],
    ['compliant beside a doubt, which is not green', partRowOf({ unaccepted: true }), ['none', 'compliant']],
  ])('has RoHS as a value or a date: %s', (_, row, cell) => {
    expect(shown(row).rohs).toEqual(cell)
  })

  test.each([
    ['none over', partRowOf({ svhc_list_behind: 12 }), ['good', 'none over', '(Jun 2024: 12 behind)']],
    ['of the newest list', partRowOf({ svhc_list_behind: 0 }), ['good', 'none over', '(Jun 2024)']],
    ['in a doubtful row', partRowOf({ unaccepted: true }), ['none', 'none over', '(Jun 2024)']],
    [
      'the highest SVHC first',
      partRowOf({ svhc_count: 2, svhc: 'DEHP (00009); Lead (00167, 1.1 %)' }),
      ['warn', 'Lead 1.1 % +1', '(Jun 2024)'],
    ],
    ['not declared', partRowOf({ svhc_count: null, reach_list: '' }), ['warn', 'not declared']],
    ['missing', missingRow('P9'), ['missing', 'missing']],
  ])('has REACH as a value, with the age of its list: %s', (_, row, cell) => {
    expect(shown(row).reach).toEqual(cell)
  })

  test.each([
    ['clean', partRowOf(), ['clean', 'all'], ''],
    ['failed', partRowOf({ rohs: 'not compliant' }), ['decide', 'all'], 'over the limit, no exemption'],
    [
      'missing',
      missingRow('P9', ['requested, not declared']),
      ['decide', 'ask', 'doubtful', 'all'],
      'requested, not declared',
    ],
    ['ending', exempt('2027-06-30'), ['ending', 'clean', 'all'], 'exemption 6(c)'],
  ])('is in its tabs, and says why in one line: %s', (_, row, tabs, why) => {
    expect(shown(row).tabs).toEqual(tabs)
    expect(shown(row).why).toBe(why)
  })

  test('that is accepted is nothing to decide, and never clean', () => {
    const waiver = {
      part: 'P1',
      rule: 'not-compliant',
      reason: 'spare part',
      owner: 'Jo',
      until: '2027-01-31',
    }
    const [row] = finishedRows([partRowOf({ rohs: 'not compliant' })])
    const findings = row!.findings.map((finding) => ({ ...finding, waivers: [waiver] }))
    const accepted = partRow({ ...row!, findings }, VIEW, false)
    expect(accepted.tabs).toEqual(['waived', 'all'])
    expect(accepted.why).toBe('accepted until 2027-01-31: spare part')
    expect(accepted.mark).toBe('bad')
  })

  test('that is missing has its supplier from the parts list', () => {
    expect(shown({ ...missingRow('P9'), supplier: 'ACME' })).toMatchObject({
      supplier: 'ACME',
      isListed: true,
    })
    expect(shown(partRowOf())).not.toHaveProperty('isListed', true)
  })
})

test('the lines of a page are those of its findings, each once', () => {
  const place = { source: 'a.xml', line: 7, list: '', date: '' }
  const finding = { rule: 'svhc', subject: 'Lead', names: [], sentence: 'Lead', place } as const
  const row = { ...partRowOf(), findings: [finding, finding, { ...finding, place: { source: 'a.xml' } }] }
  expect(excerptPlaces(row).map(({ line }) => line)).toEqual([7])
})

test.each([
  ['Jo Doe, jo@example.com, +1 555', 'jo@example.com'],
  ['jo@example.com?bcc=all@example.com', 'jo@example.com'],
  ['Jo Doe', ''],
  ['javascript:alert(1)', ''],
])('takes from %s an address and nothing else', (contact, mail) => {
  expect(mailOf({ contacts: [contact] })).toBe(mail)
})
