import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import type { XmlAttributes, XmlHandler } from '../base/xml.ts'
import type { Doubt } from './part-number.ts'

/** A row with at least one value; `line` counts from 1. */
export interface SheetRow {
  readonly line: number
  readonly cells: readonly SheetCell[]
  /** The columns of the cells that are struck through, at least in part. */
  readonly struck: readonly number[]
  readonly isHidden: boolean
}

/** A cell that has a value; `column` counts from 0. */
interface SheetCell {
  readonly column: number
  readonly value: SheetValue
}

/** Text (errors and truth values too), or something else. */
export type SheetValue = string | TypedCell

/** A number by its digits in the file, a date, or a formula whose result was never saved. */
export type TypedCell =
  | {
      readonly digits: string
      readonly format: Exclude<NumberFormat, 'date'> | undefined
      /** It is the 0 of a formula. */
      readonly isFormulaZero?: true
    }
  | { readonly date: string }
  | { readonly isUncalculated: true }

/** What the cells of all sheets refer to. */
export interface CellContext {
  readonly texts: TextStore
  readonly formats: readonly CellFormat[]
  /** Dates count from 1904, as old workbooks of the Mac have them. */
  readonly is1904: boolean
  /** The workbook asks to be calculated when it is opened: its writer calculates nothing, and 0 may stand for any result. */
  readonly isUncalculated: boolean
}

/** How cells of one style are shown. */
export interface CellFormat {
  /** Undefined where numbers are shown by their digits, or in a way no part number is. */
  readonly number: NumberFormat | undefined
  readonly isStruck: boolean
}

/** Texts by index, in the order they were added: as strings, two million texts of a workbook take three times the memory. */
export class TextStore {
  readonly #blocks: Buffer[] = []
  /** Where each text ends. One that does not fit into the rest of a block begins with the next. */
  readonly #ends: number[] = []
  readonly #struck = new Set<number>()
  #used = 0

  /** About how much memory the texts take. */
  get bytes(): number {
    return this.#used + this.#ends.length * 24 + this.#struck.size * 40
  }

  add(text: string, isStruck: boolean): void {
    if (isStruck) this.#struck.add(this.#ends.length)
    const left = BLOCK_BYTES - (this.#used % BLOCK_BYTES)
    if (Buffer.byteLength(text) > left) this.#used += left
    const index = Math.floor(this.#used / BLOCK_BYTES)
    this.#blocks[index] ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
    this.#used += this.#blocks[index].write(text, this.#used % BLOCK_BYTES)
    this.#ends.push(this.#used)
  }

  isStruck(index: number): boolean {
    return this.#struck.has(index)
  }

  get(index: number): string | undefined {
    const end = this.#ends[index]
    if (end === undefined) return undefined
    const before = this.#ends[index - 1] ?? 0
    if (end === before) return ''
    const block = Math.floor((end - 1) / BLOCK_BYTES)
    const start = block * BLOCK_BYTES
    return this.#blocks[block]!.toString('utf8', Math.max(0, before - start), end - start)
  }
}

/** What to do about a workbook that cannot be read. */
export const SAVE_AGAIN = 'open it in a spreadsheet program and save it again as .xlsx, or as CSV'

/** The limits of a sheet (ECMA-376, and Excel's own). */
const MOST_ROWS = 1_048_576
const MOST_COLUMNS = 16_384

/** Excel has 32,767 characters in a cell at most. */
const LONGEST_TEXT = 1024 * 1024

/** Holds the longest text, in UTF-8. */
const BLOCK_BYTES = 4 * LONGEST_TEXT

/** A range of cells. Of merged ones, those of the first column show the value of the first cell, and the others none. */
export interface MergedCells {
  readonly column: number
  readonly lastColumn: number
  /** The lines of the first and the last cell. */
  readonly from: number
  readonly to: number
}

/** What a sheet says beside its rows; complete when they have been read. */
export interface SheetFacts {
  readonly merged: MergedCells[]
  /** The columns that are hidden, each from the first to the last. */
  readonly hiddenColumns: (readonly [number, number])[]
  /** It asks to be calculated when the workbook is opened. */
  isUncalculated: boolean
  /** It has formulas whose result is 0 or an empty text. */
  hasEmptyResults: boolean
}

export function noFacts(): SheetFacts {
  return { merged: [], hiddenColumns: [], isUncalculated: false, hasEmptyResults: false }
}

/** Where rows are: the sheet of a workbook with several. */
export interface SheetPlace {
  readonly file: string
  readonly sheet: string | undefined
}

/** Collects the rows of a sheet's XML, and its facts; `take` gives the rows that are complete since the last call. */
export function readRows(
  context: CellContext,
  { file, sheet }: SheetPlace,
  facts: SheetFacts,
): { readonly handler: XmlHandler; readonly take: () => readonly SheetRow[] } {
  let rows: SheetRow[] = []
  let line = 0
  let column = -1
  let lastColumn = -1
  let cells: SheetCell[] | undefined
  /** By column, the last row of the ranges of its array formulas. */
  const arrays = new Map<number, number>()
  let struck: number[] = []
  let cell: RawCell | undefined
  let isPhonetic = false
  let isHidden = false
  let isStruckRun = false
  let textTarget: 'value' | 'text' | 'struckText' | undefined

  const damaged = (what: string): Failure => {
    const where = sheet === undefined ? '' : `sheet "${cleanText(sheet, 40)}": `
    return new Failure('usage', `${file} is damaged: ${where}${what}`, { file, line, hint: SAVE_AGAIN })
  }
  const place = (): string => `the cell in row ${line}, column ${column + 1}`
  const openCell = (attributes: XmlAttributes): void => {
    if (cells === undefined) throw damaged(`a cell stands outside of its rows, after row ${line}`)
    const name = attributes.get('r')
    column = columnOf(name) ?? column + 1
    if (column >= MOST_COLUMNS) throw outside(file, name ?? `row ${line}`)
    cell = {
      type: attributes.get('t') ?? 'n',
      format: context.formats[Number(attributes.get('s') ?? -1)],
      value: '',
      text: '',
      struckText: '',
      hasFormula: (arrays.get(column) ?? 0) >= line,
      hasValue: false,
    }
  }
  const openFormula = (current: RawCell, attributes: XmlAttributes): void => {
    current.hasFormula = true
    // The cells of a shared formula have one each.
    const range = /^(?:array|dataTable)$/.test(attributes.get('t') ?? '')
      ? rangeOf(attributes.get('ref'))
      : undefined
    if (range === undefined) return
    for (let at = range.column; at <= Math.min(range.lastColumn, MOST_COLUMNS - 1); at += 1)
      arrays.set(at, Math.max(arrays.get(at) ?? 0, range.to))
  }
  const openInCell = (name: string, current: RawCell, attributes: XmlAttributes): void => {
    if (name === 'f') openFormula(current, attributes)
    else if (name === 'strike') isStruckRun = isOn(attributes)
    else if (name === 'r' || name === 'is') isStruckRun = false
    else if (name === 'rPh') isPhonetic = true
    else if (name === 'v') textTarget = 'value'
    else if (name === 't' && !isPhonetic) textTarget = isStruckRun ? 'struckText' : 'text'
    if (name === 'v' || name === 'is') current.hasValue = true
  }

  return {
    handler: {
      open(name, attributes) {
        if (name === 'row') {
          const above = line
          line = Number(attributes.get('r') ?? line + 1)
          if (!(line >= 1 && line <= MOST_ROWS)) throw outside(file, `row ${line}`)
          if (line < above) throw damaged(`row ${line} stands behind row ${above}`)
          column = -1
          lastColumn = -1
          cells = []
          struck = []
          isHidden = isTrue(attributes.get('hidden')) || Number(attributes.get('ht') ?? 1) === 0
        } else if (name === 'mergeCell') addMerged(facts, attributes.get('ref'))
        else if (
          name === 'col' &&
          (isTrue(attributes.get('hidden')) || Number(attributes.get('width') ?? 1) === 0) &&
          facts.hiddenColumns.length < MOST_COLUMNS
        ) {
          facts.hiddenColumns.push([Number(attributes.get('min')) - 1, Number(attributes.get('max')) - 1])
        } else if (name === 'sheetCalcPr') facts.isUncalculated ||= isTrue(attributes.get('fullCalcOnLoad'))
        else if (name === 'c') openCell(attributes)
        else if (cell !== undefined) openInCell(name, cell, attributes)
      },
      text(text) {
        if (cell === undefined || textTarget === undefined) return
        cell[textTarget] += text
        if (cell[textTarget].length > LONGEST_TEXT) throw tooLong(file)
      },
      close(name) {
        textTarget = undefined
        if (name === 'rPh') isPhonetic = false
        else if (name === 'c' && cells !== undefined && cell !== undefined) {
          const value = cellValue(cell, context)
          if (value === undefined && cell.type === 's' && cell.value.trim() !== '')
            throw damaged(`${place()} refers to a text that the workbook does not have`)
          if (cell.hasFormula && isEmptyResult(cell)) facts.hasEmptyResults = true
          if (value !== undefined && value !== '') {
            if (column <= lastColumn && cells.some((other) => other.column === column))
              throw damaged(`${place()} is there twice`)
            lastColumn = Math.max(lastColumn, column)
            cells.push({ column, value })
            if (isStruck(cell, context)) struck.push(column)
          }
          cell = undefined
        } else if (name === 'row' && cells !== undefined) {
          if (cells.length > 0) rows.push({ line, cells, struck, isHidden })
          cells = undefined
        }
      },
    },
    take() {
      const taken = rows
      rows = []
      return taken
    },
  }
}

/** Collects the texts that cells share, rich text without its formatting and what is struck through of it. */
export function readTexts(add: (text: string, isStruck: boolean) => void, file: string): XmlHandler {
  let text: string | undefined
  let struckText = ''
  let isStruckRun = false
  let isPhonetic = false
  let isText = false
  return {
    open(name, attributes) {
      if (name === 'si') {
        text = ''
        struckText = ''
        isStruckRun = false
      } else if (name === 'r') isStruckRun = false
      else if (name === 'rPh') isPhonetic = true
      else if (name === 'strike') isStruckRun = isOn(attributes)
      isText = name === 't' && !isPhonetic && text !== undefined
    },
    text(piece) {
      if (!isText) return
      if (isStruckRun) struckText += piece
      else text += piece
      if (text!.length + struckText.length > LONGEST_TEXT) throw tooLong(file)
    },
    close(name) {
      isText = false
      if (name === 'rPh') isPhonetic = false
      else if (name === 'si') {
        add(unescaped(unstruck(text ?? '', struckText)), struckText !== '')
        text = undefined
      }
    },
  }
}

interface RawCell {
  readonly type: string
  readonly format: CellFormat | undefined
  /** The content of `<v>`. */
  value: string
  /** The content of `<is>`, and what of it is struck through. */
  text: string
  struckText: string
  hasFormula: boolean
  /** It has a `<v>` or `<is>`, which may be empty. */
  hasValue: boolean
}

/** What is left of a text; all of it where nothing else is. */
function unstruck(text: string, struckText: string): string {
  return struckText === '' || /[\p{L}\p{N}]/u.test(text) ? text : struckText
}

/** True for a result that a library writes in place of one that it does not know: none, an empty text, 0. */
function isEmptyResult({ type, value }: RawCell): boolean {
  return type === 'str' ? value === '' : type === 'n' && (value === '' || Number(value) === 0)
}

/** Programs that calculate write 0 as `0`; `0.0` is what a library begins with. */
function isUnknown(cell: RawCell, { isUncalculated }: CellContext): boolean {
  const { hasFormula, hasValue, type, value } = cell
  if (!hasFormula || (hasValue && !isEmptyResult(cell))) return false
  if (!hasValue) return true
  return isUncalculated || (type === 'n' && value !== '0')
}

function isStruck({ type, value, format, struckText }: RawCell, { texts }: CellContext): boolean {
  return struckText !== '' || format?.isStruck === true || (type === 's' && texts.isStruck(textIndex(value)))
}

/** The index of a shared text; -1 for none, which some writers leave out of an empty cell. */
function textIndex(value: string): number {
  return value.trim() === '' ? -1 : Number(value)
}

function cellValue(cell: RawCell, context: CellContext): SheetValue | undefined {
  const { type, format, value } = cell
  const text = unstruck(cell.text, cell.struckText)
  if (isUnknown(cell, context)) return { isUncalculated: true }
  switch (type) {
    case 's':
      return context.texts.get(textIndex(value))
    case 'str':
      return unescaped(value)
    case 'inlineStr':
      return unescaped(text === '' ? value : text)
    case 'e':
      return value === '' ? '#ERROR!' : value
    case 'b':
      return value === '' ? undefined : value === '0' ? 'FALSE' : 'TRUE'
    case 'd':
      return value === '' ? undefined : { date: value.slice(0, 10) }
    default:
      if (value === '') return text === '' ? undefined : unescaped(text)
      if (format?.number === 'date') return dateOf(Number(value), context.is1904)
      return {
        digits: value,
        format: format?.number,
        ...(cell.hasFormula && Number(value) === 0 ? { isFormulaZero: true } : {}),
      }
  }
}

/** Days since 30 December 1899, or since 1 January 1904. */
function dateOf(days: number, is1904: boolean): SheetValue {
  const date = new Date(Math.floor((days - 25_569 + (is1904 ? 1462 : 0)) * 86_400_000))
  return Number.isNaN(date.getTime()) ? String(days) : { date: date.toISOString().slice(0, 10) }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** True for a property of a font that is there, unless it says `val="0"`. */
export function isOn(attributes: XmlAttributes): boolean {
  const value = attributes.get('val')
  return value === undefined || isTrue(value)
}

/** Each covers at most the rows of the sheet. */
const MOST_MERGED = 100_000

function addMerged({ merged }: SheetFacts, ref: string | undefined): void {
  const range = rangeOf(ref)
  if (range !== undefined && merged.length < MOST_MERGED) merged.push(range)
}

/** The cells of a range of several, such as `B2:C4`. */
function rangeOf(ref: string | undefined): MergedCells | undefined {
  const [, first, from, last, to] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/i.exec(ref?.replaceAll('$', '') ?? '') ?? []
  if (first === undefined) return undefined
  const [left, right] = [first, last].map((letters) => columnOf(`${letters}1`)!) as [number, number]
  const [top, bottom] = [Number(from), Number(to)]
  return {
    column: Math.min(left, right),
    lastColumn: Math.max(left, right),
    from: Math.min(top, bottom),
    to: Math.max(top, bottom),
  }
}

/** The column of a cell's name, such as 1 for `B12`; undefined for none. */
function columnOf(name: string | undefined): number | undefined {
  const letters = name === undefined ? undefined : /^[A-Z]{1,8}(?=\d+$)/i.exec(name)?.[0].toUpperCase()
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Characters that XML cannot hold are written as `_x000D_` (22.9.2.19), with a small x: `_X1005_` is what it says. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function tooLong(file: string): Failure {
  return new Failure('usage', `${file} has a cell with more than ${formatBytes(LONGEST_TEXT)} of text`, {
    file,
    hint: 'shorten the text, or save the sheet without that column',
  })
}

function outside(file: string, what: string): Failure {
  const limits = `${formatCount(MOST_ROWS)} rows and ${formatCount(MOST_COLUMNS)} columns`
  return new Failure('usage', `${file}: ${what} is outside of the ${limits} of a sheet`, {
    file,
    hint: SAVE_AGAIN,
  })
}

/**
 * How a spreadsheet shows a number when not by its digits alone: as a date, in scientific notation, or as a pattern of digits
 * (null) with fixed characters around and between them.
 */
export type NumberFormat = 'date' | 'scientific' | DigitPattern
type DigitPattern = readonly (string | null)[]

/**
 * Reads a number format code (ECMA-376 part 1, 18.8.31) as far as part numbers are shown with it: `00000`, `000-0000`,
 * `"PN-"0000`, `0.00E+00`, `mmm-yy`. Undefined for any other.
 */
export function readNumberFormat(code: string): NumberFormat | undefined {
  // Excel allows 255 characters.
  if (code.length > LONGEST_FORMAT) return undefined
  const plain = code.replace(/"[^"]*"|\\.|[_*]./gsu, ' ')
  if (isDate(plain)) return 'date'
  if (/[0#?.]E[+-]/i.test(plain)) return 'scientific'
  return readPattern(code)
}

const LONGEST_FORMAT = 1000

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

/** What stands for the value of a formula whose result was never saved: it says that there is one, and not which. */
export const NO_RESULT = 'formula without its result'

/** A cell as its user sees it. */
export function textOf(value: SheetValue): string {
  if (typeof value === 'string') return value.includes('\r') ? value.replace(/\r\n?/g, '\n') : value
  if ('date' in value) return value.date
  if (!('digits' in value)) return NO_RESULT
  const { digits, format } = value
  if (!/^\d{1,15}$/.test(digits)) return plainNumber(digits)
  return format === undefined || format === 'scientific' ? digits : showDigits(digits, format)
}

/** A number without the noise of binary arithmetic that workbooks save (`0.30000000000000004`), nor an exponent. */
function plainNumber(digits: string): string {
  const value = Number(digits)
  if (!Number.isFinite(value)) return digits
  if (Number.isInteger(value)) return BigInt(value).toString()
  const tidy = Number(value.toPrecision(12))
  return tidy !== 0 && Math.abs(tidy) < 1e-6 ? tidy.toFixed(12) : String(tidy)
}

/** True for a formula whose result was never saved. */
export function isUncalculated(value: TypedCell | undefined): boolean {
  return value !== undefined && 'isUncalculated' in value
}

/** True for a formula whose saved result is 0: a program that does not calculate on opening keeps a 0 that a library wrote. */
export function isFormulaZero(value: TypedCell | undefined): boolean {
  return value !== undefined && 'digits' in value && value.isFormulaZero === true
}

/** What to do about a formula without its result. */
export const CALCULATE =
  'open the workbook in a spreadsheet program, calculate it (Ctrl+Alt+F9 in Excel, Ctrl+Shift+F9 in LibreOffice), and save it'

/** The number of a cell that holds one. */
export function numberOf(value: TypedCell | undefined): number | undefined {
  if (value === undefined || !('digits' in value)) return undefined
  const number = Number(Number(value.digits).toPrecision(12))
  return Number.isFinite(number) ? number : undefined
}

/** What makes a cell useless as a part number, or what looks wrong about it. */
interface CellFault {
  readonly problem?: string
  readonly doubts?: readonly Doubt[]
}

/** Up to 15 digits a workbook keeps every one; beyond, or with a fraction, what was typed is lost. */
export function faultOf(value: TypedCell | undefined): CellFault {
  if (value === undefined) return {}
  if ('isUncalculated' in value) return { problem: `has a ${NO_RESULT}` }
  if ('date' in value) return doubt('date', `the cell has a date (${value.date}), not a part number as text`)
  const { digits, format } = value
  if (!/^\d{1,15}$/.test(digits)) {
    return doubt('number', `the cell has a number (${textOf(value)}) where a part number should be text`)
  }
  if (format === 'scientific') {
    return doubt('number', `the cell has the number ${digits}, shown in scientific notation`)
  }
  const shown = format === undefined ? digits : showDigits(digits, format as DigitPattern)
  return shown === digits
    ? {}
    : doubt('number', `the cell has the number ${digits}, shown and read as "${shown}"`)
}

function doubt(kind: Doubt['kind'], says: string): CellFault {
  return { doubts: [{ kind, says }] }
}
