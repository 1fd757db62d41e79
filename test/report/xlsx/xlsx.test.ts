import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { PART_COLUMNS } from '../../../src/report/columns.ts'
import { csvFormatter } from '../../../src/report/formats/delimited.ts'
import { partColumns } from '../../../src/report/formats/formatter.ts'
import type { JudgedRow } from '../../../src/report/rows/report-row.ts'
import { xlsxFormatter } from '../../../src/report/xlsx/xlsx.ts'
import { needs } from '../../support/programs.ts'
import { formatAll, gateOf, manyRows, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'
import { soakTest } from '../../support/soak.ts'
import { workbookTexts } from '../../support/workbook.ts'
import { withFolder } from '../../support/world.ts'

/** The columns of a report without a parts list. */
const REPORT_COLUMNS = partColumns(false)

/** The rows as a gate on SVHCs and missing parts leaves them. */
function gatedRows(): JudgedRow[] {
  return sampleRows().map((row) => ({
    ...row,
    gate: gateOf(row.status === 'missing' ? 'missing' : row.judged.reach.over.length > 0 ? 'svhc' : ''),
  }))
}

/** The files of a workbook as text; it must also be a valid archive. */
async function partsOf(bytes: Buffer): Promise<Record<string, string>> {
  return Object.fromEntries(await workbookTexts(bytes))
}

describe('a workbook', () => {
  it('is a valid archive with the files of a workbook', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    expect(Object.keys(parts)).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/workbook.xml',
      'xl/styles.xml',
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/_rels/sheet1.xml.rels',
      'xl/drawings/drawing1.xml',
      'xl/drawings/_rels/drawing1.xml.rels',
      'xl/charts/chart1.xml',
      ...[2, 3, 4].flatMap((sheet) => [
        `xl/worksheets/sheet${sheet}.xml`,
        `xl/worksheets/_rels/sheet${sheet}.xml.rels`,
        `xl/comments${sheet}.xml`,
        `xl/drawings/vmlDrawing${sheet}.vml`,
      ]),
    ])
  })

  it('has no column that is too narrow to read', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    for (const [name, text] of Object.entries(parts)) {
      if (!/sheet\d+\.xml$/.test(name)) continue
      const widths = [...text.matchAll(/<col [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]))
      expect(widths.length, name).toBeGreaterThan(3)
      expect(Math.min(...widths), name).toBeGreaterThan(5)
    }
  })

  it('has a chart of the statuses beside them, which reads their cells', async () => {
    const bytes = await formatAll(xlsxFormatter(SHAPE), sampleRows())
    const parts = await partsOf(bytes)
    const chart = parts['xl/charts/chart1.xml']!
    const [names, counts] = [...chart.matchAll(/<c:f>'Summary'!\$([AB])\$(\d+):\$[AB]\$(\d+)<\/c:f>/g)]
    expect([names![1], counts![1]]).toEqual(['A', 'B'])
    const lines = (await readSheet(bytes, 'Summary')).slice(Number(names![2]) - 1, Number(names![3]))
    expect(lines.map(([name, count]) => `${count} ${name}`).join(', ')).toBe('1 failed, 3 doubtful, 2 clean')
    expect(parts['xl/drawings/drawing1.xml']).toContain(
      'descr="Parts by verdict: 1 failed, 3 doubtful, 2 clean"',
    )
    expect(parts['xl/worksheets/sheet1.xml']).toContain('<drawing r:id="rId1"/></worksheet>')
    for (const name of ['drawings/drawing1', 'charts/chart1'])
      expect(parts['[Content_Types].xml']).toContain(`<Override PartName="/xl/${name}.xml"`)
  })

  it('has no chart of one status', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), [partRowOf(), partRowOf()]))
    expect(Object.keys(parts).filter((name) => /chart|drawing1/.test(name))).toEqual([])
  })

  it('has a frozen heading and a filter over every row', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    expect(parts['xl/worksheets/sheet2.xml']).toContain('ySplit="1"')
    expect(parts['xl/worksheets/sheet2.xml']).toContain('state="frozen"')
    const last = 'AB'
    expect(REPORT_COLUMNS).toHaveLength(28)
    expect(parts['xl/worksheets/sheet2.xml']).toContain(`<autoFilter ref="A1:${last}8"/>`)
    expect(parts['xl/workbook.xml']).toContain(`'Lines'!$A$1:$${last}$8`)
    expect(parts['xl/workbook.xml']).toContain(`'Lines'!$1:$1`)
  })

  it('has typed numbers, dates and text', async () => {
    const sheet = await readSheet(await formatAll(xlsxFormatter(SHAPE), sampleRows()), 'Lines')
    expect(sheet[0]).toEqual(REPORT_COLUMNS.map((name) => PART_COLUMNS[name].title))
    const column = (name: (typeof REPORT_COLUMNS)[number]): unknown[] =>
      sheet.slice(1).map((row) => row[REPORT_COLUMNS.indexOf(name)])
    // The reader trims text; the test with LibreOffice checks all of it.
    expect(column('part')).toEqual(['P1', '00012', 'P,"3"', '=HYPERLINK("x")', 'spaced', 'P9', null])
    expect(column('mass_mg')).toEqual([12.5, 12.5, 12.5, 12.5, null, null, null])
    expect(column('svhc_count')).toEqual([0, 0, 2, 0, null, null, null])
    expect(column('date')[0]).toEqual(new Date('2024-09-27T00:00:00Z'))
    expect(column('name')[3]).toBe('<b>&amp;')
  })

  it('writes text that looks like another type as text', async () => {
    const names = [
      '_x0041_',
      '__proto__',
      'constructor',
      '1E5',
      '2024-01-01',
      'TRUE',
      'x'.repeat(40_000),
      'a\uffffb',
    ]
    const rows = names.map((part) => partRowOf({ part }))
    const sheet = await readSheet(await formatAll(xlsxFormatter(SHAPE), rows), 'Lines')
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), rows))
    expect(parts['xl/worksheets/sheet2.xml']).toContain('_x005F_x0041_')
    expect(sheet.slice(2, 7).map((row) => row[0])).toEqual([
      '__proto__',
      'constructor',
      '1E5',
      '2024-01-01',
      'TRUE',
    ])
    expect(String(sheet[7]![0])).toHaveLength(32_767)
    expect(sheet[8]![0]).toBe('a\ufffdb')
  })

  it('has a first sheet with the counts and the gate', async () => {
    const bytes = await formatAll(xlsxFormatter(SHAPE), sampleRows(), { failOn: 'svhc' })
    const sheet = await readSheet(bytes, 'Summary')
    const facts = Object.fromEntries(sheet.map((row) => [row[0], row[1]]))
    expect(facts).toMatchObject({
      rows: 7,
      missing: 1,
      'not compliant': 1,
      'with SVHC': 1,
      Lead: 1,
      DEHP: 1,
      'EUREACH-0624 (June 2024)': 3,
      Gate: '✗ gate failed: 1 row matches svhc',
      Status: '✗ 1 of 6 parts failed, 3 doubtful; 1 file cannot be read: a.zip!bad.xml',
      matdecl: '1.2.3',
    })
  })

  it('has the failed and the missing parts on sheets of their own, linked from the summary', async () => {
    const bytes = await formatAll(xlsxFormatter(SHAPE), gatedRows(), { failOn: 'svhc,missing' })
    expect((await readSheet(bytes, 'Failed and doubtful')).map((row) => row[0])).toEqual([
      'Part',
      'P,"3"',
      '=HYPERLINK("x")',
      'spaced',
      'P9',
      null,
    ])
    expect((await readSheet(bytes, 'Missing')).map((row) => row[0])).toEqual(['Part', 'P9'])
    const parts = await partsOf(bytes)
    expect(parts['xl/worksheets/sheet1.xml']).toContain(`location="'Lines'!A4"`)
    expect(parts['xl/worksheets/sheet1.xml']).toContain(`location="'Failed and doubtful'!A1"`)
    expect(parts['xl/workbook.xml']).not.toContain('Substances')
  })

  it('calls what is not compliant failed when there is no gate', async () => {
    const bytes = await formatAll(xlsxFormatter(SHAPE), sampleRows())
    const [heading, ...rows] = await readSheet(bytes, 'Failed and doubtful')
    const verdict = heading!.indexOf(PART_COLUMNS.verdict.title)
    expect(rows.filter((row) => row[verdict] === 'failed').map(([part]) => part)).toEqual(['P,"3"'])
    expect(rows.filter((row) => row[verdict] === 'doubtful')).toHaveLength(4)
    expect((await partsOf(bytes))['xl/worksheets/sheet1.xml']).toContain('not compliant')
  })

  it('lists the worst rows first, and those without a part number by their source', async () => {
    const rows = [...manyRows(60).filter(({ judged }) => judged.rohs.status === 'compliant'), ...gatedRows()]
    const gated = rows.map((row) => ({
      ...row,
      gate: gateOf(row.status === 'unreadable' ? 'unreadable' : 'svhc'),
    }))
    const sheet = await readSheet(await formatAll(xlsxFormatter(SHAPE), gated, { failOn: 'svhc' }), 'Summary')
    const at = sheet.findIndex(([name]) => name === 'Failed and doubtful')
    expect(sheet.slice(at + 1, at + 7).map(([name]) => name)).toEqual([
      'P,"3"',
      'P9',
      'a.zip!bad.xml',
      '=HYPERLINK("x")',
      'spaced',
      // It has an SVHC.
      'PART-000000',
    ])
  })

  it('shows the sources only where a row has no part number', async () => {
    const source = REPORT_COLUMNS.indexOf('source') + 1
    const isHidden = async (rows: readonly JudgedRow[]): Promise<boolean> => {
      const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), rows))
      return new RegExp(`<col min="${source}"[^>]* hidden="1"`).test(parts['xl/worksheets/sheet2.xml']!)
    }
    expect(await isHidden(sampleRows().filter(({ part }) => part !== ''))).toBe(true)
    expect(await isHidden(sampleRows())).toBe(false)
  })

  it('has no sheet for nothing', async () => {
    const { 'xl/workbook.xml': workbook } = await partsOf(
      await formatAll(xlsxFormatter(SHAPE), [partRowOf()]),
    )
    expect([...workbook!.matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'Summary',
      'Lines',
    ])
  })

  it('has substances beside the parts, whichever it is about', async () => {
    const substance = {
      part: 'P1',
      material: 'M',
      substance: 'Tin',
      cas: '7440-31-5',
      cas_valid: true,
      mass_mg: 2,
    }
    for (const kind of ['parts', 'substances'] as const) {
      const options = { substances: [substance as never] }
      const bytes = await formatAll(xlsxFormatter({ ...SHAPE, kind }), [partRowOf()], options)
      const sheet = await readSheet(bytes, 'Substances')
      expect(sheet[1]!.slice(0, 6)).toEqual(['P1', 'M', null, 'Tin', '7440-31-5', true])
      expect((await readSheet(bytes, 'Lines'))[1]![0]).toBe('P1')
      const { 'xl/styles.xml': styles } = await partsOf(bytes)
      expect(styles).toContain('formatCode="&quot;yes&quot;;&quot;yes&quot;;&quot;no&quot;"')
    }
  })

  it('explains each heading in a note with the name of the column', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    for (const name of REPORT_COLUMNS) expect(parts['xl/comments2.xml']).toContain(`>${name}: `)
    expect(parts['xl/worksheets/sheet2.xml']).toContain('<legacyDrawing r:id="rId2"/>')
    expect(parts['xl/drawings/vmlDrawing2.vml']!.match(/<v:shape /g)).toHaveLength(REPORT_COLUMNS.length)
  })

  it('prints on A4 landscape as wide as the page, with the heading and the page number', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    for (const sheet of [1, 2, 3, 4]) {
      const xml = parts[`xl/worksheets/sheet${sheet}.xml`]
      expect(xml).toContain('<pageSetUpPr fitToPage="1"/>')
      expect(xml).toContain('paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"')
      expect(xml).toContain('Page &amp;P of &amp;N')
    }
  })

  it('hides columns without a value, and shows part numbers as text', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    const hidden = [...parts['xl/worksheets/sheet2.xml']!.matchAll(/<col min="(\d+)"[^>]* hidden="1"/g)]
    const names = hidden.map(([, at]) => REPORT_COLUMNS[Number(at) - 1])
    expect(names).toContain('requester_part')
    expect(names).toContain('standard')
    expect(names).not.toContain('svhc')
    const cell = /<c r="A3" s="(\d+)"/.exec(parts['xl/worksheets/sheet2.xml']!)![1]
    const styles = [...parts['xl/styles.xml']!.split('<cellXfs')[1]!.matchAll(/<xf numFmtId="(\d+)"/g)]
    expect(styles[Number(cell)]![1]).toBe('49')
  })

  it('has no formula, whatever the rows contain', async () => {
    const rows = [partRowOf({ part: '=1+1', name: '=cmd', note: '+1', supplier: '@x' })]
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), rows))
    for (const [name, xml] of Object.entries(parts)) expect(xml, name).not.toMatch(/<f[ >]/)
    const quoted = /<c r="C2" s="(\d+)"/.exec(parts['xl/worksheets/sheet2.xml']!)![1]
    expect(parts['xl/styles.xml']!.split('<cellXfs')[1]!.split('<xf ')[Number(quoted) + 1]).toContain(
      'quotePrefix="1"',
    )
  })

  it('is refused when it has more rows than a sheet', async () => {
    const bytes = formatAll(xlsxFormatter(SHAPE, 6), sampleRows())
    await expect(bytes).rejects.toThrow('the report has more than the 6 rows of a sheet')
  })

  it('has as many substances as there is room for, and says how many are left', async () => {
    const substances = Array.from(
      { length: 9 },
      (_, index) => ({ part: 'P1', substance: `S${index}` }) as never,
    )
    const bytes = await formatAll(xlsxFormatter(SHAPE, 7), sampleRows(), { substances })
    expect(await readSheet(bytes, 'Substances')).toHaveLength(8)
    const summary = (await readSheet(bytes, 'Summary')).map(([first]) => first)
    expect(summary).toContain('2 more substances have no room: write them as CSV')
  })

  it('is the same, byte for byte, for the same report', async () => {
    const once = await formatAll(xlsxFormatter(SHAPE), sampleRows())
    expect(once.equals(await formatAll(xlsxFormatter(SHAPE), sampleRows()))).toBe(true)
  })
})

describe.skipIf(!needs('soffice'))('a workbook in LibreOffice', () => {
  soakTest('opens, and converts to the same CSV', { timeout: 120_000 }, async () => {
    // The CSV has an apostrophe before text that a spreadsheet would run; the workbook does not need it.
    const rows = [...sampleRows().filter((row) => !row.part.startsWith('=')), ...manyRows(500)]
    await withFolder(async (folder) => {
      const file = join(folder, 'report.xlsx')
      await writeFile(file, await formatAll(xlsxFormatter(SHAPE), rows))
      // Comma, double quote, UTF-8, from line 1, cell values (not as displayed), every sheet.
      const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1'
      await promisify(execFile)('soffice', [
        `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`,
        '--headless',
        '--convert-to',
        filter,
        '--outdir',
        folder,
        file,
      ])
      const back = parse(await readFile(join(folder, 'report-Lines.csv')), { bom: true })
      expect(back.slice(1)).toEqual(parse(await formatAll(csvFormatter(SHAPE), rows)).slice(1))
      expect(await readFile(join(folder, 'report-Summary.csv'), 'utf8')).toContain('not compliant,"101"')
    })
  })
})
