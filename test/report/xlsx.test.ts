import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { inflateWhole } from '../../src/archive/entry-data.ts'
import { readArchive } from '../../src/archive/read-archive.ts'
import { COLUMN_TITLES } from '../../src/report/column-titles.ts'
import { csvFormatter } from '../../src/report/format-delimited.ts'
import { REPORT_COLUMNS } from '../../src/report/report-row.ts'
import { xlsxFormatter } from '../../src/report/xlsx.ts'
import { needs } from '../support/programs.ts'
import { formatAll, manyRows, partRowOf, SHAPE, sampleRows } from '../support/report-rows.ts'
import { withFolder } from '../support/world.ts'

/** The files of a workbook as text; it must also be a valid archive. */
async function partsOf(bytes: Buffer): Promise<Record<string, string>> {
  const read = (offset: number, length: number): Buffer =>
    Buffer.from(bytes.subarray(offset, offset + length))
  const reader = { size: bytes.length, read: async (...at: [number, number]) => read(...at), readNow: read }
  const { entries, problems } = await readArchive(reader, DEFAULT_ARCHIVE_LIMITS)
  expect(problems.first).toEqual([])
  return Object.fromEntries(
    entries.map((entry) => {
      const packed = read(entry.dataOffset, entry.packedBytes)
      return [entry.name, inflateWhole(packed, entry).toString('utf8')]
    }),
  )
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
      ...[2, 3, 4].flatMap((sheet) => [
        `xl/worksheets/sheet${sheet}.xml`,
        `xl/worksheets/_rels/sheet${sheet}.xml.rels`,
        `xl/comments${sheet}.xml`,
        `xl/drawings/vmlDrawing${sheet}.vml`,
      ]),
    ])
  })

  it('has a frozen heading and a filter over every row', async () => {
    const parts = await partsOf(await formatAll(xlsxFormatter(SHAPE), sampleRows()))
    expect(parts['xl/worksheets/sheet2.xml']).toContain('ySplit="1"')
    expect(parts['xl/worksheets/sheet2.xml']).toContain('state="frozen"')
    const last = String.fromCharCode('A'.charCodeAt(0) + REPORT_COLUMNS.length - 1)
    expect(parts['xl/worksheets/sheet2.xml']).toContain(`<autoFilter ref="A1:${last}8"/>`)
    expect(parts['xl/workbook.xml']).toContain(`'Parts'!$A$1:$${last}$8`)
    expect(parts['xl/workbook.xml']).toContain(`'Parts'!$1:$1`)
  })

  it('has typed numbers, dates and text', async () => {
    const sheet = await readSheet(await formatAll(xlsxFormatter(SHAPE), sampleRows()), 'Parts')
    expect(sheet[0]).toEqual(REPORT_COLUMNS.map((name) => COLUMN_TITLES[name].title))
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
    const sheet = await readSheet(await formatAll(xlsxFormatter(SHAPE), rows), 'Parts')
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

  it('has a second sheet with the counts and the gate', async () => {
    const bytes = await formatAll(xlsxFormatter(SHAPE), sampleRows(), { failOn: 'svhc' })
    const sheet = await readSheet(bytes, 'Summary')
    const facts = Object.fromEntries(sheet.map((row) => [row[0], row[1]]))
    expect(facts).toMatchObject({
      rows: 7,
      missing: 1,
      'not compliant': 1,
      'with SVHC above 0.1 %': 1,
      Lead: 1,
      DEHP: 1,
      'EUREACH-0624': 3,
      'rows matched': 1,
      matdecl: '1.2.3',
    })
  })

  it('is refused when it has more rows than a sheet', () => {
    const add = (): unknown => xlsxFormatter(SHAPE).add(new Array(1_048_576))
    expect(add).toThrow('the report has more than the 1,048,575 rows of a sheet')
  })

  it('is the same, byte for byte, for the same report', async () => {
    const once = await formatAll(xlsxFormatter(SHAPE), sampleRows())
    expect(once.equals(await formatAll(xlsxFormatter(SHAPE), sampleRows()))).toBe(true)
  })
})

describe.skipIf(!needs('soffice'))('a workbook in LibreOffice', () => {
  it('opens, and converts to the same CSV', { timeout: 120_000 }, async () => {
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
      const back = parse(await readFile(join(folder, 'report-Parts.csv')), { bom: true })
      expect(back.slice(1)).toEqual(parse(await formatAll(csvFormatter(SHAPE), rows)).slice(1))
      expect(await readFile(join(folder, 'report-Summary.csv'), 'utf8')).toContain('not compliant,"101"')
    })
  })
})
