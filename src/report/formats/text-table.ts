import { escapeUnsafe } from '../../base/clean-text.ts'
import { cutToWidth, displayWidth } from '../../base/display-width.ts'
import { wrapSummary } from '../../base/wrap-text.ts'
import { exemptionLines } from '../date-lines.ts'
import type { ReportSummary } from '../report-summary.ts'
import { summaryLines } from '../summary-lines.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'

/** How a table is laid out and styled. */
export interface TableLook {
  /** Columns of the terminal. */
  readonly width: number
  readonly heading: (text: string) => string
  /** Styles a cell of this column; must not change its width. */
  readonly cell: (column: string, value: string, text: string) => string
  readonly ellipsis: string
}

/** Columns by importance: as many are shown as fit. */
const SHOWN: Readonly<Record<ReportShape['kind'], readonly string[]>> = {
  parts: [
    'part',
    'rohs',
    'svhc_count',
    'status',
    'exemptions',
    'svhc',
    'classes',
    'declared_percent',
    'date',
    'rohs_list',
    'reach_list',
    'supplier',
    'mass_mg',
    'note',
  ],
  substances: [
    'part',
    'substance',
    'cas',
    'mass_mg',
    'percent_of_material',
    'material',
    'ppm_of_part',
    'cas_valid',
    'material_mass_mg',
  ],
}

const TITLES: Readonly<Record<string, string>> = {
  svhc_count: 'svhc',
  svhc: 'svhc names',
  declared_percent: 'declared %',
  mass_mg: 'mass (mg)',
  material_mass_mg: 'material (mg)',
  percent_of_material: '% of mat.',
  ppm_of_part: 'ppm of part',
  cas_valid: 'valid',
}

const RIGHT = new Set([
  'svhc_count',
  'mass_mg',
  'declared_percent',
  'material_mass_mg',
  'percent_of_material',
  'ppm_of_part',
])
const NARROWEST = 12
const WIDEST = 40
const GAP = '  '
/** Column widths are those of the first rows; longer cells after them are cut. */
const SAMPLE = 500

/** A table that fits the width: columns without room are left out, long cells end in an ellipsis. */
export function tableFormatter(shape: ReportShape, look: TableLook): Formatter {
  let waiting: Row[] | undefined = []
  let layout: readonly Column[] = []
  const flush = (): string => {
    const rows = waiting ?? []
    waiting = undefined
    layout = chooseColumns(shape, rows, look.width)
    return rows.length === 0 ? '' : line(headings(layout), layout, look.heading) + lines(rows)
  }
  const lines = (rows: readonly Row[]): string =>
    rows.map((row) => line(texts(row, layout), layout, undefined, row)).join('')

  return {
    begin: () => '',
    add(rows) {
      if (!waiting) return lines(rows)
      waiting.push(...rows)
      return waiting.length < SAMPLE ? '' : flush()
    },
    end(summary: ReportSummary) {
      return [waiting ? flush() : '', ...summaryText(shape.kind, summary, look.width)]
    },
  }

  function line(
    cells: readonly string[],
    columns: readonly Column[],
    style: ((text: string) => string) | undefined,
    row?: Row,
  ): string {
    const padded = columns.map((column, index) => {
      const cut = cutToWidth(cells[index]!, column.width, look.ellipsis)
      const space = ' '.repeat(Math.max(0, column.width - displayWidth(cut)))
      const styled = style ? style(cut) : look.cell(column.name, String(row?.[column.name] ?? ''), cut)
      return RIGHT.has(column.name) ? space + styled : styled + space
    })
    return `${padded.join(GAP).trimEnd()}\n`
  }
}

function summaryText(kind: ReportShape['kind'], summary: ReportSummary, width: number): string[] {
  const lines = [...summaryLines(kind, summary), ...exemptionLines(summary)]
  return lines.flatMap((text) => wrapSummary(escapeUnsafe(text), width)).map((line) => `${line}\n`)
}

interface Column {
  readonly name: string
  readonly width: number
}

/** Chooses columns by importance while they fit, then sorts them in the order of the report. */
function chooseColumns(shape: ReportShape, rows: readonly Row[], width: number): readonly Column[] {
  const chosen: Column[] = []
  let room = width
  for (const name of SHOWN[shape.kind]) {
    const natural = naturalWidth(name, rows)
    if (natural === 0 && name !== 'part') continue
    const gap = chosen.length === 0 ? 0 : GAP.length
    const wanted = Math.min(natural, WIDEST)
    const given = Math.min(wanted, room - gap)
    if (given < Math.min(wanted, chosen.length === 0 ? 1 : NARROWEST)) continue
    chosen.push({ name, width: given })
    room -= given + gap
  }
  return chosen.sort((a, b) => shape.columns.indexOf(a.name) - shape.columns.indexOf(b.name))
}

function naturalWidth(name: string, rows: readonly Row[]): number {
  let widest = 0
  for (const row of rows) widest = Math.max(widest, displayWidth(shown(row, name)))
  return widest === 0 ? 0 : Math.max(widest, displayWidth(title(name)))
}

function texts(row: Row, columns: readonly Column[]): string[] {
  return columns.map(({ name }) => shown(row, name))
}

function headings(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => title(name))
}

/** Rows without a part number, such as unreadable files, show their source. */
function shown(row: Row, name: string): string {
  const value = name === 'part' ? cellOf(row, 'part') || cellOf(row, 'source') : cellOf(row, name)
  return value === null ? '' : String(value)
}

function title(name: string): string {
  return (TITLES[name] ?? name.replaceAll('_', ' ')).toUpperCase()
}
