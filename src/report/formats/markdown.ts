import { cellOf, columnsOf } from '../columns.ts'
import {
  type Block,
  cellText,
  countsText,
  type Document,
  dayOf,
  firstOf,
  plainText,
  type Section,
  type Text,
  TONE_SIGNS,
  type VerdictLine,
} from '../document.ts'
import { reportDocument } from '../report-document.ts'
import { needsAttention } from '../row-findings.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { columnNames, type Formatter, type ReportShape } from './formatter.ts'
import { orderedRows, PART_CELLS as TERMINAL_CELLS } from './text.ts'

const NAMED = 10

/** GitHub Flavored Markdown: the verdict, the rows with the worst first, then what they rest on. */
export function markdownFormatter(shape: ReportShape): Formatter {
  return async function* (report) {
    const document = reportDocument(shape, await report.summary())
    yield headMarkdown(document)
    const columns = shape.kind === 'parts' ? PART_CELLS : substanceCells(shape)
    let isFirst = true
    for await (const rows of orderedRows(report, shape)) {
      if (isFirst) yield `\n${headingLines(Object.keys(columns))}`
      isFirst = false
      yield rows.map((row) => rowLine(row, columns)).join('')
    }
    yield sectionsMarkdown(document.sections)
  }
}

const SUMMARY_ROWS = 50

/** A report in a CI job summary: the verdict, the first rows that fail or need attention, worst first, and the counts. */
export function stepSummary(shape: ReportShape): Formatter {
  return async function* (report) {
    const { verdicts, sections } = reportDocument(shape, await report.summary())
    yield `## Material declarations\n\n${verdicts.map(verdictMarkdown).join('\n')}`
    const shown: string[] = []
    let found = 0
    for await (const rows of orderedRows(report, { kind: 'parts' })) {
      for (const row of rows as readonly JudgedRow[]) {
        if (!needsAttention(row) && row.gate.open.length === 0) continue
        found += 1
        if (shown.length < SUMMARY_ROWS) shown.push(rowLine(row, STEP_CELLS))
      }
    }
    if (shown.length > 0) yield `\n${headingLines(Object.keys(STEP_CELLS))}${shown.join('')}`
    if (found > shown.length) yield `\n${found - shown.length} more rows in the report.\n`
    yield sectionsMarkdown(sections.filter(({ id }) => id === 'counts' || id.startsWith('product')))
    yield '\n'
  }
}

type Cells = Readonly<Record<string, (row: never) => string>>

const { part, verdict, rohs, reach, why, supplier } = TERMINAL_CELLS
/** The columns of a row in a CI job summary, and in a file. */
const STEP_CELLS = {
  Part: part,
  Verdict: verdict,
  RoHS: (row: JudgedRow) => rohs(row) && row.judged.rohs.status,
  REACH: reach,
  Why: why,
  Supplier: supplier,
} satisfies Cells
const PART_CELLS = {
  ...STEP_CELLS,
  Remarks: (row: JudgedRow) => String(cellOf(row, 'note')),
  Source: (row: JudgedRow) => String(cellOf(row, 'source')),
} satisfies Cells

function substanceCells(shape: ReportShape): Cells {
  const columns = columnsOf(shape.kind)
  return Object.fromEntries(
    columnNames(shape).map((name) => [
      columns[name]!.title,
      (row: object) => String(cellOf(row, name) ?? ''),
    ]),
  )
}

function rowLine(row: JudgedRow | SubstanceRow, cells: Cells): string {
  return markdownRow(Object.values(cells).map((cell) => cell(row as never)))
}

/** The title, the verdicts and what the document is about. */
export function headMarkdown(document: Document): string {
  const { title, about, verdicts } = document
  const facts = about.map(([name, text]) => `- ${escapeMarkdown(`${name}: ${text}`)}\n`)
  return `# ${escapeMarkdown(title)}, ${dayOf(document)}\n\n${verdicts.map(verdictMarkdown).join('\n')}${facts.length > 0 ? '\n' : ''}${facts.join('')}`
}

function verdictMarkdown({ tone, text, more = [] }: VerdictLine): string {
  const others = more.map(([, line]) => `<br>${markdownText(line)}`)
  return `**${TONE_SIGNS[tone]} ${markdownText(text)}**${others.join('')}\n`
}

/** Sections with their headings; pictures are left out. */
export function sectionsMarkdown(sections: readonly Section[]): string {
  return sections
    .map(({ title, blocks }) => {
      const content = blocks.map(blockMarkdown).join('')
      if (content === '') return ''
      return `${title === undefined ? '' : `\n## ${escapeMarkdown(title)}\n`}\n${content}`
    })
    .join('')
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'note':
      return `\n${markdownText(block.text)}\n`
    case 'counts':
      return countsText(block)
        .map((line) => `- ${escapeMarkdown(line)}\n`)
        .join('')
    case 'facts': {
      const { shown, more } = firstOf(block.facts, block.of)
      const items = shown.map(([name, text]) => `${escapeMarkdown(name)}: ${markdownText(text)}`)
      return [...items, ...more].map((item) => `- ${item}\n`).join('')
    }
    case 'table': {
      const { caption, columns, of } = block
      const { shown, more } = firstOf(block.rows, of)
      const body = shown.map((cells) =>
        rawRow(
          cells.map((cell) =>
            typeof cell === 'object' && cell !== null
              ? markdownText(cell)
              : escapeLines(cellText(cell, NAMED)),
          ),
        ),
      )
      return `${caption === undefined ? '' : `\n${escapeMarkdown(caption)}\n\n`}${headingLines(
        columns.map(({ title }) => title),
        columns.map(({ type }) => type === 'count' || type === 'amount'),
      )}${body.join('')}${more.map((line) => `\n${line}\n`).join('')}`
    }
  }
}

function markdownText(text: Text): string {
  if (typeof text === 'string') return escapeLines(text)
  return text
    .map((piece) =>
      typeof piece === 'object' && 'sources' in piece
        ? markdownLinks(piece.sources)
        : escapeLines(plainText([piece], NAMED)),
    )
    .join('')
}

/** A web address with nothing in it that Markdown or HTML could read otherwise. */
const WEB_ADDRESS = /https:\/\/[\w.-]+(?:\/[\w./?&=%:+,#-]*[\w/=])?/g

/** The sources of a reference table, with its web addresses as links. Text of declarations has none. */
function markdownLinks(text: string): string {
  let at = 0
  let written = ''
  for (const { index, 0: address } of text.matchAll(WEB_ADDRESS)) {
    written += `${escapeLines(text.slice(at, index))}<${address}>`
    at = index + address.length
  }
  return written + escapeLines(text.slice(at))
}

/** A line break between the lines of a text stays one. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeMarkdown).join('<br>')
}

/** Escapes text for Markdown, table cells included. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_[\]|~#!]/g, '\\$&')
    .replace(LINK_START, (start) => `${start.slice(0, 1)}&#8203;${start.slice(1)}`)
    .replace(/[\r\n]+/g, ' ')
}

/** What readers of Markdown turn into a link, a mail address or the mention of a user; entities do not stop them. */
const LINK_START = /:\/\/|https?:|mailto:|xmpp:|www\.|@/gi

export function headingLines(titles: readonly string[], isRight: readonly boolean[] = []): string {
  return markdownRow(titles) + rawRow(titles.map((_, index) => (isRight[index] === true ? '---:' : '---')))
}

export function markdownRow(cells: readonly string[]): string {
  return rawRow(cells.map(escapeMarkdown))
}

function rawRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
