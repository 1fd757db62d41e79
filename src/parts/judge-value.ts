import { LONGEST_VALUE, SIZE, type UsualValues, type ValueKind, valueKind } from './column-values.ts'
import { EAST_ASIAN } from './heading.ts'
import { isMarkup } from './list-shape.ts'

/** What a value is that may be a part number, although it is unlike the others of its column. */
export type Unlike = 'word' | 'words' | 'short number' | 'component value' | 'screw size' | 'several numbers'

const WORD_KINDS: ReadonlySet<ValueKind> = new Set(['word', 'words', 'phrase', 'prose'])
const CAPITALS = /^[A-Z]{5,18}$/
/** `multi-cb`, `SILK_TEXT`. */
const JOINED_WORDS = /^\p{Ll}{2,}(?:[-_]\p{Ll}{2,})+$|^\p{Lu}{3,}(?:_\p{Lu}{3,})+$/u
/** `Mosfet`, `(legacy)`. */
const LOWER_WORD = /(?:^|[\s(])\p{L}\p{Ll}{2,}[)"'.:!?,]*(?=\s|$)/u
/** Two words, of which one is a long one: `REGULATOR LDO`. */
const UPPER_WORDS = /(?:^|\s)(?:\p{Lu}{4,}\s(?:.*\s)?\p{Lu}{3,}|\p{Lu}{3}\s(?:.*\s)?\p{Lu}{4,})(?=\s|$)/u
/** `M42`, `M30x220`. */
const SCREW = /^M(?:[1-9]|[1-6]\d)$|^M\d{1,2}(?:[.,]\d{1,2})?\s?[x×*]\s?\d{1,3}(?:[.,]\d)?\s?(?:mm)?$/
/** `22-03-5035 (3 pins)`. */
const IN_BRACKETS = /\s\([^()]*\)$/
/** Values with blanks are usual where more have some. */
const MANY = 1 / 3
/** Words in capitals are codes where so many are. */
const MOST = 0.6

/** True for a label such as `Total in EUR`, or a link, where others have a number. */
export function isWords(text: string): boolean {
  const kind = valueKind(text)
  return kind === 'link' || WORD_KINDS.has(kind)
}

/** True where so many of the values are numbers that others are odd. */
export function areNumbers(usual: UsualValues | undefined): usual is UsualValues {
  return usual !== undefined && usual.numbers >= 0.3
}

/** What a value is among numbers that are unlike it; undefined where it is one of them, or the others are no numbers. */
export function unlikeOthers(text: string, usual: UsualValues | undefined): Unlike | undefined {
  if (!areNumbers(usual)) return undefined
  if (text.length > LONGEST_VALUE) return 'words'
  if (COMPONENT.test(text) && !/^3M /.test(text)) return 'component value'
  const isRare = (share: number): boolean => share <= usual.numbers / 2
  if (/^\d{1,2}$/.test(text)) return isRare(usual.smallNumbers) ? 'short number' : undefined
  if (/^\d{3}$/.test(text)) return usual.kinds.includes('component value') ? 'short number' : undefined
  if (SCREW.test(text)) return isRare(usual.designators) ? 'screw size' : undefined
  if (/\d\S* [+&] .*\d/.test(text)) return 'several numbers'
  const isText = !/\d/.test(text) && text.split(/\s+/).length > 3
  const isWord = isText || WORD_KINDS.has(valueKind(text)) || CAPITALS.test(text) || JOINED_WORDS.test(text)
  if (!/\s/.test(text)) {
    const isNamed = isWord && /^\P{N}{2,}$/u.test(text)
    return isNamed && (/\p{Ll}{3}/u.test(text) || usual.words < MOST) ? 'word' : undefined
  }
  if (isWord && /\p{Ll}{3}/u.test(text)) return 'words'
  const isAlone = usual.spaced <= MANY && isRare(usual.words)
  return isAlone && [LOWER_WORD, UPPER_WORDS, IN_BRACKETS].some((words) => words.test(text))
    ? 'words'
    : undefined
}

const UNIT = '(?:[pnuµμm][FH]|(?:[kKMm]|meg)? ?(?:[oO]hms?|OHMS?|[ΩΩ])|m?[Aa][hH]|k?Wh)(?![A-Za-z0-9])'
const MULTIPLIER = String.raw`(?:[kKRrnpuµ]\d{0,2}|M\d?)(?=$|\s*[,(/@]|\s\d)`
/** Stricter than the kind of a value, which is about many (`317M` is a number): `100nF`, `3.3MΩ-HV`, `0, 40, 120, 150 ohm`; `33k`, `0.02R, shunt`; `330 (5W)`. */
const COMPONENT = new RegExp(
  String.raw`(?:^|\s/\s)[~±<>≈]?(?:(?:\d+(?:\.\d+)?\s?[,–-]\s?)*\d+(?:[.,]\d+)?\s?${UNIT}` +
    String.raw`|(?:\d{1,2}0?|\d{1,3}[.,]\d+)\s?${MULTIPLIER}|\d{1,4}\s?\(\d+(?:[./]\d+)? ?[WVA]\)$)`,
  'u',
)
/** `Capacitor (2.2e-05F)`, `Resistor (750)`. */
const NAMED_COMPONENT =
  /^(?:cap(?:acitor)?|res(?:istor)?|ind(?:uctor)?|kondensator|widerstand|condensateur|résistance|condensador|resistencia|condensatore|resistenza) ?[(:]? ?[\d.,]+(?:e-?\d+)?\*?[a-zµΩ%]{0,2}\d{0,2}\)?(?:\s.*)?$/iu
/** Footprints and symbols of KiCad: `PinHeader_1x02_P2.54mm_Vertical`. */
const KICAD = /_P?\d+(?:\.\d+)?mm(?:_|$)|_\d{4}Metric|_\d\dx\d\d(?:_|$)/

const REMARK_START =
  /^(?:same|see|siehe|voir|wie|no|without|any|ohne|customer|alt:|use|will use|or|already|have|3d[- ]?print(?:ed)?)\b/i

// What a component is rated for: `1/2 W`, `200V +`.
const RATING = /^\d+(?:[.,/]\d+)?\s*(?:[mkM]?[WVA]|ohms?|Ω)(?:\s*[+±%-])?$/

const MEASURE = /^\d+(?:[.,/]\d+)?(?:[mc]m|[mk]?[VAW]|[kM]?Hz|ohms?|Ω|%)[+±]?$/

/** True for words with ratings and sizes, and no number beside them: `100V+ Schottky`, `40mm 12V tach fan`. */
function isDescribed(text: string): boolean {
  const words = text.split(/\s+/)
  const isWord = (word: string): boolean => /^\p{L}?\p{Ll}{2,}$/u.test(word)
  const isMeasure = (word: string): boolean => MEASURE.test(word)
  return words.some(isWord) && words.some(isMeasure) && words.every((word) => isWord(word) || isMeasure(word))
}

/** True for a text of East Asian words with no more than a measure: `最大32GBytesまで`, `呼び径65`. */
function isEastAsianText(text: string): boolean {
  const signs = [...text].map((sign) => (EAST_ASIAN.test(sign) ? ' ' : sign))
  const rest = signs.join('').trim()
  return rest !== text && (/^\d{0,4}(?:[.,]\d+)?\p{L}{0,6}$/u.test(rest) || !/\d/.test(rest))
}

/** True for a component in words with its value, or its footprint, in a column of which some values are numbers. */
function isOfComponent(text: string, { numbers }: UsualValues): boolean {
  if (numbers < 0.2) return false
  return KICAD.test(text) || NAMED_COMPONENT.test(text)
}

/**
 * True for what stands where a part number should, and is none: `same as item 1`, `No tantalum, tolerance 20 %`, `(specify)`, a link, a
 * drawing, a size; a component in words, and East Asian words, in a column with other numbers.
 */
export function isRemark(text: string, usual?: UsualValues): boolean {
  if (areNumbers(usual) && SCREW.test(text)) return false
  if (isMarkup(text) || SIZE.test(text) || valueKind(text) === 'price') return true
  if (areNumbers(usual) && valueKind(text) === 'flag') return true
  if (usual?.kinds.includes('part number') && isEastAsianText(text)) return true
  if (usual !== undefined && isOfComponent(text, usual)) return true
  // Nearly all part numbers have neither a space nor a colon.
  if (!/[\s:=]|www\.|\.(?:com|de|org)\/|\.\w{3,4}$/i.test(text)) return false
  const kind = valueKind(text)
  if (kind === 'link' || RATING.test(text) || isDescribed(text) || /^\([^()]*\)$|\(specify\b/i.test(text))
    return true
  if (!['words', 'phrase', 'prose'].includes(kind)) return false
  if (REMARK_START.test(text)) return true
  if (kind !== 'prose' || /^[A-Z0-9-]*\d[A-Z0-9-]{4,}/.test(text)) return false
  if (!/\d/.test(text)) return true
  const words = text.split(/[\s,;]+/).filter((word) => /^\p{L}?\p{Ll}{2,}$/u.test(word))
  return /[%°]/.test(text) || words.length >= 4
}
