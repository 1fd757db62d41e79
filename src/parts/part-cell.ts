import { kindOf } from './column-values.ts'

const BETWEEN = /\s*[;|]\s*|\s+\/\s+|\s+(?:or|oder|ou|o)\s+/i
// `X (alt: Y)`, `X (or Y)`.
const IN_PARENTHESES =
  /\s*\((?:alt|alternates?|alternative|or|oder|ou|eq|equiv|equivalent|second source)\b[.:]?\s*([^()]+)\)/gi

/** The part numbers in one cell: several choices on lines, or between semicolons, bars, ` / ` or ` or `. */
export function numbersOf(cell: string): readonly string[] {
  if (!/[\n;|,(]| \/ | or | oder | ou | o /i.test(cell)) return [cell]
  const lines = cell
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (
    lines.some(
      (line, index) =>
        (index > 0 && line.startsWith('-')) || (index < lines.length - 1 && line.endsWith('-')),
    )
  )
    return [lines.join('')]
  // A break within a number has no other reading than a space.
  if (lines.length > 1) return lines.every(isLikeNumber) ? lines.flatMap(numbersOf) : [lines.join(' ')]
  const pieces = cell
    .replace(IN_PARENTHESES, ' / $1')
    .split(BETWEEN)
    .filter((piece) => piece !== '')
  if (pieces.length > 1) return pieces.every(isLikeNumber) ? pieces : [cell]
  const listed = cell.split(/\s*,\s*/)
  const areNumbers = listed.every(
    (piece) => piece.length >= 5 && /^\S+$/.test(piece) && kindOf(piece) === 'part number',
  )
  return listed.length > 1 && areNumbers ? listed : [cell]
}

/** True where the first word is one of a part number. */
function isLikeNumber(text: string): boolean {
  const kind = kindOf(text.replace(/\s.*/su, ''))
  return (
    ['part number', 'letters', 'number', 'designator or number'].includes(kind) && kindOf(text) !== 'prose'
  )
}

const REMARK_START = /^(?:same|see|siehe|voir|wie|no|without|any|ohne|customer|alt:|use|or)\b/i

/** True for words that stand where a part number should: `same as item 1`, `No tantalum, tolerance 20 %`, a link. */
export function isRemark(text: string): boolean {
  // Nearly all part numbers have neither a space nor a colon.
  if (!/[\s:=]|www\.|\.(?:com|de|org)\//i.test(text)) return false
  const kind = kindOf(text)
  if (kind === 'link') return true
  if (!['words', 'phrase', 'prose'].includes(kind)) return false
  if (REMARK_START.test(text)) return true
  if (kind !== 'prose' || /^[A-Z0-9-]*\d[A-Z0-9-]{4,}/.test(text)) return false
  if (!/\d/.test(text)) return true
  const words = text.split(/[\s,;]+/).filter((word) => /^\p{L}?\p{Ll}{2,}$/u.test(word))
  return /[%°]/.test(text) || words.length >= 4
}
