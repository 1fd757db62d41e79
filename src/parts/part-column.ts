import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { headingKey, namedColumns } from './heading.ts'

/** The part number column of a table. */
export interface PartColumn {
  /** Its index, from 0. */
  readonly column: number
  /** The row of the headings, from 0; -1 when the table has none. Parts begin in the row after it. */
  readonly headingRow: number
  /** The heading of the column, or its number from 1 where there is none. */
  readonly label: string
  /** Columns of the heading row, or of the widest row seen. */
  readonly width: number
}

/** How many rows are searched for the headings: there may be titles above them. */
export const HEADING_ROWS = 20

/**
 * Finds the part number column in the first rows of a table: the one that is wanted by heading or number (from 1), else the
 * one whose heading says part number, else the only one. Undefined when the rows are empty; a `usage` failure when there is
 * no such column, or several.
 */
export function findPartColumn(
  rows: readonly (readonly string[])[],
  wanted: string | undefined,
  file: string,
): PartColumn | undefined {
  const widest = rows.reduce((width, row) => Math.max(width, filledWidth(row)), 0)
  if (widest === 0) return undefined
  if (wanted !== undefined && /^\d+$/.test(wanted)) return byNumber(rows, Number(wanted), widest, file)
  const columnsOf = (row: readonly string[]): readonly number[] =>
    wanted === undefined ? partColumns(row) : namedColumns(row, wanted)
  const headingRow = rows.findIndex((row) => columnsOf(row).length > 0)
  if (headingRow < 0) {
    if (wanted === undefined && widest === 1) return { column: 0, headingRow, label: '1', width: 1 }
    throw noColumn(rows, wanted, file)
  }
  const headings = rows[headingRow]!
  const [column, ...others] = columnsOf(headings)
  if (others.length > 0) throw severalColumns(headings, [column!, ...others], file)
  return { column: column!, headingRow, label: cleanText(headings[column!]!, 80), width: headings.length }
}

function byNumber(
  rows: readonly (readonly string[])[],
  number: number,
  widest: number,
  file: string,
): PartColumn {
  if (number < 1 || number > widest) {
    throw new Failure('usage', `${file} has no column ${number}: its rows have ${widest}`, {
      file,
      hint: 'count columns from 1, or give the heading of one',
      options: ['parts-column'],
    })
  }
  const headingRow = rows.findIndex((row) => partColumns(row).length > 0)
  const heading = headingRow < 0 ? '' : cleanText(rows[headingRow]![number - 1] ?? '', 80)
  const width = headingRow < 0 ? widest : rows[headingRow]!.length
  return { column: number - 1, headingRow, label: heading === '' ? String(number) : heading, width }
}

function noColumn(rows: readonly (readonly string[])[], wanted: string | undefined, file: string): Failure {
  const message =
    wanted === undefined
      ? `${file}: no part number column found by its heading`
      : `${file}: there is no column "${cleanText(wanted, 80)}"`
  const first = rows.find((row) => filledWidth(row) > 0) ?? []
  const names = first.map((heading, index) => `${index + 1} ${JSON.stringify(cleanText(heading, 40))}`)
  return new Failure('usage', message, {
    file,
    hint: `the first row has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}; choose a column`,
    options: ['parts-column'],
  })
}

function severalColumns(headings: readonly string[], columns: readonly number[], file: string): Failure {
  const names = columns.map((column) => `${column + 1} ${JSON.stringify(cleanText(headings[column]!, 40))}`)
  return new Failure('usage', `${file}: several columns could be the part number: ${names.join(', ')}`, {
    file,
    hint: 'choose one by its number',
    options: ['parts-column'],
  })
}

function filledWidth(row: readonly string[]): number {
  let width = row.length
  while (width > 0 && row[width - 1]!.trim() === '') width -= 1
  return width
}

// Headings that say "part number", without case, spaces and punctuation. The first group is the manufacturer's number,
// which is what a supplier knows; the second is used only when none of the first is there.
const PART_HEADINGS: ReadonlySet<string> = new Set(
  [
    'partnumber partnumbers partno partnos partnr partnum partid part parts pn pno pnr',
    'manufacturerpartnumber manufacturerpartno manufacturerpartnr manufacturerpartnum manufacturerpart manufacturerpn',
    'manufacturerspartnumber manufacturerspartno manufacturernumber mfrpartnumber mfrpartno mfrpartnr mfrpart mfrpn',
    'mfgpartnumber mfgpartno mfgpart mfgpn mpn mpns mpnumber makerpartnumber vendorpartnumber vendorpartno vendorpn',
    'supplierpartnumber supplierpartno supplierpartnr supplierpart supplierpn spn oempartnumber oempn',
    'requestedpart requestedpartnumber componentpartnumber orderingpartnumber orderablepartnumber opn',
    'teilenummer teilenr teilnummer teilnr herstellerteilenummer herstellerteilenr herstellernummer herstellernr',
    'lieferantenteilenummer référencefabricant referencefabricant numérodepièce numerodepiece numérodepieza numerodepieza',
    'codiceparte numerodiparte 部品番号 型番 零件号 物料号',
  ].flatMap((group) => group.split(' ')),
)

const ITEM_HEADINGS: ReadonlySet<string> = new Set(
  [
    'itemnumber itemno itemnr itemid itemcode articlenumber articleno articlenr materialnumber materialno materialnr',
    'material productnumber productno productcode productid partcode componentnumber componentno component ordernumber',
    'orderno ordercode ordernr orderingcode catalognumber catalogno cataloguenumber stocknumber sku requesteritemnumber',
    'artikelnummer artikelnr sachnummer sachnr materialnummer bestellnummer bestellnr produktnummer référence',
    'codicearticolo artikkelnummer',
  ].flatMap((group) => group.split(' ')),
)

/** True when the text is one of the usual headings of a part number column, and not a part number that begins like one (`PN-1`). */
export function isPartHeading(heading: string): boolean {
  return !/\S\d/.test(heading) && partColumns([heading]).length > 0
}

/** The columns (from 0) whose heading says part number: all of the first group, else all of the second. */
function partColumns(headings: readonly string[]): readonly number[] {
  const keys = headings.map(headingKey)
  const inGroup = (group: ReadonlySet<string>): number[] =>
    keys.flatMap((key, index) => (group.has(key) || group.has(key.replace(/1$/, '')) ? [index] : []))
  const parts = inGroup(PART_HEADINGS)
  return parts.length > 0 ? parts : inGroup(ITEM_HEADINGS)
}
