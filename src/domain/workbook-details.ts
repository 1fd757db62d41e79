/** What a workbook's XML says of a cell that a reader of values does not. */
export interface CellDetail {
  /** The error the cell shows in place of a value, such as `#N/A`. */
  readonly error?: string
  /** The width to which a number is shown with leading zeros. */
  readonly zeros?: number
}

/** The details of each sheet, in the order of the workbook, by cell name such as `B12`. */
export type WorkbookDetails = readonly ReadonlyMap<string, CellDetail>[]

/** Where the parts of a workbook are, by the paths its own XML gives (ECMA-376 part 2, relationships). */
export function sheetPaths(workbookXml: string, relationsXml: string): readonly string[] {
  const targets = new Map(
    elements(relationsXml, 'Relationship').map(({ attributes }) => [
      attribute(attributes, 'Id'),
      attribute(attributes, 'Target'),
    ]),
  )
  return elements(workbookXml, 'sheet').map(({ attributes }) => {
    const target = targets.get(attribute(attributes, '\\w+:id')) ?? ''
    return target.startsWith('/') ? target.slice(1) : `xl/${target}`
  })
}

/** The width of zeros that each cell style pads a number to; undefined where it does something else. */
export function zeroStyles(stylesXml: string): readonly (number | undefined)[] {
  const widths = new Map(
    elements(stylesXml, 'numFmt').map(({ attributes }) => {
      const width = /^(0{2,})(?:;|$)/.exec(attribute(attributes, 'formatCode') ?? '')?.[1]?.length
      return [attribute(attributes, 'numFmtId'), width]
    }),
  )
  const styles = elements(stylesXml, 'cellXfs')[0]?.inside ?? ''
  return elements(styles, 'xf').map(({ attributes }) => widths.get(attribute(attributes, 'numFmtId')))
}

/** The cells of a sheet that show an error, or a number with leading zeros. */
export function sheetDetails(
  sheetXml: string,
  zeros: readonly (number | undefined)[],
): ReadonlyMap<string, CellDetail> {
  const details = new Map<string, CellDetail>()
  const hasZeros = zeros.some((width) => width !== undefined)
  if (!hasZeros && !/\st="e"/.test(sheetXml)) return details
  for (const { attributes, inside } of eachElement(sheetXml, 'c')) {
    const name = attribute(attributes, 'r')
    if (name === undefined) continue
    const type = attribute(attributes, 't')
    const width = zeros[Number(attribute(attributes, 's') ?? -1)]
    if (type === 'e') details.set(name, { error: elements(inside, 'v')[0]?.inside ?? '#ERROR!' })
    else if (width !== undefined && (type === undefined || type === 'n')) details.set(name, { zeros: width })
  }
  return details
}

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
