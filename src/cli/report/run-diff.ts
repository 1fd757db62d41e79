import { escapeUnsafe } from '../../base/clean-text.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { VERSION } from '../../base/version.ts'
import { diffDeclarations } from '../../diff/diff.ts'
import { countsLine } from '../../diff/diff-document.ts'
import type { DeclarationDiff, DiffResult } from '../../diff/diff-result.ts'
import { DIFF_FORMATS, type DiffOutput, writeDiff } from '../../diff/write-diff.ts'
import { formatOf } from '../../report/formats/choose-format.ts'
import { parseFailOn } from '../../report/gate/fail-on.ts'
import { readManufacturers } from '../../report/regulations/user-tables.ts'
import { unlessReaderGone } from '../../terminal/stream-writer.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonPieces, printResult } from '../json.ts'
import { hasStepSummary, writeStepSummary } from '../step-summary.ts'
import { terminalLook } from './print-report.ts'
import { csvDialect, gateFailure, hasReportFile, openFile, readLists, readTables } from './run-report.ts'

/** Compares two downloads part by part; then says what the gate found. */
export const printDiff: CommandRun = async (context) => {
  const { terminal } = context
  const compared = await runDiff(context)
  const { diff, result } = compared
  if (!terminal.choice.json) {
    if (result.output === undefined) {
      const output = { ...compared.output, look: terminalLook(terminal, terminal.columns) }
      for await (const piece of writeDiff('text', diff, output)) {
        await terminal.write(String(piece)).catch(unlessReaderGone)
      }
    } else {
      if (!terminal.choice.quiet) await terminal.write(`${escapeUnsafe(result.output)}\n`)
      terminal.say('diff.done', countsLine(diff), { counts: result.counts })
    }
  }
  const settled = settleDiff(context, compared)
  await printResult(terminal, settled)
  return 0
}

/** Two downloads compared; with `--output` the file is written, and the result has the counts alone. */
interface DiffRun {
  readonly diff: DeclarationDiff
  readonly result: DiffResult
  /** What every format needs beside the diff. */
  readonly output: DiffOutput
}

/** Compares the sources of the operands and writes the files of the options. */
export async function runDiff(context: Context): Promise<DiffRun> {
  const { world, settings, terminal } = context
  const { failOn: words, reportOutput, noCache } = settings.values
  const [oldSource, newSource] = settings.operands as [string, string]
  const failOn = words === undefined ? undefined : parseFailOn(words)
  const format = hasReportFile(context) ? formatOf(reportOutput!, '--output', DIFF_FORMATS) : undefined
  await using file = format && (await openFile(context, reportOutput!, '--output'))
  const tables = await readTables(context)
  await using open = new ResourceStack()
  const lists = (await readLists(context, open))?.lists
  const isSameCompany = await readManufacturers(world, settings.values.manufacturers)
  const shared = { limits: settings.limits, failOn, tables, lists, isSameCompany, cache: !noCache }
  const options = { oldSource, newSource, ...shared }
  const diff = await diffDeclarations(world, options, terminal.reporter)
  terminal.stopProgress()
  const complete = resultOf(oldSource, newSource, diff)
  const output: DiffOutput = {
    facts: { oldSource, newSource, nowMs: world.clock.nowMs(), version: VERSION },
    json: jsonPieces(complete),
    csv: csvDialect(context),
  }
  if (file) {
    for await (const piece of writeDiff(format!, diff, output)) await file.write(piece)
    await file.publish()
  }
  if (hasStepSummary(world)) {
    let markdown = ''
    for await (const piece of writeDiff('md', diff, output)) markdown += String(piece)
    await writeStepSummary(context, markdown)
  }
  const { schema, status, counts } = complete
  return { diff, output, result: file ? { schema, status, counts, output: reportOutput! } : complete }
}

/** The result, unless the gate matched: then throws, with the result beside the error. */
export function settleDiff(
  { facts }: Context,
  { diff, result }: Pick<DiffRun, 'diff' | 'result'>,
): DiffResult {
  const failure = gateFailure(diff.gate, 'part')
  if (failure === undefined) return result
  const { schema: _, status: __, ...known } = result
  Object.assign(facts, known)
  throw failure
}

function resultOf(oldSource: string, newSource: string, diff: DeclarationDiff): DiffResult {
  const { gate, changed, ...rest } = diff
  return {
    schema: 'matdecl.diff/1',
    status: 'ok',
    old: oldSource,
    new: newSource,
    ...rest,
    changed: changed.map(({ changes, ...part }) => ({ ...part, changes: { ...changes } })),
    ...(gate && { failOn: gate }),
  }
}
