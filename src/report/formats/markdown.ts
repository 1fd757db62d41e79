import { exemptionName, exemptionWords } from '../date-lines.ts'
import type { ReportSummary } from '../report-summary.ts'
import { rollupLines } from '../rollup/rollup-lines.ts'
import { createSpool } from '../spool.ts'
import { gateLine, summaryLines } from '../summary-lines.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'

/** GitHub Flavored Markdown: the counts, then a table with all columns. */
export function markdownFormatter(shape: ReportShape): Formatter {
  const spool = createSpool(shape.columns)
  return {
    begin: () => '',
    add(rows) {
      spool.add(rows)
      return ''
    },
    *end(summary) {
      const day = new Date(shape.nowMs).toISOString().slice(0, 10)
      yield `# Material declarations, ${day}\n\n`
      yield summaryLines(shape.kind, summary).map(listItem).join('')
      yield* exemptionTable(summary)
      yield `\n${tableLine(shape.columns)}${tableLine(shape.columns.map(() => '---'))}`
      for (const rows of spool.batches()) yield rows.map((row) => rowLine(row, shape.columns)).join('')
    },
  }
}

function* exemptionTable({ reference }: ReportSummary): Generator<string> {
  if (reference === undefined || reference.exemptions.length === 0) return
  yield `\n## Exemptions in use\n\n`
  yield tableLine(['exemption', 'nominal date', 'parts', 'first parts'])
  yield tableLine(['---', '---', '---:', '---'])
  for (const use of reference.exemptions) {
    const cells = [exemptionName(use), exemptionWords(use), String(use.parts), use.firstParts.join(', ')]
    yield tableLine(cells.map(escapeMarkdown))
  }
}

const SUMMARY_COLUMNS = ['part', 'rohs', 'svhc_count', 'status', 'note', 'source'] as const
const SUMMARY_ROWS = 50

/** A report in a CI job summary: counts by status, and the rows that need attention. */
export interface StepSummary {
  readonly add: (rows: readonly Row[]) => void
  readonly text: (summary: ReportSummary) => string
}

/** A short Markdown summary of a report of any length. `matches` selects the rows to show. */
export function stepSummary(matches: (row: Row) => boolean): StepSummary {
  const shown: Row[] = []
  let found = 0
  return {
    add(rows) {
      for (const row of rows) {
        if (!matches(row)) continue
        found += 1
        if (shown.length < SUMMARY_ROWS) shown.push(row)
      }
    },
    text(summary) {
      const { counts, gate, rollup } = summary
      const statuses = Object.entries(counts.rohs).filter(([, number]) => number > 0)
      const lines = [
        '## Material declarations\n\n',
        ...summaryLines('parts', summary)
          .slice(0, 1)
          .map((line) => `${escapeMarkdown(line)}\n\n`),
        tableLine(['RoHS', 'parts']) + tableLine(['---', '---:']),
        ...statuses.map(([status, number]) => tableLine([status, String(number)])),
        '\n',
        tableLine(['REACH', 'parts']) + tableLine(['---', '---:']),
        tableLine(['with SVHC above 0.1 %', String(counts.reach.withSvhc)]),
        tableLine(['without', String(counts.reach.withoutSvhc)]),
        tableLine(['not declared', String(counts.reach.notDeclared)]),
        rollup === undefined ? '' : `\n${rollupLines(rollup).map(listItem).join('')}`,
        gate === undefined ? '' : `\n**${escapeMarkdown(gateLine(gate))}**\n`,
        shown.length === 0
          ? ''
          : `\n${tableLine(SUMMARY_COLUMNS)}${tableLine(SUMMARY_COLUMNS.map(() => '---'))}`,
        ...shown.map((row) => rowLine(row, SUMMARY_COLUMNS)),
        found > shown.length ? `\n${found - shown.length} more rows in the report.\n` : '',
      ]
      return `${lines.join('')}\n`
    },
  }
}

/** An item of a list; an indented line is in the item above it. */
function listItem(line: string): string {
  const text = line.trimStart()
  return `${' '.repeat(line.length - text.length)}- ${escapeMarkdown(text)}\n`
}

/** Escapes text for Markdown, table cells included. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_[\]|~#!]/g, '\\$&')
    .replace(/(?:https?:|www\.)/gi, (link) => `${link.slice(0, 1)}&#8203;${link.slice(1)}`)
    .replace(/@/g, '&#64;')
    .replace(/[\r\n]+/g, ' ')
}

function rowLine(row: Row, columns: readonly string[]): string {
  return tableLine(columns.map((column) => escapeMarkdown(String(cellOf(row, column) ?? ''))))
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
