import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { jsonText } from '../../base/clean-text.ts'
import { type CellValue, type ColumnType, cellOf, columnsOf, valuesOf } from '../columns.ts'
import { type ReportSummary, referenceFields } from '../report-summary.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { shardText } from '../sources/shard.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/** A row group is written when it has so many rows, or its cells so many characters: this bounds memory. */
const GROUP_ROWS = 10_000
const GROUP_CHARACTERS = 2 * 1024 ** 2
const DAY_MS = 86_400_000

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const

/** How a value is stored: its schema, and the stored value of one that is not absent. */
interface Stored {
  readonly schema: (name: string) => readonly SchemaElement[]
  readonly value: (cell: string | number | boolean, row: object, name: string) => unknown
}

const TEXT_COLUMN: Stored = { schema: (name) => [{ name, ...TEXT, ...OPTIONAL }], value: String }
const LIST_COLUMN: Stored = {
  schema: (name) => [
    { name, ...OPTIONAL, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', ...TEXT, repetition_type: 'REQUIRED' },
  ],
  value: (_, row, name) => valuesOf(row as JudgedRow, name),
}
const DAY_COLUMN: Stored = {
  schema: (name) => [
    { name, type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' }, ...OPTIONAL },
  ],
  value: (date) => Date.parse(String(date)) / DAY_MS,
}
const plainColumn = (type: 'INT32' | 'DOUBLE' | 'BOOLEAN'): Stored => ({
  schema: (name) => [{ name, type, ...OPTIONAL }],
  value: (cell) => cell,
})

const STORED: Readonly<Record<ColumnType, Stored>> = {
  id: TEXT_COLUMN,
  text: TEXT_COLUMN,
  status: TEXT_COLUMN,
  ids: LIST_COLUMN,
  list: LIST_COLUMN,
  gate: LIST_COLUMN,
  day: DAY_COLUMN,
  count: plainColumn('INT32'),
  hits: plainColumn('INT32'),
  amount: plainColumn('DOUBLE'),
  percent: plainColumn('DOUBLE'),
  flag: plainColumn('BOOLEAN'),
}

/**
 * Apache Parquet with typed columns, compressed with Snappy: an absent number and an empty text are null. Row groups are written as
 * rows come; the key-value metadata has the version, the counts and the reference tables. The same rows give the same bytes.
 */
export function parquetFormatter(shape: ReportShape, groupRows = GROUP_ROWS): Formatter {
  return async function* (report) {
    const types = columnsOf(shape.kind)
    const columns = columnNames(shape).map((name) => ({ name, ...STORED[types[name]!.type] }))
    const bytes = new ByteWriter()
    const file = new ParquetWriter({
      writer: bytes,
      schema: [
        { name: 'schema', num_children: columns.length },
        ...columns.flatMap(({ name, schema }) => schema(name)),
      ],
      // Readers take the program and its version from this form.
      createdBy: `matdecl version ${shape.version}`,
    })
    let group = columns.map((): unknown[] => [])
    let rowsInGroup = 0
    let characters = 0
    const writeGroup = async (): Promise<void> => {
      if (rowsInGroup === 0) return
      const columnData = columns.map(({ name }, index) => ({ name, data: group[index]! }))
      await file.write({ columnData, rowGroupSize: rowsInGroup })
      group = columns.map(() => [])
      rowsInGroup = 0
      characters = 0
    }
    const takeBytes = (): Uint8Array => {
      const piece = bytes.getBytes().slice()
      bytes.index = 0
      return piece
    }
    for await (const rows of rowsOf(report, shape.kind)) {
      for (const row of rows) {
        for (const [index, { name, value }] of columns.entries()) {
          const cell = cellOf(row, name)
          if (typeof cell === 'string') characters += cell.length
          group[index]!.push(isAbsent(cell) ? null : value(cell, row, name))
        }
        rowsInGroup += 1
        if (rowsInGroup >= groupRows || characters >= GROUP_CHARACTERS) await writeGroup()
      }
      const piece = takeBytes()
      if (piece.length > 0) yield piece
    }
    await writeGroup()
    file.kvMetadata = metadataOf(shape, await report.summary())
    await file.finish()
    yield takeBytes()
  }
}

function isAbsent(cell: CellValue): cell is null | '' {
  return cell === null || cell === ''
}

function metadataOf(
  { kind, version }: ReportShape,
  { counts, reference, shard }: ReportSummary,
): { key: string; value: string }[] {
  const { tables } = referenceFields(reference)
  const values = {
    'matdecl.version': version,
    'matdecl.schema': 'matdecl.report/1',
    'matdecl.kind': kind,
    'matdecl.counts': jsonText(counts),
    'matdecl.tables': tables && jsonText(tables),
    'matdecl.shard': shard && shardText(shard),
  }
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}
