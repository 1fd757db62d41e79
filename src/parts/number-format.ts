/**
 * How a spreadsheet shows a number when not by its digits alone: as a date, in scientific notation, or as a pattern of digits
 * (null) with fixed characters around and between them.
 */
export type NumberFormat = 'date' | 'scientific' | DigitPattern
export type DigitPattern = readonly (string | null)[]

/**
 * Reads a number format code (ECMA-376 part 1, 18.8.31) as far as part numbers are shown with it: `00000`, `000-0000`,
 * `"PN-"0000`, `0.00E+00`, `mmm-yy`. Undefined for any other.
 */
export function readNumberFormat(code: string): NumberFormat | undefined {
  const plain = code.replace(/"[^"]*"|\\.|[_*]./gsu, ' ')
  if (isDate(plain)) return 'date'
  if (/[0#?.]E[+-]/i.test(plain)) return 'scientific'
  return readPattern(code)
}

/** The digits as the format shows them: padded with zeros, surplus digits before the first of the pattern. */
export function showDigits(digits: string, pattern: DigitPattern): string {
  const count = pattern.filter((part) => part === null).length
  const padded = digits.padStart(count, '0')
  let at = padded.length - count
  let shown = ''
  let isFirst = true
  for (const part of pattern) {
    if (part !== null) {
      shown += part
      continue
    }
    shown += isFirst ? padded.slice(0, at + 1) : padded[at]!
    isFirst = false
    at += 1
  }
  return shown
}

function readPattern(code: string): DigitPattern | undefined {
  const pattern: (string | null)[] = []
  const tokens = /"([^"]*)"|\\(.)|([0 ()+-])|(;)|./gsu
  for (const [token, quoted, escaped, plain, end] of code.matchAll(tokens)) {
    if (end !== undefined) break
    const literal = quoted ?? escaped ?? plain
    if (literal === undefined) return undefined
    pattern.push(token === '0' ? null : literal)
  }
  return pattern.includes(null) && pattern.length > 1 ? pattern : undefined
}

/** True when a section of the format shows parts of a date or time and no digits but fractions of a second. */
function isDate(plain: string): boolean {
  return plain.split(';').some((section) => {
    const shown = section.replace(/\[(?![hms]+\])[^\]]*\]|general/gi, '').replace(/s\.0+/gi, 's')
    return /[dmyhs]/i.test(shown) && !/[0#?%@]/.test(shown)
  })
}
