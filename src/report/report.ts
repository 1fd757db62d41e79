import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { createAskedParts } from './asked-parts.ts'
import type { FailOnRule } from './fail-on.ts'
import type { ReadBatch } from './report-batch.ts'
import { readReportJob } from './report-job.ts'
import { runReportJobs } from './report-pool.ts'
import type { JudgedRow, SubstanceRow } from './report-row.ts'
import { planSources, type SizedJob } from './report-sources.ts'
import { createSummary, type ReportSummary, type SummaryBuilder } from './report-summary.ts'
import { reportWarnings } from './report-warnings.ts'

export interface ReportOptions {
  /** Archives, directories and XML files, as the user named them. */
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  /** Also return the flat table of class D substances. */
  readonly substances: boolean
  /** Parts that were requested; each that is in no source becomes a row `missing`. */
  readonly askedParts?: readonly string[] | undefined
  readonly failOn?: readonly FailOnRule[] | undefined
}

/** Rows as they are read: parts and, on request, the substances of the same files. */
export interface ReportBatch {
  readonly parts: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
}

/** A report in progress. */
export interface Report {
  /** In the order of the sources; missing parts last. Iterate once. Memory does not grow with the number of files. */
  readonly batches: AsyncGenerator<ReportBatch, void, void>
  /** Counts and what the rules to fail on matched; complete once all batches were read. */
  readonly summary: () => ReportSummary
}

/** Up to this many bytes are read on this thread: starting worker threads would take longer. */
const SMALL_BYTES = 4 * 1024 ** 2
const LISTED_SKIPPED = 5

/**
 * Reports what the sources declare. A broken or foreign XML file is a row; an archive that is damaged or unsafe ends the report
 * with a Failure of kind `archive`. A source that does not exist is a Failure of kind `usage`, before the first row.
 */
export function report(world: World, options: ReportOptions, reporter: Reporter): Report {
  const summary = createSummary(options.failOn, world.clock.nowMs())
  return { batches: readAll(world, options, reporter, summary), summary: summary.result }
}

async function* readAll(
  world: World,
  options: ReportOptions,
  reporter: Reporter,
  summary: SummaryBuilder,
): AsyncGenerator<ReportBatch, void, void> {
  const asked = createAskedParts(options.askedParts ?? [])
  const skipped: string[] = []
  const requests: string[] = []
  let files = 0
  await using sources = await planSources(world, options)
  for await (const batch of readJobs(world, sources.jobs)) {
    for (const row of batch.rows) asked.see(row)
    skipped.push(...batch.skipped.slice(0, LISTED_SKIPPED - skipped.length))
    requests.push(...batch.requests.slice(0, LISTED_SKIPPED - requests.length))
    files += batch.files
    const parts = batch.rows.map(printable)
    summary.add(parts, {
      files: batch.files,
      skipped: batch.skipped.length,
      requests: batch.requests.length,
      substances: batch.substances.length,
    })
    reporter.progress({ phase: 'reporting', requestsDone: files })
    if (parts.length + batch.substances.length > 0) yield { parts, substances: batch.substances }
  }
  for (const rows of asked.missing()) {
    const parts = rows.map(printable)
    summary.add(parts)
    yield { parts, substances: [] }
  }

  const warnings = reportWarnings({
    summary: summary.result(),
    failOn: options.failOn,
    skipped,
    requests,
    hasAskedParts: options.askedParts !== undefined,
    withSubstances: options.substances,
  })
  for (const warning of warnings) reporter.notice(warning)
}

/** Part numbers were matched as written; from here on they are safe to print. */
function printable(row: JudgedRow): JudgedRow {
  return { ...row, part: escapeUnsafe(row.part), requester_part: escapeUnsafe(row.requester_part) }
}

/** Reads a little on this thread, much on worker threads. */
async function* readJobs(
  world: World,
  jobs: AsyncGenerator<SizedJob, void, void>,
): AsyncGenerator<ReadBatch, void, void> {
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

async function* readHere(world: World, jobs: readonly SizedJob[]): AsyncGenerator<ReadBatch, void, void> {
  for (const { job, finished } of jobs) {
    world.interrupt.throwIfAborted()
    yield yield* readReportJob(job)
    await finished()
  }
}

async function* chain<T>(
  first: readonly T[],
  rest: AsyncGenerator<T, void, void>,
): AsyncGenerator<T, void, void> {
  yield* first
  yield* rest
}
