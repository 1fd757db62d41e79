import { cleanText } from '../base/clean-text.ts'
import { plural } from '../base/units.ts'
import type { PartsInput, PartsRead } from '../parts/read-parts.ts'
import type { Values } from './options.ts'

/** How parts lists are read with these settings. */
export function listOptions(values: Values): Pick<PartsInput, 'columns' | 'encoding' | 'sheet' | 'strict'> {
  const { partsColumn, quantityColumn, levelColumn, manufacturerColumn, encoding, sheet, strictParts } =
    values
  const columns = {
    part: partsColumn,
    quantity: quantityColumn,
    level: levelColumn,
    manufacturer: manufacturerColumn,
  }
  return { columns, encoding, sheet, strict: strictParts }
}

/** What to say when no part of the lists was found: most likely the wrong column was read. */
export function noneFound(count: number, lists: PartsRead['lists']): string {
  const [first] = lists
  const column = first?.list.layout?.columns.part.heading
  const from =
    column === undefined ? '' : `, read from column "${column}" of ${cleanText(first!.list.name, 200)},`
  const check = first === undefined ? '' : `; matdecl parts shows what is read from a list`
  return count === 1
    ? `the requested part${from} was not found${check}`
    : `none of the ${plural(count, 'requested part')}${from} was found${check}`
}
