import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { cellOf } from '../../../src/report/columns.ts'
import { inert } from '../../../src/report/formats/csv-cell.ts'
import { csvFormatter, tsvFormatter } from '../../../src/report/formats/delimited.ts'
import { partColumns } from '../../../src/report/formats/formatter.ts'
import { finishedRows, formatAll, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

/** The columns of a report without a parts list. */
const REPORT_COLUMNS = partColumns(false)

describe('CSV', () => {
  it('has the documented columns in their order, and nothing else', async () => {
    const [header] = (await formatAll(csvFormatter(SHAPE), [])).toString().split('\r\n')
    expect(header).toBe(
      'part,requester_part,name,supplier,company_id,date,standard,classes,rohs,exemptions,rohs_list,svhc_count,svhc,reach_list,mass_mg,declared_percent,status,note,source,unit_type,exemption_expires,svhc_list_behind,gate,reach,other_lists,indications,verdict,findings',
    )
  })

  it('ends every line with CRLF and begins without a byte order mark', async () => {
    const text = (await formatAll(csvFormatter(SHAPE), sampleRows())).toString()
    expect(text.startsWith('part,')).toBe(true)
    expect(text.endsWith('\r\n')).toBe(true)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('can be read back', async () => {
    const rows = [...sampleRows(), partRowOf({ note: 'line\nbreak, "quoted"', mass_mg: 1e-7 })]
    const read = parse(await formatAll(csvFormatter(SHAPE), rows), { columns: true, relax_quotes: false })
    expect(read).toEqual(
      finishedRows(rows).map((row) =>
        Object.fromEntries(REPORT_COLUMNS.map((column) => [column, inert(cellOf(row, column))])),
      ),
    )
  })

  it('writes an undeclared count as empty, and none as 0', async () => {
    const text = (
      await formatAll(csvFormatter(SHAPE), [partRowOf({ svhc_count: null }), partRowOf()])
    ).toString()
    const counts = parse(text, { columns: true }).map((row) => (row as Record<string, string>).svhc_count)
    expect(counts).toEqual(['', '0'])
  })
})

describe('a part number that GitHub Actions would take for a command', () => {
  const rows = ['::stop-commands::x', ' ::stop-commands::x', '##[error]x', 'a\n ::x'].map((part) =>
    partRowOf({ part, requester_part: part }),
  )
  it('never begins a line, and is the same value in CSV', async () => {
    const csv = (await formatAll(csvFormatter(SHAPE), rows)).toString()
    const tsv = (
      await formatAll(tsvFormatter(SHAPE), [...rows, partRowOf({ part: '', requester_part: '::x' })])
    ).toString()
    for (const line of `${csv}${tsv}`.split('\n')) expect(line.trim()).not.toMatch(/^(?:::|##\[)/)
    const parts = parse(csv, { columns: true }).map((row) => (row as Record<string, string>).part)
    expect(parts).toEqual(['::stop-commands::x', ' ::stop-commands::x', '##[error]x', 'a\\u000a ::x'])
  })
})

describe('a cell that a spreadsheet would run', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1-2', "'+1-2"],
    ['-A1', "'-A1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1+1', "' =1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['x;=1+1', "x;'=1+1"],
    ['x; @SUM(A1);y', "x; '@SUM(A1);y"],
    ['x\t=cmd\n-A1', "x\t'=cmd\n'-A1"],
    ['x;＝1', "x;'＝1"],
    ['=1;=2', "'=1;'=2"],
    ['lead; -5; +3.2', 'lead; -5; +3.2'],
    ['6(c); 7(a)-I', '6(c); 7(a)-I'],
    ['＝1', "'＝1"],
    ['-7X2', "'-7X2"],
    ['-', "'-"],
    ['-5', '-5'],
    ['+3.2e-4', '+3.2e-4'],
    ['A=1', 'A=1'],
    ["'=1", "'=1"],
    ['', ''],
    [-5, '-5'],
    [0, '0'],
    [true, 'true'],
    [null, ''],
  ])('%j is written %j', (value, text) => {
    expect(inert(value)).toBe(text)
  })
})

describe('TSV', () => {
  it('has one line per row whatever the cells contain', async () => {
    const text = (
      await formatAll(tsvFormatter(SHAPE), [partRowOf({ note: 'a\tb\r\nc', part: '=x' })])
    ).toString()
    const lines = text.split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]!.split('\t')).toHaveLength(REPORT_COLUMNS.length)
    expect(lines[1]).toContain('a b c')
    expect(lines[1]!.startsWith("'=x\t")).toBe(true)
  })

  it('has an apostrophe before a quotation mark, which would begin a quoted cell', async () => {
    const text = (
      await formatAll(tsvFormatter(SHAPE), [partRowOf({ part: '"=HYPERLINK(1)"', name: ' "x' })])
    ).toString()
    const [, line] = text.split('\n')
    expect(line!.startsWith(`'"=HYPERLINK(1)"\t`)).toBe(true)
    expect(line).toContain(`\t' "x\t`)
  })
})
