import { cutToWidth, displayWidth, escapeUnsafe, wrapSummary, wrapText } from '../../base/clean-text.ts'
import { largest } from '../../base/extremes.ts'
import type { RohsStatus } from '../../compliance/rohs.ts'
import { type Column, cellOf, columnsOf, isNumeric, isPart, rowName, supplierOf } from '../columns.ts'
import {
  type Block,
  cellText,
  countsText,
  type Document,
  firstOf,
  plainText,
  type Section,
  type Table,
  TONE_SIGNS,
  type Tone,
  type VerdictLine,
} from '../document.ts'
import type { Report } from '../report.ts'
import { reportDocument } from '../report-document.ts'
import { rowRank, whyOf } from '../row-findings.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { toneIn } from '../words.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/** How text is styled. A style must not change the width. */
export interface TextLook {
  /** Columns of the terminal; undefined where lines may be of any length. */
  readonly width: number | undefined
  readonly heading: (text: string) => string
  readonly name: (text: string) => string
  readonly tone: (tone: Tone, text: string) => string
  readonly signs: Readonly<Record<Tone, string>>
  readonly ellipsis: string
  /** The same text in characters that the terminal has. */
  readonly plain: (text: string) => string
}

/** Text for a file. */
export const PLAIN_LOOK: TextLook = {
  width: undefined,
  heading: (text) => text,
  name: (text) => text,
  tone: (_, text) => text,
  signs: TONE_SIGNS,
  ellipsis: '…',
  plain: (text) => text,
}

// A document as lines

/** Parts with a name in one line, and things with a line each. */
const NAMED = 5
const LINES = 10

/** The verdicts of a document, each a line with its sign and color. */
export function verdictLines({ verdicts }: Pick<Document, 'verdicts'>, look: TextLook): string[] {
  return verdicts.flatMap((verdict) => verdictText(verdict, look))
}

function verdictText({ tone, text, more = [] }: VerdictLine, look: TextLook): string[] {
  const [first = '', ...rest] = wrapped(`${look.signs[tone]} ${plainText(text, NAMED)}`, look)
  const lines = [first, ...rest].map((line) => look.tone(tone, line))
  return [...lines, ...more.flatMap(([, line]) => wrapped(`  ${plainText(line, NAMED)}`, look))]
}

/** Sections as lines; pictures are left out. */
export function sectionLines(sections: readonly Section[], look: TextLook): string[] {
  return sections.flatMap(({ title, blocks, isAside, tone }) => {
    const hasTitle = title !== undefined && isAside !== true
    const lines = blocks.flatMap((block) => blockLines(block, hasTitle ? '  ' : ''))
    if (lines.length === 0) return []
    const all = lines.flatMap((line) => wrapped(line, look))
    if (!hasTitle) return all
    const style = (text: string): string => (tone === undefined ? look.heading(text) : look.tone(tone, text))
    return [...wrapped(title, look).map(style), ...all]
  })
}

/** A line in characters that the terminal has, in lines of its width: continued ones are indented. */
export function wrapped(line: string, { width, plain }: TextLook): readonly string[] {
  const safe = plain(escapeUnsafe(line))
  return width === undefined ? [safe] : wrapSummary(safe, width)
}

function blockLines(block: Block, indent: string): readonly string[] {
  switch (block.kind) {
    case 'note':
      return block.isAside ? [] : [indent + plainText(block.text, NAMED)]
    case 'counts':
      return countsText(block).map((line) => indent + line)
    case 'facts': {
      const { shown, more } = firstOf(block.facts, block.of, LINES)
      const lines = shown.map(([name, text]) => `${name}: ${plainText(text, NAMED)}`)
      return [...lines, ...more].map((line) => indent + line)
    }
    case 'table':
      return tableLines(block, indent)
  }
}

/** A line for each row: its first cell, then what the others say in words. */
function tableLines({ caption, rows, line, of }: Table, indent: string): readonly string[] {
  const inner = caption === undefined ? indent : `${indent}  `
  const { shown: first, more } = firstOf(rows, of, LINES)
  const shown = first.map((cells) => cells.map((cell) => cellText(cell, NAMED)))
  const width = Math.max(0, largest(shown.map(([first = '']) => displayWidth(first))))
  return [
    ...(caption === undefined ? [] : [`${indent}${caption}:`]),
    ...shown.map((cells) => {
      const [first = ''] = cells
      return `${inner}${first}${' '.repeat(width - displayWidth(first))}  ${line(cells)}`.trimEnd()
    }),
    ...more.map((line) => inner + line),
  ]
}

// Rows as a table

const NARROWEST = 12
const WIDEST = 40
const GAP = '  '
/** How many rows a terminal gets. */
const SHOWN_ROWS = 50

/**
 * The verdict, a table of the first rows that fits the width and ends with `moreLine` of how many others there are, then what the rows
 * rest on. Columns without room are left out, long cells end in an ellipsis.
 */
export function textFormatter(
  shape: ReportShape,
  look: TextLook,
  moreLine: (left: number) => string,
): Formatter {
  return async function* (report) {
    const document = reportDocument(shape, await report.summary())
    yield lines(verdictLines(document, look))
    const { rows, left } = await firstRows(report, shape)
    yield rowTable(rows, shape, look)
    if (left > 0) yield lines(wrapped(moreLine(left), look))
    const supplier = shape.kind === 'parts' && sameSupplier(rows as readonly JudgedRow[])
    if (supplier) yield lines(wrapped(`supplier of these rows: ${supplier}`, look))
    yield lines(sectionLines(document.sections, look))
  }
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}

type AnyRow = JudgedRow | SubstanceRow

/** The first rows in this order, and how many others there are. */
async function firstRows(
  report: Report,
  { kind }: Pick<ReportShape, 'kind'>,
): Promise<{ readonly rows: readonly AnyRow[]; readonly left: number }> {
  let count = 0
  let rows: readonly AnyRow[] = []
  for await (const batch of rowsOf(report, kind)) {
    count += batch.length
    const all = [...rows, ...batch]
    rows = (kind === 'parts' ? worstFirst(all as JudgedRow[]) : all).slice(0, SHOWN_ROWS)
  }
  return { rows, left: count - rows.length }
}

function rowTable(rows: readonly AnyRow[], shape: ReportShape, look: TextLook): string {
  if (rows.length === 0) return ''
  const layout = chooseColumns(shape, rows, look.width ?? Infinity)
  const heading = layout.map((shown) => shown.heading)
  const table = rows.map((row) => {
    const texts = layout.map(({ name }) => shownText(row, name))
    return rowLines(layout, texts, look, (shown, text) => styled(shown, row, text, look))
  })
  return tableLine(layout, heading, look, (_, text) => look.heading(text)) + table.join('')
}

/** The supplier that several rows have in common: a column for it says nothing. */
function sameSupplier(rows: readonly JudgedRow[]): string | undefined {
  const names = new Set(rows.map(supplierOf))
  return rows.length > 1 && names.size === 1 ? [...names][0] : undefined
}

/** Beyond so many rows, the order is that of the sources: they are not kept. */
const SORTED_ROWS = 20_000

/** The rows with the worst first. */
export async function* orderedRows(
  report: Report,
  { kind }: Pick<ReportShape, 'kind'>,
): AsyncGenerator<readonly AnyRow[], void, void> {
  const isLong = (await report.summary()).counts.rows > SORTED_ROWS
  if (kind === 'substances' || isLong) return yield* rowsOf(report, kind)
  const rows: JudgedRow[] = []
  for await (const batch of rowsOf(report, kind))
    for (const row of batch as readonly JudgedRow[]) rows.push(row)
  if (rows.length > 0) yield worstFirst(rows)
}

function worstFirst(rows: readonly JudgedRow[]): readonly JudgedRow[] {
  const ranks = new Map(rows.map((row) => [row, rowRank(row)]))
  return [...rows].sort((a, b) => ranks.get(a)! - ranks.get(b)!)
}

interface ShownColumn {
  readonly name: string
  readonly heading: string
  readonly isNumeric: boolean
  readonly width: number
}

/** The columns of parts on a terminal, with the width below which they are not shortened: all have room from 80 columns on. */
const PART_TABLE: Readonly<Record<string, number>> = {
  part: 14,
  verdict: 10,
  rohs: 13,
  reach: 12,
  why: 11,
  supplier: 10,
}
/** Those that give way where there is less room, the first of them first. */
const GIVE_WAY = ['supplier', 'reach', 'rohs', 'why', 'verdict']
/** Who gets what is left, in turns, each up to a width. */
const GROW: readonly (readonly [name: string, most: number])[] = [
  ['why', 20],
  ['part', 20],
  ['supplier', 16],
  ['why', 32],
  ['part', WIDEST],
  ['supplier', WIDEST],
  ['rohs', WIDEST],
  ['why', Infinity],
]

/** The columns of substances that a terminal may have, the most important first. */
const SUBSTANCE_TABLE =
  'part substance cas mass_mg percent_of_material material ppm_of_part cas_valid material_mass_mg'

function chooseColumns(shape: ReportShape, rows: readonly AnyRow[], width: number): readonly ShownColumn[] {
  return shape.kind === 'parts' ? partColumns(rows, width) : substanceColumns(shape, rows, width)
}

/** Six columns: each as wide as it needs to be, where there is room. */
function partColumns(rows: readonly AnyRow[], width: number): readonly ShownColumn[] {
  const natural = new Map(
    Object.keys(PART_TABLE).map((name) => [name, Math.max(name.length, naturalWidth(name, '', rows))]),
  )
  if (sameSupplier(rows as readonly JudgedRow[]) !== undefined) natural.delete('supplier')
  const widths = new Map([...natural].map(([name, wanted]) => [name, Math.min(wanted, PART_TABLE[name]!)]))
  const used = (): number =>
    [...widths.values()].reduce((sum, one) => sum + one, GAP.length * (widths.size - 1))
  for (const name of GIVE_WAY) if (used() > width) widths.delete(name)
  if (used() > width) widths.set('part', Math.max(1, width))
  for (const [name, most] of GROW) {
    const own = widths.get(name)
    if (own === undefined) continue
    widths.set(name, Math.max(own, Math.min(natural.get(name)!, most, own + width - used())))
  }
  return [...widths].map(([name, own]) => ({
    name,
    heading: name.toUpperCase(),
    isNumeric: false,
    width: own,
  }))
}

/** Chooses columns by importance while they fit, then sorts them in the order of the report. */
function substanceColumns(
  shape: ReportShape,
  rows: readonly AnyRow[],
  width: number,
): readonly ShownColumn[] {
  const names = columnNames(shape)
  const all = columnsOf(shape.kind)
  const chosen: ShownColumn[] = []
  let room = width
  for (const name of SUBSTANCE_TABLE.split(' ')) {
    const column = all[name]!
    const heading = headingOf(name, column)
    const natural = naturalWidth(name, heading, rows)
    if (natural === 0 && name !== 'part') continue
    const gap = chosen.length === 0 ? 0 : GAP.length
    const wanted = Math.min(natural, WIDEST)
    const given = Math.min(wanted, room - gap)
    if (given < Math.min(wanted, chosen.length === 0 ? 1 : NARROWEST)) continue
    chosen.push({ name, heading, isNumeric: isNumeric(column.type), width: given })
    room -= given + gap
  }
  return chosen.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

function naturalWidth(name: string, heading: string, rows: readonly AnyRow[]): number {
  let widest = 0
  for (const row of rows) widest = Math.max(widest, displayWidth(shownText(row, name)))
  return widest === 0 ? 0 : Math.max(widest, displayWidth(heading))
}

function headingOf(name: string, { short }: Column): string {
  return (short ?? name.replaceAll('_', ' ')).toUpperCase()
}

/** A row in a few words: a name for one without a part number, and what is found. */
export const PART_CELLS = {
  part: rowName,
  verdict: ({ verdict, status }) => verdict || status,
  rohs: (row) => (hasStatuses(row) ? ROHS_WORDS[row.judged.rohs.status] : ''),
  reach: (row) => (hasStatuses(row) ? row.judged.reach.status : ''),
  why: whyOf,
  supplier: supplierOf,
} as const satisfies Readonly<Record<string, (row: JudgedRow) => string>>

function shownText(row: AnyRow, name: string): string {
  return isPart(row) ? PART_CELLS[name as keyof typeof PART_CELLS](row) : String(cellOf(row, name) ?? '')
}

/** What fits a column, instead of a word without its middle. */
const ROHS_WORDS: Readonly<Record<RohsStatus, string>> = {
  compliant: 'compliant',
  'compliant with exemptions': 'exemptions',
  'not compliant': 'not compliant',
  incomplete: 'incomplete',
  'not declared': 'not declared',
}

/** False for a row that no declaration is behind. */
function hasStatuses({ sources, status }: JudgedRow): boolean {
  return sources.length > 0 && status !== 'unreadable'
}

/** Most lines of one row: a reason is wrapped at words. */
const WRAPPED_LINES = 3

/** A row in one line, or in several where its reason does not fit its column. */
function rowLines(
  layout: readonly ShownColumn[],
  texts: readonly string[],
  look: TextLook,
  style: (column: ShownColumn, text: string) => string,
): string {
  const at = layout.findIndex(({ name }) => name === 'why')
  if (at < 0) return tableLine(layout, texts, look, style)
  const [first = '', ...rest] = wrapText(texts[at]!, layout[at]!.width)
  const shown = rest.slice(0, WRAPPED_LINES - 1)
  if (rest.length > shown.length) shown.push(`${shown.pop() ?? ''} ${rest.slice(shown.length + 1).join(' ')}`)
  const nothing = layout.map(() => '')
  return [
    tableLine(layout, texts.with(at, first), look, style),
    ...shown.map((text) => tableLine(layout, nothing.with(at, text), look, style)),
  ].join('')
}

function tableLine(
  layout: readonly ShownColumn[],
  texts: readonly string[],
  { ellipsis }: TextLook,
  style: (column: ShownColumn, text: string) => string,
): string {
  const padded = layout.map((shown, index) => {
    // A reason says the most at its beginning.
    const cutText = shown.name === 'why' ? cutToWidth : cutMiddle
    const cut = cutText(texts[index]!, shown.width, ellipsis)
    const space = ' '.repeat(Math.max(0, shown.width - displayWidth(cut)))
    return shown.isNumeric ? space + style(shown, cut) : style(shown, cut) + space
  })
  return `${padded.join(GAP).trimEnd()}\n`
}

/** A text that fits: numbers differ in their ends, so a long one loses its middle. */
function cutMiddle(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text
  if (width < 8) return cutToWidth(text, width, ellipsis)
  const room = width - displayWidth(ellipsis)
  const end: string[] = []
  for (const character of [...text].reverse()) {
    if (displayWidth([character, ...end].join('')) > Math.floor(room / 3)) break
    end.unshift(character)
  }
  const tail = end.join('')
  return `${cutToWidth(text, width - displayWidth(tail), ellipsis)}${tail}`
}

function styled({ name }: ShownColumn, row: AnyRow, text: string, look: TextLook): string {
  if (name === 'part') return look.name(text)
  if (!isPart(row))
    return name === 'cas_valid' && cellOf(row, name) === false ? look.tone('warn', text) : text
  const word = name === 'verdict' ? shownText(row, name) : name === 'rohs' ? row.judged.rohs.status : ''
  const tone = word === '' || text.trim() === '' ? undefined : toneIn(row, word)
  return tone === undefined ? text : look.tone(tone, text)
}
