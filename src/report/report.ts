import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { nearKey } from '../parts/near-part.ts'
import type { FailOnRule } from './fail-on.ts'
import type { JobBatch } from './report-gathering.ts'
import { runReportJobHere } from './report-here.ts'
import { runReportJobs } from './report-pool.ts'
import { type JudgedRow, missingRow, type SubstanceRow } from './report-row.ts'
import { planSources, type SizedJob } from './report-sources.ts'
import { createSummary, type ReportSummary, type SummaryBuilder } from './report-summary.ts'

export interface ReportOptions {
  /** Archives, folders and XML files, as the user named them. */
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  /** Also give the flat table of class D substances. */
  readonly substances: boolean
  /** Parts that were asked for; each that is in no source becomes a row `missing`. */
  readonly askedParts?: readonly string[] | undefined
  readonly failOn?: readonly FailOnRule[] | undefined
}

/** Rows as they come: parts, and the substances of the same files when they were asked for. */
export interface ReportBatch {
  readonly parts: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
}

/** A report under way. */
export interface Report {
  /** In the order of the sources; missing parts last. Iterate once. Memory does not grow with the number of files. */
  readonly batches: AsyncGenerator<ReportBatch, void, void>
  /** Counts and the gate's findings; whole once the batches are all read. */
  readonly summary: () => ReportSummary
}

/** Up to this many bytes are read on this thread: starting others would take longer. */
const SMALL_BYTES = 4 * 1024 ** 2
const TOLD_SKIPPED = 5

/**
 * Reports what the sources declare. A broken or foreign XML file is a row; an archive that is damaged or unsafe ends the report
 * with a Failure of kind `archive`; a source that is not there with `usage`, before the first row.
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
  const asked = createAsked(options.askedParts ?? [])
  const skipped: string[] = []
  let skippedCount = 0
  let files = 0
  await using sources = await planSources(world, options)
  for await (const batch of runJobs(world, sources.jobs)) {
    for (const row of batch.rows) asked.see(row)
    summary.addFiles(batch.files)
    summary.addSkipped(batch.skipped.length)
    skippedCount += batch.skipped.length
    skipped.push(...batch.skipped.slice(0, TOLD_SKIPPED - skipped.length))
    const result = tell(batch.rows, batch.substances, summary)
    files += batch.files
    reporter.progress({ phase: 'reporting', requestsDone: files })
    if (result.parts.length > 0) yield result
  }
  for (const rows of asked.missing()) yield tell(rows, [], summary)
  warn(reporter, summary.result(), options.failOn, skipped, skippedCount)
  if (options.askedParts === undefined) warnOfMissing(reporter, options.failOn)
  if (options.substances) warnOfNoSubstances(reporter, summary.result())
}

function warnOfNoSubstances(reporter: Reporter, { counts }: ReportSummary): void {
  if (counts.substances > 0 || counts.declared === 0) return
  reporter.notice({
    level: 'warning',
    event: 'report.no-substances',
    message: 'no file names a substance: that is what class D is for (--format-class D)',
  })
}

// Without a list of what was asked for no row is ever `missing`: the gate would stay open in silence.
function warnOfMissing(reporter: Reporter, rules: readonly FailOnRule[] | undefined): void {
  if (!rules?.some(({ word }) => word === 'missing')) return
  reporter.notice({
    level: 'warning',
    event: 'report.not-asked',
    message: '--fail-on missing can match nothing: no --parts-file tells what was asked for',
  })
}

function tell(
  rows: readonly JudgedRow[],
  substances: readonly SubstanceRow[],
  summary: SummaryBuilder,
): ReportBatch {
  const parts = rows.map((row) => ({
    ...row,
    part: escapeUnsafe(row.part),
    requester_part: escapeUnsafe(row.requester_part),
  }))
  for (const row of parts) summary.add(row)
  summary.addSubstances(substances.length)
  return { parts, substances }
}

async function* runJobs(
  world: World,
  jobs: AsyncGenerator<SizedJob, void, void>,
): AsyncGenerator<JobBatch, void, void> {
  const first: SizedJob[] = []
  let bytes = 0
  while (bytes <= SMALL_BYTES) {
    const next = await jobs.next()
    if (next.done) return yield* runHere(world, first)
    first.push(next.value)
    bytes += next.value.bytes
  }
  yield* runReportJobs(world, chain(first, jobs))
}

async function* runHere(world: World, jobs: readonly SizedJob[]): AsyncGenerator<JobBatch, void, void> {
  for (const { job, finished } of jobs) {
    world.interrupt.throwIfAborted()
    yield* runReportJobHere(job)
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

interface Asked {
  readonly see: (row: JudgedRow) => void
  readonly missing: () => Generator<readonly JudgedRow[]>
}

const MISSING_BATCH = 1_000

/** Matches asked part numbers with what is declared, exactly, under the supplier's and the buyer's number. */
function createAsked(parts: readonly string[]): Asked {
  const open = new Set(parts)
  const near = new Map<string, string>()
  const nearWanted = new Set(parts.map(nearKey))
  return {
    see(row) {
      if (parts.length === 0 || row.status !== 'declared') return
      for (const number of [row.part, row.requester_part]) {
        if (number === '' || open.delete(number)) continue
        const key = nearKey(number)
        if (nearWanted.has(key) && !near.has(key)) near.set(key, number)
      }
    },
    *missing() {
      let rows: JudgedRow[] = []
      for (const part of open) {
        const like = near.get(nearKey(part))
        const hint = like === undefined || like === part ? '' : `; near: ${escapeUnsafe(like)}`
        rows.push(missingRow(part, `asked for, not declared${hint}`))
        if (rows.length < MISSING_BATCH) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
  }
}

function warn(
  reporter: Reporter,
  { counts }: ReportSummary,
  rules: readonly FailOnRule[] | undefined,
  skipped: readonly string[],
  skippedCount: number,
): void {
  if (skippedCount > 0) {
    const more = skippedCount > skipped.length ? ` and ${skippedCount - skipped.length} more` : ''
    reporter.notice({
      level: 'warning',
      event: 'report.skipped',
      message: `${plural(skippedCount, 'entry', 'entries')} left out, no XML: ${skipped.join(', ')}${more}`,
      data: { skipped: skippedCount },
    })
  }
  if (counts.rows + skippedCount === 0) {
    reporter.notice({
      level: 'warning',
      event: 'report.empty',
      message: 'there is nothing to report: no XML file in the sources',
    })
  }
  if (counts.unreadable === 0) return
  const isGated =
    rules === undefined || rules.some(({ word }) => word === 'unreadable' || word === 'incomplete')
  reporter.notice({
    level: 'warning',
    event: 'report.unreadable',
    message: `${plural(counts.unreadable, 'file')} can not be read as a declaration${isGated ? '' : '; --fail-on does not ask for unreadable'}`,
    data: { unreadable: counts.unreadable },
  })
}
