import { ERROR_VALUE } from './row-kind.ts'

/** What may have happened to a part number before it reached the list. Ids are stable: log readers match on them. */
export type DamageKind =
  | 'number'
  | 'date'
  | 'error-value'
  | 'placeholder'
  | 'leading-zeros'
  | 'quotes'
  | 'white-space'
  | 'dash'
  | 'look-alike'
  | 'invisible'
  | 'encoding'
  | 'sign'
  | 'heading'
  | 'no-number'
  | 'columns'
  | 'quantity'
  | 'level'
  | 'fitted'
  | 'formula'
  | 'label'
  | 'unlike'

/** What looks wrong in a list; of a value that may not be the intended part number, `says` is the predicate. */
export interface Doubt {
  readonly kind: DamageKind
  readonly says: string
}

// Month names as spreadsheets abbreviate them in English, German, French, Spanish, Italian, Portuguese and Dutch.
const MONTH =
  'jan|janv|ene|gen|januar|january|feb|fev|févr|fév|februar|february|mar|mrz|mär|mars|mrt|märz|march|apr|avr|abr|april|' +
  'may|mai|mag|mei|jun|juin|giu|juni|june|jul|juil|lug|juli|july|aug|août|ago|august|sep|sept|set|september|' +
  'oct|okt|ott|out|oktober|october|nov|november|dec|dez|déc|dic|dezember|december'

const EXPONENT = /^[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}$/i
const DAY_MONTH = new RegExp(`^\\d{1,2}(?:\\. |[-./ ])(?:${MONTH})\\.?(?:[-./ ]\\d{2}|[-./ ]\\d{4})?$`, 'i')
const MONTH_YEAR = new RegExp(`^(?:${MONTH})\\.?[-./ ](?:\\d{1,2}|\\d{4})$`, 'i')
const ISO_DATE = /^(?:19|20)\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ][\d:.]+Z?)?$/
const NUMERIC_DATE = /^(\d{1,2})([./])(\d{1,2})\2((?:19|20)\d{2}|\d{2})(?: [\d:]+)?$/
const PLACEHOLDER = /^(?:nan|none|null|nil|undefined|n\/a|true|false|wahr|falsch|vrai|faux)$/i
const FLOAT_TAIL = /^\d+\.0$/
const LOST_DIGITS = /^\d{15}0+$/
const LEFT_OVER_QUOTES = /^(?:'.+|[\w.-]+'|".*"|“.*”|‘.*’)$/
// `1/4"` is a size.
const STRAY_QUOTE = /^"|(?<!(?:^|[\s./x×-])\d+)"$/
/** What is a part of nearly no number, and what is said of it. */
const STRAY: readonly (readonly [RegExp, string])[] = [
  [/&(?:#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});/i, 'has a code of HTML'],
  [/%(?:2[035689BCF]|3[ABDF]|40)/, 'has a code of web addresses'],
  [/^(?:\(.*\)|\[.*\]|\{.*\}|<.*>)$/, 'is in brackets'],
  [/^(?:[*?!;:,]|\/\/|# )/, 'begins with a sign that few numbers have there'],
  [/[*?!;:,.]$/, 'ends with a sign that few numbers have there'],
  [/ # /, 'has a remark behind it'],
  [/^(?:(?=\S*\d)(?=\S*\p{L})\S{5,}(?: |$)){3,}$/u, 'looks like several part numbers'],
  [/^\p{L}[^\d:]*: \S/u, 'begins with a label'],
]
const MOJIBAKE = /[ÂÃ][\u0080-\u00bf]|\ufffd/

// Nearly all part numbers are printable ASCII that cannot be mistaken for a date, a shortened number or a word.
const ORDINARY = /^[A-Za-z0-9](?:[A-Za-z0-9 ()+,\-./_]*[A-Za-z0-9)+\-/_])?$/
const SHAPED =
  /^(?:\S+ \S+ \S|\d{1,4}[-./ ,]|\d[Ee][+-]|\d{15,}0|\d+\.0$|[A-Za-z]{3,10}\.?[-./ ]\d{1,4}$|[A-Za-z/]{2,9}$|[Ee][Rr][Rr]:)/

/**
 * What a spreadsheet, a converter or a keyboard may have done to a part number. Only a suspicion: real part numbers can look
 * like that, so the value itself is never changed.
 */
export function findDamage(part: string): Doubt | undefined {
  if (ORDINARY.test(part) && !SHAPED.test(part)) return undefined
  return rewrittenValue(part) ?? strangeCharacter(part) ?? straySign(part)
}

function rewrittenValue(part: string): Doubt | undefined {
  if (EXPONENT.test(part)) return { kind: 'number', says: 'looks like a number that a spreadsheet shortened' }
  if (FLOAT_TAIL.test(part))
    return { kind: 'number', says: 'looks like a number to which a decimal place was added' }
  if (LOST_DIGITS.test(part)) {
    return { kind: 'number', says: 'looks like a number cut to the 15 digits that a spreadsheet keeps' }
  }
  if (DAY_MONTH.test(part) || MONTH_YEAR.test(part) || ISO_DATE.test(part) || isNumericDate(part)) {
    return { kind: 'date', says: 'looks like a part number that a spreadsheet turned into a date' }
  }
  if (ERROR_VALUE.test(part)) return { kind: 'error-value', says: 'is a spreadsheet error value' }
  if (PLACEHOLDER.test(part))
    return { kind: 'placeholder', says: 'usually means an empty or a true/false cell' }
  if (LEFT_OVER_QUOTES.test(part)) return { kind: 'quotes', says: 'still has quotation marks around it' }
  if (STRAY_QUOTE.test(part)) return { kind: 'quotes', says: 'has a quotation mark at one end' }
  return undefined
}

function isNumericDate(part: string): boolean {
  const match = NUMERIC_DATE.exec(part)
  if (match === null) return false
  const [first, second] = [Number(match[1]), Number(match[3])]
  // A year of two digits after dots is more often a version or an article number than a date.
  if (match[2] === '.' && match[4]!.length === 2) return false
  const isDayAndMonth = (day: number, month: number): boolean =>
    day >= 1 && day <= 31 && month >= 1 && month <= 12
  return isDayAndMonth(first, second) || isDayAndMonth(second, first)
}

function strangeCharacter(part: string): Doubt | undefined {
  if (MOJIBAKE.test(part)) {
    return { kind: 'encoding', says: 'has characters garbled by a wrong encoding' }
  }
  for (const character of part) {
    const described = character > '~' ? describeCharacter(character, part) : undefined
    if (described !== undefined) return described
  }
  if (part !== part.trim()) return { kind: 'white-space', says: 'begins or ends with a space' }
  return undefined
}

function straySign(part: string): Doubt | undefined {
  const stray = STRAY.find(([pattern]) => pattern.test(part))
  return stray && { kind: 'sign', says: stray[1] }
}

// Letters of other scripts that look like a Latin one (from Unicode TR 39, confusables).
const CYRILLIC = 'АВЕЅІЈКМНОРСТУХаеѕіјорсух'
const CYRILLIC_AS_LATIN = 'ABESIJKMHOPCTYXaesijopcyx'
const GREEK = 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι'
const GREEK_AS_LATIN = 'ABEZHIKMNOPTYXoi'

const LATIN_TWIN: ReadonlyMap<string, string> = new Map(
  [...CYRILLIC]
    .map((letter, index): [string, string] => [letter, CYRILLIC_AS_LATIN[index]!])
    .concat(
      [...GREEK].map((letter, index): [string, string] => [letter, GREEK_AS_LATIN[index]!]),
      [['ı', 'i']],
    ),
)

const NAMES: ReadonlyMap<number, string> = new Map([
  [0xa0, 'no-break space'],
  [0x202f, 'narrow no-break space'],
  [0x3000, 'ideographic space'],
  [0xad, 'soft hyphen'],
  [0x200b, 'zero-width space'],
  [0xfeff, 'byte order mark'],
  [0x2010, 'hyphen'],
  [0x2011, 'no-break hyphen'],
  [0x2012, 'figure dash'],
  [0x2013, 'en dash'],
  [0x2014, 'em dash'],
  [0x2212, 'minus sign'],
])

const SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/
const DASH = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/
const INVISIBLE =
  /\u034f|\ufe0f|\ufe0e|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u
const QUOTE = /[\u2018\u2019\u201c\u201d\u2032\u2033]/
const COMBINING = /\p{M}/u

/**
 * What is wrong with one non-ASCII character of `part`: it looks like a keyboard character, or is invisible. Undefined for
 * letters that are just foreign, such as `Ü` or the Cyrillic ones of a Cyrillic word.
 */
function describeCharacter(character: string, part: string): Doubt | undefined {
  const code = character.codePointAt(0)!
  if (SPACE.test(character))
    return { kind: 'white-space', says: `has ${article(label(code, 'space'))} instead of a plain one` }
  if (DASH.test(character))
    return { kind: 'dash', says: `has ${article(label(code, 'dash'))} where "-" may be meant` }
  if (INVISIBLE.test(character))
    return { kind: 'invisible', says: `has an invisible ${label(code, 'character')}` }
  if (QUOTE.test(character))
    return { kind: 'quotes', says: `has a typographic ${label(code, 'quotation mark')}` }
  if (COMBINING.test(character) && part !== part.normalize('NFC')) {
    return { kind: 'look-alike', says: `has an accent as a separate character (${codePoint(code)})` }
  }
  const twin = latinTwin(character, code, part)
  if (twin === undefined) return undefined
  return { kind: 'look-alike', says: `has ${codePoint(code)}, which only looks like "${twin}"` }
}

function latinTwin(character: string, code: number, part: string): string | undefined {
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  const twin = LATIN_TWIN.get(character)
  if (twin === undefined) return undefined
  // A word with letters that only the other script has is meant to be in that script.
  const script = code >= 0x400 ? /\p{Script=Cyrillic}/u : /\p{Script=Greek}/u
  const isForeignWord = [...part].some((other) => script.test(other) && !LATIN_TWIN.has(other))
  return isForeignWord ? undefined : twin
}

function article(words: string): string {
  return `${/^[aei]/.test(words) ? 'an' : 'a'} ${words}`
}

function label(code: number, noun: string): string {
  const name = NAMES.get(code) ?? noun
  return `${name} (${codePoint(code)})`
}

function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A value of a list, with its line. */
interface Occurrence {
  readonly part: string
  readonly line: number
}

/** Values that seem to have lost leading zeros: the first of them, how many, and the width of the others. */
interface LostZeros {
  readonly first: readonly Occurrence[]
  readonly count: number
  readonly width: number
}

interface Width {
  values: number
  withZero: number
  readonly firstWithout: Occurrence[]
}

const DIGITS = /^\d{1,40}$/

/**
 * Finds digit-only values of a column that are shorter than the rest: when values of one width begin with zeros and make up at
 * least half of all digit-only values, the shorter ones without a leading zero have probably lost theirs. Keeps at most `keep`
 * values of each width.
 */
export class LeadingZeros {
  readonly #widths = new Map<number, Width>()
  readonly #keep: number
  #total = 0

  constructor(keep = 20) {
    this.#keep = keep
  }

  see(part: string, line: number): void {
    if (!DIGITS.test(part)) return
    this.#total += 1
    let width = this.#widths.get(part.length)
    if (width === undefined) {
      width = { values: 0, withZero: 0, firstWithout: [] }
      this.#widths.set(part.length, width)
    }
    width.values += 1
    if (part.charCodeAt(0) === 48) width.withZero += 1
    else if (width.firstWithout.length < this.#keep) width.firstWithout.push({ part, line })
  }

  result(): LostZeros {
    const [fullWidth] = [...this.#widths]
      .filter(([length, width]) => length > 1 && width.withZero > 0 && width.values * 2 >= this.#total)
      .map(([length]) => length)
      .sort((a, b) => b - a)
    if (fullWidth === undefined) return { first: [], count: 0, width: 0 }
    const shorter = [...this.#widths].filter(([length]) => length < fullWidth).map(([, width]) => width)
    const first = shorter.flatMap((width) => width.firstWithout).sort((a, b) => a.line - b.line)
    const count = shorter.reduce((sum, width) => sum + width.values - width.withZero, 0)
    return { first: first.slice(0, this.#keep), count, width: fullWidth }
  }
}
