import { type NumberFormat, readNumberFormat } from './number-format.ts'

/** What a workbook's XML says of a cell that a reader of values does not. */
export interface CellDetail {
  /** The error the cell shows in place of a value, such as `#N/A`. */
  readonly error?: string
  /** How the cell shows its number, where that is not by its digits. */
  readonly format?: NumberFormat
  /** The cell has a formula whose result was never saved. */
  readonly isUncalculated?: true
}

/** A sheet as its user sees it; cells by name, such as `B12`. */
export interface SheetDetails {
  readonly name: string
  readonly isHidden: boolean
  readonly cells: ReadonlyMap<string, CellDetail>
}

/** The sheets in the order of the workbook. */
export type WorkbookDetails = readonly SheetDetails[]

/** A sheet as the workbook's own XML names it, with the path of its cells (ECMA-376 part 2, relationships). */
export interface SheetPlace {
  readonly name: string
  readonly isHidden: boolean
  readonly path: string
}

export function sheetPlaces(workbookXml: string, relationsXml: string): readonly SheetPlace[] {
  const targets = new Map(
    elements(relationsXml, 'Relationship').map(({ attributes }) => [
      attribute(attributes, 'Id'),
      attribute(attributes, 'Target'),
    ]),
  )
  return elements(workbookXml, 'sheet').map(({ attributes }) => {
    const target = targets.get(attribute(attributes, '\\w+:id')) ?? ''
    const state = attribute(attributes, 'state')
    return {
      name: plainText(attribute(attributes, 'name') ?? ''),
      isHidden: state === 'hidden' || state === 'veryHidden',
      path: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
    }
  })
}

/** How each cell style shows a number; undefined where it is by its digits, or in a way no part number is. */
export function numberStyles(stylesXml: string): readonly (NumberFormat | undefined)[] {
  const formats = new Map<string | undefined, NumberFormat | undefined>(SCIENTIFIC_IDS)
  for (const { attributes } of elements(stylesXml, 'numFmt')) {
    const code = plainText(attribute(attributes, 'formatCode') ?? '')
    formats.set(attribute(attributes, 'numFmtId'), readNumberFormat(code))
  }
  const styles = elements(stylesXml, 'cellXfs')[0]?.inside ?? ''
  return elements(styles, 'xf').map(({ attributes }) => formats.get(attribute(attributes, 'numFmtId')))
}

// The two formats every workbook has without saying so: 0.00E+00 and ##0.0E+0.
const SCIENTIFIC_IDS = [
  ['11', 'scientific'],
  ['48', 'scientific'],
] as const

/** The cells of a sheet that show an error or a number in a way of their own, or whose formula has no result. */
export function sheetDetails(
  sheetXml: string,
  formats: readonly (NumberFormat | undefined)[],
): ReadonlyMap<string, CellDetail> {
  const details = new Map<string, CellDetail>()
  const hasFormats = formats.some((format) => format !== undefined)
  if (!hasFormats && !/\st="e"/.test(sheetXml) && !FORMULA.test(sheetXml)) return details
  for (const { attributes, inside } of eachElement(sheetXml, 'c')) {
    const name = attribute(attributes, 'r')
    if (name === undefined) continue
    const type = attribute(attributes, 't')
    const format = formats[Number(attribute(attributes, 's') ?? -1)]
    if (type === 'e') details.set(name, { error: elements(inside, 'v')[0]?.inside ?? '#ERROR!' })
    else if (type === undefined || type === 'n') {
      const isUncalculated = FORMULA.test(inside) && (elements(inside, 'v')[0]?.inside ?? '') === ''
      if (isUncalculated) details.set(name, { isUncalculated })
      else if (format !== undefined) details.set(name, { format })
    }
  }
  return details
}

const FORMULA = /<(?:\w+:)?f[\s/>]/

/** `B12` for column 1 (from 0) and row 12 (from 1). */
export function cellName(column: number, row: number): string {
  let letters = ''
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  }
  return `${letters}${row}`
}

interface Element {
  readonly attributes: string
  readonly inside: string
}

function elements(xml: string, name: string): readonly Element[] {
  return [...eachElement(xml, name)]
}

// Found by their tags alone, whatever their prefix: none of these elements nests in itself.
function* eachElement(xml: string, name: string): Generator<Element> {
  const tag = new RegExp(`<(\\w+:)?${name}(\\s[^>]*?)?(/)?>`, 'g')
  for (let match = tag.exec(xml); match !== null; match = tag.exec(xml)) {
    const [, prefix = '', attributes = '', isEmpty] = match
    if (isEmpty !== undefined) {
      yield { attributes, inside: '' }
      continue
    }
    const end = xml.indexOf(`</${prefix}${name}>`, tag.lastIndex)
    if (end < 0) return
    yield { attributes, inside: xml.slice(tag.lastIndex, end) }
    tag.lastIndex = end
  }
}

function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes)
  return match === null ? undefined : (match[1] ?? match[2])
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plainText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!)
}
