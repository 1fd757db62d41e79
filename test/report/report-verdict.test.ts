import { describe, expect, test } from 'vitest'
import { gateVerdict, rohsVerdict, verdictSentence } from '../../src/report/report-verdict.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
import { missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { partRowOf, summaryOf } from '../support/report-rows.ts'

function verdictOf(rows: readonly JudgedRow[]): readonly string[] {
  const verdict = rohsVerdict(summaryOf(rows))
  return [verdict.tone, verdict.word, verdictSentence(verdict, ({ count, name }) => `${count} ${name}`)]
}

const exempt = partRowOf({ rohs: 'compliant with exemptions' })
const bad = partRowOf({ rohs: 'not compliant', svhc_count: 1 })

describe('the verdict on all rows', () => {
  test.each<[string, readonly JudgedRow[], readonly string[]]>([
    ['nothing', [], ['none', 'no rows', 'no rows']],
    ['compliant parts', [partRowOf()], ['good', 'compliant', 'RoHS: all 1 row compliant']],
    [
      'exemptions',
      [partRowOf(), exempt],
      ['fair', 'compliant with exemptions', 'RoHS: all 2 rows compliant; 1 with exemptions'],
    ],
    [
      'everything',
      [
        exempt,
        bad,
        partRowOf({ rohs: 'incomplete' }),
        missingRow('P2', ''),
        unreadableRow('a.xml', 'broken'),
      ],
      [
        'bad',
        'not compliant',
        'RoHS: of 5 rows 1 not compliant, 1 missing, 1 unreadable, 1 incomplete; 1 with exemptions, 1 with SVHC',
      ],
    ],
    [
      'nothing known',
      [partRowOf(), partRowOf({ rohs: 'not declared' })],
      ['warn', 'not declared', 'RoHS: of 2 rows 1 not declared'],
    ],
    [
      'an unreadable file',
      [unreadableRow('a.xml', 'broken')],
      ['bad', 'unreadable', 'RoHS: of 1 row 1 unreadable'],
    ],
    [
      'a history, which does not count',
      [partRowOf(), { ...bad, status: 'superseded' }],
      ['good', 'compliant', 'RoHS: all 1 row compliant'],
    ],
  ])('of %s', (_, rows, expected) => {
    expect(verdictOf(rows)).toEqual(expected)
  })
})

test('the verdict of a gate says how many rows match', () => {
  const matched = (count: number) => ({ rules: ['svhc'], matched: count, rows: [] })
  expect(gateVerdict(matched(0))).toEqual({ word: 'gate passed', tone: 'good', found: 'no rows match' })
  expect(gateVerdict(matched(1))).toMatchObject({ word: 'gate failed', tone: 'bad', found: '1 row matches' })
  expect(gateVerdict(matched(2))).toMatchObject({ found: '2 rows match' })
})
