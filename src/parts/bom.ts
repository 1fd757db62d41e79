import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { tidy } from '../compliance/quantity.ts'
import type { DamageKind } from './part-number.ts'
import { type Amount, isZero, QuantityColumn, type ReadQuantity, UNKNOWN } from './read-quantity.ts'
import type { ListRow, RowDetails } from './read-row.ts'

/** Pieces of each part, of one or of everything; undefined where the number is unknown. */
export type PartPieces = ReadonlyMap<string, number | undefined>

/** A bill of materials: what a product is made of. Parts are its keys; a row without a part number has a key of its own in `names`. */
export interface Bom {
  /** The pieces of the product that are in no assembly. */
  readonly top: PartPieces
  /** What one piece of each assembly is made of. An assembly comes before those in it. */
  readonly assemblies: ReadonlyMap<string, PartPieces>
  /** What to call the rows without a part number, by their keys, which no part number can equal: item, description or `row 5`. */
  readonly names: ReadonlyMap<string, string>
  /** Why the quantity of a part is unknown; the first reason of each. */
  readonly reasons: ReadonlyMap<string, string>
  /** Why the levels of the list could not be used: every part is then in `top`, its quantity unknown. */
  readonly flattened: string | undefined
  /** Rows that are not fitted or have the quantity 0, with everything in them: they are left out. */
  readonly leftOut: number
  /** The rows in the order of the list. */
  readonly lines: readonly BomLine[]
  /** Quantities are listed. */
  readonly hasQuantities: boolean
}

/** A row of the list, as it is in the product. */
export interface BomLine {
  /** The line of the list on which it begins. */
  readonly line: number
  readonly key: string
  /** The line of the assembly that it is in; undefined for a row of the product itself. */
  readonly parent: number | undefined
  readonly isLeftOut: boolean
  /** The quantity as listed, whatever its unit; undefined where it is not known. */
  readonly quantity: number | undefined
  readonly unit: string
}

/** What to call a key of the bill: the part number, or what the list says of a row without one. */
export function nameIn({ names }: Bom, key: string): string {
  return names.get(key) ?? escapeUnsafe(key)
}

/** Adds a quantity to those of the same part: one unknown makes the sum unknown. */
export function addPieces(
  pieces: Map<string, number | undefined>,
  part: string,
  more: number | undefined,
): void {
  const known = pieces.has(part) ? pieces.get(part) : 0
  pieces.set(part, known === undefined || more === undefined ? undefined : known + more)
}

/** Receives what looks wrong about a line. */
export type DoubtOf = (kind: DamageKind, line: number, says: string) => void

type Contents = Map<string, Amount>

/** What one piece of an assembly is made of, and the row that lists it. */
interface Listing {
  readonly contents: ReadonlyMap<string, Amount>
  readonly line: number
}

/** An assembly, or any other part, whose rows may still follow. */
interface Open {
  readonly key: string
  readonly line: number
  readonly place: Place
  readonly amount: Amount
  readonly contents: Contents
  readonly isLeftOut: boolean
}

/** A row of a list; one that is certain is a line although it says nothing else. */
export type BomRow = Pick<ListRow, 'part' | 'line'> & {
  readonly details: RowDetails
  readonly isCertain?: boolean
}

const ONE: ReadQuantity = { amount: [1, 1] }
const NOT_LISTED = { amount: UNKNOWN, unit: '' }

/** What the columns of a list say of its rows. */
interface BomColumns {
  readonly hasLevels: boolean
  /** The quantities are those of the whole product. */
  readonly isTotal: boolean
  readonly hasQuantities: boolean
}

/**
 * Collects the rows of a list into its bill of materials, with quantities in both readings of decimal signs until its end. Memory grows
 * with the different parts and assemblies.
 */
export class BomBuilder {
  readonly #file: string
  readonly #doubt: DoubtOf
  readonly #hasLevels: boolean
  readonly #isTotal: boolean
  readonly #hasQuantities: boolean
  readonly #quantities = new QuantityColumn()
  readonly #top: Contents = new Map()
  readonly #listings = new Map<string, Listing>()
  readonly #names = new Map<string, string>()
  readonly #reasons = new Map<string, string>()
  readonly #seen = new Set<string>()
  readonly #lines: (Omit<BomLine, 'quantity'> & { readonly amount: Amount })[] = []
  #flattened: string | undefined
  #leftOut = 0
  #style: LevelStyle | undefined
  /** The numbers of the rows held leave gaps, as positions such as 10, 20 do. */
  #hasGaps = false
  /** The depth of the outermost rows. */
  #topDepth: number | undefined
  #hasSkipped = false
  /** Rows whose place is not known yet, at most a hundred. */
  readonly #held: { readonly row: BomRow; readonly level: RowLevel }[] = []
  /** The row read last, and those that it is in. */
  readonly #open: Open[] = []

  /** `doubt` receives what looks wrong. */
  constructor(file: string, doubt: DoubtOf, { hasLevels, isTotal, hasQuantities }: BomColumns) {
    this.#file = file
    this.#doubt = doubt
    this.#hasLevels = hasLevels
    this.#isTotal = isTotal
    this.#hasQuantities = hasQuantities
  }

  /** Adds a row, in the order of the list; one without part number, quantity and level says nothing. */
  add(row: BomRow): void {
    const { quantity, level, item, description } = row.details
    const isListed = quantity !== '' || level !== '' || (!this.#hasQuantities && item + description !== '')
    if (row.part === '' && !isListed && row.isCertain !== true) return
    if (!this.#hasLevels) {
      this.#put(row, { depth: 1, path: [] })
      return
    }
    if (this.#flattened !== undefined) {
      this.#note(row)
      return
    }
    const read = readLevel(level)
    if (read === undefined) {
      this.#flatten(row.line, `the level "${cleanText(level, 40)}" is not recognized`)
      this.#note(row)
      return
    }
    const before = this.#held.at(-1)?.level
    const style = this.#style ?? levelStyle(before, read)
    if (before !== undefined && read.numbers[0]! > before.numbers[0]! + 1) this.#hasGaps = true
    this.#held.push({ row, level: read })
    if (style !== undefined) this.#drain(style)
    else if (this.#held.length > DEEPEST) this.#drain('positions')
  }

  /** Ends the list: doubts about its structure and its quantities come now at the latest. Undefined when no row was added. */
  result(): Bom | undefined {
    if (this.#held.length > 0) this.#drain(this.#hasGaps ? 'positions' : 'depths')
    this.#closeDownTo(undefined)
    const { doubt } = this.#quantities
    if (doubt !== undefined) this.#doubt('quantity', doubt.line, doubt.says)
    if (this.#seen.size + this.#leftOut === 0) return undefined
    const top = this.#settled(this.#top)
    const assemblies = sortAssemblies(
      new Map([...this.#listings].map(([part, { contents }]) => [part, this.#settled(contents)])),
    )
    if (assemblies === undefined) this.#flattened ??= 'an assembly is inside itself'
    const lines = this.#lines.map(({ amount, ...line }) => ({
      ...line,
      quantity: this.#quantities.settle(amount),
    }))
    const [names, reasons, flattened, leftOut] = [this.#names, this.#reasons, this.#flattened, this.#leftOut]
    const facts = { names, reasons, flattened, leftOut, hasQuantities: this.#hasQuantities }
    if (flattened === undefined) return { top, assemblies: assemblies!, lines, ...facts }
    return {
      top: new Map([...this.#seen].map((part) => [part, undefined])),
      assemblies: new Map(),
      lines: lines.map((line) => ({ ...line, parent: undefined })),
      ...facts,
    }
  }

  #settled(contents: Listing['contents']): PartPieces {
    return new Map(
      [...contents].map(([key, amount]) => {
        const pieces = this.#quantities.settle(amount)
        if (pieces === undefined && amount[0] !== undefined) {
          this.#because(key, `the quantity may be ${tidy(amount[0])} or ${tidy(amount[1] ?? 0)}`)
        }
        return [key, pieces]
      }),
    )
  }

  /** The key of a row: its part number, or one that no part number can equal. */
  #note(row: BomRow): string {
    const { line, details } = row
    const { listed = NOT_LISTED } = this.#quantities.read(details.quantity, details.unit, line)
    const key = this.#keyOf(row)
    this.#lines.push({ line, key, parent: undefined, isLeftOut: !details.isFitted, ...listed })
    return key
  }

  #keyOf({ part, line, details }: BomRow): string {
    const key = part === '' ? `\0${this.#file}:${line}` : part
    this.#seen.add(key)
    if (part === '') {
      const item = details.item === '' ? '' : `item ${details.item}`
      this.#names.set(key, cleanText(details.description || item, 80) || `row ${line}`)
    }
    return key
  }

  #because(key: string, reason: string): void {
    if (!this.#reasons.has(key)) this.#reasons.set(key, reason)
  }

  #flatten(line: number, says: string): void {
    if (this.#flattened !== undefined) return
    this.#flattened = `${this.#file}:${line}: ${says}`
    this.#doubt('level', line, `${says}: no assemblies in the roll-up`)
    for (const { row } of this.#held.splice(0)) this.#note(row)
  }

  #drain(style: LevelStyle): void {
    this.#style = style
    for (const { row, level } of this.#held.splice(0)) {
      const place = this.#flattened === undefined ? placeOf(level, style) : undefined
      if (place !== undefined) this.#put(row, place)
      else {
        this.#flatten(row.line, `level "${cleanText(row.details.level, 40)}" does not fit the others`)
        this.#note(row)
      }
    }
  }

  #put(row: BomRow, place: Place): void {
    const { line, details, part } = row
    this.#closeDownTo(place)
    const parent = this.#open.at(-1)
    const isProduct = this.#topDepth === undefined && this.#hasLevels && details.quantity === ''
    const isSkipping =
      place.depth > (parent === undefined ? (this.#topDepth ?? place.depth) : parent.place.depth + 1)
    this.#topDepth ??= place.depth
    const read = isProduct ? ONE : this.#quantities.read(details.quantity, details.unit, line)
    const isLeftOut = parent?.isLeftOut === true || !details.isFitted || isZero(read.amount)
    const key = isLeftOut ? part : this.#keyOf(row)
    this.#lines.push({ line, key, parent: parent?.line, isLeftOut, ...(read.listed ?? NOT_LISTED) })
    if (!isLeftOut && this.#open.some((outer) => outer.key === key)) {
      this.#flatten(line, `"${cleanText(part, 80)}" is inside itself`)
      return
    }
    const amount = isSkipping ? UNKNOWN : read.amount
    if (this.#hasLevels) this.#open.push({ key, line, place, amount, contents: new Map(), isLeftOut })
    if (isLeftOut) {
      this.#leftOut += 1
      return
    }
    this.#doubtAbout(row, key, { isProduct, isSkipping, reason: read.reason })
    const pieces = parent !== undefined && this.#isTotal ? perPiece(amount, parent.amount) : amount
    addAmount(parent?.contents ?? this.#top, key, pieces)
  }

  #doubtAbout(
    { line, details }: BomRow,
    key: string,
    {
      isProduct,
      isSkipping,
      reason,
    }: { readonly isProduct: boolean; readonly isSkipping: boolean; readonly reason: string | undefined },
  ): void {
    if (isProduct && this.#hasQuantities)
      this.#doubt('quantity', line, 'the quantity of the first row is blank, read as one product')
    if (isSkipping) {
      const says = `level ${cleanText(details.level, 40)} comes without the level above it`
      if (!this.#hasSkipped)
        this.#doubt('level', line, `${says}: it is put into the row above, in unknown quantity`)
      this.#hasSkipped = true
      this.#because(key, says)
    } else if (reason !== undefined && this.#hasQuantities) {
      this.#because(key, reason)
      if (!reason.endsWith('not in pieces')) this.#doubt('quantity', line, reason)
    }
  }

  #closeDownTo(place: Place | undefined): void {
    while (this.#open.length > 0) {
      const last = this.#open.at(-1)!
      if (place !== undefined && isInside(place, last.place)) return
      if (last.contents.size > 0) this.#addListing(last.key, last)
      this.#open.pop()
    }
  }

  /** Adds a listing. One of an assembly that has another has the parts of both, the quantity unknown where they differ. */
  #addListing(key: string, again: Listing): void {
    const known = this.#listings.get(key)
    if (known === undefined) {
      this.#listings.set(key, again)
      return
    }
    const [a, b] = [known.contents, again.contents]
    const isSame = (part: string): boolean =>
      a.has(part) && b.has(part) && isEqualAmount(a.get(part)!, b.get(part)!)
    const differing = [...new Set([...a.keys(), ...b.keys()])].filter((part) => !isSame(part))
    if (differing.length === 0) return
    const [before, here] = [known, again].map(({ line }) => `${this.#file}:${line}`)
    const name = cleanText(this.#names.get(key) ?? key, 80)
    this.#doubt('level', again.line, `"${name}" has other parts here than at ${before}`)
    for (const part of differing) this.#because(part, `the quantity differs between ${before} and ${here}`)
    const contents = new Map([...a, ...b, ...differing.map((part) => [part, UNKNOWN] as const)])
    this.#listings.set(key, { ...known, contents })
  }
}

function addAmount(contents: Contents, key: string, more: Amount): void {
  const known = contents.get(key)
  const add = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? undefined : a + b
  contents.set(key, known === undefined ? more : [add(known[0], more[0]), add(known[1], more[1])])
}

/** A quantity of the whole product as one of the assembly that it is in. */
function perPiece(total: Amount, assembly: Amount): Amount {
  const divide = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined || b === 0 ? undefined : a / b
  return [divide(total[0], assembly[0]), divide(total[1], assembly[1])]
}

function isEqualAmount(a: Amount, b: Amount): boolean {
  return isEqualNumber(a[0], b[0]) && isEqualNumber(a[1], b[1])
}

function isEqualNumber(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined ? a === b : tidy(a) === tidy(b)
}

/** The assemblies sorted so that each comes before those in it; undefined when one is inside itself. */
function sortAssemblies(
  assemblies: ReadonlyMap<string, PartPieces>,
): ReadonlyMap<string, PartPieces> | undefined {
  const users = new Map<string, number>()
  const used = (parts: PartPieces): readonly string[] =>
    [...parts.keys()].filter((part) => assemblies.has(part))
  for (const parts of assemblies.values()) {
    for (const part of used(parts)) users.set(part, (users.get(part) ?? 0) + 1)
  }
  const ready = [...assemblies.keys()].filter((part) => !users.has(part))
  const sorted = new Map<string, PartPieces>()
  for (const assembly of ready) {
    const parts = assemblies.get(assembly)!
    sorted.set(assembly, parts)
    for (const part of used(parts)) {
      const left = users.get(part)! - 1
      users.set(part, left)
      if (left === 0) ready.push(part)
    }
  }
  return sorted.size === assemblies.size ? sorted : undefined
}

/** The level of a row as written: `2` is `[2]`, `1.1.2` is `[1, 1, 2]`. */
interface RowLevel {
  readonly numbers: readonly number[]
  /** Written with an indent, such as `..2`: certainly a depth. */
  readonly isIndented: boolean
}

/** How a level column is written: the depth of each row (1, 2, 3), or its position (1, 1.1, 1.1.2). */
type LevelStyle = 'depths' | 'positions'

/** Deeper structures are no bills of materials. */
const DEEPEST = 100

/** Reads a level; undefined for anything that is none. */
function readLevel(text: string): RowLevel | undefined {
  if (text === '' || text.length > 200) return undefined
  // Numbers that went through a program may be decimals: `2.0`.
  const match = /^([.\-+>*_|\s]*)(?:l|lvl|level|stufe|ebene)?\s*(\d{1,9}(?:\.\d{1,9})*?)(?:\.0?)?$/i.exec(
    text.normalize('NFKC').trim(),
  )
  if (match === null) return undefined
  return { numbers: match[2]!.split('.').map(Number), isIndented: match[1] !== '' }
}

/**
 * The style that two rows in a row show; undefined while it can be either. `1, 2, 3` may go one deeper each time or be three
 * positions: a number that repeats or falls is a depth, one with a dot is a position.
 */
function levelStyle(before: RowLevel | undefined, row: RowLevel): LevelStyle | undefined {
  if (row.numbers.length > 1) return 'positions'
  if (row.isIndented) return 'depths'
  if (before === undefined) return undefined
  return row.numbers[0]! > before.numbers[0]! ? undefined : 'depths'
}

/** Where a row is in the structure: its depth, and as a position the numbers of the rows it is in. */
interface Place {
  readonly depth: number
  readonly path: readonly number[]
}

/** The place of a row; undefined when its level is of the other style, or deeper than anything real. */
function placeOf({ numbers, isIndented }: RowLevel, style: LevelStyle): Place | undefined {
  if (style === 'positions') {
    return isIndented || numbers.length > DEEPEST ? undefined : { depth: numbers.length, path: numbers }
  }
  return numbers.length > 1 || numbers[0]! > DEEPEST ? undefined : { depth: numbers[0]!, path: [] }
}

/** True when the row at `inner` is somewhere inside the one at `outer`. */
function isInside(inner: Place, outer: Place): boolean {
  return inner.depth > outer.depth && outer.path.every((number, index) => inner.path[index] === number)
}

/** The levels of a column as depths: the number of `2` and `..2`; where any has dots inside, the length of `1.1.2`. */
export class LevelColumn {
  #isOutline = false

  see(level: string): void {
    this.#isOutline ||= (readLevel(level)?.numbers.length ?? 0) > 1
  }

  /** The depth of a level when all have been seen. */
  depthOf(level: string): number | undefined {
    const numbers = readLevel(level)?.numbers
    return this.#isOutline ? numbers?.length : numbers?.[0]
  }
}
