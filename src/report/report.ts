import { A_DIRECTORY } from '../archive/entry.ts'
import type { ArchiveLimits } from '../archive/problem.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { companyName, type NamesAgree } from '../compliance/company-names.ts'
import { screeningText } from '../compliance/indications.ts'
import { collectEntries, sizeOfRecord } from '../compliance/part-record.ts'
import type { SubstanceList } from '../compliance/recognize.ts'
import type { FailOnRule } from './gate/fail-on.ts'
import type { Waivers } from './gate/waivers.ts'
import type { ProductList } from './lines.ts'
import { createListRows, type ListRows } from './list-rows.ts'
import type { Product } from './product.ts'
import { createRowDates } from './regulations/reference-facts.ts'
import type { ReferenceTables } from './regulations/reference-tables.ts'
import { type BatchSpool, createBatchSpool, type PackedBatch, unpackHead } from './report-batch.ts'
import { type ReportJob, readReportJob } from './report-job.ts'
import { readPlanned, runReportJobs } from './report-pool.ts'
import { createSummary, type ReportSummary, type SummaryBuilder } from './report-summary.ts'
import { reportWarnings } from './report-warnings.ts'
import { RowCache } from './row-cache.ts'
import { finishRow, type RowContext } from './rows/make-row.ts'
import type { SubstanceRow } from './rows/part-declaration.ts'
import type { JudgedRow } from './rows/report-row.ts'
import { createRequestedParts, createRowResolver, type RowResolver } from './rows/resolve-rows.ts'
import { type Excerpts, readExcerpts, type WantedLines } from './sources/excerpts.ts'
import { type FileFilter, planSources, type SizedJob } from './sources/report-sources.ts'
import type { Shard } from './sources/shard.ts'
import { SourceAccount } from './sources/source-account.ts'

export interface ReportOptions {
  /** Archives, directories and XML files, as the user named them. */
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  /** Also return the flat table of class D substances. */
  readonly substances: boolean
  /** Do not warn when no file declares substances. */
  readonly substancesOptional?: boolean
  /** The parts lists that the report is about: their lines are its rows, and each list is a product. */
  readonly lists?: readonly ProductList[] | undefined
  /** What became of the records of the tables that the user gave. */
  readonly records?: AccountEntry | undefined
  /** Parts whose request failed: it is not known whether they are declared. */
  readonly unknownParts?: readonly string[] | undefined
  /** The parts that the service has answered for, of a library; unless given, all of them. */
  readonly answered?: Pick<ReadonlySet<string>, 'has'> | undefined
  /** Compares the manufacturer of a list with a declaring company. */
  readonly isSameCompany?: NamesAgree | undefined
  /** Lists of the user's own that class D is screened for. */
  readonly substanceLists?: readonly SubstanceList[] | undefined
  /** Also report declared parts that are not among the asked ones. */
  readonly allParts?: boolean
  /** Also report declarations that a newer one replaces, as rows `superseded`. */
  readonly history?: boolean
  readonly failOn?: readonly FailOnRule[] | undefined
  /** Report on one shard of the sources: the newest declarations are those within it, and missing parts are not known. */
  readonly shard?: Shard | undefined
  /** What is known about exemptions and Candidate Lists by date. */
  readonly tables?: ReferenceTables | undefined
  /** Findings that are accepted. */
  readonly waivers?: Waivers | undefined
  /** Which files in directories are read; all unless given. */
  readonly leaveOut?: FileFilter | undefined
  /** Files of a library that are gone or not what came, with the reason: a row each. */
  readonly lost?: ReadonlyMap<string, string> | undefined
  /** Called with each file that is damaged, or whose archive is. */
  readonly onDamaged?: ((source: string) => Promise<void>) | undefined
  /** The parts that a file was recorded to have when it came, for one that cannot be read any more. */
  readonly partsIn?: ((source: string) => readonly string[]) | undefined
  /** Where the library of these sources keeps rows: those of unchanged archives come from there, and others are kept there. */
  readonly rowsDirectory?: string | undefined
  /** From when ages and days to an end are counted: now, unless it is a report on an earlier day. */
  readonly nowMs?: number | undefined
  /** What the sources are, where they are a library. */
  readonly place?: string | undefined
  /** What it means that the sources have nothing. */
  readonly emptyText?: string | undefined
  /** The verdicts are printed: they name the files that cannot be read. */
  readonly isSaidBeside?: boolean
  /** The report is one side of a comparison, which warns itself. */
  readonly isPart?: boolean | undefined
}

/** Rows as they are read: parts and, on request, the substances of the same files. */
interface ReportBatch {
  readonly parts: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
}

/** A report that can be read more than once. Dispose it to remove its temporary file. */
export interface Report extends AsyncDisposable {
  /** In the order of the sources, with parts lists in theirs. The sources are read when this is first iterated. One iteration at a time. */
  readonly batches: AsyncIterable<ReportBatch>
  /** Counts and what the rules to fail on matched; reads the batches unless that was done. */
  readonly summary: () => Promise<ReportSummary>
  /** Reads the sources once more for some of their lines. */
  readonly excerpts: (wanted: WantedLines) => Promise<Excerpts>
}

/** Up to this many bytes are read on this thread: starting worker threads would take longer. */
const SMALL_BYTES = 4 * 1024 ** 2
const LISTED_REQUESTS = 5

/**
 * Reports what the sources declare. A broken or foreign XML file is a row; an archive that is damaged or unsafe ends the report
 * with a Failure of kind `archive`. A source that does not exist is a Failure of kind `usage`, before the first row.
 */
export function report(world: World, options: ReportOptions, reporter: Reporter): Report {
  const nowMs = options.nowMs ?? world.clock.nowMs()
  const { failOn, tables, waivers } = options
  const dates = tables && createRowDates(tables, nowMs)
  const context = { nowMs, failOn, waivers, dates, place: options.place }
  const summary = createSummary(context, options.shard)
  const run = { world, options, reporter, context, summary }
  const spool = createBatchSpool(world)
  let sources: Promise<ReadSources> | undefined
  let finished: ReportSummary | undefined
  let kept: readonly ReportBatch[] | undefined

  async function* batches(): AsyncGenerator<ReportBatch, void, void> {
    if (kept !== undefined) return yield* kept
    sources ??= readSources(spool, run)
    const isFirst = finished === undefined
    const read = await sources
    const small = new SmallReport()
    const rows = read.listRows === undefined ? rowBatches : listBatches
    for await (const batch of rows(spool, read, run, isFirst)) {
      if (isFirst) small.add(batch)
      yield batch
    }
    if (!isFirst) return
    kept = small.batches
    finished = summary.result(read.listed?.products, options)
    const { requests } = read
    const warnings = reportWarnings({
      emptyText: options.emptyText,
      summary: finished,
      failOn: options.isPart ? undefined : failOn,
      requests,
      hasAskedParts: options.lists !== undefined,
      withSubstances: options.substances && options.substancesOptional !== true,
      substanceLists: options.substanceLists?.map(({ name }) => name),
      hasWaivers: waivers !== undefined,
      isSaidBeside: options.isSaidBeside,
    })
    for (const warning of warnings) reporter.notice(warning)
  }

  return {
    batches: { [Symbol.asyncIterator]: batches },
    async summary() {
      if (finished === undefined) for await (const _ of batches()) world.interrupt.throwIfAborted()
      return finished!
    },
    excerpts: (wanted) => readExcerpts(world, options, wanted),
    [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose](),
  }
}

/** Formats read a report up to three times: the rows of a small one are judged once, those of a larger one each time. */
class SmallReport {
  /** Undefined when there is too much. */
  batches: ReportBatch[] | undefined = []
  readonly #entries = new Set<object>()
  #bytes = 0

  add(batch: ReportBatch): void {
    if (this.batches === undefined) return
    this.batches.push(batch)
    this.#bytes += (batch.parts.length + batch.substances.length) * ROW_BYTES
    for (const { record } of batch.parts.flatMap(({ declarations }) => declarations)) {
      collectEntries(this.#entries, record)
      this.#bytes += sizeOfRecord(record)
    }
    if (this.#bytes + this.#entries.size * ENTRY_BYTES <= MOST_KEPT_BYTES) return
    this.batches = undefined
    this.#entries.clear()
  }
}

const MOST_KEPT_BYTES = 16 * 1024 ** 2
const ROW_BYTES = 500
/** With its texts. */
const ENTRY_BYTES = 300

/** What the steps of a report share. */
interface ReportContext {
  readonly world: World
  readonly options: ReportOptions
  readonly reporter: Reporter
  readonly context: RowContext
  readonly summary: SummaryBuilder
}

/** What is known when all sources are read. */
interface ReadSources {
  readonly resolver: RowResolver
  /** The names of the first requests. */
  readonly requests: readonly string[]
  /** Makes the rows of the lists; of a shard there are none, for it is not the whole product. */
  readonly listRows: ListRows | undefined
  /** The rows of the lists, and what else has a row after them, once they are made. */
  listed: ListedRows | undefined
}

interface ListedRows {
  readonly rows: readonly JudgedRow[]
  readonly products: readonly Product[]
}

/**
 * Reads every file into the spool, for only then is it known which declarations are the newest. What is read depends on the files
 * alone, so that a library can keep it for the next report.
 */
async function readSources(
  spool: BatchSpool,
  { world, options, reporter, context, summary }: ReportContext,
): Promise<ReadSources> {
  const { lists, allParts = false, history = false, tables, limits, isSameCompany = isEqualName } = options
  const { nowMs, dates } = context
  const asked = createRequestedParts(lists && listedParts(lists), options.answered)
  const listRows =
    lists === undefined || options.shard !== undefined
      ? undefined
      : createListRows(lists, {
          asked,
          isSameCompany,
          context,
          unknown: new Set(options.unknownParts),
          partsIn: options.partsIn,
        })
  const known = { lookup: dates?.exemption, updateOf: dates?.updateOf, substances: dates?.substances }
  const resolver = createRowResolver({ asked, allParts, history, nowMs, ...known })
  const account = new SourceAccount()
  const requests: string[] = []
  let files = 0
  const screening =
    tables === undefined
      ? ''
      : screeningText(tables.rohsSubstances.rows, tables.svhcSubstances.rows, options.substanceLists)
  const reading = { substances: options.substances, screening }
  const { rowsDirectory: directory } = options
  const cache =
    directory === undefined ? undefined : new RowCache(world, reporter, { limits, directory, ...reading })
  await using sources = await planSources(world, { ...options, reading, cache, account })
  for await (const packed of readJobs(world, sources.jobs)) {
    await spool.add(packed)
    const head = unpackHead(packed)
    account.read(head, packed.prefix !== '')
    for (const one of head.damaged) await options.onDamaged?.(one)
    for (const one of head.declarations) {
      resolver.see(one)
      listRows?.learn(one)
    }
    for (const one of head.requests.slice(0, LISTED_REQUESTS - requests.length)) requests.push(one)
    summary.add([], {
      files: head.files,
      skipped: head.skipped.filter(({ reason }) => reason !== A_DIRECTORY).length,
      requests: head.requests.length,
    })
    files += head.files
    reporter.progress({ phase: 'reporting', filesDone: files })
  }
  await cache?.finish()
  summary.readSources(account.close())
  return { resolver, requests, listRows, listed: undefined }
}

function listedParts(lists: readonly ProductList[]): readonly string[] {
  return lists.flatMap(({ lines }) => lines.flatMap(({ numbers }) => numbers.map(({ part }) => part)))
}

function isEqualName(one: string, other: string): boolean {
  return companyName(one) === companyName(other)
}

/** The rows that stay, finished; counted the first time. */
async function* rowBatches(
  spool: BatchSpool,
  { resolver }: ReadSources,
  { world, context, summary }: ReportContext,
  isCounted: boolean,
): AsyncGenerator<ReportBatch, void, void> {
  const resolve = resolver.resolveAll()
  for (const batch of spool.batches()) {
    world.interrupt.throwIfAborted()
    const { rows, substances, superseded, notListed } = resolve.rows(await batch.rows())
    for (const row of rows) finishRow(row, context)
    if (isCounted) summary.add(rows, { substances: substances.length, superseded, notListed })
    if (rows.length + substances.length > 0) yield { parts: rows, substances }
  }
}

/** The rows of the lists, and after them those of files that cannot be read and of other parts; substances come as they are read. */
async function* listBatches(
  spool: BatchSpool,
  read: ReadSources,
  { world, options, context, summary }: ReportContext,
  isCounted: boolean,
): AsyncGenerator<ReportBatch, void, void> {
  const listRows = read.listRows!
  const others: JudgedRow[] = []
  if (read.listed === undefined || options.substances) {
    const resolve = read.resolver.resolveAll()
    for (const batch of spool.batches()) {
      world.interrupt.throwIfAborted()
      const head = batch.head()
      const { rows, substances, superseded, notListed } =
        resolve.leaveOut(head) ?? resolve.rows(await batch.rows(resolve.outside(head)))
      if (read.listed === undefined) {
        for (const row of rows) {
          if (listRows.keep(row)) continue
          others.push(finishRow(row, row.status === 'unreadable' ? besideList(context) : context))
        }
      }
      if (isCounted) summary.add([], { substances: substances.length, superseded, notListed })
      if (substances.length > 0) yield { parts: [], substances }
    }
  }
  if (read.listed === undefined) {
    const lists = listRows.result(others.filter(({ status }) => status === 'unreadable'))
    const rows = [...lists.flatMap((list) => list.rows), ...others]
    read.listed = { rows, products: lists.map(({ product }) => product) }
  }
  for (const rows of inBatches(read.listed.rows)) {
    if (isCounted) summary.add(rows)
    yield { parts: rows, substances: [] }
  }
}

/** A file that cannot be read changes no verdict of a list: only a gate that asks for such files matches it. */
function besideList(context: RowContext): RowContext {
  return { ...context, failOn: context.failOn?.filter(({ word }) => word === 'unreadable') }
}

const LIST_BATCH = 1_000

function* inBatches<T>(all: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const one of all) {
    batch.push(one)
    if (batch.length < LIST_BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Reads a little on this thread, much on worker threads. */
async function* readJobs(
  world: World,
  jobs: AsyncGenerator<SizedJob, void, void>,
): AsyncGenerator<PackedBatch, void, void> {
  const first: SizedJob[] = []
  let bytes = 0
  while (bytes <= SMALL_BYTES) {
    const next = await jobs.next()
    if (next.done) return yield* readHere(world, first)
    first.push(next.value)
    bytes += next.value.bytes
  }
  yield* runReportJobs(world, chain(first, jobs))
}

async function* readHere(world: World, jobs: readonly SizedJob[]): AsyncGenerator<PackedBatch, void, void> {
  for (const planned of jobs) {
    world.interrupt.throwIfAborted()
    const { job } = planned
    yield* readPlanned(planned, job.kind === 'kept' ? job.batches : allBatches(job))
  }
}

async function* allBatches(job: ReportJob): AsyncGenerator<Uint8Array, void, void> {
  yield yield* readReportJob(job)
}

async function* chain<T>(
  first: readonly T[],
  rest: AsyncGenerator<T, void, void>,
): AsyncGenerator<T, void, void> {
  yield* first
  yield* rest
}
