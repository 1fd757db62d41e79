import { basename, extname, join } from 'node:path'
import { addedAccounts } from '../../base/account.ts'
import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import type { SyncResult } from '../../download/download-result.ts'
import { absolutePath, isDirectory, makeDirectories } from '../../fs/output-target.ts'
import { readLibrary } from '../../library/library.ts'
import type { PartsRead } from '../../parts/read-parts.ts'
import { type CheckResult, indexPage } from '../../report/check-result.ts'
import { plainText, TONE_SIGNS, type Tone } from '../../report/document.ts'
import { FORMATS, formatOf } from '../../report/formats/choose-format.ts'
import { escapeMarkdown, headingLines, markdownRow } from '../../report/formats/markdown.ts'
import { parseFailOn } from '../../report/gate/fail-on.ts'
import { countPieces, countTone, judgedOf } from '../../report/line-counts.ts'
import type { ProductList } from '../../report/lines.ts'
import type { PreviousReport } from '../../report/previous.ts'
import { type Product, productFields } from '../../report/product.ts'
import { type Report, report } from '../../report/report.ts'
import { productStatuses } from '../../report/report-document.ts'
import type { GateResult } from '../../report/report-result.ts'
import type { ReportSummary } from '../../report/report-summary.ts'
import { NOTHING_TO_JUDGE } from '../../report/row-findings.ts'
import { writeFormatted } from '../../report/write-report.ts'
import { checkCriteria } from '../../request/check-criteria.ts'
import type { Context } from '../context.ts'
import { openSandbox, serviceTarget } from '../download/access.ts'
import { criteriaFailure } from '../download/prepare.ts'
import { runSync, type SyncRequest, saySynced } from '../download/run-sync.ts'
import { FailedRun, printResult } from '../json.ts'
import { libraryPath } from '../library-path.ts'
import { writeStepSummary } from '../step-summary.ts'
import { previousReport } from './earlier-report.ts'
import { answerTimes, librarySources } from './library-sources.ts'
import { terminalLook } from './print-report.ts'
import { csvDialect, openFile, readLists, readRules } from './run-report.ts'

const DAY_MS = 86_400_000
/** What a product may not have to be shipped. */
const USUAL_GATE = 'failed,doubtful'
const MOST_SHOWN = 10

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
  const requested = (await readLists(asked, held))!
  const synced = values.offline ? undefined : await syncParts(asked, requested.read, held)
  const age = await ageOf(context, requested.read.parts)
  const checked = await judge(asked, requested.lists, output)
  terminal.stopProgress()
  const result: Omit<CheckResult, 'schema' | 'status'> = {
    sync: synced?.result ?? null,
    library: { directory: libraryPath(context), ...age },
    ...(checked.isMadeUp ? { sandbox: true } : {}),
    ...(values.reportOutput === undefined ? {} : { output: values.reportOutput }),
    account: { lines: addedAccounts(checked.products.map(({ account }) => account)) },
    failOn: checked.rules,
    products: checked.products.map(productFields).map((one) => ({ ...one, passed: one.passed === true })),
  }
  const rest = values.offline || synced?.failure !== undefined ? ageText(age, world.clock.nowMs()) : undefined
  if (!terminal.choice.json && !terminal.choice.quiet) {
    for (const line of verdictLines(context, checked, rest)) await terminal.write(`${line}\n`)
  }
  await writeStepSummary(context, stepSummary(checked))
  // That the service was not reached is worse than what is known: the verdict may be out of date.
  const failure = synced?.failure ?? gateFailure(checked.products)
  if (failure !== undefined) throw new FailedRun(failure, result)
  await printResult(terminal, { schema: 'matdecl.check/1', status: 'ok', ...result })
  return 0
}

/** A list may be judged by what the library has, when a request has failed. */
async function syncParts(
  context: Context,
  { parts, lists }: PartsRead,
  held: ResourceStack,
): Promise<{ readonly result: CheckResult['sync']; readonly failure?: unknown }> {
  const { world, settings } = context
  const { values } = settings
  const target = values.sandbox ? await openSandbox(context, held) : serviceTarget(context)
  const checked = checkCriteria({ ...values, parts }, world.clock.nowMs())
  if ('problems' in checked) throw criteriaFailure(undefined, checked.problems, target.tip)
  const wanted = { criteria: checked.criteria, parts }
  const request: SyncRequest = { wanted, lists, target, maxAgeMs: values.maxAge ?? DAY_MS }
  try {
    const result = await runSync(context, request, held)
    saySynced(context, result, request)
    return { result: syncFields(result) }
  } catch (error) {
    if (!(error instanceof FailedRun) || !isFailure(error.reason) || error.reason.kind === 'interrupted')
      throw error
    return { result: syncFields(error.known as unknown as SyncResult), failure: error.reason }
  }
}

function syncFields({ schema: _, status: __, ...fields }: SyncResult): NonNullable<CheckResult['sync']> {
  return fields
}

/** What a verdict rests on. */
type Age = Pick<CheckResult['library'], 'oldestAnswer' | 'neverAsked'>

async function ageOf(context: Context, parts: readonly string[]): Promise<Age> {
  const { answers } = await readLibrary(context.world, libraryPath(context))
  const newest = answerTimes(answers)
  const times = parts.flatMap((part) => newest.get(part) ?? [])
  return {
    oldestAnswer: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    neverAsked: parts.filter((part) => !newest.has(part)).length,
  }
}

function ageText({ oldestAnswer, neverAsked }: Age, nowMs: number): string {
  const parts = neverAsked === 0 ? '' : `; ${plural(neverAsked, 'part has', 'parts have')} no answer`
  if (oldestAnswer === null) return `by the library alone${parts}`
  return `by the library alone; the oldest answer is ${formatDuration(Math.max(0, nowMs - Date.parse(oldestAnswer)))} old${parts}`
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
  readonly products: readonly Product[]
  readonly rules: readonly string[]
  readonly reference: ReportSummary['reference']
  readonly isMadeUp: boolean
}

/** Judges the lists by the library, and writes the reports. */
async function judge(context: Context, lists: readonly ProductList[], output: Output): Promise<Checked> {
  const { world, settings, terminal } = context
  const words = settings.values.failOn ?? USUAL_GATE
  const options = {
    ...(await sourcesOf(context)),
    limits: settings.limits,
    substances: false,
    substancesOptional: true,
    ...(await readRules(context)),
    failOn: parseFailOn(words),
  }
  const previous = await previousReport(context, { ...options, lists })
  await using read = report(world, { ...options, lists, ...substancesFor(output) }, terminal.reporter)
  if (output !== undefined && 'file' in output)
    await writeReport(context, read, output.file, { lists, previous })
  const { products = [], reference, isMadeUp: hasMadeUp } = await read.summary()
  const isMadeUp = hasMadeUp || settings.values.sandbox
  if (output !== undefined && 'directory' in output) {
    await makeDirectories(world, output.directory)
    const names = pageNames(lists)
    for (const [index, list] of lists.entries()) {
      await using one = report(world, { ...options, lists: [list] }, terminal.reporter)
      await writeReport(context, one, join(output.directory, names[index]!), { lists: [list], previous })
    }
    await using file = await openFile(context, join(output.directory, 'index.html'), '--output')
    const about = { nowMs: world.clock.nowMs(), version: VERSION, rules: words.split(','), isMadeUp }
    for await (const piece of indexPage(products, names, about)) await file.write(piece)
    await file.publish()
  }
  return { products, reference, isMadeUp, rules: words.split(',').map((word) => word.trim()) }
}

// A list can be checked before there is a library: all of its parts are missing then.
async function sourcesOf(context: Context) {
  const path = libraryPath(context)
  const isThere = await isDirectory(context.world.disk, path)
  return isThere ? librarySources(context, undefined) : { sources: [], answered: new Map() }
}

function substancesFor(output: Output): { readonly substances: boolean } {
  const isFile = output !== undefined && 'file' in output
  return { substances: isFile && FORMATS[formatOf(output.file, '--output', FORMATS)].hasBothTables === true }
}

async function writeReport(
  context: Context,
  read: Report,
  path: string,
  {
    lists,
    previous,
  }: { readonly lists: readonly ProductList[]; readonly previous: PreviousReport | undefined },
): Promise<void> {
  const about = [['parts list', lists.map(({ name }) => escapeUnsafe(name)).join(', ')] as const]
  const shape = {
    kind: 'parts',
    nowMs: context.world.clock.nowMs(),
    version: VERSION,
    csv: csvDialect(context),
    about,
    hasLines: true,
    previous,
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

/** `✗ bom.csv: 3 of 31 lines failed, 2 doubtful (RoHS not compliant, REACH SVHC)`, then the lines that fail the gate. */
function verdictLines(
  { terminal, settings }: Context,
  { products, rules, reference, isMadeUp }: Checked,
  rest: string | undefined,
): readonly string[] {
  const total = products.reduce((sum, { gate }) => sum + (gate?.matched ?? 0), 0)
  const shown = failingRows(products).slice(0, MOST_SHOWN)
  const isUsual = settings.values.failOn === undefined
  const { signs, tone: styled } = terminalLook(terminal, undefined)
  return [
    ...products.map((product) => {
      const tone = toneOf(product)
      const isNamed = !isUsual && judgedOf(product.count) > 0
      const gate = isNamed ? `; ${product.gate?.passed ? 'passes' : 'fails'} ${rules.join(',')}` : ''
      return `${styled(tone, signs[tone])} ${escapeUnsafe(product.list)}: ${verdictText(product, reference, gate)}`
    }),
    ...(isMadeUp ? [`  ${MADE_UP}`] : []),
    ...(rest === undefined ? [] : [`  ${rest}`]),
    ...shown.map(({ product, row }) => {
      const { part, line } = row
      const where = [
        ...(products.length > 1 ? [escapeUnsafe(product.list)] : []),
        ...(line === undefined ? [] : [`line ${line}`]),
        ...(part === '' ? [] : [cleanText(part, 60)]),
      ].join(' ')
      return `  ${where === '' ? 'the product' : where}: ${cleanText(whyItFails(row), 160)}`
    }),
    ...(total > shown.length
      ? [`  and ${plural(total - shown.length, 'more line')}: -o FILE has all of them`]
      : []),
  ]
}

/** How the verdict on a list is marked: what does not pass is bad, nothing is no failure of its own. */
function toneOf({ count, gate }: Product): Tone {
  return gate?.passed || count.verdict === NOTHING_TO_JUDGE ? countTone(count) : 'bad'
}

function verdictText(product: Product, reference: ReportSummary['reference'], gate = ''): string {
  const { count } = product
  const statuses = judgedOf(count) === 0 ? '' : ` (${productStatuses(product, reference)})`
  return `${plainText(countPieces(count))}${gate}${statuses}`
}

function gateFailure(products: readonly Product[]): Failure | undefined {
  const failing = products.filter(({ gate }) => gate?.passed === false)
  const [first] = failing
  if (first === undefined) return undefined
  const message =
    products.length === 1
      ? `${first.list} does not pass: ${plainText(countPieces(first.count))}`
      : `${formatCount(failing.length)} of ${plural(products.length, 'list')} do not pass`
  return new Failure('policy', escapeUnsafe(message), {
    hint: 'a report has every line with its reasons; accept findings with a waiver, or ask the suppliers',
    options: ['output', 'waivers'],
  })
}

function stepSummary({ products, rules, reference, isMadeUp }: Checked): string {
  const verdicts = products.map((product) => {
    const text = `${TONE_SIGNS[toneOf(product)]} ${product.list}: ${verdictText(product, reference)}`
    return `**${escapeMarkdown(escapeUnsafe(text))}**\n`
  })
  const failing = failingRows(products).map(({ product, row }) =>
    markdownRow(
      [product.list, String(row.line ?? ''), row.part, whyItFails(row), row.source].map(escapeUnsafe),
    ),
  )
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

/** The lines that fail the gate, of all lists. */
function failingRows(products: readonly Product[]) {
  return products.flatMap((product) => (product.gate?.rows ?? []).map((row) => ({ product, row })))
}

function whyItFails({ findings = [], rules }: GateResult['rows'][number]): string {
  return findings.length === 0 ? rules.join(', ') : findings.join('; ')
}
