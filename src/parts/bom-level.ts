/** The level of a row as written: `2` is `[2]`, `1.1.2` is `[1, 1, 2]`. */
export interface RowLevel {
  readonly numbers: readonly number[]
  /** Written with an indent, such as `..2`: certainly a depth. */
  readonly isIndented: boolean
}

/** How a level column is written: the depth of each row (1, 2, 3), or its position (1, 1.1, 1.1.2). */
export type LevelStyle = 'depths' | 'positions'

/** Deeper structures are no bills of materials. */
export const DEEPEST = 100

/** Reads a level; undefined for anything that is none. */
export function readLevel(text: string): RowLevel | undefined {
  const match = /^([.\-+>*_\s]*)(\d{1,9}(?:\.\d{1,9})*)\.?$/.exec(text.normalize('NFKC').trim())
  if (match === null) return undefined
  const numbers = match[2]!.split('.').map(Number)
  return { numbers, isIndented: match[1] !== '' }
}

/**
 * The style that two rows in a row show; undefined while it can be either. `1, 2, 3` may go one deeper each time or be three
 * positions: a number that repeats or falls is a depth, one that leaves a gap or has a dot is a position.
 */
export function levelStyle(before: RowLevel | undefined, row: RowLevel): LevelStyle | undefined {
  if (row.numbers.length > 1) return 'positions'
  if (row.isIndented) return 'depths'
  if (before === undefined) return undefined
  const step = row.numbers[0]! - before.numbers[0]!
  if (step === 1) return undefined
  return step > 1 ? 'positions' : 'depths'
}

/** Where a row is in the structure: its depth, and as a position the numbers of the rows it is in. */
export interface Place {
  readonly depth: number
  readonly path: readonly number[]
}

/** The place of a row; undefined when its level is of the other style, or deeper than anything real. */
export function placeOf({ numbers, isIndented }: RowLevel, style: LevelStyle): Place | undefined {
  if (style === 'positions') {
    return isIndented || numbers.length > DEEPEST ? undefined : { depth: numbers.length, path: numbers }
  }
  return numbers.length > 1 || numbers[0]! > DEEPEST ? undefined : { depth: numbers[0]!, path: [] }
}

/** True when the row at `inner` is somewhere inside the one at `outer`. */
export function isInside(inner: Place, outer: Place): boolean {
  return inner.depth > outer.depth && outer.path.every((number, index) => inner.path[index] === number)
}
