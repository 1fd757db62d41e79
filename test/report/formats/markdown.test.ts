import { describe, expect, it, test } from 'vitest'
import { type Block, tableColumn } from '../../../src/report/document.ts'
import {
  escapeMarkdown,
  markdownFormatter,
  sectionsMarkdown,
  stepSummary,
} from '../../../src/report/formats/markdown.ts'
import { formatAll, manyRows, SHAPE, sampleRows } from '../../support/report-rows.ts'

describe('Markdown', () => {
  it('has the verdict, then eight columns for people with the worst rows first, then the counts', async () => {
    const text = (await formatAll(markdownFormatter(SHAPE), sampleRows())).toString()
    const lines = text.split('\n')
    expect(lines[0]).toBe('# Material declarations, 2026-03-04')
    expect(lines[2]).toBe(
      '**✗ 1 of 6 parts failed, 3 doubtful; 1 file cannot be read: a.zip\\!bad.xml**<br>1 not compliant · 1 missing · 1 unreadable · 1 incomplete · 1 without a RoHS list · 1 without a Candidate List · 1 with SVHC · 1 with exemptions',
    )
    const heading = lines.indexOf('| Part | Verdict | RoHS | REACH | Why | Supplier | Remarks | Source |')
    const rows = lines.slice(heading + 2, heading + 9)
    for (const line of rows) expect(line.match(/(?<!\\)\|/g)).toHaveLength(9)
    expect(rows.map((line) => line.split(' | ').slice(1, 5).join(': '))).toEqual([
      'failed: not compliant: SVHC: Lead over',
      'doubtful: : : missing',
      'doubtful: : : unreadable',
      'doubtful: incomplete: no SVHC: not stated: DEHP',
      'doubtful: not declared: not declared: RoHS not declared, REACH not declared',
      'clean: compliant with exemptions: no SVHC: exemption 6(c)',
      'clean: compliant: no SVHC: ',
    ])
    expect(rows[2]).toContain('a.zip\\!bad.xml')
    expect(lines.indexOf('- 7 rows from 6 files: 5 declared, 1 missing, 1 unreadable')).toBeGreaterThan(
      heading,
    )
  })

  it.each([
    ['a|b', 'a\\|b'],
    ['<b>&', '&lt;b&gt;&amp;'],
    ['*x* _y_ `z`', '\\*x\\* \\_y\\_ \\`z\\`'],
    ['![x](y)', '\\!\\[x\\](y)'],
    ['https://x.example', 'h&#8203;ttps://x.example'],
    ['ftp://x.example www.x.example', 'ftp:&#8203;//x.example w&#8203;ww.x.example'],
    ['mailto:a@x.example', 'm&#8203;ailto:a@&#8203;x.example'],
    ['@team', '@&#8203;team'],
    ['#12', '\\#12'],
    ['a\r\nb', 'a b'],
  ])('%j is written as %j', (text, written) => {
    expect(escapeMarkdown(text)).toBe(written)
  })
})

test.each([
  [
    'Directive (EU) 2026/1, https://eur-lex.europa.eu/eli/dir_del/2026/1/oj; *seen*',
    'Directive (EU) 2026/1, <https://eur-lex.europa.eu/eli/dir_del/2026/1/oj>; \\*seen\\*',
  ],
  ['https://x.example/a](javascript:b)', '<https://x.example/a>\\](javascript:b)'],
  ['http://x.example', 'h&#8203;ttp://x.example'],
])('the web addresses of the sources in a reference table are links: %s', (sources, written) => {
  const table = {
    kind: 'table',
    name: 'exemptions',
    columns: [tableColumn('Source', 'text', 30)],
    rows: [[[{ sources, label: sources }]]],
    line: () => '',
    of: { count: 1, one: 'exemption', many: 'exemptions' },
  } as const
  expect(sectionsMarkdown([{ id: 'exemptions', blocks: [table] }])).toContain(`| ${written} |`)
})

describe('the summary of a CI step', () => {
  it('has the counts, the result of the gate and the rows it matched', async () => {
    const text = (await formatAll(stepSummary(SHAPE), sampleRows(), { failOn: 'svhc,missing' })).toString()
    expect(text).toContain('1 of 6 parts failed, 3 doubtful; 1 file cannot be read: a.zip\\!bad.xml')
    expect(text).toContain('- RoHS: 1 compliant, 1 compliant with exemptions, 1 not compliant')
    expect(text).toContain('**✗ gate failed: 2 rows match svhc, missing**')
    expect(text).toContain(
      ': 2 rows match svhc, missing**\n\n| Part | Verdict | RoHS | REACH | Why | Supplier |\n| --- | --- | --- | --- | --- | --- |\n| P,"3" | failed | not compliant | SVHC | Lead over |',
    )
    expect(text).not.toContain('00012')
  })

  it('stays short for a long report', async () => {
    const rows = manyRows(5_000).map((row) => ({ ...row, notes: ['x'.repeat(200)] }))
    const text = (await formatAll(stepSummary(SHAPE), rows)).toString()
    // The 2,000 clean rows need no look.
    expect(text).toContain('2950 more rows in the report')
    expect(text.length).toBeLessThan(64 * 1024)
  })
})

describe('a section in Markdown', () => {
  const of = { count: 3, one: 'thing', many: 'things' }
  const table: Block = {
    kind: 'table',
    name: 't',
    caption: 'All_of them',
    columns: [
      tableColumn('Name', 'text', 1),
      tableColumn('Parts', 'count', 1),
      tableColumn('Share', 'amount', 1),
    ],
    rows: [
      ['a\nb', 1, null],
      ['c|d', 2, 0.5],
    ],
    line: () => '',
    of,
  }

  it.each<[string, Block, string]>([
    ['a note', { kind: 'note', text: 'see *below*' }, '\nsee \\*below\\*\n'],
    [
      'facts',
      {
        kind: 'facts',
        facts: [
          ['a', 'x'],
          ['b', [{ parts: ['P'], count: 2 }]],
        ],
        of,
      },
      '- a: x\n- b: P and 1 more\n- and 1 more thing\n',
    ],
    ['counts', { kind: 'counts', title: 'RoHS', sentence: 'none', look: 'line', counts: [] }, '- none\n'],
    [
      'a table',
      table,
      '\nAll\\_of them\n\n| Name | Parts | Share |\n| --- | ---: | ---: |\n| a<br>b | 1 |  |\n| c\\|d | 2 | 0.5 |\n\nand 1 more thing\n',
    ],
  ])('has %s', (_, block, text) => {
    expect(sectionsMarkdown([{ id: 's', blocks: [block] }])).toBe(`\n${text}`)
    expect(sectionsMarkdown([{ id: 's', title: 'A_B', blocks: [block] }])).toBe(`\n## A\\_B\n\n${text}`)
  })

  it('is left out where it has nothing but pictures', () => {
    const picture: Block = { kind: 'counts', title: 'RoHS', look: 'chart', counts: [] }
    expect(sectionsMarkdown([{ id: 's', title: 'S', blocks: [picture] }])).toBe('')
  })
})
