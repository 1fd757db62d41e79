import { cleanText } from '../base/clean-text.ts'
import { NO_RESULT } from './sheet-rows.ts'

/** A quantity as it reads with a decimal point and with a decimal comma; undefined where it is unknown. */
export type Amount = readonly [point: number | undefined, comma: number | undefined]

/** The quantity of a row; `reason` is why it is unknown. */
export interface ReadQuantity {
  readonly amount: Amount
  readonly reason?: string
  /** The number and the unit as listed, whatever the unit is. */
  readonly listed?: { readonly amount: Amount; readonly unit: string }
}

/** A quantity cell: text, or a number that a workbook holds as one. */
export type QuantityCell = string | number

/** Longer texts are no quantities. */
const LONGEST = 200

/** A quantity that is not known. */
export const UNKNOWN: Amount = [undefined, undefined]

/** What a 0 to order says of the product. */
export const NOT_ORDERED = 'none are to be ordered, as they may be in stock: the quantity is unknown'

/** True for a quantity that is 0 however it is read. */
export function isZero([point, comma]: Amount): boolean {
  return point === 0 && comma === 0
}

/**
 * Reads the quantities of one column. Whether `1,250` is a thousand or a fraction shows in other values of the column: `0,750` and
 * `1.250,000` have a decimal comma, `0.75` has a decimal point. Until the column has been read, both readings are kept.
 */
export class QuantityColumn {
  #hasPoint = false
  #hasComma = false
  #ambiguous: { readonly line: number; readonly text: string }[] = []
  #ambiguousCount = 0

  /** Reads a cell as a number of pieces, with the unit of its own column: another unit than pieces makes it unknown. */
  read(cell: QuantityCell, unit: string, line: number): ReadQuantity {
    const { amount, unit: own, reason } = this.readNumber(cell, line)
    const listed = { amount, unit: own || unit }
    if (reason !== undefined) return { amount: UNKNOWN, reason, listed }
    const other = [own, unit].find((name) => !isPiece(name))
    if (other === undefined || isZero(amount)) return { amount, listed }
    return {
      amount: UNKNOWN,
      listed,
      reason: `the quantity is in ${cleanText(other.trim(), 20)}, not in pieces`,
    }
  }

  /** Reads a cell as a number, and the unit behind it. */
  readNumber(given: QuantityCell, line: number): ReadQuantity & { readonly unit: string } {
    if (typeof given === 'number' && given >= 0) return { amount: both(given), unit: '' }
    const cell = String(given)
    if (cell === NO_RESULT || cell === NOT_ORDERED) return { amount: UNKNOWN, unit: '', reason: cell }
    if (/^\d{1,9}$/.test(cell)) return { amount: both(Number(cell)), unit: '' }
    if (cell.length > LONGEST)
      return { amount: UNKNOWN, unit: '', reason: 'the quantity is too long to be one' }
    // KiBoM writes remarks such as `2 (DNC)` behind the number; `1 (2)` may be either.
    const text = cell
      .normalize('NFKC')
      .replace(/\s*\([^()\d]*\)$|(?<=\p{L})\s*\([^)]*\)$/u, '')
      .trim()
    if (text === '') return { amount: UNKNOWN, unit: '', reason: 'the quantity is blank' }
    const match =
      /^(?:[x×]\s?)?([\d.,'’ ]*\d[\d.,]*(?:e[+-]?\d{1,2}(?!\d))?)\s*((?![ex][\d.])\p{L}[\p{L}\d./²]*(?: [\p{L}./²]+)*)?$/iu.exec(
        text,
      )
    const amount = match === null ? undefined : this.#number(match[1]!.trim(), line)
    if (amount !== undefined) return { amount, unit: match?.[2] ?? '' }
    return { amount: UNKNOWN, unit: '', reason: `the quantity "${cleanText(text, 40)}" is not recognized` }
  }

  /** The quantity when all values are read: undefined where the column does not say how to read it. */
  settle([point, comma]: Amount): number | undefined {
    if (point === comma) return point
    if (this.#hasPoint === this.#hasComma) return undefined
    return this.#hasComma ? comma : point
  }

  /** What to say of the ambiguous values, and the line of the first, if the column leaves them so. */
  get doubt(): { readonly line: number; readonly says: string } | undefined {
    const [one] = this.#ambiguous
    if (one === undefined || this.#hasPoint !== this.#hasComma) return undefined
    const named = this.#ambiguous.map(({ line, text }) => `${text} (row ${line})`).join(', ')
    const rest = this.#ambiguousCount - this.#ambiguous.length
    const more = rest > 0 ? ` and ${rest} more` : ''
    return {
      line: one.line,
      says: `${named}${more} may have thousands or decimals: these quantities are unknown`,
    }
  }

  #number(text: string, line: number): Amount | undefined {
    const plain = text.replace(/(?<=\d)['’ ](?=\d{3})/g, '')
    if (/^\d+$/.test(plain)) return both(Number(plain))
    // Spreadsheets export `1E+03`.
    const scientific = /^\d+(?:([.,])\d+)?e[+-]?\d+$/i.exec(plain)
    if (scientific !== null) {
      const number = plain.replace(',', '.')
      return scientific[1] === undefined ? both(Number(number)) : this.#proven(scientific[1], number)
    }
    const grouped = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*(?:([.,])\d+)?$/.exec(plain)
    const sign = grouped?.[1]
    if (grouped !== null && grouped[2] !== undefined && grouped[2] !== sign) {
      return this.#proven(grouped[2], plain.replaceAll(sign!, '').replace(',', '.'))
    }
    if (grouped !== null && plain.split(sign!).length > 2) {
      return this.#proven(sign === ',' ? '.' : ',', plain.replaceAll(sign!, ''))
    }
    if (!/^\d*[.,]\d+$/.test(plain)) return undefined
    const asFraction = Number(plain.replace(',', '.'))
    if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(plain))
      return this.#proven(plain.includes(',') ? ',' : '.', plain.replace(',', '.'))
    const asThousands = Number(plain.replace(/[.,]/, ''))
    this.#ambiguousCount += 1
    if (this.#ambiguous.length < 3) this.#ambiguous.push({ line, text: plain })
    return plain.includes(',') ? [asThousands, asFraction] : [asFraction, asThousands]
  }

  #proven(decimalSign: string, number: string): Amount {
    if (decimalSign === ',') this.#hasComma = true
    else this.#hasPoint = true
    return both(Number(number))
  }
}

function both(value: number): Amount {
  return [value, value]
}

// What lists and declarations write for single pieces.
const PIECES: ReadonlySet<string> = new Set(
  (
    'each ea pc pcs pce pces piece pieces unit units un u nos no nr x item items stk stck st stück stueck pz pza pzas pezzo ' +
    'pezzi pieza piezas pièce pièces piece peça peças szt ks kos db adet шт 个 件 個 点 枚 只 개'
  ).split(' '),
)

/** True for a unit that counts pieces (`Each`, `pcs`, `Stk.`), and for none. */
export function isPiece(unit: string): boolean {
  const key = unit
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}²³/%]/gu, '')
  return key === '' || PIECES.has(key)
}
