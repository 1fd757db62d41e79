import { plural } from '../../base/units.ts'
import { exemptionName } from '../date-lines.ts'
import type { ReferenceFacts } from '../regulations/reference-facts.ts'
import { sheetColumns, tableSheet } from './xlsx-table.ts'
import type { Sheet } from './xlsx-workbook.ts'

const COLUMNS = sheetColumns([
  ['number', 'Exemption', 'its legal number, or the text that is not recognized', 'code', 12],
  ['earliest', 'Earliest date', 'the earliest nominal date over product categories', 'date', 12],
  ['latest', 'Latest date', 'the latest one', 'date', 12],
  [
    'status',
    'What is known',
    'for information only: a renewal requested in time keeps an exemption valid',
    'text',
    28,
  ],
  ['parts', 'Parts', 'how many parts rely on it', 'count', 8],
  ['firstParts', 'Which parts', 'the first of them; the sheet Parts has all', 'text', 34],
  ['confidence', 'How sure', 'how well the dates are confirmed', 'text', 22],
  ['source', 'Source', 'where the dates are from', 'text', 30],
  ['remark', 'Remark', 'what else the table says', 'text', 30],
  ['declared', 'As declared', 'the spellings in the declarations', 'text', 18],
  ['annex', 'Annex', 'of directive 2011/65/EU', 'text', 8],
])

/** What will end: the exemptions in use, earliest date first. */
export function exemptionsSheet({ exemptions, moreExemptions }: ReferenceFacts): Sheet {
  const rows = exemptions.map((use) => ({
    ...use,
    number: exemptionName(use),
    firstParts: named(use.firstParts, use.parts),
    declared: use.declared.join('; '),
  }))
  const more = { number: `and ${plural(moreExemptions, 'more exemption')}` }
  const all = moreExemptions > 0 ? [...rows, more] : rows
  return tableSheet({ name: 'Exemptions', columns: COLUMNS, count: all.length, rows: () => all })
}

function named(parts: readonly string[], count: number): string {
  const more = count > parts.length ? [`and ${count - parts.length} more`] : []
  return [...parts, ...more].join(', ')
}
