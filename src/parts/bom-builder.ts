import { cleanText } from '../base/clean-text.ts'
import { addPieces, type Bom, mergeListings, type PartPieces, sortAssemblies } from './bom.ts'
import {
  DEEPEST,
  isInside,
  type LevelStyle,
  levelStyle,
  type Place,
  placeOf,
  type RowLevel,
  readLevel,
} from './bom-level.ts'
import type { DamageKind } from './damage.ts'
import type { RowUse } from './list-item.ts'
import { readPieces } from './read-quantity.ts'

/** A row of a list; a row without a part number has the part ''. */
export interface BomRow {
  readonly part: string
  readonly line: number
  readonly use: RowUse
}

/** Receives what looks wrong about a line. */
export type Doubt = (kind: DamageKind, line: number, says: string) => void

/** Collects the rows of lists into a bill of materials. Memory grows with the different parts and assemblies, not with the rows. */
export interface BomBuilder {
  /** Begins a list. The rows that follow are its rows, in order; `doubt` receives what looks wrong. */
  readonly startList: (file: string, doubt: Doubt) => void
  readonly add: (row: BomRow) => void
  /** Completes the list: doubts about its structure come now at the latest. */
  readonly endList: () => void
  /** The bill; each part of `parts` that had no row counts with an unknown quantity. Undefined when no row was added. */
  readonly result: (parts: Iterable<string>) => Bom | undefined
}

/** An assembly, or any other part, whose rows may still follow. */
interface Open {
  readonly part: string
  readonly line: number
  readonly place: Place
  readonly contents: Map<string, number | undefined>
}

interface Listing {
  readonly parts: PartPieces
  readonly where: string
}

export function createBomBuilder(): BomBuilder {
  const top = new Map<string, number | undefined>()
  const listings = new Map<string, Listing>()
  const reasons = new Map<string, string>()
  const seen = new Set<string>()
  let flattened: string | undefined
  let list = startOf('', () => undefined)

  const because = (part: string, reason: string | undefined): void => {
    if (reason !== undefined && !reasons.has(part)) reasons.set(part, reason)
  }
  const flatten = (line: number, says: string): void => {
    if (flattened !== undefined) return
    flattened = `${list.file}:${line}: ${says}`
    list.doubt('level', line, `${says}: no assemblies in the roll-up`)
  }
  const close = ({ part, line, contents }: Open): void => {
    if (contents.size === 0) return
    const known = listings.get(part)
    const where = `${list.file}:${line}`
    const merged = known === undefined ? contents : mergeListings(known.parts, contents)
    if (merged === undefined) return
    listings.set(part, { parts: merged, where: known?.where ?? where })
    if (known === undefined) return
    list.doubt('level', line, `"${cleanText(part, 80)}" has other parts here than at ${known.where}`)
    for (const [inner, pieces] of merged) {
      if (pieces === undefined) because(inner, `the quantity differs between ${known.where} and ${where}`)
    }
  }
  const closeDownTo = (place: Place | undefined): void => {
    while (list.open.length > 0) {
      const last = list.open.at(-1)!
      if (place !== undefined && isInside(place, last.place)) return
      close(last)
      list.open.pop()
    }
  }
  const put = ({ part, line, use }: BomRow, place: Place): void => {
    closeDownTo(place)
    const parent = list.open.at(-1)
    list.top ??= place.depth
    if (place.depth > (parent === undefined ? list.top : parent.place.depth + 1)) {
      const says = `level ${cleanText(use.level, 40)} comes without the level above it`
      flatten(line, says)
      return
    }
    if (list.open.some((outer) => outer.part === part && part !== '')) {
      flatten(line, `"${cleanText(part, 80)}" is inside itself`)
      return
    }
    const read = readPieces(use.quantity, use.unit)
    const isProduct = list.isFirst && use.hasLevels && use.quantity === ''
    const pieces = isProduct ? 1 : read.pieces
    const doubt = isProduct ? 'the quantity of the first row is blank, read as one product' : read.doubt
    list.isFirst = false
    if (!isProduct) because(part, read.reason)
    if (doubt !== undefined) list.doubt('quantity', line, doubt)
    addPieces(parent?.contents ?? top, part, pieces)
    if (use.hasLevels) list.open.push({ part, line, place, contents: new Map() })
  }
  const drain = (style: LevelStyle): void => {
    list.style = style
    for (const { row, level } of list.held.splice(0)) {
      const place = placeOf(level, style)
      if (flattened !== undefined) return
      if (place === undefined)
        flatten(row.line, `level "${cleanText(row.use.level, 40)}" does not fit the others`)
      else put(row, place)
    }
  }

  return {
    startList(file, doubt) {
      list = startOf(file, doubt)
    },
    add(row) {
      seen.add(row.part)
      if (!row.use.hasLevels) return put(row, { depth: 1, path: [] })
      if (flattened !== undefined) return
      const level = readLevel(row.use.level)
      if (level === undefined) {
        return flatten(row.line, `the level "${cleanText(row.use.level, 40)}" is not recognized`)
      }
      const style = list.style ?? levelStyle(list.held.at(-1)?.level, level)
      list.held.push({ row, level })
      if (style !== undefined) drain(style)
      else if (list.held.length > DEEPEST) drain('positions')
    },
    endList() {
      if (list.held.length > 0) drain('depths')
      closeDownTo(undefined)
    },
    result(parts) {
      if (seen.size === 0) return undefined
      const assemblies = new Map([...listings].map(([part, listing]) => [part, listing.parts]))
      const sorted = sortAssemblies(assemblies)
      if (sorted === undefined) flattened ??= 'an assembly is inside itself'
      for (const part of parts) {
        if (seen.has(part)) continue
        seen.add(part)
        top.set(part, undefined)
        because(part, 'it is listed without a quantity')
      }
      if (flattened === undefined) return { top, assemblies: sorted!, reasons, flattened }
      const flat = new Map([...seen].map((part) => [part, undefined]))
      return { top: flat, assemblies: new Map(), reasons, flattened }
    },
  }
}

interface List {
  readonly file: string
  readonly doubt: Doubt
  style: LevelStyle | undefined
  /** The depth of the outermost rows. */
  top: number | undefined
  isFirst: boolean
  /** Rows whose place is not known yet, at most a hundred. */
  readonly held: { readonly row: BomRow; readonly level: RowLevel }[]
  /** The row read last, and those that it is in. */
  readonly open: Open[]
}

function startOf(file: string, doubt: Doubt): List {
  return { file, doubt, style: undefined, top: undefined, isFirst: true, held: [], open: [] }
}
