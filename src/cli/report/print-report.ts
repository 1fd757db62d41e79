import { escapeUnsafe } from '../../base/clean-text.ts'
import { plural } from '../../base/units.ts'
import { plainText, TONE_SIGNS } from '../../report/document.ts'
import { FORMATS } from '../../report/formats/choose-format.ts'
import { explainFormatter } from '../../report/formats/explain-part.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { closeObject, openObject } from '../../report/formats/report-json.ts'
import {
  PLAIN_LOOK,
  sectionLines,
  type TextLook,
  textFormatter,
  verdictLines,
} from '../../report/formats/text.ts'
import { countPieces, gateTone } from '../../report/line-counts.ts'
import { reportDocument } from '../../report/report-document.ts'
import { type WriteRows, writeFormatted } from '../../report/write-report.ts'
import { ReaderGone, unlessReaderGone } from '../../terminal/stream-writer.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { errorObject, explain, interruptionOr } from '../explain.ts'
import { FailedRun, printResult } from '../json.ts'
import { hasStepSummary } from '../step-summary.ts'
import {
  gateFailure,
  hasReportFile,
  readTables,
  reportShape,
  runReport,
  type WrittenReport,
} from './run-report.ts'

/** Reports what the sources declare, to standard output or a file; then says what the gate found. */
export const printReport: CommandRun = async (context) => {
  const { world, terminal } = context
  const shape = reportShape(context)
  if (terminal.choice.json && !hasReportFile(context)) return printJson(context, shape)
  const done = await runReport(context, await rowsToStdout(context, shape))
  world.interrupt.throwIfAborted()
  const { output } = done.result
  if (output !== undefined && !terminal.choice.json && !terminal.choice.quiet) {
    await terminal.write(`${escapeUnsafe(output)}\n`)
  }
  // The table on a terminal ends with the summary.
  const isExplained = context.settings.values.explain !== undefined
  const isSaid = !isExplained && (output !== undefined || !terminal.isOutTTY)
  if (isSaid) saySummary(context, shape, done)
  const failure = gateFailure(
    done.summary.gate,
    gateWhat(done.summary),
    saysAll(terminal) ? undefined : isSaid ? 2 : 5,
  )
  const { schema: _, status: __, ...known } = done.result
  if (failure) throw new FailedRun(failure, known)
  if (output !== undefined) sayUnclean(terminal, done.summary)
  await printResult(terminal, done.result)
  return 0
}

function gateWhat({ products }: WrittenReport['summary']): 'line' | 'row' {
  return products === undefined ? 'row' : 'line'
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
        await whileRead(context, terminal.write(piece))
      }
    })
    const failure = gateFailure(summary.gate, gateWhat(summary))
    const { schema: _, ...fields } = result
    if (failure === undefined) {
      await end(fields)
      return 0
    }
    explain(terminal, failure)
    const error = errorObject(failure, terminal)
    await end({ ...fields, status: 'failed', error }).catch(unlessReaderGone)
    return error.exitCode
  } catch (thrown) {
    if (!hasBegun || thrown instanceof ReaderGone) throw thrown
    terminal.stopProgress()
    const cause = interruptionOr(world, thrown)
    explain(terminal, cause)
    const error = errorObject(cause, terminal)
    await end({ status: 'failed', error }).catch(() => undefined)
    return error.exitCode
  }
}

/** Ends the run when nobody reads its output any more, unless it has a gate or writes files. */
async function whileRead({ world, settings }: Context, written: Promise<void>): Promise<void> {
  const { failOn, junit, requests } = settings.values
  const hasMore = hasStepSummary(world) || [failOn, junit, requests].some((value) => value !== undefined)
  await (hasMore ? written.catch(unlessReaderGone) : written)
}

/** Silence beside a gate means that nothing needs a look: what its rules do not name, and no waiver accepts, does. */
function sayUnclean(
  { choice, reporter }: Terminal,
  { gate, count, products }: WrittenReport['summary'],
): void {
  const isAccepted = products?.every(({ findings }) => findings.every(({ finding }) => finding.waivers))
  if (!choice.quiet || gate === undefined || gateTone(count, true) === 'good' || isAccepted === true) return
  const message = plainText(countPieces(count, `; passes ${gate.rules.join(',')}`))
  reporter.notice({ level: 'warning', event: 'report.unclean', message, needsLook: true })
}

/** True where standard error is not limited to eight lines: for programs, and with more verbosity. */
function saysAll({ choice }: Terminal): boolean {
  return choice.verbose > 0 || choice.json || choice.logFormat === 'json'
}

/**
 * The summary beside a report that goes elsewhere: with the line of the parts list and the error of a gate at most eight lines. The last
 * names the reference tables; the rest is in the files, and with more verbosity.
 */
function saySummary({ terminal }: Context, shape: ReportShape, { summary, result }: WrittenReport): void {
  const isLog = terminal.choice.logFormat === 'json'
  const look = isLog ? PLAIN_LOOK : terminalLook({ out: terminal.err }, undefined)
  const document = reportDocument(shape, summary)
  const isFailed = summary.gate?.passed === false
  // The error says what the gate matched.
  const verdicts = document.verdicts.filter(({ about }) => about !== 'gate' || !isFailed)
  const lines = [
    ...verdictLines(saysAll(terminal) ? document : { verdicts }, look),
    ...sectionLines(document.sections, look),
  ]
  const most = isFailed ? 2 : 6
  const shown = saysAll(terminal) ? lines : [...lines.slice(0, -1).slice(0, most), ...lines.slice(-1)]
  terminal.saySummary('report.done', shown, { counts: result.counts })
}

/** Writes the rows to standard output: the first of them as a table on a terminal, and CSV in a pipe. */
async function rowsToStdout(context: Context, shape: ReportShape): Promise<WriteRows> {
  const { terminal, settings } = context
  const { explain: part } = settings.values
  if (part !== undefined) {
    const look = terminalLook(terminal, terminal.columns)
    const format = explainFormatter(part, look, await readTables(context))
    return (report) =>
      writeFormatted(report, format, (piece) => whileRead(context, terminal.write(String(piece))))
  }
  if (terminal.isOutTTY) {
    const look = terminalLook(terminal, terminal.columns ?? 80)
    const format = textFormatter(
      shape,
      look,
      (left) => `and ${plural(left, 'more row')}: -o FILE writes all of them`,
    )
    return (report) =>
      writeFormatted(report, format, (piece) => whileRead(context, terminal.write(String(piece))))
  }
  const format = await FORMATS.csv.open(shape)
  return (report) =>
    writeFormatted(report, format, (piece) => whileRead(context, terminal.write(String(piece))))
}

/** How documents look on standard output; lines are as wide as `width`, or as long as they are. */
export function terminalLook({ out }: Pick<Terminal, 'out'>, width: number | undefined): TextLook {
  const hasUnicode = out.mark.good === '✓'
  const { good, bad, warn } = out.mark
  return {
    width,
    heading: out.strong,
    name: out.strong,
    tone: (tone, text) => (tone === 'none' ? out.faint : tone === 'fair' ? out.name : out[tone])(text),
    signs: hasUnicode ? TONE_SIGNS : { good, fair: good, warn, bad, none: '-' },
    ellipsis: out.mark.ellipsis,
    plain: (text) => (hasUnicode ? text : text.replace(/[→·]/g, (character) => ASCII[character]!)),
  }
}

const ASCII: Readonly<Record<string, string>> = { '→': '->', '·': '|' }
