import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

describe('a statement says whether it decides, and why', () => {
  test.each<[string, readonly (readonly [string, string])[], readonly unknown[]]>([
    ['alone', [[rohs(OVER), '2026-01-01']], [['the only one', 'over', undefined]]],
    [
      'stated again by a newer declaration, also under another list of the family',
      [
        [rohs(), '2026-01-01'],
        [rohs(OVER, 'EUROHS-1506'), '2025-01-01'],
      ],
      [
        ['the newest', 'not over', undefined],
        ['stated again', 'over', 0],
      ],
    ],
    [
      'stated again by a newer list of the same file',
      [[rohs() + rohs(OVER, 'EUROHS-1506'), '2026-01-01']],
      [
        ['the newest', 'not over', undefined],
        ['stated again', 'over', 0],
      ],
    ],
    [
      'of the same moment: the worse decides',
      [
        [rohs(), '2026-01-01'],
        [rohs(OVER), '2026-01-01'],
      ],
      [
        ['one of several', 'not over', undefined],
        ['one of several', 'over', undefined],
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
      [['the only one', 'over', undefined]],
    ],
  ])('%s', (_, declarations, wanted) => {
    const found = aboutLead(...declarations)
    expect(found.map(({ why, answer, instead }) => [why, answer, instead?.origin])).toEqual(wanted)
    expect(found.map(({ decides }) => decides)).toEqual(found.map(({ why }) => why !== 'stated again'))
  })
})

test('what decides is derived in one file, and what is in effect is asked for in its folder alone', () => {
  const root = join(import.meta.dirname, '../../src')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const withText = (wanted: RegExp): readonly string[] =>
    sources.filter(({ text }) => wanted.test(text)).map(({ path }) => path)
  expect(withText(/^\s+decides: (?!boolean)/m)).toEqual(['compliance/statements.ts'])
  expect(withText(/\b(?:listsInEffect|listEvidence|statedEntries|withoutStated)\b/)).toSatisfy(
    (paths: readonly string[]) => paths.length > 0 && paths.every((path) => path.startsWith('compliance/')),
  )
})
