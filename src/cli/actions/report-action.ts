import { escapeUnsafe } from '../../base/clean-text.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { closeObject, openObject } from '../../report/formats/report-json.ts'
import { PLAIN_LOOK, sectionLines, verdictLines } from '../../report/formats/text.ts'
import { reportDocument } from '../../report/report-document.ts'
import { ReaderGone } from '../../terminal/stream-writer.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { errorObject, explain, interruptionOr } from '../explain.ts'
import { jsonPieces } from '../json.ts'
import { gateFailure } from '../report/gate.ts'
import { hasReportFile, type ReportRun, reportShape, runReport } from '../report/run-report.ts'
import { refuseFormat, rowsToStdout, terminalLook } from '../report/terminal-output.ts'

/** Reports what the sources declare, to standard output or a file; then says what the gate found. */
export const run: CommandRun = async (context) => {
  const { world, terminal, facts } = context
  const shape = reportShape(context)
  if (terminal.choice.json && !hasReportFile(context)) {
    refuseFormat(context)
    return printJson(context, shape)
  }
  const done = await terminal.page(async (write) =>
    runReport(context, await rowsToStdout(context, shape, write)),
  )
  world.interrupt.throwIfAborted()
  if (done.result.output !== undefined) await printPath(context, done.result.output)
  // The table on a terminal ends with the summary.
  if (done.result.output !== undefined || !terminal.isOutTTY) saySummary(context, shape, done)
  const failure = gateFailure(done.summary.gate)
  const { schema: _, status: __, ...known } = done.result
  Object.assign(facts, known)
  if (failure) throw failure
  if (terminal.choice.json) for (const piece of jsonPieces(done.result)) await terminal.write(piece)
  return 0
}

// The rows are printed as they come: an error in the middle of them ends the object too.
async function printJson(context: Context, shape: ReportShape): Promise<number> {
  const { world, terminal } = context
  let hasBegun = false
  const end = (fields: Readonly<Record<string, unknown>>): Promise<void> =>
    terminal.write(closeObject(fields))
  try {
    const { summary, result } = await runReport(context, async (report) => {
      for await (const piece of openObject(report, shape)) {
        hasBegun = true
        await terminal.write(piece)
      }
    })
    const failure = gateFailure(summary.gate)
    const { schema: _, ...fields } = result
    if (failure === undefined) {
      await end(fields)
      return 0
    }
    explain(world, terminal, failure)
    const error = errorObject(failure)
    await end({ ...fields, status: 'failed', error })
    return error.exitCode
  } catch (thrown) {
    if (!hasBegun || thrown instanceof ReaderGone) throw thrown
    terminal.stopProgress()
    const cause = interruptionOr(world, thrown)
    explain(world, terminal, cause)
    const error = errorObject(cause)
    await end({ status: 'failed', error }).catch(() => undefined)
    return error.exitCode
  }
}

async function printPath({ terminal }: Context, path: string): Promise<void> {
  if (!terminal.choice.json && !terminal.choice.quiet) await terminal.write(`${escapeUnsafe(path)}\n`)
}

function saySummary({ terminal }: Context, shape: ReportShape, { summary, result }: ReportRun): void {
  const isLog = terminal.choice.logFormat === 'json'
  const look = isLog ? PLAIN_LOOK : terminalLook({ out: terminal.err }, undefined)
  const document = reportDocument(shape, summary)
  const lines = [...verdictLines(document, look), ...sectionLines(document.sections, look)]
  terminal.saySummary('report.done', lines, { counts: result.counts })
}
