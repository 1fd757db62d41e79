import { cleanText } from '../base/clean-text.ts'

/** The quantity of a row in pieces; undefined with the reason where it cannot be known. */
export interface PiecesRead {
  readonly pieces: number | undefined
  readonly reason?: string
  /** What looks wrong or is ambiguous. */
  readonly doubt?: string
}

/** Reads the quantity of a row, such as `2`, `0.5`, `2 pcs`, with the unit of its own column. A blank quantity is unknown, not 1. */
export function readPieces(quantity: string, unit: string): PiecesRead {
  const text = quantity.normalize('NFKC').trim()
  if (text === '') return unknown('the quantity is blank')
  const match = /^([\d.,]+)\s*(\p{L}[\p{L}\d./² ]*)?$/u.exec(text)
  const number = match === null ? undefined : readNumber(match[1]!)
  if (number === undefined) return unknown(`the quantity "${cleanText(text, 40)}" is not recognized`)
  const other = [match?.[2] ?? '', unit].find((name) => !isPiece(name))
  if (other !== undefined) {
    return { pieces: undefined, reason: `the quantity is in ${cleanText(other.trim(), 20)}, not in pieces` }
  }
  if (number.pieces === 0) return { ...number, doubt: 'the quantity is 0: the part counts, without a mass' }
  return number
}

function readNumber(text: string): PiecesRead | undefined {
  if (/^\d+$/.test(text)) return { pieces: Number(text) }
  if (/^\d*[.,]\d+$/.test(text)) {
    const mayBeThousands = /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)
    if (text.includes(',') && mayBeThousands) {
      return unknown(
        `the quantity ${text} may be ${text.replace(',', '')} or ${Number(text.replace(',', '.'))}`,
      )
    }
    const pieces = Number(text.replace(',', '.'))
    if (text.includes(','))
      return { pieces, doubt: `the quantity ${text} has a decimal comma, read as ${pieces}` }
    return mayBeThousands ? { pieces, doubt: `the quantity ${text} is read as ${pieces}` } : { pieces }
  }
  return undefined
}

function unknown(reason: string): PiecesRead {
  return { pieces: undefined, reason, doubt: reason }
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
