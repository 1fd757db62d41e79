import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { cellOf } from '../../../src/report/columns.ts'
import { csvFormatter } from '../../../src/report/formats/delimited.ts'
import type { ReportShape } from '../../../src/report/formats/formatter.ts'
import { partColumns } from '../../../src/report/formats/formatter.ts'
import { parquetFormatter } from '../../../src/report/formats/parquet.ts'
import { createRowDates } from '../../../src/report/regulations/reference-facts.ts'
import { createSummary } from '../../../src/report/report-summary.ts'
import type { JudgedRow } from '../../../src/report/rows/report-row.ts'
import { askDuckdb, hasDuckdb } from '../../support/duckdb.ts'
import { needs } from '../../support/programs.ts'
import { TABLES } from '../../support/reference-tables.ts'
import {
  finishedRows,
  formatAll,
  manyRows,
  NOW,
  partRowOf,
  reportOf,
  SHAPE,
  sampleRows,
  written,
} from '../../support/report-rows.ts'
import { pick, seeded } from '../../support/seeded.ts'
import { withFolder } from '../../support/world.ts'

/** The columns of a report without a parts list. */
const REPORT_COLUMNS = partColumns(false)

const SUBSTANCES: ReportShape = { ...SHAPE, kind: 'substances' }
const LISTS = [
  'company_id',
  'exemptions',
  'rohs_list',
  'svhc',
  'reach_list',
  'gate',
  'other_lists',
  'indications',
  'findings',
]

const bufferOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer
const metadataOf = (bytes: Buffer) => parquetMetadata(bufferOf(bytes))

/** The rows that a reader of the format finds; dates as text. */
async function readBack(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file: bufferOf(bytes) })
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null),
      ]),
    ),
  )
}

/** What the file of a row must have: lists instead of joined text, null instead of an empty cell. */
function expected(row: object, columns: readonly string[]): Record<string, unknown> {
  const cell = (name: string): unknown => {
    const value = cellOf(row, name)
    if (value === null || value === '') return null
    return LISTS.includes(name) ? String(value).split('; ') : value
  }
  return Object.fromEntries(columns.map((name) => [name, cell(name)]))
}

/** The pieces of a report, and all of them together. */
async function piecesOf(rows: readonly JudgedRow[], groupRows?: number) {
  const pieces: Uint8Array[] = []
  for await (const piece of parquetFormatter(SHAPE, groupRows)(reportOf(rows, { size: 1 }))) {
    pieces.push(Buffer.from(piece as Uint8Array))
  }
  return { pieces, file: Buffer.concat(pieces) }
}

describe('a Parquet file', () => {
  it('has the columns of the report, typed', async () => {
    const { children } = parquetSchema(metadataOf(await formatAll(parquetFormatter(SHAPE), [])))
    expect(children.map(({ element }) => element.name)).toEqual([...REPORT_COLUMNS])
    const typeOf = (name: string): unknown => {
      const { element } = children.find((child) => child.element.name === name)!
      return element.logical_type?.type ?? element.type
    }
    const withType = (type: string): string[] => REPORT_COLUMNS.filter((name) => typeOf(name) === type)
    expect(withType('DATE')).toEqual(['date', 'exemption_expires'])
    expect(withType('INT32')).toEqual(['svhc_count', 'svhc_list_behind'])
    expect(withType('DOUBLE')).toEqual(['mass_mg', 'declared_percent'])
    expect(withType('LIST')).toEqual(LISTS)
    expect(withType('STRING')).toHaveLength(REPORT_COLUMNS.length - 6 - LISTS.length)
    expect(children.every(({ element }) => element.repetition_type === 'OPTIONAL')).toBe(true)
  })

  it('has the columns of the substance table, typed', async () => {
    const { children } = parquetSchema(metadataOf(await formatAll(parquetFormatter(SUBSTANCES), [])))
    expect(children.map(({ element }) => [element.name, element.logical_type?.type ?? element.type])).toEqual(
      [
        ['part', 'STRING'],
        ['material', 'STRING'],
        ['material_mass_mg', 'DOUBLE'],
        ['substance', 'STRING'],
        ['cas', 'STRING'],
        ['cas_valid', 'BOOLEAN'],
        ['mass_mg', 'DOUBLE'],
        ['percent_of_material', 'DOUBLE'],
        ['ppm_of_part', 'DOUBLE'],
        ['source', 'STRING'],
      ],
    )
  })

  it('has every value, lists as lists, and null where the cell is empty', async () => {
    const rows = [
      ...sampleRows(),
      partRowOf({ company_id: '123456789; DE 12', rohs_list: 'EUROHS-1907; EUROHS-1506' }),
      partRowOf({ exemption_expires: '2027-06-30', svhc_list_behind: 12, gate: 'svhc; stale:12m' }),
      partRowOf({ date: '0001-02-03', mass_mg: 0, declared_percent: 1e-300 }),
    ]
    const read = await readBack(await formatAll(parquetFormatter(SHAPE), rows))
    expect(read).toEqual(finishedRows(rows).map((row) => expected(row, REPORT_COLUMNS)))
    expect(read[2]!.svhc).toEqual(['Lead (00167, 0.25 %)', 'DEHP (00009)'])
    expect(read[0]).toMatchObject({ svhc_count: 0, svhc: null, gate: null, requester_part: null })
  })

  it.each([
    [
      ['6(c) (EL2011/534/EU, Lead; compounds)', '7(a)'],
      ['6(c) (EL2011/534/EU, Lead, compounds)', '7(a)'],
    ],
    [
      ['a;', ';b', 'c'],
      ['a;', ';b', 'c'],
    ],
    [['', 'one', ''], ['one']],
  ])('has the values %j as they are in the joined text', async (values, list) => {
    const rows = [{ ...partRowOf(), companyIds: values }]
    const read = await readBack(await formatAll(parquetFormatter(SHAPE), rows))
    expect(read[0]!.company_id).toEqual(list)
    expect(cellOf(rows[0]!, 'company_id')).toBe(list.join('; '))
  })

  it('has booleans', async () => {
    const substances = [true, false, null].map((cas_valid) => ({ cas_valid }) as never)
    const read = await readBack(await formatAll(parquetFormatter(SUBSTANCES), [], { substances }))
    expect(read.map((row) => row.cas_valid)).toEqual([true, false, null])
  })

  it('is complete without rows', async () => {
    const file = await formatAll(parquetFormatter(SHAPE), [])
    expect(metadataOf(file)).toMatchObject({ num_rows: 0n, row_groups: [] })
    expect(await readBack(file)).toEqual([])
  })

  it('is written row group by row group as rows come', async () => {
    const { pieces, file } = await piecesOf(manyRows(25), 10)
    // The first bytes, two groups, and the rest.
    expect(pieces).toHaveLength(4)
    expect(metadataOf(file).row_groups.map(({ num_rows }) => num_rows)).toEqual([10n, 10n, 5n])
    expect(await readBack(file)).toEqual(
      finishedRows(manyRows(25)).map((row) => expected(row, REPORT_COLUMNS)),
    )
  })

  it('has smaller row groups where text is long', async () => {
    const { pieces, file } = await piecesOf(
      manyRows(20).map((row) => ({ ...row, notes: ['x'.repeat(1_000_000)] })),
    )
    expect(pieces.length).toBeGreaterThan(2)
    expect(metadataOf(file)).toMatchObject({ num_rows: 20n })
  })

  it('is the same however its rows come', async () => {
    const whole = await formatAll(parquetFormatter(SHAPE, 7), manyRows(20), { size: 20 })
    expect(await formatAll(parquetFormatter(SHAPE, 7), manyRows(20), { size: 3 })).toEqual(whole)
  })

  it('names the version, the shard, the counts and the reference tables', async () => {
    const context = { nowMs: NOW, failOn: undefined, dates: createRowDates(TABLES, NOW) }
    const summary = createSummary(context, { index: 2, count: 4 }).result()
    const metadata = metadataOf(await written(parquetFormatter(SHAPE), reportOf([], {}, summary)))
    expect(metadata.created_by).toBe('matdecl version 1.2.3')
    const values = Object.fromEntries(
      metadata.key_value_metadata!.map(({ key, value }) => [key, value ?? '']),
    )
    expect(values).toMatchObject({
      'matdecl.version': '1.2.3',
      'matdecl.schema': 'matdecl.report/1',
      'matdecl.kind': 'parts',
      'matdecl.shard': '2/4',
    })
    expect(JSON.parse(values['matdecl.counts']!)).toEqual(summary.counts)
    expect(JSON.parse(values['matdecl.tables']!)).toMatchObject({
      svhcUpdates: { file: 'lists.csv', newest: '2026-02-04' },
      rohsExemptions: { file: 'exemptions.csv', newest: '2027-06-30', checked: '2026-01-31' },
    })
  })
})

const ODD = [
  '',
  ' ',
  'a',
  '\0',
  'tab\tline\nreturn\r',
  '"quoted", comma',
  "=1+1'",
  ';',
  'x;',
  'ünïcödé – 電子部品 🜁🧪',
  '\u{10ffff}\uffff\ue000',
  'e\u0301 vs \u00e9',
  '\u202eright to left',
  'null',
  'NaN',
  'x'.repeat(65_536),
  '猫'.repeat(21_000),
]
const NUMBERS = [null, 0, -0.5, 1e-9, 12.5, Number.MAX_SAFE_INTEGER, 1.7976931348623157e308]
const COUNTS = [null, 0, 1, 253, 2_147_483_647]
const DAYS = ['', '1970-01-01', '1969-12-31', '2024-02-29', '2026-03-04', '9999-12-31']

function generatedRow(random: () => number): JudgedRow {
  const text = (): string => pick(random, ODD)
  const several = (): string[] => Array.from({ length: Math.floor(random() * 4) }, text)
  const texts = (): string =>
    several()
      .filter((value) => value !== '')
      .map((value) => value.replaceAll('; ', ', '))
      .join('; ')
  return partRowOf({
    part: text(),
    requester_part: text(),
    name: text(),
    supplier: text(),
    company_id: texts(),
    date: pick(random, DAYS),
    exemptions: texts(),
    rohs_list: texts(),
    svhc_names: several(),
    ...(random() < 0.2 ? { svhc_count: null } : {}),
    reach_list: texts(),
    mass_mg: pick(random, NUMBERS),
    declared_percent: pick(random, NUMBERS),
    note: text(),
    source: text(),
    exemption_expires: pick(random, DAYS),
    svhc_list_behind: pick(random, COUNTS),
    gate: texts(),
  })
}

describe.each([1, 2, 3])('generated rows, seed %d', (seed) => {
  // Gates in cells need rules; one that the rows' own gates come before.
  const failOn = 'failed'
  const random = seeded(seed)
  const rows = Array.from({ length: 150 }, () => generatedRow(random))

  it('are read back', async () => {
    const read = await readBack(await formatAll(parquetFormatter(SHAPE, 40), rows, { failOn }))
    expect(read).toEqual(finishedRows(rows, failOn).map((row) => expected(row, REPORT_COLUMNS)))
  })

  it.skipIf(!hasDuckdb)('are the same in DuckDB', async () => {
    await withFolder(async (folder) => {
      await writeFile(
        join(folder, 'parts.parquet'),
        await formatAll(parquetFormatter(SHAPE, 40), rows, { failOn }),
      )
      const read = await askDuckdb(folder, "SELECT * FROM 'parts.parquet'")
      expect(read).toEqual(finishedRows(rows, failOn).map((row) => expected(row, REPORT_COLUMNS)))
    })
  })
})

it('a lone surrogate is written as in CSV', async () => {
  const read = await readBack(await formatAll(parquetFormatter(SHAPE), [partRowOf({ name: 'a\ud800b' })]))
  expect(read[0]!.name).toBe(Buffer.from('a\ud800b').toString())
})

// Text that no spreadsheet would run: CSV has an apostrophe before such text.
const PLAIN = manyRows(3_000).map((row, index) =>
  index % 11 === 0
    ? { ...row, exemptions: '6(c) (EL2011/534/EU, Lead); 7(a)', exemption_expires: '2027-06-30' }
    : row,
)

it.skipIf(!hasDuckdb)('DuckDB finds the rows of the CSV', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'parts.parquet'), await formatAll(parquetFormatter(SHAPE, 1_000), PLAIN))
    const csv = await formatAll(csvFormatter(SHAPE), PLAIN)
    const lines = parse(csv, { columns: true }) as Record<string, string>[]
    const cells = REPORT_COLUMNS.map((name) =>
      LISTS.includes(name) ? `array_to_string(${name}, '; ') AS ${name}` : name,
    )
    const read = await askDuckdb(folder, `SELECT ${cells.join(', ')} FROM 'parts.parquet'`)
    const asText = (value: unknown): string => (value === null ? '' : String(value))
    expect(read.map((row) => Object.values(row).map(asText))).toEqual(lines.map((row) => Object.values(row)))
    const [groups] = await askDuckdb(
      folder,
      "SELECT num_row_groups FROM parquet_file_metadata('parts.parquet')",
    )
    expect(groups).toEqual({ num_row_groups: '3' })
  })
})

const hasPyarrow =
  needs('python3') &&
  (await pyarrow('pass').then(
    () => true,
    () => false,
  ))

function pyarrow(script: string, ...args: string[]) {
  return promisify(execFile)('python3', ['-c', `import json, sys, pyarrow.parquet as pq\n${script}`, ...args])
}

it.skipIf(!hasPyarrow)('pyarrow finds the rows', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'parts.parquet')
    await writeFile(path, await formatAll(parquetFormatter(SHAPE, 1_000), PLAIN))
    const script = 'json.dump(pq.read_table(sys.argv[1]).to_pylist(), open(sys.argv[2], "w"), default=str)'
    await pyarrow(script, path, join(folder, 'rows.json'))
    const { default: read } = await import(join(folder, 'rows.json'), { with: { type: 'json' } })
    expect(read).toEqual(finishedRows(PLAIN).map((row) => expected(row, REPORT_COLUMNS)))
  })
})
