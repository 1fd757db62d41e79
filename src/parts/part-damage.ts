import type { Damage } from './damage.ts'
import { describeCharacter } from './look-alikes.ts'

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
const ERROR_VALUE =
  /^(?:#(?:N\/A|NV|NAME\?|VALUE!|WERT!|REF!|BEZUG!|DIV\/0!|NUM!|ZAHL!|NULL!|SPILL!|CALC!|FIELD!|GETTING_DATA)|#{3,}|Err:\d{3})$/i
const PLACEHOLDER = /^(?:nan|none|null|nil|undefined|n\/a|true|false|wahr|falsch|vrai|faux)$/i
const FLOAT_TAIL = /^\d+\.0$/
const LOST_DIGITS = /^\d{15}0+$/
const LEFT_OVER_QUOTES = /^(?:'.+|".*"|“.*”|‘.*’)$/
const MOJIBAKE = /[ÂÃ][\u0080-\u00bf]|\ufffd/

// Nearly all part numbers are printable ASCII that cannot be mistaken for a date, a shortened number or a word.
const ORDINARY = /^[A-Za-z0-9](?:[!$-&(-~ ]*[!$-&(-~])?$/
const SHAPED =
  /^(?:\d{1,4}[-./ ,]|\d[Ee][+-]|\d{15,}0|\d+\.0$|[A-Za-z]{3,10}\.?[-./ ]\d{1,4}$|[A-Za-z/]{2,9}$|[Ee][Rr][Rr]:)/

/**
 * What a spreadsheet, a converter or a keyboard may have done to a part number. Only a suspicion: real part numbers can look
 * like that, so the value itself is never changed.
 */
export function findDamage(part: string): Damage | undefined {
  if (ORDINARY.test(part) && !SHAPED.test(part)) return undefined
  return rewrittenValue(part) ?? strangeCharacter(part)
}

function rewrittenValue(part: string): Damage | undefined {
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

function strangeCharacter(part: string): Damage | undefined {
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
