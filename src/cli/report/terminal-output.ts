import { Failure } from '../../base/failure.ts'
import { jsonText } from '../../base/visible-json.ts'
import { BINARY_FORMATS, openFormatter } from '../../report/formats/choose-format.ts'
import { jsonFormatter } from '../../report/formats/format-json.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { tableFormatter } from '../../report/formats/text-table.ts'
import type { ReportOutput } from '../../report/write-report.ts'
import type { Style } from '../../terminal/style.ts'
import type { Context } from '../context.ts'
import { hasReportFile } from './run-report.ts'

/** The rows as one JSON object on standard output, which stays one object however the report ends. */
export interface JsonOutput extends ReportOutput {
  readonly hasBegun: () => boolean
  /** Closes the object with these fields. */
  readonly end: (fields: Readonly<Record<string, unknown>>) => Promise<void>
}

/** Writes rows as they come; `end` closes the object once it is known how the report ended. */
export function jsonToTerminal({ terminal }: Context, shape: ReportShape): JsonOutput {
  let hasBegun = false
  const write = (piece: string | Uint8Array): Promise<void> | undefined => {
    if (piece.length === 0) return undefined
    hasBegun = true
    return terminal.write(String(piece))
  }
  return {
    rows: shape.kind,
    formatter: { ...jsonFormatter(shape), end: () => [] },
    write,
    hasBegun: () => hasBegun,
    end: (fields) => terminal.write(`\n],${jsonText(fields).slice(1)}\n`),
  }
}

/** The rows on standard output: in the requested format, else a table on a terminal, by `writePaged`, and CSV in a pipe. */
export async function rowsToStdout(
  context: Context,
  shape: ReportShape,
  writePaged: (text: string) => Promise<void>,
): Promise<ReportOutput> {
  const { terminal, settings } = context
  const { outputFormat } = settings.values
  if (outputFormat === undefined && terminal.isOutTTY) return tableToTerminal(context, shape, writePaged)
  const format = outputFormat ?? 'csv'
  if (BINARY_FORMATS.has(format) && terminal.isOutTTY && !hasReportFile(context)) {
    throw new Failure('usage', `${format} output is not printed on a terminal`, {
      hint: 'redirect standard output, or write a file',
      options: ['output'],
    })
  }
  return {
    rows: shape.kind,
    formatter: await openFormatter(format, shape),
    write: (piece) => {
      if (piece.length === 0) return undefined
      return typeof piece === 'string' ? terminal.write(piece) : terminal.writeBytes(piece)
    },
  }
}

/** Throws `usage` when a format is requested and the rows are returned as an object. */
export function refuseFormat({ settings }: Context): void {
  const { outputFormat } = settings.values
  if (outputFormat === undefined) return
  throw new Failure('usage', `the rows are in a JSON object, not in the format ${outputFormat}`, {
    hint: 'leave the format out, or write a file',
    options: ['output'],
  })
}

/** The rows as a table as wide as the terminal. */
function tableToTerminal(
  { terminal }: Context,
  shape: ReportShape,
  writePaged: (text: string) => Promise<void>,
): ReportOutput {
  const { out } = terminal
  const formatter = tableFormatter(shape, {
    width: terminal.columns ?? 80,
    heading: out.strong,
    cell: (column, value, text) => styleOf(out, column, value)(text),
    ellipsis: out.mark.ellipsis,
  })
  return {
    rows: shape.kind,
    formatter,
    write: (piece) => (piece.length === 0 ? undefined : writePaged(String(piece))),
  }
}

function styleOf(style: Style, column: string, value: string): (text: string) => string {
  if (column === 'part') return style.name
  if (column === 'svhc_count' && Number(value) > 0) return style.warn
  if (column !== 'rohs' && column !== 'status' && column !== 'cas_valid') return (text) => text
  if (value === 'compliant') return style.good
  if (value === 'not compliant' || value === 'missing' || value === 'unreadable') return style.bad
  if (value === 'incomplete' || value === 'false') return style.warn
  return value === 'not declared' || value === 'superseded' ? style.faint : (text) => text
}
