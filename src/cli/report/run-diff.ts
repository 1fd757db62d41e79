import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { Reporter } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { parseCalendarDate } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { type DiffSide, diffDeclarations } from '../../diff/diff.ts'
import { countsLine } from '../../diff/diff-document.ts'
import type { AccountedDiff, DiffResult } from '../../diff/diff-result.ts'
import { DIFF_FORMATS, type DiffOutput, writeDiff } from '../../diff/write-diff.ts'
import { formatOf } from '../../report/formats/choose-format.ts'
import { parseFailOn, requireListsOf } from '../../report/gate/fail-on.ts'
import { UserTables } from '../../report/records.ts'
import { readManufacturers } from '../../report/regulations/user-tables.ts'
import { startOfPeriod } from '../../request/since.ts'
import { unlessReaderGone } from '../../terminal/stream-writer.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { FailedRun, jsonPieces, printResult } from '../json.ts'
import { libraryPath } from '../library-path.ts'
import { type WarningFields, warningFields } from '../parts-lists.ts'
import { hasStepSummary, writeStepSummary } from '../step-summary.ts'
import { libraryByDay } from './library-sources.ts'
import { terminalLook } from './print-report.ts'
import { gateFailure, hasReportFile, openFile, readLists, readTables } from './run-report.ts'

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
  const settled = settleDiff(compared)
  await printResult(terminal, settled)
  return 0
}

/** Two downloads compared; with `--output` the file is written, and the result has the counts alone. */
interface DiffRun {
  readonly diff: AccountedDiff
  readonly result: DiffResult
  /** What every format needs beside the diff. */
  readonly output: DiffOutput
}

/** Compares the sources of the operands and writes the files of the options. */
async function runDiff(context: Context): Promise<DiffRun> {
  const { world, settings, terminal } = context
  const { failOn: words, reportOutput } = settings.values
  const failOn = words === undefined ? undefined : parseFailOn(words)
  requireListsOf(failOn ?? [], [])
  const format = hasReportFile(context) ? formatOf(reportOutput!, '--output', DIFF_FORMATS) : undefined
  await using file = format && (await openFile(context, reportOutput!, '--output'))
  const read = new UserTables(terminal.reporter)
  const tables = await readTables(context, read)
  await using open = new ResourceStack()
  const requested = await readLists(context, open)
  const warned = requested && warningFields(requested.read)
  const isSameCompany = await readManufacturers(world, settings.values.manufacturers, read)
  const { oldSource, newSource, ...sides } = await sidesOf(context)
  const options = {
    ...sides,
    limits: settings.limits,
    failOn,
    tables,
    lists: requested?.lists,
    isSameCompany,
    records: read.account,
  }
  const diff = await diffDeclarations(world, options, withoutRepeats(terminal.reporter))
  terminal.stopProgress()
  const complete = resultOf(oldSource, newSource, diff, warned)
  const output: DiffOutput = {
    facts: { oldSource, newSource, nowMs: world.clock.nowMs(), version: VERSION },
    json: jsonPieces(complete),
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
  const { schema, status, counts, account } = complete
  const result = file ? { schema, status, counts, account, ...warned, output: reportOutput! } : complete
  return { diff, output, result }
}

/** What holds for both sides is said once. */
function withoutRepeats({ notice, progress }: Reporter): Reporter {
  const said = new Set<string>()
  return {
    progress,
    notice(one) {
      if (!said.has(one.message)) notice(one)
      said.add(one.message)
    },
  }
}

function sideOf(source: string): DiffSide {
  return { sources: [source], emptyText: `nothing to compare: no XML file in ${escapeUnsafe(source)}` }
}

/** The two sources of the operands, or the library on a day and now. */
async function sidesOf(context: Context): Promise<{
  readonly oldSource: string
  readonly newSource: string
  readonly old: DiffSide
  readonly new: DiffSide
}> {
  const { world, settings } = context
  const { operands, values, sources } = settings
  const { diffSince } = values
  const [oldSource, newSource, ...others] = operands
  if (diffSince === undefined) {
    if (
      oldSource === undefined ||
      newSource === undefined ||
      others.length > 0 ||
      sources.library?.kind === 'flag'
    ) {
      throw new Failure('usage', 'diff compares two sources, or a library since a day', {
        hint: 'matdecl diff OLD NEW, or matdecl diff --since 2026-10-01',
      })
    }
    return { oldSource, newSource, old: sideOf(oldSource), new: sideOf(newSource) }
  }
  if (operands.length > 0) {
    throw new Failure('usage', '--since is about the library, and cannot be given with sources', {
      hint: 'leave out the sources, or the option',
    })
  }
  const day =
    parseCalendarDate(diffSince) === undefined ? startOfPeriod(diffSince, world.clock.nowMs()) : diffSince
  const directory = libraryPath(context)
  const library = await libraryByDay(context)
  return {
    oldSource: `${directory} on ${day}`,
    newSource: directory,
    old: library(day),
    new: library(undefined),
  }
}

/** The result, unless the gate matched: then throws, with the result beside the error. */
function settleDiff({ diff, result }: Pick<DiffRun, 'diff' | 'result'>): DiffResult {
  const failure = gateFailure(diff.gate, 'part')
  if (failure === undefined) return result
  const { schema: _, status: __, ...known } = result
  throw new FailedRun(failure, known)
}

function resultOf(
  oldSource: string,
  newSource: string,
  diff: AccountedDiff,
  warned: WarningFields | undefined,
): DiffResult {
  const { gate, changed, ...rest } = diff
  return {
    schema: 'matdecl.diff/1',
    status: 'ok',
    old: oldSource,
    new: newSource,
    ...rest,
    changed: changed.map(({ changes, ...part }) => ({ ...part, changes: { ...changes } })),
    ...(gate && { failOn: gate }),
    ...warned,
  }
}
