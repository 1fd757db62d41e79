import { inflateWhole } from '../../src/archive/entry-data.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { readArchive } from '../../src/archive/read-archive.ts'
import { bufferReader } from './buffer-reader.ts'
import { type ZipEntry, zip } from './zip.ts'

/** A cell as XML has it: text, a number, or anything else as it is. */
export type Cell = string | number | { readonly xml: string } | undefined

/** A formula with its saved result, or none. */
export function formula(result?: string | number): Cell {
  const type = typeof result === 'string' ? ' t="str"' : ''
  return { xml: `<c${type}><f>1+1</f>${result === undefined ? '' : `<v>${result}</v>`}</c>` }
}

/** The XML of a sheet with these rows, from row 1; `end` follows them. */
export function sheetXml(rows: readonly (readonly Cell[])[], end = ''): string {
  const cellXml = (cell: Cell, name: string): string => {
    if (cell === undefined || cell === '') return ''
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`
    if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${name}"`)
    const text = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<c r="${name}" t="inlineStr"><is><t>${text}</t></is></c>`
  }
  const rowsXml = rows.map((cells, at) => {
    const all = cells.map((cell, index) => cellXml(cell, `${String.fromCharCode(65 + index)}${at + 1}`))
    return `<row r="${at + 1}">${all.join('')}</row>`
  })
  return `<worksheet><sheetData>${rowsXml.join('')}</sheetData>${end}</worksheet>`
}

/** A workbook of sheets by name; other files replace those that it has. */
export function workbookOf(
  sheets: Readonly<Record<string, string>>,
  {
    calcPr = '',
    files = {},
  }: { readonly calcPr?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Buffer {
  const names = Object.keys(sheets)
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`
  const all: Record<string, string> = {
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at + 1}"/>`).join('')}</sheets>${calcPr}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_, at) => relation(`r${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('')}</Relationships>`,
    ...Object.fromEntries(Object.values(sheets).map((xml, at) => [`xl/worksheets/sheet${at + 1}.xml`, xml])),
    ...files,
  }
  return zip(Object.entries(all).map(([name, data]): ZipEntry => ({ name, data })))
}

/** The files inside a workbook with their texts, in its order. */
export async function workbookTexts(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const { entries, problems } = await readArchive(bufferReader(bytes), DEFAULT_ARCHIVE_LIMITS)
  if (problems.first.length > 0)
    throw new Error(`the workbook is a damaged archive: ${problems.first[0]!.text}`)
  return new Map(
    entries.map((entry) => {
      const packed = bytes.subarray(entry.dataOffset, entry.dataOffset + entry.packedBytes)
      return [entry.name, inflateWhole(packed, entry).toString('utf8')]
    }),
  )
}
