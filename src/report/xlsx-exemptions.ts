import { plural } from '../base/units.ts'
import { exemptionName } from './date-lines.ts'
import type { ReferenceFacts } from './reference-facts.ts'
import { type SheetColumn, tableSheet } from './xlsx-table.ts'
import type { Sheet } from './xlsx-workbook.ts'

const COLUMNS: readonly SheetColumn[] = [
  {
    name: 'number',
    title: 'Exemption',
    about: 'its legal number, or the text that is not recognized',
    kind: 'code',
    width: 12,
  },
  {
    name: 'earliest',
    title: 'Earliest date',
    about: 'the earliest nominal date over product categories',
    kind: 'date',
    width: 12,
  },
  { name: 'latest', title: 'Latest date', about: 'the latest one', kind: 'date', width: 12 },
  {
    name: 'status',
    title: 'What is known',
    about: 'for information only: a renewal requested in time keeps an exemption valid',
    kind: 'text',
    width: 28,
  },
  { name: 'parts', title: 'Parts', about: 'how many parts rely on it', kind: 'count', width: 8 },
  {
    name: 'firstParts',
    title: 'Which parts',
    about: 'the first of them; the sheet Parts has all',
    kind: 'text',
    width: 34,
  },
  {
    name: 'confidence',
    title: 'How sure',
    about: 'how well the dates are confirmed',
    kind: 'text',
    width: 22,
  },
  { name: 'source', title: 'Source', about: 'where the dates are from', kind: 'text', width: 30 },
  { name: 'remark', title: 'Remark', about: 'what else the table says', kind: 'text', width: 30 },
  {
    name: 'declared',
    title: 'As declared',
    about: 'the spellings in the declarations',
    kind: 'text',
    width: 18,
  },
  { name: 'annex', title: 'Annex', about: 'of directive 2011/65/EU', kind: 'text', width: 8 },
]

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
