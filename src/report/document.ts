import { calendarDate, formatCount } from '../base/units.ts'

/** How something is marked: a color, and a sign for those who do not see it. */
export type Tone = 'good' | 'fair' | 'warn' | 'bad' | 'none'

/** A sign beside the color. */
export const TONE_SIGNS: Readonly<Record<Tone, string>> = {
  good: '✓',
  fair: '✓',
  warn: '!',
  bad: '✗',
  none: '–',
}

/** What a filter compares, by its name in the address. */
export type FilterName =
  | 'verdict'
  | 'finding'
  | 'rohs'
  | 'svhc'
  | 'gate'
  | 'supplier'
  | 'exemption'
  | 'substance'
  | 'list'
  | 'ends'

/** What rows must have: the filters of a page. */
export type Filter = Partial<Readonly<Record<FilterName | 'part' | 'tab', string>>>

/** A piece of a text, as data: a format decides what becomes a link, a color, or how many parts have room. */
export type Piece =
  | string
  /** A word with a tone, or the rows that it is about. */
  | {
      readonly text: string
      readonly rows?: Filter | undefined
      /** The id of a place on the page. */
      readonly place?: string
      readonly tone?: Tone
    }
  /** Some parts: the first of `count`. */
  | {
      readonly parts: readonly string[]
      readonly count: number
      /** Of those that are alternates: the first choice of the line. */
      readonly alternateOf?: Readonly<Record<string, string>> | undefined
    }
  /** Sources of a statement, with web addresses. */
  | { readonly sources: string; readonly label: string }

export type Text = string | readonly Piece[]

/** A statement on everything, to read first. */
export interface VerdictLine {
  readonly about: 'status' | 'gate'
  readonly tone: Tone
  readonly text: Text
  /** Further lines, each with what it is about. */
  readonly more?: readonly (readonly [name: string, text: Text])[]
}

/** Things with a name. */
export interface Facts {
  readonly kind: 'facts'
  readonly facts: readonly (readonly [name: string, text: Text])[]
  /** Where these are the first of many: what they are, and how many there are in all. */
  readonly of?: Many
}

interface Many {
  readonly count: number
  readonly one: string
  readonly many: string
}

/** How many have which property. */
export interface Counts {
  readonly kind: 'counts'
  readonly title: string
  /** The same in a sentence, for formats that list no zeros. */
  readonly sentence?: string
  readonly counts: readonly Count[]
  /** `line`: all there is to know in one line. `chart`: a picture, for formats that have them. */
  readonly look: 'line' | 'chart'
}

export interface Count {
  readonly name: string
  readonly count: number
  readonly tone: Tone
  /** What is said instead of the count. */
  readonly text?: string
  readonly rows?: Filter | undefined
}

/** A number of things, without a judgement. */
export function plainCount(name: string, count: number): Count {
  return { name, count, tone: 'none' }
}

type TableType = 'text' | 'id' | 'day' | 'count' | 'status' | 'amount'

/** A column of a table that is not about rows of the report; its width is in characters, in a workbook. */
export function tableColumn(title: string, type: TableType, width: number, help = '') {
  return { title, type, width, help } as const
}

export type TableColumn = ReturnType<typeof tableColumn>

/** A table with a row for each of a kind of things. */
export interface Table {
  readonly kind: 'table'
  readonly name: string
  /** Set where a workbook has a sheet for it. */
  readonly sheet?: string
  readonly caption?: string
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly TableCell[])[]
  /** What follows the first cell where a row is a line of text. */
  readonly line: (cells: readonly string[]) => string
  /** Where these are the first of many: what they are, and how many there are in all. Without it, all are shown. */
  readonly of?: Many
  /** Rows that follow each other with the same first cell belong together. */
  readonly isGrouped?: true
}

export type TableCell = Text | number | null

/** A remark on what is above. */
export interface Note {
  readonly kind: 'note'
  readonly text: Text
  /** There is no room for it in a few lines of text. */
  readonly isAside?: true
}

export type Block = Facts | Counts | Table | Note

/** A part of a document, left out where its blocks are empty. */
export interface Section {
  /** Without a title, the section continues what is above. */
  readonly title?: string
  readonly id: string
  readonly blocks: readonly Block[]
  readonly tone?: Tone
  /** Its lines need no title in a text. */
  readonly isAside?: true
}

/** A report, roll-up or diff as data, in the order in which it is read; every format for people is rendered from it. */
export interface Document {
  readonly title: string
  /** What it is about, when and by which version it was made. */
  readonly about: readonly (readonly [name: string, text: string])[]
  readonly nowMs: number
  readonly version: string
  /** What to know first. The rows of a report follow it. */
  readonly verdicts: readonly VerdictLine[]
  /** All rows by status, worst first. */
  readonly statuses?: Counts
  readonly sections: readonly Section[]
}

/** The day on which a document was made. */
export function dayOf({ nowMs }: Pick<Document, 'nowMs'>): string {
  return calendarDate(nowMs)
}

/** A text without its links; of parts at most `named` have a name. */
export function plainText(text: Text, named = 10): string {
  if (typeof text === 'string') return text
  return text.map((piece) => plainPiece(piece, named)).join('')
}

function plainPiece(piece: Piece, named: number): string {
  if (typeof piece === 'string') return piece
  if ('text' in piece) return piece.text
  if ('sources' in piece) return piece.label
  const shown = piece.parts
    .slice(0, named)
    .map((part) => partName(part) + alternateText(part, piece.alternateOf))
  return `${shown.join(', ')}${moreParts(piece.count - shown.length)}`
}

/** Pieces in a list with this separator. */
export function listedPieces(pieces: readonly Piece[], separator = ', '): Piece[] {
  return pieces.flatMap((piece, index) => (index > 0 ? [separator, piece] : [piece]))
}

/** A part number, or that there is none. */
export function partName(part: string): string {
  return part === '' ? 'a row without part number' : part
}

/** ` (alternate of P-Y1)` */
export function alternateText(
  part: string,
  alternateOf: Readonly<Record<string, string | undefined>> = {},
): string {
  const first = alternateOf[part]
  return first === undefined ? '' : ` (alternate of ${first})`
}

/** ` and 3 more` */
export function moreParts(left: number): string {
  return left > 0 ? ` and ${formatCount(left)} more` : ''
}

/** The first things of a block, and what to say of the others: `and 3 more exemptions`, or nothing. All are shown where they are not the first of many. */
export function firstOf<T>(
  things: readonly T[],
  of: Many | undefined,
  most = Infinity,
): { readonly shown: readonly T[]; readonly more: readonly string[] } {
  if (of === undefined) return { shown: things, more: [] }
  const shown = things.slice(0, most)
  const left = of.count - shown.length
  return { shown, more: left > 0 ? [`and ${formatCount(left)} more ${left === 1 ? of.one : of.many}`] : [] }
}

/** Counts as a line of text; none for a picture. */
export function countsText({ title, sentence, look, counts }: Counts): readonly string[] {
  if (sentence !== undefined) return [sentence]
  if (look === 'chart') return []
  const found = counts.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`)
  return [`${title}: ${found.join(', ')}`]
}

/** A cell as text. */
export function cellText(cell: TableCell, named?: number): string {
  return cell === null ? '' : typeof cell === 'number' ? String(cell) : plainText(cell, named)
}
