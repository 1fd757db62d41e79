import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { jsonText } from '../../base/visible-json.ts'
import { referenceFields } from '../regulations/reference-result.ts'
import type { ReportSummary } from '../report-summary.ts'
import { shardText } from '../sources/shard.ts'
import type { Formatter, ReportShape } from './formatter.ts'
import { parquetColumns } from './parquet-columns.ts'

/** A row group is written when it has so many rows, or its cells so many characters: this bounds memory. */
const GROUP_ROWS = 10_000
const GROUP_CHARACTERS = 2 * 1024 ** 2

/**
 * Apache Parquet with typed columns, compressed with Snappy. Row groups are written as rows come; the key-value metadata has the
 * version, the counts and the reference tables. The same rows give the same bytes.
 */
export function parquetFormatter(shape: ReportShape, groupRows = GROUP_ROWS): Formatter {
  const columns = parquetColumns(shape.columns)
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(({ schema }) => schema)],
    // Readers take the program and its version from this form.
    createdBy: `matdecl version ${shape.version}`,
  })
  let group = columns.map((): unknown[] => [])
  let rowsInGroup = 0
  let characters = 0

  function writeGroup(): void {
    if (rowsInGroup === 0) return
    const columnData = columns.map(({ name }, index) => ({ name, data: group[index]! }))
    file.write({ columnData, rowGroupSize: rowsInGroup })
    group = columns.map(() => [])
    rowsInGroup = 0
    characters = 0
  }

  function takeBytes(): Uint8Array {
    const piece = bytes.getBytes().slice()
    bytes.index = 0
    return piece
  }

  return {
    begin: takeBytes,
    add(rows) {
      for (const row of rows) {
        for (const [index, { name, value }] of columns.entries()) {
          const cell = row[name]
          if (typeof cell === 'string') characters += cell.length
          group[index]!.push(value(cell))
        }
        rowsInGroup += 1
        if (rowsInGroup >= groupRows || characters >= GROUP_CHARACTERS) writeGroup()
      }
      return takeBytes()
    },
    end(summary) {
      writeGroup()
      file.kvMetadata = metadataOf(shape, summary)
      file.finish()
      return [takeBytes()]
    },
  }
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
