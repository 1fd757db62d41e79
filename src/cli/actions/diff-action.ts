import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { DeclarationDiff } from '../../diff/declaration-diff.ts'
import { diffDeclarations } from '../../diff/diff.ts'
import { countsLine, type DiffLook, diffMarkdown, diffText, PLAIN_DIFF } from '../../diff/diff-text.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { parseFailOn } from '../../report/fail-on.ts'
import { openReportFile } from '../../report/write-report.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'
import { gateFailure } from '../report/gate.ts'
import { writeStepSummary } from '../report/step-summary.ts'

/** Compares two downloads part by part; then says what the gate found. */
export const run: CommandRun = async (context) => {
  const { world, settings, terminal, facts } = context
  const { values } = settings
  const [oldSource, newSource] = takeOperands(settings) as [string, string]
  const failOn = values.failOn === undefined ? undefined : parseFailOn(values.failOn)
  const format = fileFormat(values.reportOutput)
  await using file = format && (await openFile(context, values.reportOutput!))

  const options = { oldSource, newSource, limits: limitsOf(settings), failOn }
  const diff = await diffDeclarations(world, options, terminal.reporter)
  terminal.stopProgress()
  const failure = gateFailure(diff.gate, 'part')
  const object = diffObject(oldSource, newSource, diff)
  if (file) {
    for (const piece of render(format!, diff, object)) await file.write(piece)
    await file.publish()
    facts.output = values.reportOutput
  }
  await writeStepSummary(world, terminal, [...diffMarkdown(diff)].join(''))
  if (terminal.choice.json) {
    Object.assign(facts, file ? { counts: object.counts } : object)
    if (failure) throw failure
    for (const piece of jsonPieces({ schema: 'matdecl.diff/1', status: 'ok', ...facts }))
      await terminal.write(piece)
    return 0
  }
  if (file) {
    if (!terminal.choice.quiet) await terminal.write(`${escapeUnsafe(values.reportOutput!)}\n`)
    terminal.say('diff.done', countsLine(diff), { counts: object.counts })
  } else {
    for (const piece of diffText(diff, lookOf(context))) await terminal.write(piece)
  }
  if (failure) throw failure
  return 0
}

type DiffFormat = 'text' | 'json' | 'md'

function fileFormat(output: string | undefined): DiffFormat | undefined {
  if (output === undefined || output === '-') return undefined
  const ending = /\.[^./\\]+$/.exec(output)?.[0].toLowerCase()
  if (ending === '.json') return 'json'
  if (ending === '.md' || ending === '.markdown') return 'md'
  if (ending === '.txt') return 'text'
  throw new Failure('usage', `--output ${output}: its ending names no format of a diff`, {
    hint: 'use .txt, .json or .md',
  })
}

function render(
  format: DiffFormat,
  diff: DeclarationDiff,
  object: Readonly<Record<string, unknown>>,
): Iterable<string> {
  if (format === 'json') return jsonPieces({ schema: 'matdecl.diff/1', status: 'ok', ...object })
  return format === 'md' ? diffMarkdown(diff) : diffText(diff, PLAIN_DIFF)
}

function diffObject(oldSource: string, newSource: string, diff: DeclarationDiff): Record<string, unknown> {
  const { gate, counts, ...rest } = diff
  return {
    old: oldSource,
    new: newSource,
    counts: {
      ...counts,
      added: diff.added.length,
      removed: diff.removed.length,
      changed: diff.changed.length,
      listUpdates: diff.listUpdates.reduce((total, { parts }) => total + parts, 0),
      redated: diff.redated,
      unchanged: diff.unchanged,
    },
    ...rest,
    ...(gate && { failOn: gate }),
  }
}

function openFile({ world, settings }: Context, path: string): ReturnType<typeof openReportFile> {
  return openReportFile(world, absolutePath(world.cwd, path), '--output', settings.values.overwrite)
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
