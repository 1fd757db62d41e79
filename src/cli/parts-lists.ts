import type { ListAccount } from '../base/account-entry.ts'
import { cleanText } from '../base/clean-text.ts'
import { withOptions } from '../base/notice.ts'
import { shellQuote } from '../base/shell-words.ts'
import { plural } from '../base/units.ts'
import { joinedAccount } from '../parts/list-account.ts'
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

/** What became of the rows and cells of the lists, for the account of a result; nothing where none was given. */
export function listFields(lists: PartsRead['lists']): Partial<ListAccount> {
  return lists.length === 0
    ? {}
    : joinedAccount(lists.map(({ list, account }) => ({ name: list.name, account })))
}

/** What looks wrong in the lists and with the part numbers, as results have it. */
export function warningFields({ warnings, warningCount }: Pick<PartsRead, 'warnings' | 'warningCount'>) {
  return {
    warnings: warnings.map(({ kind, file, line, message, options }) => ({
      kind,
      file,
      line,
      message: withOptions(message, options),
    })),
    warningCount,
  }
}

export type WarningFields = ReturnType<typeof warningFields>

/** No requested part was found: what to say, and what to do about it. */
interface NoneFound {
  readonly message: string
  readonly hint: string
}

/**
 * What to say when no requested part was found, with the columns that they were read from: most likely one of them is the wrong one.
 * `tip` names what there is, where that is known.
 */
export function noneFound(parts: readonly string[], lists: PartsRead['lists'], tip?: string): NoneFound {
  const [part] = parts
  const read = lists.slice(0, MOST_LISTS).map(({ list: { name, layout } }) => {
    const column = layout === undefined ? '' : `column "${cleanText(layout.columns.part.heading, 80)}" of `
    return `${column}${cleanText(name, 200)}`
  })
  const more = lists.length - read.length
  const from =
    lists.length === 0 ? '' : `, read from ${read.join(' and ')}${more > 0 ? ` and ${more} more lists` : ''},`
  const what =
    parts.length === 1
      ? `the requested part '${cleanText(part!, 80)}'${from}`
      : `none of the ${plural(parts.length, 'requested part')}${from}`
  return {
    message: `${what} was${parts.length === 1 ? ' not' : ''} found`,
    hint: nextStep(parts, lists, tip),
  }
}

const MOST_LISTS = 3

function nextStep(parts: readonly string[], lists: PartsRead['lists'], tip: string | undefined): string {
  const [first] = lists
  if (first !== undefined) {
    const file = first.list.name === '-' ? '' : ` ${shellQuote(cleanText(first.list.name, 200))}`
    return `check what is read with matdecl parts${file}; --parts-column names another column`
  }
  const listed = parts.find(isListed)
  if (listed !== undefined) return oneNumber(listed)
  return tip ?? 'check the part number: it must be exactly as the supplier writes it'
}

/** True for a part number that looks like several of them. */
export function isListed(part: string): boolean {
  return /\S,\s*\S/.test(part)
}

/** How several part numbers are written that were given as one. */
export function oneNumber(part: string): string {
  const several = part.split(',').flatMap((each) => each.trim() || [])
  const written = several.slice(0, 2).map((each) => `--part ${shellQuote(cleanText(each, 40))}`)
  const more = several.length > 2 ? ' …' : ''
  return `--part ${shellQuote(cleanText(part, 80))} is one part number, commas included; for several: ${written.join(' ')}${more}`
}
