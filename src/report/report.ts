import type { ArchiveLimits } from '../archive/problem.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { screeningText } from '../compliance/indications.ts'
import type { Bom } from '../parts/bom.ts'
import type { FailOnRule } from './gate/fail-on.ts'
import type { Waivers } from './gate/waivers.ts'
import { createRowDates } from './regulations/reference-facts.ts'
import type { ReferenceTables } from './regulations/reference-tables.ts'
import { type BatchSpool, createBatchSpool, type PackedBatch, unpackHead } from './report-batch.ts'
import { type ReportJob, readReportJob } from './report-job.ts'
import { readPlanned, runReportJobs } from './report-pool.ts'
import { createSummary, type ReportSummary, type SummaryBuilder } from './report-summary.ts'
import { reportWarnings } from './report-warnings.ts'
import { collectRollup, type RollupCollector } from './rollup.ts'
import { RowCache } from './row-cache.ts'
import { finishRow, type RowContext } from './rows/finish-row.ts'
import type { SubstanceRow } from './rows/part-declaration.ts'
import { otherManufacturers } from './rows/part-key.ts'
import type { JudgedRow, OpenRow } from './rows/report-row.ts'
import {
  createRequestedParts,
  createRowResolver,
  type RequestedParts,
  type RowResolver,
} from './rows/resolve-rows.ts'
import { planSources, type SizedJob } from './sources/report-sources.ts'
import type { Shard } from './sources/shard.ts'

export interface ReportOptions {
  /** Archives, directories and XML files, as the user named them. */
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  /** Also return the flat table of class D substances. */
  readonly substances: boolean
  /** Do not warn when no file declares substances. */
  readonly substancesOptional?: boolean
  /** The parts that the report is about; each that is in no source becomes a row `missing`. */
  readonly askedParts?: readonly string[] | undefined
  /** The manufacturers of each part, where the parts list names them. */
  readonly manufacturers?: ReadonlyMap<string, readonly string[]> | undefined
  /** Also report declared parts that are not among the asked ones. */
  readonly allParts?: boolean
  /** Also report declarations that a newer one replaces, as rows `superseded`. */
  readonly history?: boolean
  readonly failOn?: readonly FailOnRule[] | undefined
  /** Report on one shard of the sources: the newest declarations are those within it, and missing parts are not known. */
  readonly shard?: Shard | undefined
  /** The product whose roll-up is part of the summary. */
  readonly bom?: Bom | undefined
  /** What is known about exemptions and Candidate Lists by date. */
  readonly tables?: ReferenceTables | undefined
  /** Findings that are accepted. */
  readonly waivers?: Waivers | undefined
  /** Where the library of these sources keeps rows: those of unchanged archives come from there, and others are kept there. */
  readonly rowsDirectory?: string | undefined
}

/** Rows as they are read: parts and, on request, the substances of the same files. */
interface ReportBatch {
  readonly parts: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
}

/** A report that can be read more than once. Dispose it to remove its temporary file. */
export interface Report extends AsyncDisposable {
  /** In the order of the sources; missing parts last. The sources are read when this is first iterated. One iteration at a time. */
  readonly batches: AsyncIterable<ReportBatch>
  /** Counts and what the rules to fail on matched; reads the batches unless that was done. */
  readonly summary: () => Promise<ReportSummary>
}

/** Up to this many bytes are read on this thread: starting worker threads would take longer. */
const SMALL_BYTES = 4 * 1024 ** 2
const LISTED_SKIPPED = 5

/**
 * Reports what the sources declare. A broken or foreign XML file is a row; an archive that is damaged or unsafe ends the report
 * with a Failure of kind `archive`. A source that does not exist is a Failure of kind `usage`, before the first row.
 */
export function report(world: World, options: ReportOptions, reporter: Reporter): Report {
  const nowMs = world.clock.nowMs()
  const { failOn, tables, waivers } = options
  const dates = tables && createRowDates(tables, nowMs)
  const context = { nowMs, failOn, waivers, dates }
  const summary = createSummary(context, options.shard)
  // A shard is not the whole product.
  const rollup = options.shard ? undefined : options.bom && collectRollup(options.bom, dates?.exemption)
  const run = { world, options, reporter, context, summary, rollup }
  const spool = createBatchSpool(world)
  let sources: Promise<ReadSources> | undefined
  let finished: ReportSummary | undefined

  async function* batches(): AsyncGenerator<ReportBatch, void, void> {
    sources ??= readSources(spool, run)
    const isFirst = finished === undefined
    yield* rowBatches(spool, await sources, run, isFirst)
    if (!isFirst) return
    finished = { ...summary.result(), rollup: rollup?.result() }
    const { skipped, requests } = await sources
    const warnings = reportWarnings({
      summary: finished,
      failOn,
      skipped,
      requests,
      hasAskedParts: options.askedParts !== undefined,
      withSubstances: options.substances && options.substancesOptional !== true,
      hasWaivers: waivers !== undefined,
    })
    for (const warning of warnings) reporter.notice(warning)
  }

  return {
    batches: { [Symbol.asyncIterator]: batches },
    async summary() {
      if (finished === undefined) for await (const _ of batches()) world.interrupt.throwIfAborted()
      return finished!
    },
    [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose](),
  }
}

/** What the steps of a report share. */
interface ReportRun {
  readonly world: World
  readonly options: ReportOptions
  readonly reporter: Reporter
  readonly context: RowContext
  readonly summary: SummaryBuilder
  readonly rollup: RollupCollector | undefined
}

/** What is known when all sources are read. */
interface ReadSources {
  readonly asked: RequestedParts
  readonly resolver: RowResolver
  /** The names of the first entries that were left out, and of the first requests. */
  readonly skipped: readonly string[]
  readonly requests: readonly string[]
}

/**
 * Reads every file into the spool, for only then is it known which declarations are the newest. What is read depends on the files
 * alone, so that a library can keep it for the next report.
 */
async function readSources(
  spool: BatchSpool,
  { world, options, reporter, context, summary, rollup }: ReportRun,
): Promise<ReadSources> {
  const { askedParts, allParts = false, history = false, tables, limits } = options
  const { nowMs, dates } = context
  const asked = createRequestedParts(askedParts)
  const resolver = createRowResolver({ asked, allParts, history, nowMs, lookup: dates?.exemption })
  const skipped: string[] = []
  const requests: string[] = []
  let files = 0
  const screening =
    tables === undefined ? '' : screeningText(tables.rohsSubstances.rows, tables.svhcSubstances.rows)
  const reading = { substances: options.substances, screening }
  const { rowsDirectory: directory } = options
  const cache =
    directory === undefined ? undefined : new RowCache(world, reporter, { limits, directory, ...reading })
  await using sources = await planSources(world, { ...options, reading, cache })
  for await (const packed of readJobs(world, sources.jobs)) {
    await spool.add(packed)
    const head = unpackHead(packed)
    for (const one of head.declarations) {
      resolver.see(one)
      rollup?.learn(one)
    }
    skipped.push(...head.skipped.slice(0, LISTED_SKIPPED - skipped.length))
    requests.push(...head.requests.slice(0, LISTED_SKIPPED - requests.length))
    summary.add([], {
      files: head.files,
      skipped: head.skipped.length,
      requests: head.requests.length,
    })
    files += head.files
    reporter.progress({ phase: 'reporting', filesDone: files })
  }
  await cache?.finish()
  return { asked, resolver, skipped, requests }
}

/** The rows that stay, finished; counted the first time. */
async function* rowBatches(
  spool: BatchSpool,
  { asked, resolver }: ReadSources,
  { world, options, context, summary, rollup }: ReportRun,
  isCounted: boolean,
): AsyncGenerator<ReportBatch, void, void> {
  const resolve = resolver.resolveAll()
  for await (const batch of spool.batches()) {
    world.interrupt.throwIfAborted()
    const { rows, substances, superseded, notListed } = resolve(batch)
    for (const row of rows) {
      nameManufacturers(row, options)
      finishRow(row, context)
      if (isCounted) rollup?.see(row)
    }
    if (isCounted) summary.add(rows, { substances: substances.length, superseded, notListed })
    if (rows.length + substances.length > 0) yield { parts: rows, substances }
  }
  if (options.shard) return
  for (const rows of inBatches(asked.missing())) {
    for (const row of rows) {
      // An assembly is requested like a part; without a declaration of its own its parts decide.
      if (options.bom?.assemblies.has(row.part)) {
        row.status = 'assembly'
        row.notes = ['evaluated from its parts', ...row.notes.slice(1)]
      }
      nameManufacturers(row, options)
      finishRow(row, context)
    }
    if (isCounted) summary.add(rows)
    yield { parts: rows, substances: [] }
  }
}

const MISSING_BATCH = 1_000

function* inBatches<T>(all: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const one of all) {
    batch.push(one)
    if (batch.length < MISSING_BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Names the manufacturers that the parts list has for a part, where its supplier is none of them; a missing part has no supplier. */
function nameManufacturers(row: OpenRow, { manufacturers }: ReportOptions): void {
  if (manufacturers === undefined || row.status === 'superseded') return
  const listed = manufacturers.get(row.part) ?? manufacturers.get(row.requesterPart) ?? []
  row.otherManufacturers = otherManufacturers(row.supplier, listed)
  if (row.otherManufacturers.length === 0 || row.status !== 'declared') return
  const names = row.otherManufacturers.join(', ')
  const note = `declared by ${row.supplier || 'an unnamed company'}, the parts list has ${names}`
  row.notes = [note, ...row.notes]
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
