import type { PartsResult, PartsRow } from './parts-result.ts'

/** Part numbers as a parts list: one per line, or for a `.csv` or `.tsv` file a table of one column. */
export function partsAsList(parts: readonly string[], fileName: string): string {
  if (!/\.(?:csv|tsv)$/i.test(fileName)) return parts.map((part) => `${part}\n`).join('')
  return ['part number', ...parts.map((part) => cell(part))].map((line) => `${line}\n`).join('')
}

const HEADINGS = ['Part Number', 'Quantity', 'Unit', 'Level', 'Item', 'Description', 'Manufacturer', 'Fitted']

/**
 * The rows that were read as a parts list without anything that is no part: in a `.csv` or `.tsv` file a table with quantities and
 * levels, which reads as the same bill of materials; else the part numbers, one per line.
 */
export function cleanList({ parts, lists }: PartsResult, fileName: string): string {
  const [ending] = /\.(?:csv|tsv)$/i.exec(fileName) ?? []
  if (ending === undefined) return partsAsList(parts, fileName)
  const separator = ending.toLowerCase() === '.tsv' ? '\t' : ','
  const rows = lists
    .flatMap((list) => [...list.rows, ...list.withoutNumber].sort((a, b) => a.row - b.row))
    .map(cellsOf)
  // A column without a value would say that the list has levels, or rows that are not fitted.
  const used = HEADINGS.flatMap((_, index) =>
    index === 0 || rows.some((cells) => cells[index] !== '') ? [index] : [],
  )
  return [HEADINGS, ...rows]
    .map((cells) => `${used.map((index) => cell(cells[index]!, separator)).join(separator)}\n`)
    .join('')
}

function cellsOf(row: PartsRow): readonly string[] {
  const { part, quantity, unit, level, item, description, manufacturer, isFitted } = row
  const numbers = [quantity, level].map((value) => (value === null ? '' : String(value)))
  return [part, numbers[0]!, unit, numbers[1]!, item, description, manufacturer, isFitted ? '' : 'no']
}

function cell(text: string, separator = ','): string {
  const isPlain = /^[\w.\-/+#:() ]*$/.test(text) && text === text.trim() && !text.includes(separator)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}
