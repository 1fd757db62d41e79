import papaparse from 'papaparse'
import { cleanText } from '../base/clean-text.ts'
import { largest } from '../base/extremes.ts'
import { EAST_ASIAN, type HeadingRole, NUMBER_ROLES, type NumberRole, withoutLabel } from './heading.ts'
import { isNoPartNumber, readFitted, readNotFitted } from './row-kind.ts'
import { NO_RESULT } from './sheet-rows.ts'
import weights from './value-weights.csv'

/** What one value of a column is. */
export type ValueKind =
  | 'none'
  | 'part number'
  | 'letters'
  | 'designator or number'
  | 'mixed'
  | 'word'
  | 'words'
  | 'phrase'
  | 'prose'
  | 'small number'
  | 'number'
  | 'decimal'
  | 'scientific'
  | 'outline'
  | 'price'
  | 'date'
  | 'designators'
  | 'component value'
  | 'material'
  | 'footprint'
  | 'identifier'
  | 'link'
  | 'flag'
  | 'formula'

/** What the values of a column of part numbers usually are: shares are from 0 to 1. */
export interface UsualValues {
  /** The kinds that more than one value in twenty has. */
  readonly kinds: readonly ValueKind[]
  readonly numbers: number
  readonly words: number
  readonly smallNumbers: number
  readonly designators: number
  /** With a blank in them. */
  readonly spaced: number
}

/** Longer values are prose: no pattern sees them. */
export const LONGEST_VALUE = 120

// The letters of IEEE 315 and those that CAD systems add.
const DESIGNATOR =
  '(?:AE|BT|BR|CN|CON|C|DS|D|FB|FID|FL|F|H|IC|JP|J|K|LED|LS|L|MH|MK|MP|M|P|Q|RN|RT|RV|R|SW|S|TP|TR|T|U|VR|V|W|X|Y|Z)\\d{1,4}'
const ONE_DESIGNATOR = new RegExp(`^${DESIGNATOR}$`)
const LIKE_DESIGNATOR = /^(?:[A-Z]{1,4}|@?HOLE)\d{1,3}(?:[A-Z]|\.\d+)?$/i
const COMPONENT_VALUE =
  /^[±<>~≈]?\d+(?:[.,]\d+)?\s?(?:[pnuµμmkKMGR]|meg)?\s?\d{0,2}\s?(?:F|H|Hz|R|Ω|Ω|ohms?|V|A|W|%|VDC|mm|mil)?(?:(?<=[a-zµμΩΩ%]\d{0,3})[\s/,@].{0,24})?$/i
const FOOTPRINT =
  /^[\w-]{1,60}:[A-Za-z]|^(?:_|(?:CAPC?|RESC?|INDC?|LED|DIO|[RCL])_?)0(?:201|402|603|805)(?:_|$)|^(?:_|(?:CAP|RES|IND|LED)_?)(?:1206|1210|1812|2010|2512)(?:_|$)|_P?\d+(?:\.\d+)?mm|\d{4}Metric|_\d+x\d+_|^(?:SOT|SOIC|QFN|TQFP|LQFP|TSSOP|MSOP|SOD|SMD|DFN|BGA)-?\d+\S*$/
/** Sizes, threads, multipliers, tolerances and delivery times: `30 mm`, `1/4" NPT`, `M3x10`, `6x`, `±1 %`, `2-3 weeks`. */
export const SIZE =
  /^(?:[ØΦ⌀]?\d+(?:[.,/]\d+)?\s?(?:mm|cm|in|inch(?:es)?|ft|["″])(?:\s?\p{Lu}{2,5})?|M\d{1,2}(?:[.,]\d{1,2})?\s?[x×*]\s?\d{1,3}(?:[.,]\d)?\s?(?:mm)?|\d{1,3}\s?[x×]|[±~]?\d{1,2}(?:[.,]\d+)?\s?%|-?\d+(?:[.,]\d+)?\s?(?:dB[im]?|[mM]?[aA][hH])|\d+(?:\s?[-–]\s?\d+)?\s?(?:days?|weeks?|wks?|Tage|Wochen|天|周))$|^\p{L}\s?=\s?\d.*mm/u
// Alloys, steels and plastics by their grade.
const MATERIAL =
  /^(?:(?:AL|EN[ -]?AW)[ -]?)?[1-7]\d{3}-(?:T\d{1,4}|H\d{2,3}|O)$|^SS ?\d{3,4}[A-Z]{0,2}$|^S(?:235|275|355|420|460)[JKMN][A-Z0-9+]{0,6}$|^(?:AISI|SUS|SAE)[ -]?\d{3,4}[A-Z]?$|^(?:PA|PBT|PP|PC|PET|POM|PPS|PEEK)\d{0,3}[- ](?:GF|CF)\d{2}$/i
/** The name of a drawing or a picture. */
const FILE = /\.(?:stl|3mf|gcode|stp|step|dxf|dwg|pdf|svg|png|jpe?g)$/i
/** A file, or what is in a folder: `src/drivers/usb.inf`, `a/x86/bin/lsz64`. */
const PATH = /^(?:[^\s/]*\/)+[^\s/]+\/\S*\.\p{Ll}{2,4}$|^(?:[^\s/]+\/)+\p{Ll}{3,}\/\S+$/u
/** A formula that was saved as text, with a function or a cell in it. */
const FORMULA =
  /^=[+-]?(?:[\p{L}_][\p{L}\d_.]*\(|'[^']+'!|[\p{L}_][\p{L}\d_.]*!|\$?[A-Z]{1,3}\$?\d{1,7}(?!\w|[-.]\w*\p{L}))/iu

/** The kind of a value without blanks around it. */
export function valueKind(value: string): ValueKind {
  if (value.length > LONGEST_VALUE) return /^https?:\S+$/.test(value) ? 'link' : 'prose'
  if (value === NO_RESULT) return 'formula'
  if (isNoPartNumber(value)) return 'none'
  if (
    /https?:|www\.|\.(?:com|de|org)\//i.test(value) ||
    FILE.test(value) ||
    FORMULA.test(value) ||
    PATH.test(value)
  )
    return 'link'
  // Programs that read a table of numbers write them with a decimal place.
  if (/^\d{5,15}\.0$/.test(value)) return 'number'
  if (/^\d{1,4}(?:[’'′.)]| ?\([^()\d]+\)| ?[x×])?$|^[x×] ?\d{1,4}$/.test(value))
    return /^(?:[x×] ?)?\d{1,2}(?!\d)|^0/.test(value) ? 'small number' : 'number'
  return numericKind(value) ?? designatorKind(value) ?? wordKind(value)
}

function numericKind(value: string): ValueKind | undefined {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-|^__(?:ex|im)port__|^(?=.*[a-f])(?=.*\d)[0-9a-f]{16,}$/i.test(value))
    return 'identifier'
  // Of a component in a vault of Altium, and of a telephone.
  if (/^CMP-\d+-\d+(?:-\d+)?$|^(?:\+\d{1,3}[ -]?)?1\d{2}[ -]\d{4}[ -]\d{4}$|^\+\d[\d ()/-]{7,}$/.test(value))
    return 'identifier'
  if (/^(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?:[ T][\d:.]+)?$/.test(value)) return 'date'
  if (/^[€$£¥₹]\s?-?[\d.,]+$|^-?[\d.,]+\s?(?:[€$£¥₹]|EUR|USD|CHF|kr)$/i.test(value)) return 'price'
  if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(value)) return 'scientific'
  if (/^\.+\d{1,2}$/.test(value)) return 'outline'
  // `25x25`
  if (/^\d{1,4}(?:[.,]\d+)?(?:\s?[x×*]\s?\d{1,4}(?:[.,]\d+)?){1,2}(?:\s?mm)?$/i.test(value)) return 'decimal'
  if (/^-?\d*[.,]\d+$|^-?\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?$|^-\d+$/.test(value)) return 'decimal'
  if (/^\d{1,3}(?:\.\d{1,3}){2,}\.?$/.test(value)) return 'outline'
  return /^(?:yes|no|true|false|y|n|ja|nein|x|ok)$/i.test(value) ? 'flag' : undefined
}

function designatorKind(value: string): ValueKind | undefined {
  const words = value.split(/[\s,;]+/).filter((word) => word !== '')
  const isDesignator = (word: string): boolean =>
    word.split(/[-–…]/).every((piece) => LIKE_DESIGNATOR.test(piece) || /^\d{1,3}$/.test(piece))
  if ((words.length > 1 || value.length <= 4) && /^[A-Z@]/.test(value) && words.every(isDesignator)) {
    return 'designators'
  }
  if (/^([A-Z]{1,3})(?:\d{1,4}[-–…]\1\d{1,4}| \d{1,2}(?: \d{1,2})+)$/.test(value)) return 'designators'
  if (FOOTPRINT.test(value)) return 'footprint'
  // `LED101` and `C1525` can be either.
  if (ONE_DESIGNATOR.test(value)) return value.length >= 5 ? 'designator or number' : 'designators'
  if (MATERIAL.test(value)) return 'material'
  return SIZE.test(value) || isComponentValue(value.replace(/\s?\*$/, '')) ? 'component value' : undefined
}

/** True for the value of a component as circuit diagrams have it: `100n`, `4k7`, `10uF`, `0R`. */
function isComponentValue(value: string): boolean {
  if (value.length > 30 || !/^[^A-Z]*(?:[A-Z][a-z]?\d{0,3})?(?:[\s/,@].*)?$/.test(value)) return false
  const hasUnit = /\d\s?(?:[pnuµμmkKMGRΩΩFHVAW%]|ohm|meg)/i.test(value)
  // `1N 4148` and `50N06` are semiconductors, `8505K745` is a number of McMaster.
  return hasUnit && !/^(?:\d{5}|\d{4}[A-Z]\d|\d+N ?\d)/.test(value) && COMPONENT_VALUE.test(value)
}

function wordKind(value: string): ValueKind {
  const bare = withoutLabel(value)
  if (bare !== value) return valueKind(bare)
  if (/^\p{L}{2,}: /u.test(value)) return 'mixed'
  const words = value.split(/[\s,;]+/).filter((word) => word !== '')
  const plain = words.filter(
    (word) => /^[("'\p{Lu}]?\p{Ll}{2,}[)"'.:!?]*$/u.test(word) || /^\p{L}{4,}$/u.test(word),
  ).length
  if (plain >= 4 || words.length >= 7) return 'prose'
  if (!/\d/.test(value)) {
    if (words.length > 1) return 'words'
    const isLetters = /^(?=.*[-_/+])\S{5,}$/.test(value) || /^[A-Z]{5,18}$/.test(value)
    return isLetters ? 'letters' : EAST_ASIAN.test(value) && value.length > 8 ? 'words' : 'word'
  }
  if (value.length > 60) return 'prose'
  if (EAST_ASIAN.test(value)) return 'mixed'
  if (plain >= 1 && words.length >= 2) return plain >= 2 ? 'phrase' : 'mixed'
  return value.length < 3 || words.length > 4 ? 'mixed' : 'part number'
}

/** Every value of the first rows is looked at, and one in 64 of those beyond, which stands for as many; all are counted. */
const FIRST_ROWS = 2000
const SAMPLED = 64

/** So many of the smallest hashes tell how many different values there are. */
const HASHES = 256

/** What is known of the values of a column: some thirty numbers and three values, however long the list. */
export class ColumnValues {
  /** The rows that were seen, and those of them with a value. */
  rows = 0
  filled = 0
  /** The first different values. */
  readonly examples: string[] = []
  /** Equal for columns with equal values, and for columns with equal digits, as SAP writes levels `2` beside `..2`. */
  sum = 0
  digits = 0
  /** Values such as `0` and `0,00`, which are a quantity, and no value of another column. */
  zeros = 0
  readonly #kinds = new Map<ValueKind, number>()
  #looked = 0
  /** How many values those that were looked at stand for. */
  #weight = 0
  #short = 0
  #spaced = 0
  #repeats = 0
  #above = ''
  #positions = 0
  #dotted = 0
  /** Positions that come behind the one before. */
  #ascents = 0
  #position: readonly number[] = []
  /** Words such as `DNP` and `yes`, and numbers that are no marks. */
  #marks = 0
  #numbers = 0
  /** Values other than blanks, and those of them that say not fitted by themselves. */
  #values = 0
  #notFitted = 0
  readonly #hashes = new Set<number>()
  #largest = 0
  /** Values of the first rows, and the whole numbers among them. */
  #counted = 0
  #integers = 0
  #steps = 0
  #restarts = 0
  #step: number | undefined
  #first = 0
  #last = 0

  add(cell: string): void {
    this.rows += 1
    if (cell === '') return
    const isFirst = this.rows <= FIRST_ROWS
    if (!isFirst && (Math.imul(this.rows, 2654435761) >>> 16) % SAMPLED !== 0) {
      this.filled += 1
      return
    }
    const value = cell.trim()
    if (value === '') return
    this.#values += 1
    if (isFirst && /^\d{1,7}[’'′.)]?$/.test(value)) this.#count(Number.parseInt(value, 10))
    const kind = valueKind(value)
    if (/^0+(?:[.,]0+)?$/.test(value)) this.zeros += 1
    if (value === '0' || value === '1' || (value.length < 25 && !/\d/.test(value))) {
      const mark = readFitted(value, false)
      if (mark !== undefined || readFitted(value, true) !== undefined) this.#marks += 1
      if (mark === false && readNotFitted(value)) this.#notFitted += 1
    } else if (/^\d/.test(value)) this.#numbers += 1
    if (kind === 'none') return
    this.filled += 1
    if (isFirst) {
      this.#counted += 1
      if (value === this.#above) this.#repeats += 1
      this.#above = value
    }
    const weight = isFirst ? 1 : SAMPLED
    this.#looked += 1
    this.#weight += weight
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + weight)
    if (value.length <= 6) this.#short += weight
    if (/\s/.test(value)) this.#spaced += weight
    if (this.examples.length < 3) {
      const shown = cleanText(value, 40)
      if (!this.examples.includes(shown)) this.examples.push(shown)
    }
    // Which value a formula has is not known: of each another one.
    const hash = kind === 'formula' ? hashOf(`${this.rows}`) : hashOf(value)
    this.sum = (Math.imul(this.sum, 31) + hash) >>> 0
    this.digits = (Math.imul(this.digits, 31) + hashOf(value.replace(/[^0-9]/g, ''))) >>> 0
    if (value.length <= 40 && /^\d{1,4}(?:\.\d{1,4})*\.?$/.test(value)) this.#place(value)
    this.#keep(hash)
  }

  #place(value: string): void {
    const position = value.split('.', 12).map(Number)
    const at = position.findIndex((number, index) => number !== this.#position[index])
    if (at >= 0 && position[at]! > (this.#position[at] ?? -1)) this.#ascents += 1
    this.#position = position
    this.#positions += 1
    if (/\d\.\d/.test(value)) this.#dotted += 1
  }

  #keep(hash: number): void {
    if (this.#hashes.size >= HASHES && hash >= this.#largest) return
    this.#hashes.add(hash)
    if (this.#hashes.size > HASHES) this.#hashes.delete(this.#largest)
    if (this.#hashes.size >= HASHES) this.#largest = largest(this.#hashes)
  }

  #count(number: number): void {
    if (this.#integers === 0) this.#first = number
    else if (number > this.#last) {
      this.#step ??= number - this.#last
      if (number - this.#last === this.#step) this.#steps += 1
    } else if (number === this.#first && number < this.#last) this.#restarts += 1
    this.#integers += 1
    this.#last = number
  }

  /** How many of the values are of one of these kinds, from 0 to 1. */
  share(...kinds: readonly ValueKind[]): number {
    const count = kinds.reduce((sum, kind) => sum + (this.#kinds.get(kind) ?? 0), 0)
    return this.#weight === 0 ? 0 : count / this.#weight
  }

  get usual(): UsualValues {
    return {
      kinds: [...this.#kinds].flatMap(([kind, count]) => (count * 20 > this.#weight ? [kind] : [])),
      numbers: this.share('part number', 'designator or number', 'number'),
      words: this.share('word', 'words', 'letters'),
      smallNumbers: this.share('small number'),
      designators: this.share('designators'),
      spaced: this.#spaced / Math.max(1, this.#weight),
    }
  }

  /** The most frequent kind. */
  get mostly(): ValueKind {
    return [...this.#kinds].reduce((most, one) => (one[1] > most[1] ? one : most), ['none', 0] as const)[0]
  }

  get fill(): number {
    return this.filled / Math.max(1, this.rows)
  }

  /** How many of the values are different, from 0 to 1. */
  get distinct(): number {
    if (this.#looked === 0) return 0
    const isFew = this.#hashes.size < HASHES
    const count = isFew ? this.#hashes.size : Math.min(this.#looked, (HASHES - 1) / (this.#largest / 2 ** 32))
    return count / this.#looked
  }

  get isConstant(): boolean {
    return this.#hashes.size === 1
  }

  /** The values are numbers such as 1, 1.1 and 1.1.2, in their order: prices are in none. */
  get isOutline(): boolean {
    return (
      this.#dotted > 0 &&
      this.#positions > 1 &&
      this.#positions >= this.#looked * 0.9 &&
      this.#ascents >= this.#positions * 0.8
    )
  }

  /** The values may say which rows are fitted: no numbers, nor words of which several are seen and none is known. */
  get areMarks(): boolean {
    if (this.mostly === 'formula') return true
    return this.#numbers <= this.#marks * 0.1 && (this.#marks > 0 || this.filled < 4)
  }

  /** Nothing but known marks such as `x` and `DNP`. */
  get areOnlyMarks(): boolean {
    return this.#values > 0 && this.#marks === this.#values
  }

  get sayNotFitted(): boolean {
    return this.#notFitted > 0
  }

  get repeats(): number {
    return this.#counted === 0 ? 0 : this.#repeats / this.#counted
  }

  get isShort(): boolean {
    return this.#short > this.#weight * 0.7
  }

  /** The values count: 1, 2, 3 or 10, 20, 30, from the beginning again where they fall. */
  get isCounter(): boolean {
    const integers = this.#integers
    if (integers < 2 || integers < this.#counted * 0.8 || this.#first > 100) return false
    // Quantities of 1 and 2 fall after nearly every step.
    const isOften = this.#restarts * 3 > this.#steps
    const counted = this.#steps + this.#restarts
    return counted >= (integers - 1) * 0.8 && !isOften && !/^0\d{4,}/.test(this.examples[0] ?? '')
  }
}

export function hashOf(value: string): number {
  let hash = 2166136261
  for (let at = 0; at < value.length; at += 1) hash = Math.imul(hash ^ value.charCodeAt(at), 16777619)
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** What a kind of value says for a role if all values are of that kind, from `++` to `--`. */
const GRADES: Readonly<Record<string, number>> = { '++': 4, '+': 1, '-': -1.5, '--': -5 }

const WEIGHTS = readWeights()

function readWeights(): ReadonlyMap<string, ReadonlyMap<ValueKind, number>> {
  const { data } = papaparse.parse<string[]>(weights.trim(), { delimiter: ',' })
  const [[, ...roles], ...rows] = data as [string[], ...string[][]]
  return new Map(
    roles.map((role, index) => [
      role,
      new Map(
        rows.flatMap(([kind, ...cells]) =>
          cells[index] === '' ? [] : [[kind as ValueKind, GRADES[cells[index]!]!]],
        ),
      ),
    ]),
  )
}

/** The score of values that cannot be of a role, whatever the heading says. */
const NEVER = -100
/** Short values, such as `P1`, can be anything: few of them contradict no heading of part numbers, nor do one or two of others. */
const SHORT_KINDS: ReadonlySet<ValueKind> = new Set(['word', 'flag', 'designators', 'small number', 'mixed'])
/** `2`, `..2`, `1.1`, `Level 2`. */
const LEVEL = /^[.\-+>*_|\s]*(?:l|lvl|level|stufe|ebene)?\s*\d/i
/** What a full column says for a part number, and one that counts against one. */
const FILLED = 1.5
const COUNTER = -7

export function isNumberRole(role: HeadingRole): role is NumberRole {
  return (NUMBER_ROLES as readonly string[]).includes(role)
}

/** How much the values of a column speak for a role, from about -10 to 5.5. */
export function valueScore(role: HeadingRole, values: ColumnValues): number {
  if (role === 'fitted' || role === 'not fitted') return values.areMarks ? 0.5 : NEVER
  const isNumber = isNumberRole(role)
  if (values.filled === 0 && isNumber) return NEVER
  if (values.filled === 0 && role === 'quantity') return values.zeros > 0 || values.rows === 0 ? 0 : NEVER
  if (values.filled === 0) return -3
  const { fill, filled, isCounter } = values
  const weights = WEIGHTS.get(isNumber ? 'part number' : role) ?? []
  let score = 0
  for (const [kind, weight] of weights) {
    const enough = isNumber && weight < 0 ? Math.min(1, filled / (SHORT_KINDS.has(kind) ? 8 : 3)) : 1
    score += weight * enough * values.share(kind)
  }
  if (isNumber) return score + FILLED * fill + (isCounter ? COUNTER : 0)
  switch (role) {
    case 'quantity':
      return fill < 0.1 ? NEVER : score + fill
    case 'unit':
      return values.share('flag') > 0.5 ? NEVER : score
    case 'level':
      if (values.isOutline) return 4
      return !values.examples.some((value) => LEVEL.test(value)) ? NEVER : score
    case 'item':
      return values.isOutline ? 4 : score + (isCounter ? 4 : 0)
    default:
      return score
  }
}

/** How much speaks against a part number because its values repeat. */
export function repetition(values: ColumnValues, isCounted: boolean): number {
  const { filled, fill, distinct, repeats, isConstant } = values
  if (filled < 4) return 0
  const few = 6 * Math.max(0, 1 - 4 * distinct) + (isConstant ? 4 : 0)
  return fill * few + (isCounted || filled < 8 ? 2.5 : 8) * repeats
}
