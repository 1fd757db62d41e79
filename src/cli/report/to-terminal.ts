import type { Failure } from '../../base/failure.ts'
import { jsonFormatter, reportTail } from '../../report/format-json.ts'
import type { ReportShape } from '../../report/formatter.ts'
import { tableFormatter } from '../../report/text-table.ts'
import type { ReportOutput } from '../../report/write-report.ts'
import { ReaderGone } from '../../terminal/stream-writer.ts'
import type { Style } from '../../terminal/style.ts'
import type { Context } from '../context.ts'
import { errorObject, explain } from '../explain.ts'

/** The rows as one JSON object on standard output, which stays one object however the report ends. */
export interface JsonOutput extends ReportOutput {
  readonly hasBegun: () => boolean
  /** Ends the object, with the gate's failure in it when there is one; the exit code. */
  readonly end: (failure: Failure | undefined) => Promise<number>
  /** Ends the object after an error that came in the middle of the rows; the exit code. */
  readonly fail: (error: unknown) => Promise<number>
}

export function jsonToTerminal({ world, terminal, facts }: Context, shape: ReportShape): JsonOutput {
  let written = 0
  let tail: Readonly<Record<string, unknown>> = {}
  const write = (piece: string | Uint8Array): Promise<void> | undefined => {
    if (piece.length === 0) return undefined
    written += 1
    return terminal.write(String(piece))
  }
  const formatter = jsonFormatter(shape)
  const close = async (fields: Readonly<Record<string, unknown>>): Promise<void> => {
    await terminal.write(`\n],${JSON.stringify(fields).slice(1)}\n`)
  }
  return {
    rows: shape.kind,
    // The object is closed once it is known whether the rest (files, gate) went well.
    formatter: {
      ...formatter,
      end: (summary) => {
        tail = reportTail(summary)
        return []
      },
    },
    write,
    hasBegun: () => written > 0,
    async end(failure) {
      if (!failure) {
        await close({ ...tail, ...facts })
        return 0
      }
      explain(world, terminal, failure)
      const error = errorObject(failure)
      await close({ ...tail, status: 'failed', error, ...facts })
      return error.exitCode
    },
    async fail(thrown) {
      if (thrown instanceof ReaderGone) throw thrown
      const isCutOff = world.interrupt.aborted && thrown instanceof Error && thrown.name === 'AbortError'
      const cause: unknown = isCutOff ? world.interrupt.reason : thrown
      terminal.stopProgress()
      explain(world, terminal, cause)
      const error = errorObject(cause)
      await close({ status: 'failed', error }).catch(() => undefined)
      return error.exitCode
    },
  }
}

/** The rows as a table as wide as the terminal. */
export function tableToTerminal({ terminal }: Context, shape: ReportShape): ReportOutput {
  const { out } = terminal
  const formatter = tableFormatter(shape, {
    width: terminal.columns ?? 80,
    heading: out.strong,
    cell: (column, value, text) => dress(out, column, value)(text),
    ellipsis: out.mark.good === '✓' ? '…' : '~',
  })
  return {
    rows: shape.kind,
    formatter,
    write: (piece) => (piece.length === 0 ? undefined : terminal.write(String(piece))),
  }
}

function dress(style: Style, column: string, value: string): (text: string) => string {
  if (column === 'part') return style.name
  if (column === 'svhc_count' && Number(value) > 0) return style.warn
  if (column !== 'rohs' && column !== 'status' && column !== 'cas_valid') return (text) => text
  if (value === 'compliant') return style.good
  if (value === 'not compliant' || value === 'missing' || value === 'unreadable') return style.bad
  if (value === 'incomplete' || value === 'false') return style.warn
  return value === 'not declared' ? style.faint : (text) => text
}
