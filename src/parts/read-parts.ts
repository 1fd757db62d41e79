import { resolve } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { Bom } from './bom.ts'
import { type BomBuilder, createBomBuilder } from './bom-builder.ts'
import type { WantedBomColumns } from './bom-columns.ts'
import { columnNotices } from './column-notices.ts'
import type { DamageKind } from './damage.ts'
import { type Counted, collectFindings, type Findings, inputFailure } from './findings.ts'
import type { ListColumn, ListItem } from './list-item.ts'
import { type ListSource, nameOf } from './list-source.ts'
import { type LostZeros, watchLeadingZeros } from './lost-zeros.ts'
import { isPartHeading } from './part-column.ts'
import { findDamage } from './part-damage.ts'
import { isTextFile, readList } from './read-list.ts'

/** Where the parts of a run come from. */
export interface PartsInput {
  /** Part numbers given one by one, exact. */
  readonly parts: readonly string[]
  /** Paths of lists; `-` is standard input. */
  readonly files: readonly string[]
  /** The column of tables: a heading, or a number from 1. */
  readonly column?: string | undefined
  /** Also read tables with quantities as a bill of materials. */
  readonly bom?: WantedBomColumns | undefined
  /** Doubtful values are mistakes. */
  readonly strict: boolean
}

export interface PartWarning {
  readonly kind: DamageKind
  /** Absent for a part that was given by itself. */
  readonly file?: string
  readonly line?: number
  readonly part?: string
  readonly message: string
}

export interface PartsRead {
  /** Each part once, in the order first seen. */
  readonly parts: readonly string[]
  /** How many repeated values were dropped. */
  readonly duplicates: number
  /** The first warnings; `warningCount` is the number of all. */
  readonly warnings: readonly PartWarning[]
  readonly warningCount: number
  /** The bill of materials, if requested and a list has quantities. */
  readonly bom: Bom | undefined
}

/**
 * Reads all requested parts, from the command line and from lists, before any request is sent. Values are kept exactly as they
 * are. Doubtful ones are reported with file and line; all mistakes are thrown together as one `usage` failure.
 */
export async function readParts(world: World, input: PartsInput, reporter: Reporter): Promise<PartsRead> {
  const sources = listSources(world, input)
  const parts = new Set<string>()
  const bom = createBomBuilder()
  const findings = collectFindings()
  for (const part of input.parts) {
    checkArgument(part, findings)
    parts.add(part)
  }
  let values = input.parts.length
  for (const source of sources) {
    const problemsBefore = findings.problems.result().count
    const items = readList(world, source, input.column, input.bom)
    const count = await readSource(items, nameOf(source), { parts, bom, findings, reporter })
    if (count === 0 && findings.problems.result().count === problemsBefore) {
      findings.problems.add({ file: nameOf(source), message: `${nameOf(source)} has no part numbers` })
    }
    values += count
  }

  const failure = inputFailure(findings, input.strict)
  if (failure !== undefined) throw failure
  const warnings = findings.warnings.result()
  reportWarnings(warnings, reporter)
  return {
    parts: [...parts],
    duplicates: values - parts.size,
    warnings: warnings.first.map(({ hint: _, options: __, kind, ...rest }) => ({ kind: kind!, ...rest })),
    warningCount: warnings.count,
    bom: bom.result(parts),
  }
}

function listSources(world: World, input: PartsInput): readonly ListSource[] {
  if (input.files.filter((file) => file === '-').length > 1) {
    throw new Failure('usage', 'standard input can be read only once', {
      hint: 'give - once',
      options: ['parts-file'],
    })
  }
  if (input.files.includes('-') && world.stdin.isTTY === true) {
    throw new Failure('usage', 'the parts list - is standard input, which is a terminal', {
      hint: 'pipe a list into it, or name a file',
      options: ['parts-file'],
    })
  }
  const sources = input.files.map(
    (file): ListSource =>
      file === '-' ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) },
  )
  const columns = [input.column, input.bom?.quantity, input.bom?.level]
  if (columns.some((column) => column !== undefined) && sources.every(isTextFile)) {
    throw new Failure('usage', 'a column is named, but every list is a text file, which has no columns', {
      hint: 'leave the column out, or give a .csv, .tsv or .xlsx file',
      options: ['parts-file'],
    })
  }
  return sources
}

function checkArgument(part: string, findings: Findings): void {
  const options = ['part']
  const isBlank = part.trim() === ''
  const fault = isBlank ? 'is blank' : unsendable(part)
  const damage = findDamage(part)
  if (fault !== undefined) {
    const hint = isBlank ? 'give a part number, or leave it out' : 'remove it'
    findings.problems.add({ message: `part ${quote(part)} ${fault}`, hint, options })
  } else if (part.includes('\ufffd')) {
    const message = `part ${quote(part)} was not valid UTF-8 on the command line`
    findings.problems.add({ message, hint: 'give it in UTF-8', options })
  } else if (damage !== undefined) {
    findings.warnings.add({ kind: damage.kind, part, message: `part ${quote(part)} ${damage.says}` })
  }
}

/** What the lists are read into. */
interface Reading {
  readonly parts: Set<string>
  readonly bom: BomBuilder
  readonly findings: Findings
  readonly reporter: Reporter
}

/** Adds the parts of one list to `parts` and what is wrong with them to `findings`. Returns how many values it has. */
async function readSource(
  batches: AsyncIterable<readonly ListItem[]>,
  file: string,
  { parts, bom, findings, reporter }: Reading,
): Promise<number> {
  const zeros = watchLeadingZeros()
  let values = 0
  let doubtedLine = 0
  let column: ListColumn | undefined
  const warn = (kind: DamageKind, line: number, part: string, says: string): void =>
    findings.warnings.add({ kind, file, line, part, message: `${file}:${line}: ${quote(part)} ${says}` })
  const check = (part: string, line: number): void => {
    const fault = unsendable(part)
    if (fault !== undefined) {
      findings.problems.add({ file, line, message: `${file}:${line}: ${quote(part)} ${fault}` })
      return
    }
    if (values === 1 && isPartHeading(part)) warn('heading', line, part, 'looks like a heading')
    const damage = doubtedLine === line ? undefined : findDamage(part)
    if (damage !== undefined) warn(damage.kind, line, part, damage.says)
    zeros.see(part, line)
    parts.add(part)
  }
  const doubt = (kind: DamageKind, line: number, says: string): void =>
    findings.warnings.add({ kind, file, line, message: `${file}:${line}: ${says}` })
  bom.startList(file, doubt)
  try {
    for await (const items of batches) {
      for (const item of items) {
        if ('column' in item) column = item
        else if ('use' in item && item.use !== undefined) {
          const { line, use } = item
          bom.add({ part: 'part' in item ? item.part : '', line, use })
        }
        if ('part' in item) {
          values += 1
          check(item.part, item.line)
        } else if ('problem' in item) {
          const { line, problem } = item
          findings.problems.add({ file, line, message: `${file}:${line}: ${problem}` })
        } else if ('doubt' in item) {
          doubtedLine = item.line
          doubt(item.kind, item.line, item.doubt)
        }
      }
    }
    bom.endList()
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'usage') throw error
    findings.problems.add({ ...error.details, message: error.message, hint: error.hint })
  }
  if (column !== undefined) for (const notice of columnNotices(column, file, values)) reporter.notice(notice)
  warnOfLostZeros(zeros.result(), warn, findings)
  return values
}

function warnOfLostZeros(
  { first, count, width }: LostZeros,
  warn: (kind: DamageKind, line: number, part: string, says: string) => void,
  findings: Findings,
): void {
  for (const { part, line } of first) {
    const says = `is shorter than the ${width} digits of the other values: were leading zeros lost?`
    warn('leading-zeros', line, part, says)
  }
  findings.warnings.skip(count - first.length)
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

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

function reportWarnings({ first, count }: Counted, reporter: Reporter): void {
  for (const { message, hint: _, options: __, ...data } of first) {
    reporter.notice({ level: 'warning', event: 'parts.doubtful', message, data })
  }
  if (count > first.length) {
    const message = `and ${plural(count - first.length, 'more suspicious part number')}`
    reporter.notice({ level: 'warning', event: 'parts.doubtful-more', message, data: { count } })
  }
}
