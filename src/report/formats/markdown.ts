import { cellOf, columnsOf, exemptionsText, rowName, rowStatus } from '../columns.ts'
import {
  type Block,
  type Document,
  dayOf,
  moreOf,
  plainText,
  type Section,
  type Text,
  TONE_SIGNS,
  type Verdict,
} from '../document.ts'
import { reportDocument } from '../report-document.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'
import { orderedRows } from './text.ts'

const NAMED = 10

/** GitHub Flavored Markdown: the verdict, the rows with the worst first, then what they rest on. */
export function markdownFormatter(shape: ReportShape): Formatter {
  return async function* (report) {
    const document = reportDocument(shape, await report.summary())
    yield headMarkdown(document)
    const columns = shape.kind === 'parts' ? PART_CELLS : substanceCells(shape)
    let isFirst = true
    for await (const rows of orderedRows(report, shape, 'worst')) {
      if (isFirst) yield `\n${headingLines(Object.keys(columns))}`
      isFirst = false
      yield rows.map((row) => rowLine(row, columns)).join('')
    }
    yield sectionsMarkdown(document.sections)
  }
}

const SUMMARY_ROWS = 50

/** A report in a CI job summary: the verdict, the counts, and the first rows that need attention, for which `matches` is true. */
export function stepSummary(shape: ReportShape, matches: (row: JudgedRow) => boolean): Formatter {
  return async function* (report) {
    const { verdicts, sections } = reportDocument(shape, await report.summary())
    yield `## Material declarations\n\n${verdicts.map(verdictMarkdown).join('\n')}`
    yield sectionsMarkdown(sections.filter(({ id }) => id === 'counts' || id === 'product'))
    const shown: string[] = []
    let found = 0
    for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
      for (const row of rows) {
        if (!matches(row)) continue
        found += 1
        if (shown.length < SUMMARY_ROWS) shown.push(rowLine(row, PART_CELLS))
      }
    }
    if (shown.length > 0) yield `\n${headingLines(Object.keys(PART_CELLS))}${shown.join('')}`
    if (found > shown.length) yield `\n${found - shown.length} more rows in the report.\n`
    yield '\n'
  }
}

type Cells = Readonly<Record<string, (row: never) => string>>

/** The columns of a row for people. */
const PART_CELLS = {
  Part: rowName,
  'RoHS status': rowStatus,
  SVHCs: (row: JudgedRow) => String(cellOf(row, 'svhc_count') ?? ''),
  Exemptions: exemptionsText,
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

function verdictMarkdown({ tone, text, more = [] }: Verdict): string {
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
    case 'verdict':
      return `${verdictMarkdown(block)}\n`
    case 'note':
      return `\n${markdownText(block.text)}\n`
    case 'counts': {
      if (block.sentence !== undefined) return `- ${escapeMarkdown(block.sentence)}\n`
      if (block.look === 'chart') return ''
      const found = block.counts.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`)
      return `- ${block.title}: ${found.join(', ')}\n`
    }
    case 'facts': {
      const more = block.of && moreOf(block.of, block.facts.length)
      const items = block.facts.map(([name, text]) => `- ${escapeMarkdown(name)}: ${markdownText(text)}\n`)
      return items.join('') + (more === undefined ? '' : `- ${more}\n`)
    }
    case 'table': {
      const { caption, columns, rows, of } = block
      const more = of && moreOf(of, rows.length)
      const body = rows.map((cells) =>
        rawRow(
          cells.map((cell) =>
            cell === null ? '' : typeof cell === 'number' ? String(cell) : markdownText(cell),
          ),
        ),
      )
      return `${caption === undefined ? '' : `\n${escapeMarkdown(caption)}\n\n`}${headingLines(
        columns.map(({ title }) => title),
        columns.map(({ type }) => type === 'count' || type === 'amount'),
      )}${body.join('')}${more === undefined ? '' : `\n${more}\n`}`
    }
  }
}

/** A text in which a line break between its lines stays one. */
function markdownText(text: Text): string {
  return plainText(text, NAMED).split('\n').map(escapeMarkdown).join('<br>')
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

function headingLines(titles: readonly string[], isRight: readonly boolean[] = []): string {
  return markdownRow(titles) + rawRow(titles.map((_, index) => (isRight[index] === true ? '---:' : '---')))
}

function markdownRow(cells: readonly string[]): string {
  return rawRow(cells.map(escapeMarkdown))
}

function rawRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
