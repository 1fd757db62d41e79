/**
 * How a spreadsheet shows a whole number when not by its digits alone: in scientific notation, or in places for digits (null)
 * with fixed characters around and between them.
 */
export type NumberFormat = 'scientific' | readonly (string | null)[]

/**
 * Reads a number format code (ECMA-376 part 1, 18.8.31) as far as part numbers are shown with it: `00000`, `000-0000`,
 * `"PN-"0000`, `0.00E+00`. Undefined for any other.
 */
export function readNumberFormat(code: string): NumberFormat | undefined {
  const places: (string | null)[] = []
  const tokens = /"([^"]*)"|\\(.)|([0 ()+-])|(;)|./gsu
  for (const [token, quoted, escaped, plain, end] of code.matchAll(tokens)) {
    if (end !== undefined) break
    const literal = quoted ?? escaped ?? plain
    if (literal === undefined) return isScientific(code) ? 'scientific' : undefined
    places.push(token === '0' ? null : literal)
  }
  return places.includes(null) && places.length > 1 ? places : undefined
}

/** The digits as the format shows them: filled up with zeros, those beyond the places before the first of them. */
export function showDigits(digits: string, places: readonly (string | null)[]): string {
  const count = places.filter((place) => place === null).length
  const padded = digits.padStart(count, '0')
  let at = padded.length - count
  let shown = ''
  let isFirst = true
  for (const place of places) {
    if (place !== null) {
      shown += place
      continue
    }
    shown += isFirst ? padded.slice(0, at + 1) : padded[at]!
    isFirst = false
    at += 1
  }
  return shown
}

function isScientific(code: string): boolean {
  return /[0#?.]E[+-]/i.test(code.replace(/"[^"]*"|\\./g, ''))
}
