import { describe, expect, it } from 'vitest'
import { escapeMarkdown, markdownFormatter, stepSummary } from '../../../src/report/formats/markdown.ts'
import { formatAll, manyRows, partRowOf, SHAPE, sampleRows, summaryOf } from '../../support/report-rows.ts'

describe('Markdown', () => {
  it('has the counts, then a table with all columns', async () => {
    const text = (await formatAll(markdownFormatter(SHAPE), sampleRows())).toString()
    const lines = text.split('\n')
    expect(lines[0]).toBe('# Material declarations, 2026-03-04')
    expect(lines[2]).toBe('- 7 rows from 6 files: 5 declared, 1 missing, 1 unreadable')
    const header = lines.findIndex((line) => line.startsWith('| part |'))
    expect(header).toBeGreaterThan(2)
    for (const line of lines.slice(header, -1))
      expect(line.match(/(?<!\\)\|/g)).toHaveLength(SHAPE.columns.length + 1)
    expect(lines.slice(header + 2, -1)).toHaveLength(7)
  })

  it.each([
    ['a|b', 'a\\|b'],
    ['<b>&', '&lt;b&gt;&amp;'],
    ['*x* _y_ `z`', '\\*x\\* \\_y\\_ \\`z\\`'],
    ['![x](y)', '\\!\\[x\\](y)'],
    ['https://x.example', 'h&#8203;ttps://x.example'],
    ['@team', '&#64;team'],
    ['#12', '\\#12'],
    ['a\r\nb', 'a b'],
  ])('%j is written as %j', (text, written) => {
    expect(escapeMarkdown(text)).toBe(written)
  })
})

describe('the summary of a CI step', () => {
  it('has the counts, the result of the gate and the rows it matched', () => {
    const rows = sampleRows()
    const summary = stepSummary((row) => row.status === 'missing' || (row.svhc_count as number) > 0)
    summary.add(rows as never)
    const text = summary.text(summaryOf(rows, 'svhc,missing'))
    expect(text).toContain('| not compliant | 1 |')
    expect(text).toContain('**fail-on svhc, missing: 2 rows match**')
    expect(text).toContain('| P,"3" | not compliant | 2 | declared |')
    expect(text).not.toContain('00012')
  })

  it('stays short for a long report', () => {
    const rows = manyRows(5_000).map((row) => partRowOf({ ...row, note: 'x'.repeat(200) }))
    const summary = stepSummary(() => true)
    summary.add(rows as never)
    const text = summary.text(summaryOf(rows))
    expect(text).toContain('4950 more rows in the report')
    expect(text.length).toBeLessThan(64 * 1024)
  })
})
