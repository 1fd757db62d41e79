import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../../src/base/display-width.ts'
import { type TableLook, tableFormatter } from '../../../src/report/formats/text-table.ts'
import { formatAll, manyRows, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

const look = (width: number): TableLook => ({
  width,
  heading: (text) => text,
  cell: (_column, _value, text) => text,
  ellipsis: '…',
})

async function linesAt(width: number, rows = sampleRows()): Promise<string[]> {
  return (await formatAll(tableFormatter(SHAPE, look(width)), rows)).toString().split('\n')
}

describe('the table on a terminal', () => {
  it.each([20, 40, 80, 120, 200, 400])('fits %i columns', async (width) => {
    const rows = [...sampleRows(), partRowOf({ part: '部品-'.repeat(30), name: '🧪'.repeat(50) })]
    const lines = await linesAt(width, rows)
    for (const line of lines.slice(0, rows.length + 1)) expect(displayWidth(line)).toBeLessThanOrEqual(width)
  })

  it('shows the part and its RoHS status first', async () => {
    const [heading, first] = await linesAt(44)
    expect(heading!.trim().split(/\s{2,}/)).toEqual(['PART', 'ROHS'])
    expect(first!.trim().split(/\s{2,}/)).toEqual(['P1', 'compliant'])
  })

  it('shows more columns if they fit, in the order of the report', async () => {
    const [heading] = await linesAt(200)
    const names = heading!.trim().split(/\s{2,}/)
    expect(names.slice(0, 3)).toEqual(['PART', 'SUPPLIER', 'DATE'])
    expect(names).toContain('EXEMPTIONS')
  })

  it('leaves out empty columns', async () => {
    const [heading] = await linesAt(400, [partRowOf({ exemptions: '' })])
    expect(heading).not.toContain('EXEMPTIONS')
  })

  it('ends with the counts', async () => {
    const lines = await linesAt(100)
    expect(lines.slice(-4)).toEqual([
      '7 rows from 6 files: 5 declared, 1 missing, 1 unreadable',
      'RoHS: 1 compliant, 1 compliant with exemptions, 1 not compliant, 1 incomplete, 1 not declared',
      'REACH: 1 with SVHC, 3 without SVHC, 1 not declared',
      '',
    ])
  })

  it('wraps long lines of the summary', async () => {
    const lines = await linesAt(60)
    expect(lines.slice(-5)).toEqual([
      '7 rows from 6 files: 5 declared, 1 missing, 1 unreadable',
      'RoHS: 1 compliant, 1 compliant with exemptions, 1 not',
      '  compliant, 1 incomplete, 1 not declared',
      'REACH: 1 with SVHC, 3 without SVHC, 1 not declared',
      '',
    ])
  })

  it('begins before the end of a long report', () => {
    const table = tableFormatter(SHAPE, look(80))
    const rows = manyRows(600)
    expect(table.add(rows.slice(0, 100) as never)).toBe('')
    expect(String(table.add(rows.slice(100) as never)).split('\n').length).toBeGreaterThan(500)
  })

  it('styles a cell without changing the layout', async () => {
    const colored = tableFormatter(SHAPE, {
      ...look(60),
      cell: (column, value, text) =>
        column === 'rohs' && value === 'not compliant' ? `\u001b[31m${text}\u001b[39m` : text,
    })
    const text = (await formatAll(colored, sampleRows())).toString()
    expect(text).toContain('\u001b[31mnot compliant\u001b[39m')
    expect(text.replace(/\u001b\[\d+m/g, '')).toBe((await linesAt(60)).join('\n'))
  })
})
