import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { VERSION } from '../../base/version.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { readParts } from '../../parts/read-parts.ts'
import { formatOf, openFormatter } from '../../report/choose-format.ts'
import { parseFailOn } from '../../report/fail-on.ts'
import type { ReportShape } from '../../report/formatter.ts'
import { report } from '../../report/report.ts'
import { REPORT_COLUMNS, SUBSTANCE_COLUMNS } from '../../report/report-row.ts'
import type { ReportSummary } from '../../report/report-summary.ts'
import { summaryLines } from '../../report/summary-lines.ts'
import { openReportFile, type ReportFile, type ReportOutput, writeReport } from '../../report/write-report.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'
import { gateFailure } from '../report/gate.ts'
import { junitOutput } from '../report/junit-file.ts'
import { summaryOutput, writeStepSummary } from '../report/step-summary.ts'
import { type JsonOutput, jsonToTerminal, tableToTerminal } from '../report/to-terminal.ts'

/** Reports what the sources declare, to standard output or a file; then says what the gate found. */
export const run: CommandRun = async (context) => {
  const { world, settings, terminal } = context
  const { values } = settings
  const sources = takeOperands(settings)
  const failOn = values.failOn === undefined ? undefined : parseFailOn(values.failOn)
  const format = fileFormat(values.reportOutput)
  const askedParts = await readAsked(context)
  const shape = shapeOf(context)

  await using file = format && (await openFile(context, values.reportOutput!, '--output'))
  await using junitFile =
    values.junit === undefined ? undefined : await openFile(context, values.junit, '--junit')
  const rows = shape.kind
  const json = terminal.choice.json && !file ? jsonToTerminal(context, shape) : undefined
  const main: ReportOutput = file
    ? { rows, formatter: await openFormatter(format!, shape), write: file.write }
    : (json ?? (await textOutput(context, shape)))
  const summaryFor = summaryOutput(world, failOn)
  const outputs = [main, junitOutput(junitFile, shape, failOn), summaryFor?.output]

  const work = report(
    world,
    { sources, limits: limitsOf(settings), substances: values.substances, askedParts, failOn },
    terminal.reporter,
  )
  try {
    const summary = await writeReport(
      work,
      outputs.filter((output) => output !== undefined),
    )
    await publish(context, file, junitFile)
    terminal.stopProgress()
    await writeStepSummary(world, terminal, summaryFor?.text(summary))
    return await end(context, summary, file, json)
  } catch (error) {
    if (json === undefined || !json.hasBegun()) throw error
    return await json.fail(error)
  }
}

/** Tells how it ended, in the way that was asked for; a gate that matched is a Failure of kind `policy`. */
async function end(
  { terminal, facts, settings: { values } }: Context,
  summary: ReportSummary,
  file: ReportFile | undefined,
  json: JsonOutput | undefined,
): Promise<number> {
  const failure = gateFailure(summary.gate)
  if (json) return json.end(failure)
  Object.assign(facts, { counts: summary.counts, ...(summary.gate && { failOn: summary.gate }) })
  if (file) {
    const lines = summaryLines(values.substances ? 'substances' : 'parts', summary)
    if (!terminal.choice.json && !terminal.choice.quiet)
      await terminal.write(`${escapeUnsafe(String(facts.output))}\n`)
    terminal.say('report.done', lines.join('\n'), { counts: summary.counts })
  }
  if (failure) throw failure
  if (terminal.choice.json) await terminal.write(jsonResult('report', 'ok', facts))
  return 0
}

function shapeOf({ world, settings }: Context): ReportShape {
  const kind = settings.values.substances ? 'substances' : 'parts'
  const columns = kind === 'parts' ? REPORT_COLUMNS : SUBSTANCE_COLUMNS
  return { kind, columns, nowMs: world.clock.nowMs(), version: VERSION }
}

function fileFormat(output: string | undefined): ReturnType<typeof formatOf> {
  if (output === undefined || output === '-') return undefined
  const format = formatOf(output)
  if (format !== undefined) return format
  throw new Failure('usage', `--output ${output}: its ending names no format`, {
    hint: 'use .csv, .tsv, .json, .ndjson, .xlsx, .html or .md',
  })
}

async function readAsked({ world, settings, terminal }: Context): Promise<readonly string[] | undefined> {
  const { partsFile, partsColumn, strictParts } = settings.values
  if (partsFile.length === 0) return undefined
  const wanted = { parts: [], files: partsFile, column: partsColumn, strict: strictParts }
  return (await readParts(world, wanted, terminal.reporter)).parts
}

function openFile({ world, settings }: Context, path: string, what: string): Promise<ReportFile> {
  return openReportFile(world, absolutePath(world.cwd, path), what, settings.values.overwrite)
}

async function textOutput(context: Context, shape: ReportShape): Promise<ReportOutput> {
  const { terminal } = context
  if (terminal.isOutTTY) return tableToTerminal(context, shape)
  return {
    rows: shape.kind,
    formatter: await openFormatter('csv', shape),
    write: (piece) => (piece.length === 0 ? undefined : terminal.write(String(piece))),
  }
}

async function publish(
  { settings, facts }: Context,
  file: ReportFile | undefined,
  junitFile: ReportFile | undefined,
): Promise<void> {
  if (file) {
    facts.bytes = await file.publish()
    facts.output = settings.values.reportOutput
  }
  if (junitFile) {
    await junitFile.publish()
    facts.junit = settings.values.junit
  }
}
