import type { ListAccount } from '../base/account-entry.ts'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import type { Verdict } from '../compliance/finding-rules.ts'
import { tidy } from '../compliance/quantity.ts'
import type { ReachStatus } from '../compliance/reach.ts'
import type { RohsStatus } from '../compliance/rohs.ts'
import type { Bom, BomLine } from '../parts/bom.ts'
import type { PartsRead } from '../parts/read-parts.ts'
import { isPiece } from '../parts/read-quantity.ts'
import type { ListRow } from '../parts/read-row.ts'

/** A parts list as a report is about it: each list is a product. */
export interface ProductList {
  /** The file, as the user named it. */
  readonly name: string
  readonly lines: readonly ListLine[]
  readonly bom: Bom
  /** What came in with the file, and what became of it; undefined where there is none. */
  readonly account?: ListAccount
}

/** A line of a parts list. */
export interface ListLine {
  /** On which it begins in the list, from 1. */
  readonly line: number
  /** Its key in the bill of materials. */
  readonly key: string
  /** Its number, and after it its alternates; none for a line without a number. */
  readonly numbers: readonly ListedNumber[]
  readonly item: string
  readonly level: string
  readonly ownPart: string
  readonly quantity: number | undefined
  readonly unit: string
  readonly reference: string
  readonly description: string
  readonly manufacturer: string
  /** The line of the assembly that it is in. */
  readonly parent: number | undefined
  /** It has lines below it. */
  readonly isAssembly: boolean
  /** Not fitted, or with the quantity 0, or in something that is. */
  readonly isLeftOut: boolean
}

export interface ListedNumber {
  readonly part: string
  readonly manufacturer: string
}

/** What a row of a report has of its line: the list's own columns. */
export interface RowLine extends Omit<ListLine, 'numbers' | 'parent' | 'key'> {
  /** The product: the place of its list among those of the report. */
  readonly product: number
  /** The place of its number among the alternates of the line, from 1; undefined for its first choice. */
  readonly alternate: number | undefined
  /** The verdict of the whole line. */
  verdict: Verdict
  /** The other numbers of the line that are declared. */
  readonly declaredInstead: readonly string[]
  /** Of the lines in an assembly: the rules of the gate that they match, and what makes them fail or doubtful. */
  openInside: readonly string[]
  foundInside: readonly string[]
  /** The worst statuses of the lines in an assembly without a declaration of its own. */
  inside?: { readonly rohs: RohsStatus; readonly reach: ReachStatus }
  /** The assemblies that have the part, with its quantity in each; of several lists these. */
  readonly usedIn: readonly string[]
}

/** The lines of parts lists that are still open. */
export async function readLines({ lists }: Pick<PartsRead, 'lists'>): Promise<readonly ProductList[]> {
  const products: ProductList[] = []
  for (const { list, bom, account } of lists) {
    if (bom === undefined) continue
    const rows = new Map<number, ListRow[]>()
    let line = 0
    for await (const batch of list.rows()) {
      for (const row of batch) {
        // Alternates may be on lines of their own below it.
        if (row.isAlternate !== true && row.skip !== 'repetition') line = row.line
        const own = rows.get(line)
        if (own === undefined) rows.set(line, [row])
        else own.push(row)
      }
    }
    products.push({ ...productList(list.name, bom, rows), account })
  }
  return products
}

function productList(name: string, bom: Bom, rows: ReadonlyMap<number, readonly ListRow[]>): ProductList {
  const parents = new Set(bom.lines.filter((line) => !line.isLeftOut).map(({ parent }) => parent))
  const lines = bom.lines.map((line) => listLine(rows.get(line.line) ?? [], line, parents.has(line.line)))
  return { name, lines, bom }
}

function listLine(
  [row, ...others]: readonly ListRow[],
  { line, key, parent, isLeftOut, quantity, unit }: BomLine,
  isAssembly: boolean,
): ListLine {
  const { part = '', skip, details } = row ?? {}
  const number = skip === undefined ? part : ''
  const manufacturer = details?.manufacturer ?? ''
  const listed = [
    ...(number === '' ? [] : [{ part: number, manufacturer }]),
    // An alternate is another company's, as a rule.
    ...others
      .filter((one) => one.isAlternate === true && one.skip === undefined && one.problem === undefined)
      .map((one) => ({ part: one.part, manufacturer: one.details?.manufacturer ?? '' })),
  ]
  return {
    line,
    key,
    numbers: listed,
    item: cleanText(details?.item ?? ''),
    level: cleanText(details?.level ?? ''),
    ownPart: escapeUnsafe(details?.ownPart ?? ''),
    quantity: quantity === undefined ? undefined : tidy(quantity),
    unit: cleanText(unit),
    reference: cleanText(details?.reference ?? ''),
    description: cleanText(details?.description || (skip === undefined ? '' : part)),
    manufacturer: cleanText(manufacturer),
    parent,
    isAssembly,
    isLeftOut,
  }
}

/** The list that is the part numbers of a run, without a file. */
export function plainList(name: string, parts: readonly string[]): ProductList {
  const lines = parts.map((part, index): ListLine => {
    const numbers = [{ part, manufacturer: '' }]
    return { ...NO_LINE, line: index + 1, key: part, numbers }
  })
  const top = new Map(parts.map((part) => [part, undefined]))
  return { name, lines, bom: { ...NO_BOM, top } }
}

const NO_LINE: Omit<ListLine, 'line' | 'key' | 'numbers'> = {
  item: '',
  level: '',
  ownPart: '',
  quantity: undefined,
  unit: '',
  reference: '',
  description: '',
  manufacturer: '',
  parent: undefined,
  isAssembly: false,
  isLeftOut: false,
}

const NO_BOM: Bom = {
  top: new Map(),
  assemblies: new Map(),
  names: new Map(),
  reasons: new Map(),
  flattened: undefined,
  leftOut: 0,
  lines: [],
  hasQuantities: false,
}

/** Where each number, or a line without one by its key, is used: by assembly with the quantity of the line, and with several lists by list. */
export function usesOf(lists: readonly ProductList[]): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, Set<string>>()
  for (const { name, lines } of lists) {
    const byLine = new Map(lines.map((line) => [line.line, line]))
    for (const line of lines) {
      if (line.isLeftOut) continue
      const parent = line.parent === undefined ? undefined : byLine.get(line.parent)
      const where = [
        ...(lists.length > 1 ? [cleanText(name)] : []),
        ...(parent === undefined ? [] : [lineName(parent)]),
      ]
      if (where.length === 0) continue
      const text = `${where.join(': ')}${amountText(line)}`
      const numbers = line.numbers.map(({ part }) => part)
      for (const part of numbers.length === 0 ? [line.key] : numbers) {
        const own = uses.get(part) ?? new Set()
        uses.set(part, own.add(text))
      }
    }
  }
  return new Map([...uses].map(([part, all]) => [part, [...all]]))
}

function amountText({ quantity, unit }: ListLine): string {
  if (quantity === undefined) return ''
  return ` (${quantity}${isPiece(unit) ? '' : ` ${unit}`})`
}

/** What to call a line: its number, else what the list says of it. */
function lineName({ numbers, ownPart, description, item, line }: ListLine): string {
  const [first] = numbers
  if (first !== undefined) return escapeUnsafe(first.part)
  return ownPart || description || (item === '' ? `line ${line}` : `item ${item}`)
}
