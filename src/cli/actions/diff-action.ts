import { escapeUnsafe } from '../../base/clean-text.ts'
import { VERSION } from '../../base/version.ts'
import { diffDeclarations } from '../../diff/diff.ts'
import { diffFormatOf } from '../../diff/diff-format.ts'
import type { DeclarationDiff, DiffResult } from '../../diff/diff-result.ts'
import { countsLine, type DiffLook, diffMarkdown, diffText } from '../../diff/diff-text.ts'
import { writeDiff } from '../../diff/write-diff.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { parseFailOn } from '../../report/gate/fail-on.ts'
import { openReportFile } from '../../report/write-report.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'
import { gateFailure } from '../report/gate.ts'
import { readTables } from '../report/read-tables.ts'
import { csvDialect } from '../report/run-report.ts'
import { writeStepSummary } from '../report/step-summary.ts'

/** Compares two downloads part by part; then says what the gate found. */
export const run: CommandRun = async (context) => {
  const { terminal } = context
  const compared = await runDiff(context)
  const { diff, result } = compared
  if (!terminal.choice.json) {
    if (result.output === undefined) {
      for (const piece of diffText(diff, lookOf(context))) await terminal.write(piece)
    } else {
      if (!terminal.choice.quiet) await terminal.write(`${escapeUnsafe(result.output)}\n`)
      terminal.say('diff.done', countsLine(diff), { counts: result.counts })
    }
  }
  const settled = settleDiff(context, compared)
  if (terminal.choice.json) for (const piece of jsonPieces(settled)) await terminal.write(piece)
  return 0
}

/** Two downloads compared; with `--output` the file is written, and the result has the counts alone. */
export interface DiffRun {
  readonly diff: DeclarationDiff
  readonly result: DiffResult
}

/** Compares the sources of the operands and writes the files of the options. */
export async function runDiff({ world, settings, terminal }: Context): Promise<DiffRun> {
  const { failOn: words, reportOutput, overwrite, noCache } = settings.values
  const [oldSource, newSource] = takeOperands(settings) as [string, string]
  const failOn = words === undefined ? undefined : parseFailOn(words)
  const format = reportOutput === undefined || reportOutput === '-' ? undefined : diffFormatOf(reportOutput)
  const { reporter } = terminal
  await using file =
    format &&
    (await openReportFile(world, absolutePath(world.cwd, reportOutput!), {
      what: '--output',
      overwrite,
      reporter,
    }))
  const tables = await readTables({ world, settings })
  const options = { oldSource, newSource, limits: limitsOf(settings), failOn, tables, cache: !noCache }
  const diff = await diffDeclarations(world, options, terminal.reporter)
  terminal.stopProgress()
  const complete = resultOf(oldSource, newSource, diff)
  if (file) {
    const facts = { oldSource, newSource, nowMs: world.clock.nowMs(), version: VERSION }
    const more = { facts, json: jsonPieces(complete), csv: csvDialect({ world, settings }) }
    for await (const piece of writeDiff(format!, diff, more)) await file.write(piece)
    await file.publish()
  }
  await writeStepSummary(world, terminal, [...diffMarkdown(diff)].join(''))
  const { schema, status, counts } = complete
  return { diff, result: file ? { schema, status, counts, output: reportOutput! } : complete }
}

/** The result, unless the gate matched: then throws, with the result beside the error. */
export function settleDiff({ facts }: Context, { diff, result }: DiffRun): DiffResult {
  const failure = gateFailure(diff.gate, 'part')
  if (failure === undefined) return result
  const { schema: _, status: __, ...known } = result
  Object.assign(facts, known)
  throw failure
}

function resultOf(oldSource: string, newSource: string, diff: DeclarationDiff): DiffResult {
  const { gate, counts, changed, ...rest } = diff
  return {
    schema: 'matdecl.diff/1',
    status: 'ok',
    old: oldSource,
    new: newSource,
    counts: {
      ...counts,
      added: diff.added.length,
      removed: diff.removed.length,
      changed: changed.length,
      listUpdates: diff.listUpdates.reduce((total, { parts }) => total + parts, 0),
      redated: diff.redated,
      unchanged: diff.unchanged,
    },
    ...rest,
    changed: changed.map(({ changes, ...part }) => ({ ...part, changes: { ...changes } })),
    ...(gate && { failOn: gate }),
  }
}

function lookOf({ terminal }: Context): DiffLook {
  const { out } = terminal
  return {
    heading: out.strong,
    good: out.good,
    bad: out.bad,
    faint: out.faint,
    arrow: out.mark.good === '✓' ? '→' : '->',
  }
}
