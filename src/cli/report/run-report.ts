import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { readSmallText } from '../../fs/input-file.ts'
import {
  absolutePath,
  checkDirectoryTarget,
  type NamedPath,
  refuseSameFiles,
} from '../../fs/output-target.ts'
import { readCsvTable } from '../../parts/list-table.ts'
import { openParts, type PartsRead } from '../../parts/read-parts.ts'
import { ANNOTATED, annotateFormatter } from '../../report/formats/annotate.ts'
import { FORMATS, type FormatName, formatOf } from '../../report/formats/choose-format.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { junitFormatter } from '../../report/formats/junit.ts'
import { stepSummary } from '../../report/formats/markdown.ts'
import { parseFailOn, requireListsOf } from '../../report/gate/fail-on.ts'
import { createWaivers, WAIVER_COLUMNS, type Waivers, waiversOf } from '../../report/gate/waivers.ts'
import { writeLetters } from '../../report/letters.ts'
import { type ProductList, readLines } from '../../report/lines.ts'
import { type UserTable, UserTables } from '../../report/records.ts'
import { type ReferenceTables, readReferenceTables } from '../../report/regulations/reference-tables.ts'
import { readManufacturers, readSubstanceLists } from '../../report/regulations/user-tables.ts'
import { type ReportOptions, report } from '../../report/report.ts'
import type { GateResult, ReportResult } from '../../report/report-result.ts'
import { type ReportSummary, summaryFields } from '../../report/report-summary.ts'
import { findsUnreadable } from '../../report/report-warnings.ts'
import { NOTHING_TO_JUDGE } from '../../report/row-findings.ts'
import { checkShardRules, parseShard } from '../../report/sources/shard.ts'
import { openReportFile, type WriteRows, writeFormatted } from '../../report/write-report.ts'
import type { Context } from '../context.ts'
import { listOptions, noneFound, warningFields } from '../parts-lists.ts'
import { isTable, parseToml, plainValue } from '../settings/config-file.ts'
import { inputsOf } from '../settings/settings.ts'
import { hasStepSummary, writeStepSummary } from '../step-summary.ts'
import { type LibrarySources, librarySources } from './library-sources.ts'

/** A report that was written. */
export interface WrittenReport {
  readonly summary: ReportSummary
  /** What `--json` prints, without the rows. */
  readonly result: ReportResult
}

/** What the report of these settings shows. */
export function reportShape({ world, settings }: Context): ReportShape {
  const kind = settings.values.substances ? 'substances' : 'parts'
  const hasLines = settings.values.partsFile.length > 0
  const nowMs = reportTimeMs({ world, settings })
  const createdMs = world.clock.nowMs()
  return { kind, nowMs, createdMs, version: VERSION, about: aboutOf(settings), hasLines }
}

const DAY_MS = 86_400_000

/** From when ages and days to an end are counted: the end of the day of `--as-of`, or now. */
function reportTimeMs({ world, settings }: Pick<Context, 'world' | 'settings'>): number {
  const { asOf } = settings.values
  const nowMs = world.clock.nowMs()
  return asOf === undefined ? nowMs : Math.min(nowMs, Date.parse(asOf) + DAY_MS - 1)
}

/** True when the report goes to a file. */
export function hasReportFile({ settings }: Pick<Context, 'settings'>): boolean {
  const { reportOutput } = settings.values
  return reportOutput !== undefined && reportOutput !== '-'
}

/**
 * Reports on the sources in the operands: to the `--output` file, or else to `rows`, and to the further files of the options.
 * A gate that matched is part of the summary, not an error.
 */
export async function runReport(context: Context, rows: WriteRows): Promise<WrittenReport> {
  const { world, settings, terminal } = context
  const { failOn: words, junit, reportOutput, substances, allParts, history } = settings.values
  const { shard: shardWords, requests: requestsPath, overwrite } = settings.values
  const failOn = words === undefined ? undefined : parseFailOn(words)
  const shard = shardWords === undefined ? undefined : parseShard(shardWords)
  checkShardRules(shard, failOn)
  const annotated = annotatedFormat(context)
  const format =
    hasReportFile(context) && annotated === undefined
      ? formatOf(reportOutput!, '--output', FORMATS)
      : undefined
  const sources = await givenSources(context)
  await using open = new ResourceStack()
  const requested = await readLists(context, open)
  const { isSameCompany, substanceLists, ...judged } = await readRules(context)
  const warned = requested && warningFields(requested.read)
  const shape = { ...reportShape(context), warned }
  await refuseOwnInputs(context)
  await using file = hasReportFile(context) ? await openFile(context, reportOutput!, '--output') : undefined
  await using junitFile = junit === undefined ? undefined : await openFile(context, junit, '--junit')
  const requests =
    requestsPath === undefined
      ? undefined
      : {
          directory: absolutePath(world.cwd, requestsPath),
          what: '--requests',
          overwrite,
          reporter: terminal.reporter,
        }
  if (requests) {
    await checkDirectoryTarget(world.disk, requests.directory, requests.what, overwrite, 'write into it')
  }
  const { limits } = settings
  const { json, logFormat } = terminal.choice
  const rules = { failOn, ...judged }
  const options = {
    ...sources,
    limits,
    ...tablesOf(substances, format),
    lists: requested?.lists,
    isSameCompany,
    substanceLists,
    allParts,
    history,
    shard,
    nowMs: reportTimeMs(context),
    isSaidBeside:
      !json && logFormat === 'text' && settings.values.explain === undefined && findsUnreadable(failOn),
    ...rules,
  }
  const formatter =
    annotated === undefined
      ? format && (await FORMATS[format].open(shape))
      : annotateFormatter(requested!.read.lists[0]!.list, annotated)
  await using read = report(world, options, terminal.reporter)
  await (file ? writeFormatted(read, formatter!, file.write) : rows(read))
  if (junitFile) {
    const format = junitFormatter(shape)
    await writeFormatted(read, format, junitFile.write)
  }
  const written =
    requests && (await writeLetters(world, read, requests.directory, { ...requests, ...rules, ...shape }))
  const summary = await read.summary()
  warnOfNoneFound(context, requested?.read, summary)
  const bytes = await file?.publish()
  await junitFile?.publish()
  terminal.stopProgress()
  if (hasStepSummary(world)) {
    let page = ''
    const format = stepSummary(shape)
    await writeFormatted(read, format, async (piece) => {
      page += String(piece)
    })
    await writeStepSummary(context, page)
  }
  const result: ReportResult = {
    schema: 'matdecl.report/1',
    status: 'ok',
    ...(bytes === undefined ? {} : { output: reportOutput, bytes }),
    ...(junitFile === undefined ? {} : { junit }),
    ...(written === undefined ? {} : { requests: { ...written, directory: requestsPath! } }),
    ...summaryFields(summary),
    ...warned,
  }
  return { summary, result }
}

/** What the rows of a report are judged by, beside the rules to fail on. */
export async function readRules(context: Pick<Context, 'world' | 'settings' | 'terminal'>) {
  const { failOn, manufacturers, substanceList } = context.settings.values
  const read = new UserTables(context.terminal.reporter)
  const substanceLists = await readSubstanceLists(context.world, substanceList, read)
  if (failOn !== undefined)
    requireListsOf(
      parseFailOn(failOn),
      substanceLists.map(({ name }) => name),
    )
  return {
    tables: await readTables(context, read),
    waivers: await readWaivers(context, read),
    isSameCompany: await readManufacturers(context.world, manufacturers, read),
    substanceLists,
    records: read.account,
  }
}

/** What a report is about: the parts list and the sources. */
function aboutOf({ operands, values }: Context['settings']): NonNullable<ReportShape['about']> {
  const { partsFile, asOf } = values
  const left = operands.length - ABOUT_SOURCES
  const named = `${operands.slice(0, ABOUT_SOURCES).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
  return [
    ['parts list', partsFile.join(', ')] as const,
    [operands.length === 1 ? 'source' : 'sources', named] as const,
    ['as of', asOf ?? ''] as const,
  ].flatMap(([name, text]) => (text === '' ? [] : [[name, escapeUnsafe(text)] as const]))
}

const ABOUT_SOURCES = 3

/** Which rows are read: a workbook has the substances too, if there are any. */
function tablesOf(
  substances: boolean,
  format: FormatName | undefined,
): Pick<ReportOptions, 'substances' | 'substancesOptional'> {
  const hasBoth = format !== undefined && FORMATS[format].hasBothTables === true
  return { substances: substances || hasBoth, substancesOptional: !substances }
}

function warnOfNoneFound(
  { terminal }: Context,
  requested: PartsRead | undefined,
  { counts }: ReportSummary,
): void {
  const isNone =
    requested !== undefined &&
    counts.missing > 0 &&
    counts.missing + counts.assembly === requested.parts.length
  if (!isNone) return
  const { message, hint } = noneFound(requested.parts, requested.lists)
  terminal.reporter.notice({ level: 'warning', event: 'report.none-found', message: `${message}; ${hint}` })
}

/** The format of an annotated list; undefined without the option. Throws `usage` where it has no one list, or no file to write. */
function annotatedFormat({ settings }: Context): keyof typeof ANNOTATED | undefined {
  const { annotate, partsFile, reportOutput } = settings.values
  if (!annotate) return undefined
  if (!hasReportFile({ settings })) {
    throw new Failure('usage', '--annotate needs a file to write', { hint: 'add -o bom-checked.xlsx' })
  }
  if (partsFile.length !== 1) {
    throw new Failure('usage', `--annotate needs one parts list, not ${partsFile.length}`, {
      hint: 'give one with --parts-file',
    })
  }
  return formatOf(reportOutput!, '--output', ANNOTATED)
}

/** The parts lists of these settings with their lines; undefined without any. */
export async function readLists(
  { world, settings, terminal }: Pick<Context, 'world' | 'settings' | 'terminal'>,
  open: ResourceStack,
): Promise<{ readonly read: PartsRead; readonly lists: readonly ProductList[] } | undefined> {
  const { partsFile } = settings.values
  if (partsFile.length === 0) return undefined
  const wanted = { ...listOptions(settings.values), parts: [], files: partsFile, bom: true }
  const read = await openParts(world, wanted, terminal.reporter, open)
  return { read, lists: await readLines(read) }
}

/** Refuses files of the report that would replace what it reads, or each other. */
export async function refuseOwnInputs({ world, settings }: Context): Promise<void> {
  const { reportOutput, junit } = settings.values
  const at = ({ what, path }: NamedPath): NamedPath => ({ what, path: absolutePath(world.cwd, path) })
  const sources = settings.operands.map((path) => ({ what: 'source', path }))
  const results = [
    ...(hasReportFile({ settings }) ? [{ what: 'output', path: reportOutput! }] : []),
    ...(junit === undefined ? [] : [{ what: 'junit', path: junit }]),
  ]
  await refuseSameFiles(world.disk, [...inputsOf(settings), ...sources].map(at), results.map(at))
}

/** Opens the file of an option, which `what` names in messages. */
export function openFile({ world, settings, terminal }: Context, path: string, what: string) {
  const { overwrite } = settings.values
  const { reporter } = terminal
  return openReportFile(world, absolutePath(world.cwd, path), { what, overwrite, reporter })
}

/** The Failure of kind `policy` when a gate matched: how many rows, and which by which rule, `most` of them by name. */
export function gateFailure(
  gate: GateResult | undefined,
  what = 'row',
  most = Number.POSITIVE_INFINITY,
): Failure | undefined {
  if (gate === undefined || gate.passed) return undefined
  const rules = `--fail-on ${gate.rules.join(',')}`
  if (gate.matched === 0) {
    return new Failure('policy', `${NOTHING_TO_JUDGE}: ${rules} passes only what is found clean`, {
      hint: 'the sources have no declaration of what is asked for, or every line of a parts list is marked not fitted: look at the warnings above',
    })
  }
  const named = gate.rows.slice(0, most)
  const problems = named.map(({ part, source, rules, line, product, findings = [] }) => {
    const where = product ?? (line === undefined ? '' : `line ${line}`)
    const name = part === '' ? where || '(no part number)' : cleanText(part)
    const why = findings.length === 0 ? rules.join(', ') : findings.join('; ')
    return `${name}: ${cleanText(why, 400)}${source === '' ? '' : ` (${source})`}`
  })
  const left = gate.matched - named.length
  const more = left === 0 ? '' : `and ${plural(left, `more ${what}`, `more ${what}s`)}`
  if (left > 0 && most > gate.rows.length) problems.push(more)
  const verb = gate.matched === 1 ? 'matches' : 'match'
  return new Failure('policy', `${plural(gate.matched, what)} ${verb} ${rules}`, {
    problems,
    hint: `${left > 0 && most <= gate.rows.length ? `${more}; ` : ''}the note column of the report has the reasons`,
  })
}

/** The sources of a report: the operands, else the library. Standard input is read once, and not from a terminal. */
async function givenSources(context: Context): Promise<LibrarySources> {
  const { world, settings } = context
  const { partsFile } = settings.values
  const { operands } = settings
  const uses = [...operands, ...partsFile].filter((one) => one === '-')
  if (uses.length > 1) {
    throw new Failure('usage', 'standard input can be read only once', {
      hint: 'give - once: as a source, or as a parts list',
      options: ['parts-file'],
    })
  }
  if (operands.includes('-') && world.stdin.isTTY === true) {
    throw new Failure('usage', 'the source - is standard input, which is a terminal', {
      hint: 'pipe an archive or an XML file into it, or name a file',
    })
  }
  const { asOf } = settings.values
  if (operands.length === 0) return librarySources(context, asOf)
  const option = asOf !== undefined ? '--as-of' : settings.sources.library?.kind === 'flag' ? '--library' : ''
  if (option !== '') {
    throw new Failure('usage', `${option} is about the library, and cannot be given with a source`, {
      hint: 'leave out the source, or the option',
    })
  }
  return { sources: operands }
}

/** The reference tables of these settings: those that ship with the tool, or the files of the options. */
export function readTables(
  { world, settings }: Pick<Context, 'world' | 'settings'>,
  read?: UserTables,
): Promise<ReferenceTables> {
  const { svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances } = settings.values
  return readReferenceTables(world, { svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances }, read)
}

/** Reads the file of the `waivers` option: TOML by its extension, else CSV. Undefined without the option. */
async function readWaivers(
  { world, settings }: Pick<Context, 'world' | 'settings'>,
  read: UserTables,
): Promise<Waivers | undefined> {
  const { waivers: path } = settings.values
  if (path === undefined) return undefined
  const { text } = await readSmallText(world, { path, absolute: absolutePath(world.cwd, path) })
  const table = /\.toml$/i.test(path)
    ? await tomlTable(text, path)
    : await readCsvTable(text, path, WAIVER_COLUMNS, ['waivers'])
  return createWaivers(path, waiversOf(table, path, read), reportTimeMs({ world, settings }))
}

/** The `[[waiver]]` tables of a TOML file. */
async function tomlTable(text: string, name: string): Promise<UserTable> {
  const { waiver: tables } = await parseToml(text, name, () => 'fix the line', ['waivers'])
  if (!Array.isArray(tables) || !tables.every(isTable)) {
    throw new Failure('usage', `${name} has no [[waiver]] tables`, {
      hint: `write [[waiver]], and under it ${WAIVER_COLUMNS.join(', ')}`,
      options: ['waivers'],
      file: name,
    })
  }
  const lines = text
    .split('\n')
    .flatMap((line, index) => (/^\s*\[\[\s*waiver\s*\]\]/.test(line) ? [index + 1] : []))
  const records = tables.map((table, index) => ({
    line: lines.length === tables.length ? lines[index] : undefined,
    values: Object.fromEntries(Object.entries(table).map(([key, value]) => [key, plainValue(value)])),
  }))
  const headings = [...new Set(tables.flatMap((table) => Object.keys(table)))]
  return { headings, headingLine: 0, records, blankLines: [], shortLines: [] }
}
