import { describe, expect, test } from 'vitest'
import type { Counts } from '../../src/report/document.ts'
import { PLAIN_LOOK, sectionLines, verdictLines } from '../../src/report/formats/text.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { createWaivers } from '../../src/report/gate/waivers.ts'
import {
  countOfLines,
  countOfParts,
  judgedOf,
  NO_FILES,
  UnreadableFiles,
} from '../../src/report/line-counts.ts'
import type { Product } from '../../src/report/product.ts'
import { createRowDates } from '../../src/report/regulations/reference-facts.ts'
import { formatMass, gateVerdict, productSection, reportDocument } from '../../src/report/report-document.ts'
import type { Rollup, Waiver } from '../../src/report/report-result.ts'
import { createSummary, type ReportSummary } from '../../src/report/report-summary.ts'
import { finishRow } from '../../src/report/rows/make-row.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { TABLES } from '../support/reference-tables.ts'
import { NOW, partRowOf, type RowChange, SHAPE, sampleRows, summaryOf } from '../support/report-rows.ts'

/** The lines of the sections with these names. */
function linesOf(
  summary: ReportSummary,
  ids: readonly string[],
  kind: 'parts' | 'substances' = 'parts',
): string[] {
  const { sections } = reportDocument({ ...SHAPE, kind }, summary)
  return sectionLines(
    sections.filter(({ id }) => ids.includes(id)),
    PLAIN_LOOK,
  )
}

/** A list as a product, with this roll-up. */
function productOf(rollup: Rollup, lines: Partial<Product['counts']> = {}): Product {
  const counts = {
    lines: 2,
    failed: 0,
    doubtful: 0,
    clean: 0,
    notFitted: 0,
    openAssemblies: 0,
    findings: {},
    ...lines,
  }
  const files = { count: Math.min(2, rollup.withoutData.unreadable), files: ['a.zip!x.xml', 'y.xml'] }
  return {
    list: 'board.csv',
    count: countOfLines(counts, Object.assign(new UnreadableFiles(), files)),
    counts,
    account: { in: counts.lines, used: judgedOf(counts), named: [] },
    gate: undefined,
    matchedFiles: [],
    rollup,
    hasQuantities: true,
    findings: [],
    waived: [],
    notes: [],
  }
}

/** The same rows as lines of these products. */
function withProducts(summary: ReportSummary, products: readonly Product[]): ReportSummary {
  const others = countOfParts({ failed: 0, doubtful: 0, clean: 0, notFitted: 0 }, NO_FILES)
  return { ...summary, products, others }
}

describe('the verdict on all rows', () => {
  const exempt = partRowOf({ rohs: 'compliant with exemptions' })
  const bad = partRowOf({ rohs: 'not compliant', svhc_count: 1 })
  test.each<[string, readonly JudgedRow[], string, readonly string[]]>([
    ['nothing', [], 'none', ['nothing to judge: no declarations']],
    ['one compliant part', [partRowOf()], 'good', ['the only part is clean']],
    [
      'exemptions and SVHCs, which are to know',
      [
        partRowOf({ svhc_count: 2 }),
        partRowOf({ rohs: 'compliant with exemptions', exemptions: '6(c) (EL, Lead)' }),
      ],
      'good',
      ['all 2 parts are clean', '1 with SVHC · 1 with exemptions'],
    ],
    [
      'a REACH list with gaps',
      [partRowOf({ reach: 'incomplete', svhc_count: null }), partRowOf()],
      'warn',
      ['1 of 2 parts doubtful', '1 incomplete'],
    ],
    [
      'everything',
      [
        exempt,
        bad,
        partRowOf({ rohs: 'incomplete' }),
        missingRow('P2', ['']),
        unreadableRow('a.xml', 'broken'),
      ],
      'bad',
      [
        '1 of 4 parts failed, 2 doubtful; 1 file cannot be read: a.xml',
        '1 not compliant · 1 missing · 1 unreadable · 1 incomplete · 1 with SVHC',
      ],
    ],
    [
      'a contradiction',
      [partRowOf({ contradictions: ['lead is over and not over'] }), exempt],
      'warn',
      ['1 of 2 parts doubtful', '1 contradictory'],
    ],
    [
      'an unreadable file',
      [unreadableRow('a.xml', 'broken')],
      'warn',
      ['1 file cannot be read: a.xml', '1 unreadable'],
    ],
    [
      'a history, which does not count',
      [partRowOf(), { ...bad, status: 'superseded' }],
      'good',
      ['the only part is clean'],
    ],
  ])('of %s', (_, rows, tone, lines) => {
    const { verdicts } = reportDocument(SHAPE, summaryOf(rows))
    expect(verdicts[0]!.tone).toBe(tone)
    expect(verdictLines({ verdicts }, PLAIN_LOOK).map((line) => line.slice(2))).toEqual(lines)
  })

  test('of a gate says how many rows match', () => {
    const lineOf = (matched: number): string =>
      verdictLines(
        {
          verdicts: [gateVerdict({ rules: ['svhc', 'missing'], passed: matched === 0, matched, rows: [] })],
        },
        PLAIN_LOOK,
      )[0]!
    expect(lineOf(0)).toBe('✓ gate passed: no rows match svhc, missing')
    expect(lineOf(1)).toBe('✗ gate failed: 1 row matches svhc, missing')
    expect(lineOf(2)).toBe('✗ gate failed: 2 rows match svhc, missing')
  })

  test('of a product is that of the product', () => {
    const products = [productOf({ ...CLEAN, rohs: 'incomplete' }, { doubtful: 1, clean: 1 })]
    const summary = withProducts(summaryOf([partRowOf()]), products)
    const { verdicts } = reportDocument(SHAPE, summary)
    expect(verdicts[0]!.tone).toBe('warn')
    expect(verdictLines({ verdicts }, PLAIN_LOOK)).toEqual([
      '! board.csv: 1 of 2 lines doubtful (RoHS incomplete; REACH: no SVHC declared)',
    ])
  })

  test.each([
    [['EUREACH-0624'], 'June 2024 or older (12 of 253 entries not covered)'],
    [['EUREACH-0624', 'EUREACH-0119'], 'June 2024 or older (12 to 56 of 253 entries not covered)'],
    [['EUREACH-0226', 'EUREACH-0119'], 'February 2026 or older (up to 56 of 253 entries not covered)'],
  ])('of a product without SVHC says by which lists: %j', (lists, expected) => {
    const summary = summaryWith(lists.map((reach_list) => ({ reach_list })))
    const products = [productOf(CLEAN, { clean: 2 })]
    const { verdicts } = reportDocument(SHAPE, withProducts(summary, products))
    expect(verdictLines({ verdicts }, PLAIN_LOOK)).toEqual([
      `✓ board.csv: all 2 lines are clean (RoHS compliant; REACH: no SVHC declared, by lists of ${expected})`,
    ])
  })

  test('of a product names the lines that are not fitted', () => {
    const products = [productOf(CLEAN, { clean: 1, notFitted: 2 })]
    const { verdicts } = reportDocument(SHAPE, withProducts(summaryOf([partRowOf()]), products))
    expect(verdictLines({ verdicts }, PLAIN_LOOK)[0]).toContain(
      'board.csv: the only line is clean, 2 not fitted (',
    )
  })

  test('of a product with files that cannot be read, which are no lines', () => {
    const withoutData = { ...CLEAN.withoutData, unreadable: 3 }
    const products = [productOf({ ...CLEAN, withoutData }, { failed: 18, clean: 367 })]
    const { verdicts } = reportDocument(SHAPE, withProducts(summaryOf([partRowOf()]), products))
    expect(verdictLines({ verdicts }, PLAIN_LOOK)[0]).toContain(
      ': 18 of 385 lines failed (RoHS compliant; REACH: no SVHC declared); 2 files cannot be read and may be about any of them: a.zip!x.xml, y.xml',
    )
  })
})

describe('the line of all rows', () => {
  const { counts: sample, ...rest } = summaryOf(sampleRows())
  const none = {
    ...sample,
    rows: 3,
    files: 4,
    declared: 3,
    missing: 0,
    unreadable: 0,
    superseded: 0,
    notListed: 0,
  }
  test.each([
    ['parts', {}, '3 rows from 4 files'],
    ['parts', { declared: 1, unreadable: 2 }, '3 rows from 4 files: 1 declared, 2 unreadable'],
    [
      'parts',
      { superseded: 2, notListed: 1, requests: 1 },
      '3 rows from 4 files; not in the report: 2 superseded by newer declarations, 1 declared part not on the parts list, 1 file with a request for a declaration',
    ],
    [
      'parts',
      { declared: 1, superseded: 2 },
      '3 rows from 4 files: 1 declared, 2 superseded by newer declarations',
    ],
    ['substances', { substances: 12 }, '12 substances of 3 parts from 4 files'],
    [
      'substances',
      { substances: 12, declared: 2, unreadable: 1 },
      '12 substances of 2 parts from 4 files: 2 declared, 1 unreadable',
    ],
  ] as const)('of %s with %j', (kind, change, line) => {
    expect(linesOf({ ...rest, counts: { ...none, ...change } }, ['counts'], kind)[0]).toBe(line)
  })
})

function summaryWith(rows: readonly RowChange[]): ReportSummary {
  const context = { nowMs: NOW, failOn: undefined, dates: createRowDates(TABLES, NOW) }
  const summary = createSummary(context)
  summary.add(rows.map((row, index) => finishRow(partRowOf({ part: `P${index + 1}`, ...row }), context)))
  return summary.result()
}

describe('lists and reference tables', () => {
  const lists = (...names: string[]): string =>
    linesOf(summaryWith(names.map((reach_list) => ({ reach_list }))), ['tables'])[0]!

  test('say how old the declared list is, and which tables say so', () => {
    expect(linesOf(summaryWith([{}, {}]), ['tables'])).toEqual([
      'Candidate List: 241 entries of June 2024, 12 entries behind the newest list in the table (2 rows); the newest list in the table has 253 entries (2026-02-04)',
      'reference tables: lists.csv (newest date 2026-02-04), exemptions.csv (newest date 2027-06-30, checked 2026-01-31), svhc-substances.csv (newest date 2026-02-04), rohs-substances.csv (no date)',
    ])
  })

  test('name lists that the table does not have', () => {
    expect(lists('EUREACH-0626', 'EUREACH-0119')).toMatch(
      /^Candidate List: EUREACH-0626, number of entries not known \(1 row\); 197 entries of January 2019, 56 entries behind/,
    )
  })

  test('name the newest lists and the oldest', () => {
    expect(lists('EUREACH-0119', 'EUREACH-0624', 'EUREACH-0226', 'EUREACH-0620', 'EUREACH-0622')).toMatch(
      /: 253 entries of February 2026, the newest list in the table \(1 row\); 241 entries of June 2024, .*; 2 lists between; 197 entries of January 2019/,
    )
  })

  test('name the tables alone without a declared list, and nothing without tables', () => {
    expect(linesOf(summaryWith([{ reach_list: '' }]), ['tables'])).toHaveLength(1)
    expect(linesOf(summaryOf([partRowOf()]), ['tables', 'exemptions'])).toEqual([])
  })
})

describe('the exemptions in use', () => {
  const uses = (...identities: string[]): RowChange => ({
    exemption_ids: identities.map((identity) => ({ identity, list: '' })),
  })

  test('have their dates, how well these are confirmed, and the parts', () => {
    const rows = [uses('6(c)', '8(b)'), uses('6c', '6(b)-I', '8b1'), uses('6c'), uses('6c')]
    const lines = linesOf(summaryWith(rows), ['exemptions'])
    expect(lines.slice(0, 6)).toEqual([
      'Exemptions in use and their nominal dates',
      '  8(b)-I  nominal date passed 2021-07-21, in force, date not confirmed, used by P2',
      '  6(b)-I  2026-12-11, in force, 2027-06-30 for other product categories, date not confirmed, used by P2',
      '  6(c)    2027-06-30, in force (renewal announced), date not confirmed, used by P1, P2, P3, P4',
      '  8(b)    not judged, used by P1',
      '  1 part with an exemption whose date is not known: not judged',
    ])
    expect(lines.join()).not.toContain('summaries')
  })

  test('have a line for ten of them', () => {
    const codes = Array.from({ length: 30 }, (_, index) => `Code ${index}`)
    expect(linesOf(summaryWith([uses(...codes)]), ['exemptions'])[11]).toBe('  and 20 more exemptions')
  })
})

describe('the pictures', () => {
  const uses = (...identities: string[]): RowChange => ({
    exemption_ids: identities.map((identity) => ({ identity, list: '' })),
  })
  const pictures = (summary: ReportSummary): readonly Counts[] =>
    reportDocument(SHAPE, summary).sections.find(({ id }) => id === 'pictures')!.blocks as Counts[]
  test('have the exemptions by their nominal dates', () => {
    const [dates] = pictures(summaryWith([uses('6(c)', '8(b)'), uses('6c', '6(b)-I', '8(b)-I'), uses('6c')]))
    expect(dates!.counts.map(({ name, text }) => [name, text])).toEqual([
      ['8(b)-I', '2021-07-21, 1 part: nominal date passed, in force'],
      ['6(b)-I', '2026-12-11 to 2027-06-30, 1 part: in force'],
      ['6(c)', '2027-06-30, 3 parts: in force (renewal announced)'],
    ])
    expect(JSON.stringify(dates)).not.toMatch(/expired/i)
  })

  test('have the suppliers with the most rows that need attention first, whatever the spelling of their names', () => {
    const of = (supplier: string, rohs: RowChange['rohs'] & string): JudgedRow =>
      partRowOf({ supplier, rohs })
    const rows = [
      of('Good Parts', 'compliant'),
      of('Late Parts Ltd.', 'incomplete'),
      of('LATE PARTS', 'not compliant'),
      of('Late Parts', 'compliant'),
      { ...missingRow('M1'), otherManufacturers: ['Silent Parts'] },
      missingRow('M2'),
      { ...of('Old Parts', 'not compliant'), status: 'superseded' as const },
    ]
    const [chart] = pictures(summaryOf(rows))
    expect(chart!.counts.map(({ name, text, rows: filter }) => [name, text, filter])).toEqual([
      ['Late Parts Ltd.', '2 of 3 rows: 1 not compliant, 1 incomplete', { supplier: 'Late Parts Ltd.' }],
      ['Silent Parts', '1 of 1 row: 1 missing', { supplier: 'Silent Parts' }],
      ['no supplier known', '1 of 1 row: 1 missing', { supplier: 'no supplier known' }],
    ])
  })

  test('are left out where they would show nothing: one supplier, nothing to ask for, no exemption with a date', () => {
    expect(pictures(summaryOf([partRowOf({ rohs: 'incomplete' })]))).toEqual([])
    expect(pictures(summaryOf([partRowOf(), partRowOf({ supplier: 'Other Parts' })]))).toEqual([])
    expect(pictures(summaryWith([uses('8(b)')]))).toEqual([])
  })
})

test('the verdict says which nominal date comes next, and which have passed', () => {
  const exemption_ids = ['6(c)', '6(b)-I', '8(b)-I', '8(b)'].map((identity) => ({ identity, list: '' }))
  const { verdicts } = reportDocument(SHAPE, summaryWith([{ exemption_ids }, { exemption_ids }]))
  expect(verdictLines({ verdicts }, PLAIN_LOOK).slice(1)).toEqual([
    '  2 with an exemption past its date · 2 with exemptions',
    '  in 282 days (2026-12-11): 6(b)-I ends, 2 parts',
    '  8(b)-I: 2 parts; nominal date passed 2021-07-21, in force',
  ])
})

test('a gate that passes beside what is not clean has no check mark', () => {
  const waiver = { part: 'P1', rule: 'not-compliant', reason: 'last buy', owner: 'Jo', until: '2026-12-31' }
  const lastLines = (waivers: readonly Waiver[], rules: string): readonly string[] => {
    const context = {
      nowMs: NOW,
      failOn: parseFailOn(rules),
      waivers: waivers.length === 0 ? undefined : createWaivers('w.csv', waivers, NOW),
    }
    const summary = createSummary(context)
    summary.add([finishRow(partRowOf({ rohs: 'not compliant' }), context)])
    const { verdicts } = reportDocument(SHAPE, summary.result())
    return verdictLines({ verdicts }, PLAIN_LOOK).filter((line) => line.includes('gate'))
  }
  expect(lastLines([waiver], 'failed')).toEqual(['! gate passed: no other rows match failed'])
  expect(lastLines([], 'doubtful')).toEqual(['! gate passed: no rows match doubtful'])
})

test('waivers say what became of them', () => {
  const waiver = { part: 'P1', rule: 'svhc', reason: 'last buy', owner: 'Jo', until: '2026-12-31' }
  const waivers = createWaivers('w.csv', [waiver, { ...waiver, part: 'P2' }], NOW)
  const context = { nowMs: NOW, failOn: parseFailOn('svhc'), waivers }
  const summary = createSummary(context)
  summary.add([finishRow(partRowOf({ svhc_count: 1 }), context)])
  const { verdicts } = reportDocument(SHAPE, summary.result())
  expect(verdictLines({ verdicts }, PLAIN_LOOK).slice(1)).toEqual([
    '  1 with SVHC',
    '✓ gate passed: no other rows match svhc',
    '  w.csv: 1 finding waived, 1 matches nothing',
  ])
  expect(linesOf(summary.result(), ['waivers'])).toEqual([
    'Waivers of w.csv',
    '  P2  svhc matches nothing, until 2026-12-31 (last buy, Jo)',
    '  P1  svhc in use, until 2026-12-31 (last buy, Jo)',
  ])
})

const CLEAN: Rollup = {
  rohs: 'compliant',
  parts: 1,
  pieces: 1_200,
  statuses: { compliant: 1 },
  notCompliant: { parts: [], count: 0 },
  incomplete: { parts: [], count: 0 },
  byOthers: { parts: [], count: 0 },
  withoutData: { parts: [], missing: 0, notDeclared: 0, unreadable: 0 },
  exemptions: [],
  svhcs: [],
  leftOut: 0,
  reach: { status: 'no SVHC', withSvhc: 0, withoutSvhc: 1, incomplete: 0, notDeclared: 0, notStated: [] },
  mass: { mg: 12_500, knownMg: 12_500, unknown: [], unknownCount: 0 },
  assemblies: { count: 0, declared: 0, flattened: null, lines: [] },
}

describe('a product', () => {
  const productLines = (rollup: Rollup): string[] =>
    sectionLines([productSection(productOf(rollup))], PLAIN_LOOK)

  test('without findings takes two lines', () => {
    expect(productLines(CLEAN)).toEqual(['Product board.csv (1 part, 1,200 pieces)', '  mass: 12.5 g'])
  })

  test('has a line for everything else, with a few parts named and the others counted', () => {
    const parts = ['A', 'B', 'C', 'D', 'E', 'F']
    const line = { declared: false, parts: 2, withSvhc: 1, withoutData: 1, rohs: 'incomplete' }
    expect(
      productLines({
        ...CLEAN,
        rohs: 'not compliant',
        parts: 6,
        pieces: null,
        notCompliant: { parts, count: 1_006 },
        incomplete: { parts: ['B'], count: 1 },
        withoutData: {
          parts: [
            { part: 'row 5', reason: 'missing' },
            { part: 'C', reason: 'not declared' },
          ],
          missing: 1,
          notDeclared: 1,
          unreadable: 2,
        },
        exemptions: [
          { exemption: '6(c)', expires: '2027-06-30', status: 'in force', parts: ['A'], count: 1 },
          {
            exemption: '5',
            expires: '2020-01-01',
            status: 'nominal date passed, in force',
            parts: ['B'],
            count: 1,
          },
          { exemption: '99', expires: null, status: 'not judged', parts: ['B'], count: 1 },
        ],
        svhcs: Array.from({ length: 12 }, (_, n) => ({ substance: `S${n}`, parts: ['A'], count: 1 })),
        reach: { status: 'SVHC', withSvhc: 1, withoutSvhc: 4, incomplete: 0, notDeclared: 1, notStated: [] },
        mass: {
          mg: null,
          knownMg: 3,
          unknown: [{ part: 'C', reason: 'the quantity is blank' }],
          unknownCount: 3,
        },
        assemblies: {
          count: 12,
          declared: 1,
          flattened: null,
          lines: [
            { ...line, part: 'X', quantity: 2.5, massMg: 2_000_000 },
            { ...line, part: 'YY', quantity: null, massMg: null, withoutData: 0, withSvhc: 0 },
          ],
        },
      }),
    ).toEqual([
      'Product board.csv (6 parts, not all quantities are known)',
      '  not compliant: A, B, C, D, E and 1,001 more',
      '  incomplete: B',
      '  without data: row 5, C (1 missing, 1 not declared)',
      '  exemption 6(c) (2027-06-30): A',
      '  exemption 5: B; nominal date passed 2020-01-01, in force',
      '  exemption 99 (no date known): B',
      ...Array.from({ length: 10 }, (_, n) => `  SVHC S${n}: A`),
      '  and 2 more SVHCs',
      '  mass: no total (3 mg known): C (the quantity is blank) and 2 more',
      '  12 assemblies, evaluated from their lines, 1 with a declaration of its own:',
      '    X   × 2.5, RoHS incomplete, 1 without data, 1 with SVHC, 2 kg each',
      '    YY  RoHS incomplete',
      '    and 10 more assemblies',
    ])
  })

  test('says why levels could not be used', () => {
    const assemblies = { ...CLEAN.assemblies, flattened: 'b.csv:3: level 3 comes without the level above it' }
    expect(productLines({ ...CLEAN, assemblies }).at(-1)).toBe(
      '  assemblies: none, b.csv:3: level 3 comes without the level above it',
    )
  })

  test.each([
    [0, '0 mg'],
    [12.34567, '12.35 mg'],
    [999, '999 mg'],
    [1_500, '1.5 g'],
    [2_345_678, '2.346 kg'],
  ])('of %d mg weighs %s', (mg, text) => expect(formatMass(mg)).toBe(text))
})
