import { cleanText } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { ListColumn } from './list-item.ts'

/** What to say about the columns that were read of a table, and about those of a bill of materials that were not. */
export function columnNotices(found: ListColumn, file: string, values: number): readonly Notice[] {
  const { column, sheet, bom, bomDoubt } = found
  const where = sheet === undefined ? '' : ` of sheet "${cleanText(sheet, 80)}"`
  const numbers = `${file}: ${plural(values, 'part number')} from column "${column}"`
  const data = { file, column, ...(sheet === undefined ? {} : { sheet }) }
  const read: Notice = {
    level: 'info',
    event: 'parts.column',
    message: `${numbers}${where}${bomColumns(bom)}`,
    data,
  }
  if (bomDoubt === undefined) return [read]
  const options = ['quantity-column', 'level-column']
  return [read, { level: 'warning', event: 'parts.no-quantity', message: bomDoubt, options }]
}

function bomColumns([quantity, level]: readonly string[] = []): string {
  if (quantity === undefined) return ''
  return `, quantities from "${quantity}"${level === undefined ? '' : `, levels from "${level}"`}`
}
