import { describe, expect, test } from 'vitest'
import { judge, type PartEvidence } from '../../src/compliance/judge.ts'
import { partRecord } from '../../src/compliance/part-record.ts'
import { readMoment } from '../../src/compliance/response-date.ts'
import type { Statement } from '../../src/compliance/statements.ts'
import { type CategoryXml, fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readText } from '../support/read-text.ts'

/** The statements about lead, the newest declaration first. */
function aboutLead(
  ...declarations: readonly (readonly [info: string, date: string])[]
): readonly Statement[] {
  const all = declarations.map(
    ([info, date]): PartEvidence => ({
      record: partRecord(readText(fileA(productXml(['P'], info))).products[0]!),
      moment: readMoment(date),
      isAccepted: true,
      company: { id: '', name: 'acme' },
      composition: undefined,
      massMg: undefined,
      fileUnread: [],
    }),
  )
  return judge(all, { nowMs: Date.parse('2026-03-04T05:06:07Z') }).statements.filter(
    ({ name }) => name === 'Lead',
  )
}

const rohs = (lead: CategoryXml = {}, identity = 'EUROHS-1907'): string =>
  listXml(identity, rohsCategories({ Lead: lead }))
const OVER = { over: 'true' }

describe('a statement says whether it decides, and what in its place', () => {
  test.each<[string, readonly (readonly [string, string])[], readonly unknown[]]>([
    ['alone', [[rohs(OVER), '2026-01-01']], [[true, 'over', undefined]]],
    [
      'stated again by a newer declaration, also under another list of the family',
      [
        [rohs(), '2026-01-01'],
        [rohs(OVER, 'EUROHS-1506'), '2025-01-01'],
      ],
      [
        [true, 'not over', undefined],
        [false, 'over', 0],
      ],
    ],
    [
      'stated again by a newer list of the same file',
      [[rohs() + rohs(OVER, 'EUROHS-1506'), '2026-01-01']],
      [
        [true, 'not over', undefined],
        [false, 'over', 0],
      ],
    ],
    [
      'of the same moment: the worse decides',
      [
        [rohs(), '2026-01-01'],
        [rohs(OVER), '2026-01-01'],
      ],
      [
        [true, 'not over', undefined],
        [true, 'over', undefined],
      ],
    ],
    [
      'that a newer declaration leaves out',
      [
        [
          listXml(
            'EUROHS-1907',
            rohsCategories().filter(({ name }) => name !== 'Lead'),
          ),
          '2026-01-01',
        ],
        [rohs(OVER), '2025-01-01'],
      ],
      [[true, 'over', undefined]],
    ],
    [
      'about another entry of the list with the same name',
      [
        [listXml('Jewellery', [{ name: 'Lead', code: '00002', over: 'true' }]), '2026-01-01'],
        [listXml('Jewellery', [{ name: 'Lead', code: '00001', over: 'false' }]), '2025-01-01'],
      ],
      [
        [true, 'over', undefined],
        [true, 'not over', undefined],
      ],
    ],
  ])('%s', (_, declarations, wanted) => {
    const found = aboutLead(...declarations)
    expect(found.map(({ decides, answer, instead }) => [decides, answer, instead?.origin])).toEqual(wanted)
  })
})
