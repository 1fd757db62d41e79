import { resolve } from 'node:path'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { DamageKind } from './damage.ts'
import { collectDistinct, type Distinct } from './distinct.ts'
import { watchLeadingZeros } from './lost-zeros.ts'
import { findDamage, isOrdinary } from './part-damage.ts'
import { isPartHeading } from './part-heading.ts'
import { isText, type ListSource, readPartsList } from './parts-list.ts'
import { collectFindings, type Finding, type Findings, inputFailure } from './read-parts-findings.ts'

/** Where the parts of a run come from. */
export interface PartsWanted {
  /** The values of `--part`, exact. */
  readonly parts: readonly string[]
  /** The paths of `--parts-file`; `-` is standard input. */
  readonly files: readonly string[]
  /** The column of tables: a heading, or a number from 1. */
  readonly column?: string | undefined
  /** Doubtful values are mistakes. */
  readonly strict: boolean
}

export interface PartWarning {
  readonly kind: DamageKind
  /** Absent for a value of `--part`. */
  readonly file?: string
  readonly line?: number
  readonly part?: string
  readonly message: string
}

export interface PartsRead {
  /** Each part once, in the order first seen. */
  readonly parts: readonly string[]
  /** How many values were left out because they stood there before. */
  readonly duplicates: number
  /** The first doubts; `warningCount` says how many there are. */
  readonly warnings: readonly PartWarning[]
  readonly warningCount: number
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/**
 * Reads every part a run asks for, from the command line and from lists, before anything is sent. Values are exact; doubts are
 * told with file and line. All mistakes are told together in one Failure of kind `usage`.
 */
export async function readParts(world: World, wanted: PartsWanted, reporter: Reporter): Promise<PartsRead> {
  const sources = listSources(world, wanted)
  const seen = collectDistinct()
  const findings = collectFindings()
  let values = takeArguments(wanted.parts, seen, findings)
  for (const source of sources) values += await readSource(world, source, wanted, seen, findings, reporter)

  const failure = inputFailure(findings, wanted.strict)
  if (failure !== undefined) throw failure
  tellWarnings(findings.warnings(), reporter)
  return {
    parts: seen.values(),
    duplicates: values - seen.count(),
    warnings: findings.warnings().first.map(toWarning),
    warningCount: findings.warnings().count,
  }
}

function listSources(world: World, wanted: PartsWanted): readonly ListSource[] {
  if (wanted.files.filter((file) => file === '-').length > 1) {
    throw new Failure('usage', 'standard input can be read only once', { hint: 'give --parts-file - once' })
  }
  if (wanted.files.includes('-') && world.stdin.isTTY === true) {
    throw new Failure('usage', '--parts-file - reads standard input, which is a terminal', {
      hint: 'pipe a list into it, or name a file',
    })
  }
  const sources = wanted.files.map(
    (file): ListSource =>
      file === '-' ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) },
  )
  if (wanted.column !== undefined && sources.every(isText)) {
    throw new Failure('usage', '--parts-column names a column, and there is no table to read it from', {
      hint: 'text lists (.txt) have no columns; give a .csv, .tsv or .xlsx file with --parts-file',
    })
  }
  return sources
}

function takeArguments(parts: readonly string[], seen: Distinct, findings: Findings): number {
  for (const part of parts) {
    const damage = findDamage(part)
    const fault = part.trim() === '' ? 'is blank' : unsendable(part)
    if (fault !== undefined)
      findings.problem({
        message: `--part ${quote(part)} ${fault}`,
        hint: part.trim() === '' ? 'give a part number, or leave it out' : 'remove it',
      })
    else if (part.includes('\ufffd')) {
      findings.problem({
        message: `--part ${quote(part)} was not valid UTF-8 on the command line`,
        hint: 'give it in UTF-8',
      })
    } else if (damage !== undefined) {
      findings.warning({ kind: damage.kind, part, message: `--part ${quote(part)} ${damage.says}` })
    }
    seen.add(part)
  }
  return parts.length
}

async function readSource(
  world: World,
  source: ListSource,
  wanted: PartsWanted,
  seen: Distinct,
  findings: Findings,
  reporter: Reporter,
): Promise<number> {
  const file = 'path' in source ? source.path : 'standard input'
  const zeros = watchLeadingZeros()
  const doubted = new Set<number>()
  const warn = (kind: DamageKind, line: number, part: string, says: string): void =>
    findings.warning({ kind, file, line, part, message: `${file}:${line}: ${quote(part)} ${says}` })
  const warnOfHeading = (part: string, line: number): void => {
    if (isPartHeading(part)) warn('heading', line, part, 'looks like a heading, not like a part number')
  }
  const check = (part: string, line: number): void => {
    if (isOrdinary(part)) {
      if (values === 0) warnOfHeading(part, line)
      zeros.see(part, line)
      seen.add(part)
    } else checkClosely(part, line)
  }
  const checkClosely = (part: string, line: number): void => {
    const fault = unsendable(part)
    if (fault !== undefined) {
      findings.problem({ file, line, message: `${file}:${line}: ${quote(part)} ${fault}` })
      return
    }
    if (values === 0) warnOfHeading(part, line)
    const damage = doubted.has(line) ? undefined : findDamage(part)
    if (damage !== undefined) warn(damage.kind, line, part, damage.says)
    zeros.see(part, line)
    seen.add(part)
  }
  const problemsBefore = findings.problemCount()
  let values = 0
  const sink = {
    parts(parts: readonly string[], lines: readonly number[]) {
      for (let index = 0; index < parts.length; index += 1) {
        check(parts[index]!, lines[index]!)
        values += 1
      }
    },
    problem: (line: number, message: string) =>
      findings.problem({ file, line, message: `${file}:${line}: ${message}` }),
    doubt(line: number, kind: DamageKind, message: string) {
      doubted.add(line)
      findings.warning({ kind, file, line, message: `${file}:${line}: ${message}` })
    },
  }
  try {
    const reading = await readPartsList(world.disk, source, wanted.column, sink, async (path) => {
      const { readWorkbookDetails } = await import('./read-workbook-details.ts')
      return readWorkbookDetails(world, path)
    })
    if (reading.column !== undefined) {
      const { column, sheet } = reading
      const place = sheet === undefined ? '' : ` of sheet "${cleanText(sheet, 80)}"`
      const message = `${file}: ${plural(values, 'part number')} from column "${column}"${place}`
      reporter.notice({
        level: 'info',
        event: 'parts.column',
        message,
        data: { file, column, ...(sheet === undefined ? {} : { sheet }) },
      })
    }
    if (values === 0 && findings.problemCount() === problemsBefore) {
      findings.problem({ file, message: `${file} has no part numbers in it` })
    }
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'usage') throw error
    findings.problem({ ...error.details, message: error.message, hint: error.hint })
  }
  const lost = zeros.result()
  for (const { part, line } of lost.first) {
    warn(
      'leading-zeros',
      line,
      part,
      `is shorter than the ${lost.width} digits of the rest: were leading zeros lost?`,
    )
  }
  findings.uncounted(lost.count - lost.first.length)
  return values
}

function unsendable(part: string): string | undefined {
  if (CONTROL.test(part)) {
    return part.includes('\t') ? 'has a tab in it: is this a table?' : 'has a control character in it'
  }
  return part.isWellFormed() ? undefined : 'is not valid Unicode'
}

function quote(part: string): string {
  const shown = escapeUnsafe(part.length > 120 ? `${part.slice(0, 119)}…` : part)
  return `"${shown}"`
}

function tellWarnings(
  { first, count }: { readonly first: readonly Finding[]; readonly count: number },
  reporter: Reporter,
): void {
  for (const { message, hint: _, ...data } of first) {
    reporter.notice({ level: 'warning', event: 'parts.doubtful', message, data })
  }
  if (count > first.length) {
    const message = `and ${plural(count - first.length, 'more doubtful part number')}`
    reporter.notice({ level: 'warning', event: 'parts.doubtful-more', message, data: { count } })
  }
}

function toWarning({ kind, file, line, part, message }: Finding): PartWarning {
  return {
    kind: kind!,
    message,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(part === undefined ? {} : { part }),
  }
}
