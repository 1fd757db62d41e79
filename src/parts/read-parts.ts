import { resolve } from 'node:path'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { Failure, type FailureOptions, isFailure } from '../base/failure.ts'
import type { Notice, Reporter } from '../base/notice.ts'
import { formatCount, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { type Bom, BomBuilder } from './bom.ts'
import type { ChosenColumns } from './layout.ts'
import type { ListSource } from './list-text.ts'
import { type DamageKind, findDamage, LeadingZeros, type LostZeros } from './part-number.ts'
import { isTextFile, type ListRow, PartsList, type RowDetails } from './read-list.ts'
import type { SkipKind } from './row-kind.ts'

/** Where the parts of a run come from. */
export interface PartsInput {
  /** Part numbers given one by one, exact. */
  readonly parts: readonly string[]
  /** Paths of lists; `-` is standard input. */
  readonly files: readonly string[]
  /** The columns of tables that are not found by their headings. */
  readonly columns?: ChosenColumns
  /** The encoding of text lists. */
  readonly encoding?: string | undefined
  /** The sheet of workbooks: its name, or a number from 1. */
  readonly sheet?: string | undefined
  /** Also read tables with quantities as a bill of materials, and the manufacturers. */
  readonly bom?: boolean
  /** Receives each row, for showing what was read. */
  readonly onRow?: ((list: PartsList, row: ListRow) => void) | undefined
  /** Doubtful values are mistakes. */
  readonly strict: boolean
}

/** One mistake or doubt about the requested parts; `file` and `line` are absent for a part that was given by itself. */
interface Finding extends Pick<FailureOptions, 'file' | 'line' | 'hint' | 'options' | 'problems'> {
  readonly message: string
  readonly part?: string
}

interface PartWarning extends Finding {
  readonly kind: DamageKind
}

/** Rows of one list that are no parts, for one reason. */
interface SkippedRows {
  readonly kind: SkipKind | 'no part number'
  readonly count: number
  /** The first of them, with the value that is no part number. */
  readonly first: readonly { readonly line: number; readonly value: string }[]
}

/** What was read from one list. */
export interface ReadList {
  readonly list: PartsList
  /** Rows with a part number, repeated ones counted again. */
  readonly values: number
  readonly skipped: readonly SkippedRows[]
  /** Its bill of materials, if requested. */
  readonly bom: Bom | undefined
}

export interface PartsRead {
  /** Each part once, in the order first seen. */
  readonly parts: readonly string[]
  /** How many repeated values were dropped. */
  readonly duplicates: number
  /** The first warnings; `warningCount` is the number of all. */
  readonly warnings: readonly PartWarning[]
  readonly warningCount: number
  readonly lists: readonly ReadList[]
}

/** Skipped rows of each kind that are named one by one. */
const NAMED = 5

/**
 * Reads all requested parts, from the command line and from lists, before any request is sent. Values are kept exactly as they
 * are. Doubtful ones are reported with file and line; all mistakes are thrown together as one `usage` failure.
 */
export async function readParts(world: World, input: PartsInput, reporter: Reporter): Promise<PartsRead> {
  const sources = listSources(world, input)
  const reading: Reading = {
    input,
    parts: new Set(),
    findings: { problems: new FindingList(), warnings: new FindingList() },
    reporter,
  }
  const { parts, findings } = reading
  for (const part of input.parts) {
    checkArgument(part, findings)
    parts.add(part)
  }
  const lists: ReadList[] = []
  for (const source of sources) {
    const problemsBefore = findings.problems.count
    const { columns = {}, encoding, sheet } = input
    const details = input.bom === true || input.onRow !== undefined
    const list = new PartsList(world, source, { columns, encoding, sheet, details })
    const read = await readOne(list, reading)
    if (read.values === 0 && findings.problems.count === problemsBefore) {
      findings.problems.add({ file: list.name, message: nothingIn(read) })
    }
    lists.push(read)
  }

  const failure = inputFailure(findings, input.strict)
  if (failure !== undefined) throw failure
  const { warnings } = findings
  reportWarnings(warnings, reporter)
  const values = lists.reduce((sum, list) => sum + list.values, input.parts.length)
  return {
    parts: [...parts],
    duplicates: values - parts.size,
    warnings: warnings.first,
    warningCount: warnings.count,
    lists,
  }
}

function nothingIn({ list, skipped }: ReadList): string {
  const heading = list.layout === undefined ? '' : ` in column "${list.layout.columns.part.heading}"`
  const others = skipped.length === 0 ? '' : `: ${skipped.map(skippedText).join('; ')}`
  return `${list.name} has no part numbers${heading}${others}`
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
  const { part, quantity, level, manufacturer } = input.columns ?? {}
  const isChosen = [part, quantity, level, manufacturer].some((column) => column !== undefined)
  if (isChosen && sources.every(isTextFile)) {
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
  readonly input: PartsInput
  readonly parts: Set<string>
  readonly findings: Findings
  readonly reporter: Reporter
}

/** Adds the parts of one list to those of the reading, and what is wrong with them to its findings. */
async function readOne(list: PartsList, reading: Reading): Promise<ReadList> {
  const { input, parts, findings, reporter } = reading
  const bom = new BomBuilder()
  const file = list.name
  const zeros = new LeadingZeros()
  const skipped = new Map<SkippedRows['kind'], { count: number; first: { line: number; value: string }[] }>()
  let values = 0
  let isBom: boolean | undefined
  const warn = (kind: DamageKind, line: number, part: string, says: string): void =>
    findings.warnings.add({ kind, file, line, part, message: `${file}:${line}: ${quote(part)} ${says}` })
  const doubt = (kind: DamageKind, line: number, says: string): void =>
    findings.warnings.add({ kind, file, line, message: `${file}:${line}: ${says}` })
  const skip = (kind: SkippedRows['kind'], { line, part }: ListRow): void => {
    const rows = skipped.get(kind) ?? { count: 0, first: [] }
    skipped.set(kind, rows)
    rows.count += 1
    if (rows.first.length < NAMED) rows.first.push({ line, value: part })
  }
  const addPart = ({ part, line, doubts }: ListRow): void => {
    values += 1
    const fault = unsendable(part)
    if (fault !== undefined) {
      findings.problems.add({ file, line, message: `${file}:${line}: ${quote(part)} ${fault}` })
      return
    }
    const damage = doubts === undefined ? findDamage(part) : undefined
    if (damage !== undefined) warn(damage.kind, line, part, damage.says)
    zeros.see(part, line)
    parts.add(part)
  }
  const see = (row: ListRow): void => {
    const { part, line, problem, doubts = [], details } = row
    for (const { kind, says } of doubts) doubt(kind, line, says)
    if (problem !== undefined) findings.problems.add({ file, line, message: `${file}:${line}: ${problem}` })
    else if (row.skip !== undefined) {
      skip(row.skip, row)
      // A spreadsheet has lost the part number; other placeholders were written by people.
      if (input.strict && /^#./.test(part)) {
        findings.problems.add({
          file,
          line,
          message: `${file}:${line}: ${quote(part)} is a spreadsheet error value`,
        })
      }
    } else if (part === '') skip('no part number', row)
    else addPart(row)
    const isPlaceholder = row.skip === 'placeholder'
    if (isBom === true && problem === undefined && (row.skip === undefined || isPlaceholder)) {
      const known = details ?? NO_DETAILS
      // A line without a number is a line.
      const description = known.description || (isPlaceholder ? part : '')
      bom.add({ line, details: { ...known, description }, part: isPlaceholder ? '' : part })
    }
    input.onRow?.(list, row)
  }
  try {
    for await (const rows of list.rows()) {
      isBom ??= startBom(list, bom, doubt, reading)
      for (const row of rows) see(row)
    }
    if (isBom === true) bom.endList()
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'usage') throw error
    findings.problems.add({ ...error.details, message: error.message, hint: error.hint })
  }
  const read = {
    list,
    values,
    skipped: [...skipped].map(([kind, rows]) => ({ kind, ...rows })),
    bom: isBom === true ? bom.result([]) : undefined,
  }
  for (const notice of listNotices(read, input)) reporter.notice(notice)
  warnOfLostZeros(zeros.result(), warn, findings)
  return read
}

/** Begins the bill of materials of a list, if requested. */
function startBom(
  { name, layout }: PartsList,
  bom: BomBuilder,
  doubt: (kind: DamageKind, line: number, says: string) => void,
  { input }: Reading,
): boolean {
  if (input.bom !== true) return false
  const { columns, isTotalQuantity: isTotal = false } = layout ?? {}
  const hasLevels = columns?.level !== undefined
  bom.startList(name, doubt, { hasLevels, isTotal, hasQuantities: columns?.quantity !== undefined })
  return true
}

/** What to say about one list: the columns, the encoding, and on one line for each kind the rows that are no parts. */
function listNotices({ list, values, skipped }: ReadList, input: PartsInput): readonly Notice[] {
  const { name: file, layout, sheet } = list
  const notices: Notice[] = []
  if (layout !== undefined) {
    const { part, quantity, level } = layout.columns
    const where = sheet === undefined || sheet.of === 1 ? '' : ` of sheet "${cleanText(sheet.name, 80)}"`
    const isBom = input.bom === true && quantity !== undefined
    const levels = level === undefined ? '' : `, levels from "${level.heading}"`
    const bom = isBom ? `, quantities from "${quantity.heading}"${levels}` : ''
    notices.push({
      level: 'info',
      event: 'parts.column',
      message: `${file}: ${plural(values, 'part number')} from column "${part.heading}"${where}${bom}`,
      data: {
        file,
        column: part.heading,
        ...(list.headingLine === undefined ? {} : { headingRow: list.headingLine }),
        ...(where === '' ? {} : { sheet: sheet?.name }),
      },
    })
    if (input.bom === true && layout.doubt !== undefined) {
      const options = ['quantity-column', 'level-column']
      notices.push({ level: 'warning', event: 'parts.no-quantity', message: layout.doubt, options })
    }
  }
  const { otherLines = 0, firstOtherLine } = list.text ?? {}
  if (otherLines > 0) {
    notices.push({
      level: 'warning',
      event: 'parts.encoding',
      message: `${file}: ${plural(otherLines, 'line')} (the first is ${firstOtherLine}) not UTF-8, read as Windows-1252; name another encoding if that is wrong`,
      options: ['encoding'],
      data: { file, lines: otherLines, firstLine: firstOtherLine },
    })
  }
  for (const rows of skipped) {
    // Most rows have their number somewhere else, or are not parts at all.
    const isMost = rows.kind === 'no part number' && rows.count > values
    // Rows of another table or of notes below a list: one of these words may be a part number after all.
    const isDoubtful = rows.kind === 'footer' && rows.first.some(({ value }) => /^\S*\d\S*$/.test(value))
    notices.push({
      level: rows.kind === 'placeholder' || isMost || isDoubtful ? 'warning' : 'info',
      event: 'parts.skipped',
      message: `${file}: ${skippedText(rows)}${isMost ? '; is this the right column?' : ''}`,
      ...(isMost ? { options: ['parts-column'] } : {}),
      data: { file, kind: rows.kind, count: rows.count, rows: rows.first.map(({ line }) => line) },
    })
  }
  return notices
}

/** `3 placeholders skipped: N/A (rows 4, 9), TBD (row 7)`. */
function skippedText({ kind, count, first }: SkippedRows): string {
  if (kind === 'no part number') {
    const rows = first.map(({ line }) => line).join(', ')
    return `${plural(count, 'row')} without a part number (${rows}${count > first.length ? ' …' : ''})`
  }
  const named = [...new Set(first.map(({ value }) => value))].map((value) => {
    const lines = first.filter((row) => row.value === value).map(({ line }) => line)
    const rows = `${lines.length === 1 ? 'row' : 'rows'} ${lines.join(', ')}`
    return value === '' ? rows : `${cleanText(value, 40)} (${rows})`
  })
  return `${plural(count, `${kind}`)} skipped: ${named.join(', ')}${count > first.length ? ' …' : ''}`
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
  findings.warnings.count += count - first.length
}

/** What a list of part numbers alone says beside them. */
const NO_DETAILS: RowDetails = {
  quantity: '',
  unit: '',
  level: '',
  item: '',
  description: '',
  manufacturer: '',
  isFitted: true,
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

function reportWarnings({ first, count }: FindingList<PartWarning>, reporter: Reporter): void {
  for (const { message, ...data } of first) {
    reporter.notice({ level: 'warning', event: 'parts.doubtful', message, data })
  }
  if (count > first.length) {
    const message = `and ${plural(count - first.length, 'more suspicious part number')}`
    reporter.notice({ level: 'warning', event: 'parts.doubtful-more', message, data: { count } })
  }
}

/** Everything found while the lists are read: mistakes and doubts. */
interface Findings {
  readonly problems: FindingList<Finding>
  readonly warnings: FindingList<PartWarning>
}

/** Keeps the first findings, and counts the rest. */
class FindingList<One extends Finding> {
  readonly #kept: One[] = []
  count = 0

  add(finding: One): void {
    this.count += 1
    if (this.#kept.length < SHOWN) this.#kept.push(finding)
  }

  /** By line within a file: what concerns a whole column is found last. Files stay in the order they were given. */
  get first(): readonly One[] {
    const files = [...new Set(this.#kept.map(({ file }) => file))]
    return this.#kept.toSorted(
      (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0),
    )
  }
}

/** How many mistakes or doubts are shown one by one. */
const SHOWN = 20

/** One `usage` failure for all mistakes (with `strict`, doubts too); undefined when there are none. */
function inputFailure({ problems, warnings }: Findings, strict: boolean): Failure | undefined {
  const all: readonly Finding[] = [...problems.first, ...(strict ? warnings.first : [])]
  const count = problems.count + (strict ? warnings.count : 0)
  const [first] = all
  if (first === undefined) return undefined
  const hinted = count === 1 ? first : problems.first.find(({ hint }) => hint !== undefined)
  const { hint, options } = hinted?.hint === undefined ? fixTheList(problems.count > 0) : hinted
  const { message, file, line } = first
  if (count === 1)
    return new Failure('usage', message, { hint, options, problems: first.problems, file, line })
  const rest = count > SHOWN ? [`and ${formatCount(count - SHOWN)} more`] : []
  const shown = [...all.slice(0, SHOWN).map((one) => one.message), ...rest]
  const what = `${formatCount(count)} problems with the requested parts`
  return new Failure('usage', what, { hint, options, problems: shown, file, line })
}

function fixTheList(isWrong: boolean): Pick<Finding, 'hint' | 'options'> {
  if (isWrong) return { hint: 'fix the list' }
  return {
    hint: 'fix the list, or leave this out to request the values unchanged',
    options: ['strict-parts'],
  }
}
