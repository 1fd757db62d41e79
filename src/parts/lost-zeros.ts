/** A value of a list, with its line. */
export interface Occurrence {
  readonly part: string
  readonly line: number
}

/** Values that seem to have lost leading zeros: the first of them, how many, and the width of the others. */
export interface LostZeros {
  readonly first: readonly Occurrence[]
  readonly count: number
  readonly width: number
}

/** Sees the values of one column, one by one. */
export interface ZeroWatch {
  readonly see: (part: string, line: number) => void
  readonly result: () => LostZeros
}

interface Width {
  values: number
  withZero: number
  readonly firstWithout: Occurrence[]
}

const DIGITS = /^\d{1,40}$/

/**
 * Finds digit-only values that are shorter than the rest: when values of one width begin with zeros and make up at least half
 * of all digit-only values, the shorter ones without a leading zero have probably lost theirs. Keeps at most `keep` values
 * of each width.
 */
export function watchLeadingZeros(keep = 20): ZeroWatch {
  const widths = new Map<number, Width>()
  let total = 0
  return {
    see(part, line) {
      if (!DIGITS.test(part)) return
      total += 1
      let width = widths.get(part.length)
      if (width === undefined) {
        width = { values: 0, withZero: 0, firstWithout: [] }
        widths.set(part.length, width)
      }
      width.values += 1
      if (part.charCodeAt(0) === 48) width.withZero += 1
      else if (width.firstWithout.length < keep) width.firstWithout.push({ part, line })
    },
    result: () => shorterThanTheRest(widths, total, keep),
  }
}

function shorterThanTheRest(widths: ReadonlyMap<number, Width>, total: number, keep: number): LostZeros {
  const [fullWidth] = [...widths]
    .filter(([length, width]) => length > 1 && width.withZero > 0 && width.values * 2 >= total)
    .map(([length]) => length)
    .sort((a, b) => b - a)
  if (fullWidth === undefined) return { first: [], count: 0, width: 0 }
  const shorter = [...widths].filter(([length]) => length < fullWidth).map(([, width]) => width)
  const first = shorter.flatMap((width) => width.firstWithout).sort((a, b) => a.line - b.line)
  const count = shorter.reduce((sum, width) => sum + width.values - width.withZero, 0)
  return { first: first.slice(0, keep), count, width: fullWidth }
}
