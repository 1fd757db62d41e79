import { largest } from '../base/extremes.ts'
import { memoized } from '../base/memoized.ts'
import type { Quantity } from './declaration.ts'

/** Units by their names without case and spaces, in milligrams. */
const MILLIGRAMS = unitTable({
  ng: 1e-6,
  'ug µg μg mcg microgram micrograms': 0.001,
  'mg milligram milligrams': 1,
  'g gram grams gramm': 1_000,
  'kg kilogram kilograms kilogramm': 1_000_000,
})

/** The same for shares, in percent. */
const PERCENT = unitTable({
  [[
    '% percent masspercent mass% mass-% percentbymass weight% weight-% weightpercent percentbyweight %byweight %byweight.',
    'wt% wt.% wt-% wt.-% %wt %wt. wtpercent %w/w w/w% %(w/w) %m/m m/m% %(m/m) m% m-% m.-% ma% ma.-% ma-%',
    'gew% gew.% gew-% gew.-% gewichts% gewichts-% gewichtsprozent masse% masse-% massen% massen-% massenprozent',
    '%massique %enmasse %enpoids percent(w/w) percentw/w %bymass %weight %mass %gew. g/100g 重量% 質量% 质量%',
  ].join(' ')]: 1,
  'g/kg mg/g ‰ promille permille permill permil': 0.1,
  'ppm ppmw ppm(w/w) ppmbyweight mg/kg µg/g μg/g ug/g g/t': 0.0001,
  'ppb ppbw µg/kg μg/kg ug/kg ng/g': 0.0000001,
})

function unitTable(names: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(names).flatMap(([all, factor]) => all.split(' ').map((name) => [name, factor] as const)),
  )
}

/** More than any mass or count; sums and products of what is below stay finite. */
const MAX_DECIMAL = 1e15

const DECIMAL = /^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i
/** A comma is a decimal sign, unless three digits follow it that may be the end of a thousand. */
const COMMA = /^\+?\d*,\d+(?:e[+-]?\d{1,3})?$/i
const EITHER_WAY = /^\+?[1-9]\d{0,2},\d{3}$/
/** Groups of thousands, with their sign; a decimal sign is another one. */
const GROUPED = [
  [/^\+?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:,\d{3}){2,})$/, /,/g],
  [/^\+?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:\.\d{3}){2,})$/, /\./g],
  [/^\+?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d*)?$/, /[ '’]/g],
] as const

/**
 * Reads a number from 0 to 10^15, with a decimal point or comma and with groups of thousands. `two ways` for one such as `1,500`, which
 * is a thousand and a half to some writers and one and a half to others; undefined for any other text.
 */
function readNumber(text: string): number | 'two ways' | undefined {
  const plain = text.trim()
  if (DECIMAL.test(plain)) return inRange(Number(plain))
  const written = plain.replace(/[\u00a0\u2007\u2009\u202f]/g, ' ')
  if (EITHER_WAY.test(written)) return 'two ways'
  if (COMMA.test(written)) return inRange(Number(written.replace(',', '.')))
  const grouped = GROUPED.find(([form]) => form.test(written))
  return grouped && inRange(Number(written.replace(grouped[1], '').replace(',', '.')))
}

function inRange(value: number): number | undefined {
  return value <= MAX_DECIMAL ? value : undefined
}

/** The same, undefined for a number that can be read in two ways. */
export function readDecimal(text: string): number | undefined {
  const number = readNumber(text)
  return typeof number === 'number' ? number : undefined
}

/** A quantity as written, with its unit in the value where it has none of its own: `0.1 %`. East Asian writers have wide digits, too. */
function split(quantity: Quantity): Quantity {
  const [value, unit] = [narrow(quantity.value), narrow(quantity.unit)]
  if (unit.trim() !== '') return { value, unit }
  const [, number, own] = /^\s*([+\d.,'’\s\u00a0\u2007\u2009\u202f]*\d)\s*([^\d\s.,].*)$/s.exec(value) ?? []
  return number === undefined || /^e[+-]?\d/i.test(own!) ? { value, unit } : { value: number, unit: own! }
}

function narrow(text: string): string {
  return text.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
}

function unitKey(unit: string): string {
  return unit.trim().toLowerCase().replace(/\s+/g, '')
}

function inUnit(quantity: Quantity | undefined, units: ReadonlyMap<string, number>): number | undefined {
  if (quantity === undefined) return undefined
  const { value, unit } = split(quantity)
  const factor = units.get(unitKey(unit))
  const number = factor === undefined ? undefined : readDecimal(value)
  return number === undefined ? undefined : tidy(number * factor!)
}

/** Milligrams of an amount in an absolute unit (µg, mg, g, kg, in any case); undefined for any other unit or no number. */
export function absoluteMassMg(quantity: Quantity | undefined): number | undefined {
  return inUnit(quantity, MILLIGRAMS)
}

/** Mass percent of the parent, of an amount in percent, `ppm` or the like; undefined for any other unit or no number. */
export function relativePercent(quantity: Quantity | undefined): number | undefined {
  return inUnit(quantity, PERCENT)
}

/** True for a share that is written in percent, not in parts per million or the like. */
export function isInPercent(quantity: Quantity | undefined): boolean {
  return (
    quantity !== undefined &&
    PERCENT.get(unitKey(split(quantity).unit)) === 1 &&
    relativePercent(quantity) !== undefined
  )
}

/** Percent of a Concentration: of its unit, or of a bare number, which is mass percent. Undefined for an unknown unit or no number. */
export function concentrationPercent(concentration: Quantity | undefined): number | undefined {
  if (concentration === undefined) return undefined
  const { value, unit } = split(concentration)
  return unit.trim() === '' ? readDecimal(value) : relativePercent(concentration)
}

/** The bound of a value such as `< 0.1`. */
export function belowBound({ value, unit }: Quantity): Quantity | undefined {
  const [, bound] =
    /^\s*(?:[<≤＜]=?|less than|not? more than|max\.?|up to|weniger als|unter)\s*(\S.*)$/is.exec(value) ?? []
  return bound === undefined ? undefined : { value: bound, unit }
}

/** What laboratories write for a substance that is not found. */
const NOT_DETECTED =
  /^\s*(?:n\.?\s*d\.?|not\s+(?:detect(?:ed|able)|present|contained|added|used)|non[- ]?detect\w*|none\s+detected|absent|b\.?d\.?l\.?|[<≤]?\s*(?:lod|loq|mdl|dl|rl|bg|ng)|below\s+(?:the\s+)?(?:detection|reporting|quantification)\s+limit|n\.?\s*n\.?|nicht\s+(?:nachweisbar|nachgewiesen|enthalten)|non\s+détecté\w*|no\s+detectado|non\s+rilevat\w+|não\s+detectado|未検出|不検出|未检出|未檢出|不含)\s*$/i

/** True for a value that says that a substance was looked for and not found: `n.d.`. */
export function isNotDetected(value: string): boolean {
  return NOT_DETECTED.test(value)
}

/** A quantity in the reading in which it is less; the same where there is one only. */
export function lessReading(quantity: Quantity | undefined): Quantity | undefined {
  if (quantity === undefined) return undefined
  const { value, unit } = split(quantity)
  return readNumber(value) === 'two ways' ? { value: value.trim().replace(',', '.'), unit } : quantity
}

/** A number in a longer text. */
const NUMBER = String.raw`(?<![\p{L}\d.,]|\de[+-])(\d+(?:\.\d+)?e[+-]?\d{1,2}|\d[\d.,'’ \u00a0\u2009\u202f]*|\.\d+)`
/** The same with one of the units of shares, the longest that fits. */
const SHARE = new RegExp(
  `${NUMBER}\\s*(${[...PERCENT.keys()]
    .sort((a, b) => b.length - a.length)
    .map(inText)
    .join('|')})(?!\\p{L})`,
  'giu',
)

/** A unit with blanks between its letters. */
function inText(unit: string): string {
  return [...unit].map((letter) => letter.replace(/[.()/]/, String.raw`\$&`)).join(String.raw`\s*`)
}

/** What the share of a threshold is of. */
export type ThresholdBase = 'material' | 'article' | 'product' | undefined

/** A threshold such as `0.1% by weight (1 000 ppm) of any article`. */
interface Threshold {
  /** The highest of its shares, in percent; undefined where it has none that is understood. */
  readonly percent: number | undefined
  readonly base: ThresholdBase
  /** It has a number that is not understood, and no share. */
  readonly isUnread: boolean
}

/** Reads a threshold. Of a number that can be read in two ways the larger reading counts, unless another share agrees with one. */
export const readThreshold = memoized(thresholdIn, 1_000)

function thresholdIn(text: string): Threshold {
  const shares: number[] = []
  const open: number[][] = []
  for (const [, written, unit] of text.normalize('NFKC').matchAll(SHARE)) {
    const value = written!.trim().replace(/[.,]$/, '')
    const share = relativePercent({ value, unit: unit! })
    if (share !== undefined) shares.push(share)
    else if (readNumber(value) === 'two ways') {
      open.push(['', '.'].map((sign) => relativePercent({ value: value.replace(',', sign), unit: unit! })!))
    }
  }
  for (const readings of open) {
    if (!readings.some((one) => shares.includes(one))) shares.push(largest(readings))
  }
  const percent = shares.length === 0 ? undefined : largest(shares)
  const isUnread = percent === undefined && (/\d/.test(text) || /intention|absichtlich/i.test(text))
  return { percent, base: BASES.find(([, words]) => words.test(text))?.[0], isUnread }
}

/** What each base is called, the one that decides first: a product has articles, and these have materials. */
const BASES = [
  ['material', /homogen|均质|均質/i],
  [
    'article',
    /article|erzeugnis|artículo|articolo|artigo|component|bauteil|(?<!\p{L})(?:parts?|unit)(?!\p{L})(?! per)|物品|成形品|部品|部件/iu,
  ],
  [
    'product',
    /product|produkt|produit|prodotto|finished|assembly|assemblies|equipment|device|baugruppe|gerät|製品|制品|产品|產品/i,
  ],
  ['material', /material|werkstoff|matière|matéria|材料|材质|材質/i],
] as const

const NO_REMARKS: readonly string[] = []
/** How a remark on a value that cannot be read ends. */
const NOT_RECOGNIZED = 'not recognized'
const TWO_WAYS = 'can be read in two ways: not read'

/** Says how the `what` of a subject is written, where it is not read (`isRead` is false) or has a decimal comma. */
export function readingRemarks(
  quantity: Quantity | undefined,
  isRead: boolean,
  what: string,
  subject: string,
): readonly string[] {
  if (quantity === undefined || (isRead && !quantity.value.includes(','))) return NO_REMARKS
  if (isRead) return [`decimal comma in the ${what} of ${subject}`]
  if (quantity.value.trim() === '' || isNotDetected(quantity.value)) return NO_REMARKS
  const written = `${what} "${`${quantity.value} ${quantity.unit}`.trim()}" of ${subject}`
  return [`${written} ${readNumber(split(quantity).value) === 'two ways' ? TWO_WAYS : NOT_RECOGNIZED}`]
}

/** True for a remark that a value is not read. */
export function isUnreadRemark(remark: string): boolean {
  return remark.endsWith(NOT_RECOGNIZED) || remark.endsWith(TWO_WAYS)
}

/** Rounds to ten significant digits, which drops the noise of binary arithmetic. */
export function tidy(value: number): number {
  return Number(value.toPrecision(10))
}
