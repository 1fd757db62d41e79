import { basename, extname, join } from 'node:path'
import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import type { Notice } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import type { SyncResult } from '../../download/download-result.ts'
import { absolutePath, isDirectory, makeDirectories } from '../../fs/output-target.ts'
import { accountOfKnown, replay } from '../../library/known.ts'
import { readLibrary } from '../../library/library.ts'
import type { PartsRead } from '../../parts/read-parts.ts'
import { type CheckResult, indexPage } from '../../report/check-result.ts'
import { rowName } from '../../report/columns.ts'
import { alternateText, plainText, TONE_SIGNS } from '../../report/document.ts'
import { FORMATS, formatOf } from '../../report/formats/choose-format.ts'
import { junitFormatter } from '../../report/formats/junit.ts'
import { escapeMarkdown, headingLines, markdownRow } from '../../report/formats/markdown.ts'
import { PLAIN_LOOK, type TextLook, wrapped } from '../../report/formats/text.ts'
import { parseFailOn } from '../../report/gate/fail-on.ts'
import { countPieces, gateTone, judgedOf } from '../../report/line-counts.ts'
import type { ProductList } from '../../report/lines.ts'
import { type Product, productFields } from '../../report/product.ts'
import { type Report, report } from '../../report/report.ts'
import { productStatuses, tablesText } from '../../report/report-document.ts'
import type { GateResult, Waiver } from '../../report/report-result.ts'
import { type ReportSummary, summaryAccount } from '../../report/report-summary.ts'
import { findingText, findingWord, NOTHING_TO_JUDGE } from '../../report/row-findings.ts'
import type { JudgedRow } from '../../report/rows/report-row.ts'
import { writeFormatted } from '../../report/write-report.ts'
import { checkCriteria } from '../../request/check-criteria.ts'
import type { Context } from '../context.ts'
import { openSandbox, serviceTarget } from '../download/access.ts'
import { criteriaFailure } from '../download/prepare.ts'
import { noneFoundFailure, runSync, type SyncRequest, saySynced } from '../download/run-sync.ts'
import { FailedRun, printResult } from '../json.ts'
import { aboutLibrary, libraryPath } from '../library-path.ts'
import { type WarningFields, warningFields } from '../parts-lists.ts'
import { hasStepSummary, writeStepSummary } from '../step-summary.ts'
import { answerTimes, librarySources } from './library-sources.ts'
import { terminalLook } from './print-report.ts'
import { openFile, readLists, readRules, refuseOwnInputs } from './run-report.ts'

const DAY_MS = 86_400_000
/** What a product may not have to be shipped. */
const USUAL_GATE = 'failed,doubtful'
/** Lines with their reasons, and notes. */
const MOST_SHOWN = 10
const MOST_NOTES = 5

/** Syncs the parts of the lists, judges each list as a product, and prints the verdicts. */
export async function printCheck(context: Context): Promise<number> {
  await using held = new ResourceStack()
  const { world, settings, terminal } = context
  const { values, operands } = settings
  const output = await outputOf(context)
  const asked: Context = {
    ...context,
    settings: { ...settings, operands: [], values: { ...values, partsFile: operands } },
  }
  await refuseOwnInputs(asked)
  const requested = await readCheckedLists(asked, held)
  const synced = values.offline ? undefined : await syncParts(asked, requested.read, held)
  const { parts, ...age } = await knownOf(context, requested.read.parts)
  const warned = warningFields(requested.read)
  const checked = await judge(asked, requested.lists, output, warned)
  terminal.stopProgress()
  const result: Omit<CheckResult, 'schema' | 'status'> = {
    sync: synced?.result ?? null,
    library: { directory: libraryPath(context), ...age },
    ...(checked.isMadeUp ? { sandbox: true } : {}),
    ...(values.reportOutput === undefined ? {} : { output: values.reportOutput }),
    ...(values.junit === undefined ? {} : { junit: values.junit }),
    account: {
      parts,
      ...summaryAccount(checked.summary),
    },
    ...warned,
    failOn: checked.rules,
    products: checked.products.map(productFields).map((one) => ({ ...one, passed: one.passed === true })),
  }
  const isAlone = synced === undefined || synced.failure !== undefined || synced.result?.skipped === true
  const rest = isAlone ? ageText(age, world.clock.nowMs()) : undefined
  if (checked.reference !== undefined) {
    const message = `reference tables: ${tablesText(checked.reference)}`
    terminal.reporter.notice({ level: 'detail', event: 'check.tables', message })
  }
  const { json, quiet } = terminal.choice
  if (!json && !quiet) {
    const look = terminalLook(terminal, terminal.columns)
    for (const line of resultLines(checked, rest, look)) await terminal.write(`${line}\n`)
  }
  await writeStepSummary(context, stepSummary(checked))
  // That the service was not reached is worse than what is known: the verdict may be out of date.
  const isElsewhere = json || quiet
  const said = isElsewhere ? resultLines(checked, rest, PLAIN_LOOK) : undefined
  const noneFound = synced?.noneFound
  const notPassed = gateFailure(context, checked, said, noneFound)
  if (synced?.failure !== undefined) {
    // What passes by answers that are not old can wait for the next run.
    const mayWait = synced.mayWait === true && notPassed === undefined
    const problems = said?.map((line) => line.trim())
    throw new FailedRun(problems ? synced.failure.with({ problems }) : synced.failure, result, mayWait)
  }
  const failure = notPassed ?? noneFound
  if (failure !== undefined) throw new FailedRun(failure, result)
  if (quiet && !json) sayUnclean(terminal.reporter, checked)
  await printResult(terminal, { schema: 'matdecl.check/1', status: 'ok', ...result })
  return 0
}

/** Silence means that nothing needs a look: what is found in lines and not waived does, and a file that cannot be read, whatever the rules are. */
function sayUnclean(
  { notice }: Context['terminal']['reporter'],
  { products, reference, rules }: Checked,
): void {
  const unclean = products.filter(({ findings }) =>
    findings.some(({ row, finding }) => row.line !== undefined && finding.waivers === undefined),
  )
  // Most lists have the same files beside them.
  const beside = products.toSorted((a, b) => b.count.unreadable.count - a.count.unreadable.count).slice(0, 1)
  const all = unclean.length > 0 ? unclean : beside.filter(({ count }) => count.unreadable.count > 0)
  const left = all.length - MOST_SHOWN
  const texts = [
    ...all.slice(0, MOST_SHOWN).map((one) => `${one.list}: ${verdictText(one, reference, rulesText(rules))}`),
    ...(left > 0 ? [`and ${plural(left, 'more list')} with lines that are not clean`] : []),
  ]
  for (const message of texts) notice({ level: 'warning', event: 'check.unclean', message, needsLook: true })
}

/** The rules of a gate, where they are not the usual ones. */
function rulesText(rules: readonly string[]): string {
  const text = rules.join(',')
  return text === USUAL_GATE ? '' : text
}

/** Of many lists what each has is one line, and many warnings are two: `matdecl parts` shows each. */
async function readCheckedLists(context: Context, held: ResourceStack) {
  const { terminal, settings } = context
  const { reporter } = terminal
  const names = settings.values.partsFile
  const isMany = names.length > FEW_LISTS
  const warnings: Notice[] = []
  const notice: typeof reporter.notice = (one) => {
    if (one.level === 'warning') warnings.push(one)
    else reporter.notice(isMany && one.event === LIST_EVENT ? { ...one, level: 'detail' } : one)
  }
  let requested: NonNullable<Awaited<ReturnType<typeof readLists>>>
  try {
    requested = (await readLists(
      { ...context, terminal: { ...terminal, reporter: { ...reporter, notice } } },
      held,
    ))!
  } finally {
    const shown = warnings.length > FEW_WARNINGS ? FEW_WARNINGS - 1 : warnings.length
    for (const [index, one] of warnings.entries())
      reporter.notice(index < shown ? one : { ...one, level: 'detail' })
    const left = warnings.length - shown
    if (left > 0) {
      const message = `and ${plural(left, 'more warning')} about the ${isMany ? 'lists' : 'list'}: matdecl parts ${names.length === 1 ? names[0] : 'LIST'} shows them`
      reporter.notice({ level: 'warning', event: 'check.warnings', message, data: { count: left } })
    }
  }
  if (isMany) {
    const { lists } = requested.read
    const [rows, lines] = [sum(lists.map((one) => one.rows)), sum(lists.map((one) => one.lines))]
    const message = `${plural(lists.length, 'list')}: ${plural(rows, 'row')}, ${plural(lines, 'line')} with a part number; matdecl parts shows what is read of each`
    reporter.notice({ level: 'info', event: LIST_EVENT, message, data: { lists: lists.length, rows, lines } })
  }
  return requested
}

const FEW_WARNINGS = 2
const FEW_LISTS = 2
const LIST_EVENT = 'parts.column'

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** A list may be judged by what the library has, when a request has failed. */
async function syncParts(
  context: Context,
  { parts, lists }: PartsRead,
  held: ResourceStack,
): Promise<{
  readonly result: CheckResult['sync']
  readonly failure?: Failure
  /** Everything was answered lately. */
  readonly mayWait?: boolean
  readonly noneFound?: Failure | undefined
}> {
  const { world, settings } = context
  const { values } = settings
  const target = values.sandbox ? await openSandbox(context, held) : serviceTarget(context)
  const checked = checkCriteria({ ...values, parts }, world.clock.nowMs())
  if ('problems' in checked) throw criteriaFailure(undefined, checked.problems, target.tip)
  const wanted = { criteria: checked.criteria, parts }
  const request: SyncRequest = { wanted, lists, target, maxAgeMs: values.maxAge ?? DAY_MS, isStep: true }
  try {
    const result = await runSync(context, request, held)
    saySynced(context, result, request)
    return { result: syncFields(result), noneFound: noneFoundFailure(result, request) }
  } catch (error) {
    if (!(error instanceof FailedRun) || !isFailure(error.reason) || error.reason.kind === 'interrupted')
      throw error
    const { known, reason: failure, mayWait } = error
    return { result: syncFields(known as unknown as SyncResult), failure, mayWait }
  }
}

function syncFields({ schema: _, status: __, ...fields }: SyncResult): NonNullable<CheckResult['sync']> {
  return fields
}

/** What a verdict rests on. */
type Age = Pick<CheckResult['library'], 'oldestAnswer' | 'neverAsked'>

/** What the library knows of the parts. */
async function knownOf(
  context: Context,
  parts: readonly string[],
): Promise<Age & Pick<CheckResult['account'], 'parts'>> {
  const { answers } = await readLibrary(context.world, libraryPath(context)).catch((error: unknown) => {
    throw aboutLibrary(error)
  })
  const newest = answerTimes(answers)
  const searches = [...replay(answers).values()]
  const times = parts.flatMap((part) => newest.get(part) ?? [])
  return {
    oldestAnswer: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    neverAsked: parts.filter((part) => !newest.has(part)).length,
    parts: accountOfKnown(parts.map((part) => [part, searches.map((one) => one.parts.get(part))])),
  }
}

function ageText({ oldestAnswer, neverAsked }: Age, nowMs: number): string {
  const age = oldestAnswer === null ? undefined : Math.max(0, nowMs - Date.parse(oldestAnswer))
  return [
    'by the library alone',
    ...(age === undefined ? [] : [`the oldest answer is ${formatDuration(age)} old`]),
    ...(neverAsked === 0 ? [] : [`the service was never asked for ${plural(neverAsked, 'part')}`]),
  ].join('; ')
}

/** Where the report goes: a file, or a directory of pages. */
type Output = { readonly file: string } | { readonly directory: string } | undefined

async function outputOf({ world, settings }: Context): Promise<Output> {
  const { reportOutput: path } = settings.values
  if (path === undefined) return undefined
  if (path === '-') {
    throw new Failure('usage', 'check prints its verdict on standard output', {
      hint: 'name a file or a directory, or use matdecl report',
      options: ['output'],
    })
  }
  const absolute = absolutePath(world.cwd, path)
  if (/[/\\]$/.test(path) || (await isDirectory(world.disk, absolute))) return { directory: absolute }
  formatOf(path, '--output', FORMATS)
  return { file: path }
}

interface Checked {
  readonly summary: ReportSummary
  readonly products: readonly Product[]
  readonly rules: readonly string[]
  readonly reference: ReportSummary['reference']
  readonly isMadeUp: boolean
}

/** Judges the lists by the library, and writes the reports. */
async function judge(
  context: Context,
  lists: readonly ProductList[],
  output: Output,
  warned: WarningFields,
): Promise<Checked> {
  const { world, settings, terminal } = context
  const words = settings.values.failOn ?? USUAL_GATE
  const options = {
    ...(await sourcesOf(context)),
    limits: settings.limits,
    substances: false,
    substancesOptional: true,
    isSaidBeside: true,
    ...(await readRules(context)),
    failOn: parseFailOn(words),
  }
  const { junit } = settings.values
  await using junitFile = junit === undefined ? undefined : await openFile(context, junit, '--junit')
  await using read = report(world, { ...options, lists, ...substancesFor(output) }, terminal.reporter)
  if (output !== undefined && 'file' in output) await writeReport(context, read, output.file, lists, warned)
  if (junitFile) {
    await writeFormatted(read, junitFormatter({ nowMs: world.clock.nowMs() }), junitFile.write)
    await junitFile.publish()
  }
  const summary = await read.summary()
  const { products = [], reference, waivers, isMadeUp: hasMadeUp } = summary
  const isMadeUp = hasMadeUp || settings.values.sandbox
  if (output !== undefined && 'directory' in output) {
    await makeDirectories(world, output.directory)
    const names = pageNames(lists)
    // A waiver of another list matches something.
    const elsewhere: ReadonlySet<Waiver> = new Set(waivers?.used)
    const own = { ...options, waivers: options.waivers && { ...options.waivers, elsewhere } }
    for (const [index, list] of lists.entries()) {
      // What there is to warn of was said with all lists.
      const reporter = { ...terminal.reporter, notice: () => undefined }
      await using one = report(world, { ...own, lists: [list] }, reporter)
      await writeReport(context, one, join(output.directory, names[index]!), [list])
    }
    await using file = await openFile(context, join(output.directory, 'index.html'), '--output')
    const about = { nowMs: world.clock.nowMs(), version: VERSION, rules: words.split(','), isMadeUp }
    for await (const piece of indexPage(products, names, about)) await file.write(piece)
    await file.publish()
  }
  return { summary, products, reference, isMadeUp, rules: words.split(',').map((word) => word.trim()) }
}

// A list can be checked before there is a library: all of its parts are missing then.
async function sourcesOf(context: Context) {
  const path = libraryPath(context)
  const isThere = await isDirectory(context.world.disk, path)
  if (!isThere) return { sources: [], answered: new Map() }
  // The verdict says that the data is made up.
  const { reporter } = context.terminal
  const notice: typeof reporter.notice = (one) => {
    if (one.event !== 'library.sandbox') reporter.notice(one)
  }
  return librarySources(
    { ...context, terminal: { ...context.terminal, reporter: { ...reporter, notice } } },
    undefined,
  )
}

function substancesFor(output: Output): { readonly substances: boolean } {
  const isFile = output !== undefined && 'file' in output
  return { substances: isFile && FORMATS[formatOf(output.file, '--output', FORMATS)].hasBothTables === true }
}

async function writeReport(
  context: Context,
  read: Report,
  path: string,
  lists: readonly ProductList[],
  warned?: WarningFields,
): Promise<void> {
  const about = [['parts list', lists.map(({ name }) => escapeUnsafe(name)).join(', ')] as const]
  const shape = {
    kind: 'parts',
    nowMs: context.world.clock.nowMs(),
    version: VERSION,
    about,
    hasLines: true,
    warned,
  } as const
  const formatter = await FORMATS[formatOf(path, '--output', FORMATS)].open(shape)
  await using file = await openFile(context, path, '--output')
  await writeFormatted(read, formatter, file.write)
  await file.publish()
}

/** A page of each list, by its name; the same name twice gets a number. */
function pageNames(lists: readonly ProductList[]): readonly string[] {
  const used = new Set(['index'])
  return lists.map(({ name }) => {
    const stem = name === '-' ? 'stdin' : basename(name, extname(name))
    let free = stem
    for (let count = 2; used.has(free.toLowerCase()); count += 1) free = `${stem}-${count}`
    used.add(free.toLowerCase())
    return `${free}.html`
  })
}

/** A verdict line for each list; then the lines that fail, are waived or are worth a note, each with its reason. */
export function resultLines(
  { products, rules, reference, isMadeUp }: Omit<Checked, 'summary'>,
  rest: string | undefined,
  look: TextLook,
): readonly string[] {
  const indented = (text: string): readonly string[] => wrapped(`  ${text}`, look)
  const verdicts = products.flatMap((product) => {
    const tone = gateTone(product.count, product.gate?.passed === true)
    const text = `${look.signs[tone]} ${product.list}: ${verdictText(product, reference, rulesText(rules))}`
    return wrapped(text, look).map((line) => look.tone(tone, line))
  })
  const lines = products.flatMap((product) => [...failingLines(product), ...waivedLines(product)])
  const many = products.length > 1
  const noted = products.filter(({ gate }) => gate?.passed).flatMap(noteLines)
  return [
    ...verdicts,
    ...(isMadeUp ? indented(MADE_UP) : []),
    ...(rest === undefined ? [] : indented(rest)),
    ...firstLines(groupedLines(lines, many), MOST_SHOWN, 'line', sum(products.map(linesBeyond))).flatMap(
      indented,
    ),
    ...products.flatMap((product) => assemblyText(product, many).flatMap(indented)),
    ...firstLines(groupedLines(noted, many, 'note: '), MOST_NOTES, 'note').flatMap(indented),
  ]
}

/** What is found in a line, or in what is no line, which has no number. */
interface ResultLine {
  readonly list: string
  readonly line?: number | undefined
  readonly name: string
  readonly text: string
}

/** The lines that the gate matches, each once; then the product as a whole, and files. */
function failingLines({ list, gate, matchedFiles }: Product): readonly ResultLine[] {
  const byLine = new Map<number | undefined, Map<string, string[]>>()
  for (const row of gate?.rows ?? []) {
    if (row.inside) continue
    const reasons = byLine.get(row.line) ?? new Map<string, string[]>()
    byLine.set(row.line, reasons)
    const names = reasons.get(whyItFails(row)) ?? []
    reasons.set(whyItFails(row), names)
    if (row.part !== '')
      names.push(`${cleanText(row.part, 60)}${alternateText(row.part, { [row.part]: row.alternateOf })}`)
  }
  const files = matchedFiles.map(({ sources, findings }) => ({
    list,
    name: sources.join(', '),
    text: findings.map(findingText).join('; '),
  }))
  const lines = [...byLine].map(([line, reasons]): ResultLine => {
    // The numbers of a line may have reasons of their own.
    const texts = [...reasons].map(([why, names], index) =>
      index === 0 ? why : `${names.join(' or ')}: ${why}`,
    )
    const [names = []] = reasons.values()
    return {
      list,
      line,
      name: line === undefined ? 'the product' : names.join(' or '),
      text: texts.join('; '),
    }
  })
  return [...lines, ...files]
}

/** How many lines the gate matches that it does not name. */
function linesBeyond({ gate }: Product): number {
  const named = new Set(gate?.rows.map(({ line, product, part }) => line ?? product ?? part))
  return Math.max(0, (gate?.matched ?? 0) - named.size)
}

/** `line 4 P-WORSE: not-compliant, waived until 2026-11-30: last time buy (JD); …` */
function waivedLines({ list, waived }: Product): readonly ResultLine[] {
  return waived.map(({ row, finding }) => {
    const { until, reason, owner } = finding.waivers![0]!
    const text = `${findingWord(finding)}, waived until ${until}: ${reason} (${owner}); ${finding.sentence}`
    return { list, ...lineOf(row), text }
  })
}

function noteLines({ list, notes }: Product): readonly ResultLine[] {
  return notes.map(({ row, finding }) => ({ list, ...lineOf(row), text: finding.sentence }))
}

function lineOf(row: JudgedRow): Pick<ResultLine, 'line' | 'name'> {
  const { line, part, sources } = row
  if (line === undefined) return { name: sources.join(', ') }
  return { line: line.line, name: cleanText(part === '' ? rowName(row) : part, 60) }
}

/** Lines of which the same is said are one: `lines 3 P-1, 4 P-2 and 7 more: missing: …`. Those of a list that is given twice are said once. */
function groupedLines(lines: readonly ResultLine[], isNamed: boolean, mark = ''): readonly GroupedLine[] {
  const groups = new Map<string, Map<string, ResultLine>>()
  for (const one of lines) {
    const key = [one.list, one.line === undefined ? one.name : '', one.text].join('\n')
    const group = groups.get(key) ?? new Map<string, ResultLine>()
    groups.set(key, group.set(`${one.line} ${one.name}`, one))
  }
  return [...groups.values()].map((group) => {
    const all = [...group.values()]
    const [{ list, line, text }] = all as [ResultLine]
    const names = all.slice(0, MOST_NAMED).map((one) => [one.line, one.name].filter(Boolean).join(' '))
    const left = all.length - names.length
    const who = `${line === undefined ? '' : all.length === 1 ? 'line ' : 'lines '}${names.join(', ')}${left > 0 ? ` and ${formatCount(left)} more` : ''}`
    return { count: all.length, text: `${mark}${isNamed ? `${list} ` : ''}${who}: ${text}` }
  })
}

interface GroupedLine {
  readonly count: number
  readonly text: string
}

/** The first of them, and how many more there are, `beyond` those that are known. */
function firstLines(
  lines: readonly GroupedLine[],
  most: number,
  what: string,
  beyond = 0,
): readonly string[] {
  const left = beyond + sum(lines.slice(most).map(({ count }) => count))
  return [
    ...lines.slice(0, most).map(({ text }) => text),
    ...(left > 0 ? [`and ${plural(left, `more ${what}`)}`] : []),
  ]
}

/** Assemblies that fail by the lines in them, which say why. */
function assemblyText({ list, gate }: Product, isNamed: boolean): readonly string[] {
  const inside = (gate?.rows ?? []).filter((row) => row.inside)
  if (inside.length === 0) return []
  const names = plainText(
    [{ parts: inside.map(({ part }) => cleanText(part, 60)), count: inside.length }],
    MOST_NAMED,
  )
  return [
    `${isNamed ? `${list} ` : ''}by the lines in ${inside.length === 1 ? 'it, an assembly' : `them, ${inside.length} assemblies`}: ${names}`,
  ]
}

const MOST_NAMED = 5

/** `all 18 lines are clean; passes, with 3 notes (RoHS …; REACH: …)`; `rules` where they are not the usual ones. */
function verdictText(product: Product, reference: ReportSummary['reference'], rules = ''): string {
  const { count, gate, waived, notes } = product
  if (judgedOf(count) === 0) return plainText(countPieces(count))
  const accepted = waived.length > 0 ? [plural(waived.length, 'waived finding')] : []
  const with_ = [...accepted, ...(notes.length > 0 ? [plural(notes.length, 'note')] : [])]
  const passes = `passes${rules === '' ? '' : ` ${rules}`}${with_.length === 0 ? '' : `, with ${with_.join(' and ')}`}`
  const isSaid = rules !== '' || with_.length > 0
  const isUnfounded = gate?.matched === 0 && product.matchedFiles.length === 0
  const reason = isUnfounded ? ': no line has a declaration' : ` ${rules}`
  const fails = [...(rules === '' ? [] : [`fails${reason}`]), ...accepted].map((text) => `; ${text}`).join('')
  const outcome = !gate?.passed ? fails : isSaid ? `; ${passes}` : ''
  return plainText(countPieces(count, `${outcome} (${productStatuses(product, reference)})`))
}

/**
 * The error of a check that does not pass; `said` are the lines of the result, where they are not on standard output. That no part
 * was ever found explains the rest.
 */
function gateFailure(
  { world, settings }: Context,
  { products }: Checked,
  said: readonly string[] | undefined,
  noneFound: Failure | undefined,
): Failure | undefined {
  const failing = products.filter(({ gate }) => gate?.passed === false)
  const [first] = failing
  if (first === undefined) return undefined
  // An annotation of GitHub is read without what is above it.
  const counts =
    said === undefined && !hasStepSummary(world) ? '' : `: ${plainText(countPieces(first.count))}`
  const message =
    products.length === 1
      ? `${first.list} does not pass${counts}`
      : `${formatCount(failing.length)} of ${plural(products.length, 'list')} ${failing.length === 1 ? 'does' : 'do'} not pass`
  return new Failure('policy', escapeUnsafe(message), {
    ...(said === undefined
      ? {}
      : { problems: said.slice(products.length === 1 ? 1 : 0).map((line) => line.trim()) }),
    hint: noneFound ? `${noneFound.message}; ${noneFound.hint}` : nextStep(failing, settings.values),
  })
}

/** What to do first about lists that do not pass. */
function nextStep(
  failing: readonly Product[],
  { offline, reportOutput: output }: Context['settings']['values'],
): string {
  const [first] = failing
  const isEmpty = failing.every(({ count }) => count.verdict === NOTHING_TO_JUDGE)
  if (isEmpty) return `see what is read of the list: matdecl parts ${first!.list}`
  const files = failing.flatMap(({ matchedFiles }) => matchedFiles.flatMap(({ sources }) => sources))
  if (failing.every(({ gate }) => gate!.matched === 0) && files.length > 0)
    return `remove or replace ${files.slice(0, MOST_NAMED).join(', ')}`
  const found = failing.flatMap(({ findings }) => findings.map(({ finding }) => finding.rule))
  if (offline && found.length > 0 && found.every((rule) => rule === 'missing'))
    return 'leave out --offline: the service may have these declarations'
  if (output !== undefined)
    return `${output} has every line with its reasons, and the letters to the suppliers`
  return 'add -o report.html: a page with every line, its reasons and the letters to the suppliers'
}

function stepSummary({ products, rules, reference, isMadeUp }: Checked): string {
  const verdicts = products.map((product) => {
    const text = `${TONE_SIGNS[gateTone(product.count, product.gate?.passed === true)]} ${product.list}: ${verdictText(product, reference)}`
    return `**${escapeMarkdown(escapeUnsafe(text))}**\n`
  })
  const failing = products.flatMap((product) => [
    ...(product.gate?.rows ?? []).map((row) =>
      markdownRow(
        [product.list, String(row.line ?? ''), row.part, whyItFails(row), row.source].map(escapeUnsafe),
      ),
    ),
    ...waivedLines(product).map(({ list, line, name, text }) =>
      markdownRow([list, String(line ?? ''), name, text, ''].map(escapeUnsafe)),
    ),
  ])
  const left = failing.length - MOST_IN_SUMMARY
  const table = [
    headingLines(['List', 'Line', 'Part', 'Why', 'Source']),
    ...failing.slice(0, MOST_IN_SUMMARY),
  ]
  return [
    `## matdecl check --fail-on ${rules.join(',')}\n`,
    verdicts.join('\n'),
    ...(isMadeUp ? [`${MADE_UP}\n`] : []),
    ...(failing.length === 0 ? [] : [table.join('')]),
    ...(left > 0 ? [`${plural(left, 'more line')} in the report.\n`] : []),
  ].join('\n')
}

const MOST_IN_SUMMARY = 50

function whyItFails({ findings = [], rules }: GateResult['rows'][number]): string {
  return findings.length === 0 ? rules.join(', ') : findings.join('; ')
}
