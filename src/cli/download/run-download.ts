import { entryResult } from '../../archive/entry.ts'
import { cleanText } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { SILENT } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, plural } from '../../base/units.ts'
import { USER_AGENT, VERSION } from '../../base/version.ts'
import type { World } from '../../base/world.ts'
import { type Download, download } from '../../download/download.ts'
import type { DownloadResult } from '../../download/download-result.ts'
import type { RequestResult } from '../../download/job-plan.ts'
import {
  accountFields,
  isoTime,
  manifestOf,
  manifestText,
  requestCriteria,
  roundSeconds,
} from '../../download/manifest.ts'
import { type OutputOptions, resolveOutput } from '../../download/output-path.ts'
import { saveState } from '../../download/state.ts'
import { absolutePath, requireDescriptors } from '../../fs/output-target.ts'
import { writeResultFile } from '../../fs/publish.ts'
import type { RateLimit } from '../../http/rate-headers.ts'
import { sharedRateKey } from '../../http/rate-limiter.ts'
import { partsAsList } from '../../parts/parts-result.ts'
import { readParts } from '../../parts/read-parts.ts'
import type { ReferenceTables } from '../../report/regulations/reference-tables.ts'
import type { Context } from '../context.ts'
import { inputsOf } from '../settings/settings.ts'
import { openService, readAccess, startRunSignal } from './access.ts'
import { confirmPlan, type Prepared, prepareDownload } from './prepare.ts'

// To verify, extract and report at once.
const MAX_THREADS = 4
// For responses that have begun when the run has to end.
const LONGEST_FINISH_MS = 30_000
const TOOL = `matdecl ${VERSION}`

/** A run with all files written. It holds the lock, the job directory and the sandbox until it is disposed. */
export interface DownloadRun extends AsyncDisposable {
  /** What `--json` prints. */
  readonly result: DownloadResult
  readonly prepared: Prepared
  /** Undefined when another run holds the output and this one is to skip it. */
  readonly download: Download | undefined
  /** Throws the failure for missing parts or an empty result; otherwise remembers the run for `--since last-run`. */
  readonly settle: () => Promise<void>
  /** Removes the job directory; call it when the result is delivered. */
  readonly complete: () => Promise<void>
}

/** Downloads, then extracts, reports and writes the files of the options. Prints nothing. */
export async function runDownload(context: Context): Promise<DownloadRun> {
  const { world, settings, terminal, facts } = context
  await using held = new ResourceStack()
  const startedAtMs = world.clock.nowMs()
  const tables = await tablesOfReport(context)
  const prepared = await prepareDownload(context, held)
  const { plan, target, shownCriteria, parts } = prepared
  const start = {
    request: { ...requestCriteria(target.baseUrl, shownCriteria), parts: parts.length },
    plan: { requests: plan.requestCount, parts: plan.partCount },
    startedAt: isoTime(startedAtMs),
  }
  Object.assign(facts, start)
  const access = await readAccess(context, target, prepared.criteria)
  const { supplier, format, formatClass, startDate } = shownCriteria
  const names = { supplier, format, formatClass, startDate, nowMs: startedAtMs }
  const output = await resolveOutput(world, outputOptions(context), names)
  const service = await openService(context, access)
  held.defer(service.close)
  await confirmPlan(context, plan)
  const connections = Math.min(settings.values.concurrency, plan.requestCount)
  await requireDescriptors(world.disk, { connections, threads: Math.min(MAX_THREADS, world.host.cores) })
  const { signal } = held.use(startRunSignal(world, settings.values.timeout))
  const secret = access.isSandbox ? undefined : (access.token ?? access.apiKey)
  const rateKey = secret === undefined ? undefined : sharedRateKey(target.baseUrl, secret)
  const { apiKey } = access
  const options = { ...downloadOptions(context, prepared), output, service, apiKey, rateKey, signal }
  const downloaded = await download(world, options, terminal.reporter)
  if (downloaded === undefined) {
    const finishedAt = isoTime(world.clock.nowMs())
    const nothing = resultOf(start, prepared, { requests: [] }, false)
    const result = { ...nothing, status: 'ok', skipped: true, finishedAt } as const
    const end = async (): Promise<void> => {}
    return runOf(held, { result, prepared, download: undefined, settle: end, complete: end })
  }
  held.use(downloaded)
  const received = resultOf(start, prepared, downloaded, settings.values.list)
  const { schema: _, status, ...known } = received
  // A later failure prints what was done beside the error.
  Object.assign(facts, known)
  if (downloaded.failure !== undefined) throw downloaded.failure
  const extracted = await extractOutput(context, downloaded)
  facts.extracted = extracted
  const report = await reportOutput(context, prepared, downloaded, tables)
  const finishedAtMs = world.clock.nowMs()
  const written = { extracted, report, finishedAt: isoTime(finishedAtMs) }
  Object.assign(facts, written)
  await writeMissingParts(context, downloaded)
  await writeManifest(context, prepared, downloaded, { startedAtMs, finishedAtMs })
  const settle = async (): Promise<void> => {
    const failure = gapFailure(context, downloaded)
    if (failure !== undefined) {
      await downloaded.complete()
      throw failure
    }
    if (status !== 'partial') await rememberRun(context, prepared, downloaded.serverDateMs ?? startedAtMs)
  }
  const result = { ...received, ...written }
  return runOf(held, { result, prepared, download: downloaded, settle, complete: downloaded.complete })
}

// Before anything is requested: a table that cannot be used is noticed now.
async function tablesOfReport(context: Context): Promise<ReferenceTables | undefined> {
  if (context.settings.values.report === undefined) return undefined
  const { readTables } = await import('../report/run-report.ts')
  return readTables(context)
}

function runOf(held: ResourceStack, run: Omit<DownloadRun, keyof AsyncDisposable>): DownloadRun {
  const resources = held.move()
  return { ...run, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() }
}

function outputOptions({ settings }: Context): OutputOptions {
  const { output, overwrite, extract, manifest, missing, report } = settings.values
  const others = [
    ...(missing === undefined ? [] : [{ what: 'missing', path: missing }]),
    ...(report === undefined ? [] : [{ what: 'report', path: report }]),
  ]
  return { output, overwrite, extract, manifest, others, inputs: inputsOf(settings) }
}

function downloadOptions({ settings }: Context, { plan, reconcile }: Prepared) {
  const { allowPartial, ifLocked, concurrency, retries, maxWait, rate, stallTimeout } = settings.values
  return {
    plan,
    reconcile,
    limits: settings.limits,
    allowPartial,
    ifLocked,
    concurrency,
    retries,
    maxWaitMs: maxWait,
    finishMs: Math.min(stallTimeout, LONGEST_FINISH_MS),
    ratePerMinute: rate,
    userAgent: USER_AGENT,
    tool: TOOL,
  }
}

async function extractOutput(
  { world, settings, terminal }: Context,
  { output, archive }: Download,
): Promise<DownloadResult['extracted']> {
  if (archive === undefined || output.extractPath === undefined) return null
  const { extractArchive } = await import('../../archive/extract-archive.ts')
  const { files, bytes } = await extractArchive(world, archive.path, output.extractPath, {
    limits: settings.limits,
    overwrite: output.overwrite,
    include: [],
    exclude: [],
    flat: false,
    reporter: terminal.reporter,
    signal: world.interrupt,
  })
  return { path: output.shownExtract!, files, bytes }
}

async function reportOutput(
  context: Context,
  prepared: Prepared,
  downloaded: Download,
  tables: ReferenceTables | undefined,
): Promise<DownloadResult['report']> {
  const path = context.settings.values.report
  if (path === undefined) return null
  const { writeReportFile } = await import('./write-report-file.ts')
  return writeReportFile(context, path, prepared, downloaded, tables)
}

async function writeMissingParts(
  { world, settings, terminal }: Context,
  { account, output }: Download,
): Promise<void> {
  const { missing } = settings.values
  if (missing === undefined) return
  const parts = account?.missing ?? []
  const path = absolutePath(world.cwd, missing)
  await writeResultFile(world, path, [partsAsList(parts, missing)], { overwrite: output.overwrite })
  const skipped = await skippedWhenRead(world, path, parts)
  if (skipped.length === 0) return
  const named = skipped.slice(0, MOST_NAMED).map((part) => `'${cleanText(part, 60)}'`)
  const more = skipped.length > named.length ? ' …' : ''
  const why =
    skipped.length === 1
      ? 'which looks like no part number; request it with --part'
      : 'which look like no part numbers; request them with --part'
  const message = `as a --parts-file, ${cleanText(missing, 200)} is read without ${named.join(', ')}${more}, ${why}`
  const data = { count: skipped.length }
  terminal.reporter.notice({ level: 'warning', event: 'missing.skipped', message, data })
}

const MOST_NAMED = 5

/** Those of the parts that the list at this path is read without, such as `TBD`. */
async function skippedWhenRead(
  world: World,
  path: string,
  parts: readonly string[],
): Promise<readonly string[]> {
  if (parts.length === 0) return []
  const read = await readParts(world, { parts: [], files: [path], strict: false }, SILENT).catch(
    // A usage error means that the list has no parts; other errors say nothing about them.
    (error: unknown) => ({ parts: isFailure(error) && error.kind === 'usage' ? [] : parts }),
  )
  const kept = new Set(read.parts)
  return parts.filter((part) => !kept.has(part))
}

async function writeManifest(
  { world, terminal }: Context,
  { target, shownCriteria, parts }: Prepared,
  downloaded: Download,
  times: { readonly startedAtMs: number; readonly finishedAtMs: number },
): Promise<void> {
  const { manifestPath, overwrite } = downloaded.output
  if (manifestPath === undefined) return
  const facts = { tool: TOOL, baseUrl: target.baseUrl, criteria: shownCriteria, parts, ...times }
  const text = terminal.redact(manifestText(manifestOf(downloaded, facts)))
  await writeResultFile(world, manifestPath, [text], { overwrite })
}

function gapFailure({ settings }: Context, { archive, account, requests }: Download): Failure | undefined {
  const { failIfEmpty, failIfMissing, missing: list } = settings.values
  if (failIfEmpty && archive === undefined) {
    const failed = requests.filter(({ error }) => error !== undefined).length
    const which =
      failed === 0
        ? 'this request'
        : `${formatCount(requests.length - failed)} of ${formatCount(requests.length)} requests, and the others failed`
    return new Failure('missing', `the service has no declarations for ${which} (--fail-if-empty)`, {
      hint: 'check the supplier, the parts and the start date',
    })
  }
  const missing = account?.missing.length ?? 0
  const unknown = account?.unknown.length ?? 0
  if (!failIfMissing || missing + unknown === 0) return undefined
  const why = `unknown because ${unknown === 1 ? 'its' : 'their'} request failed`
  const what = [
    ...(missing > 0 ? [`${plural(missing, 'requested part')} not found`] : []),
    ...(unknown > 0
      ? [missing > 0 ? `${formatCount(unknown)} ${why}` : `${plural(unknown, 'requested part')} ${why}`]
      : []),
  ]
  return new Failure('missing', `${what.join(', and ')} (--fail-if-missing)`, {
    hint:
      missing === 0
        ? 'request them again'
        : list === undefined
          ? '--missing FILE writes them to a list'
          : `${unknown > 0 ? 'the missing ones' : 'they'} are listed in ${cleanText(list, 200)}`,
  })
}

async function rememberRun(
  { world }: Context,
  { searchFingerprint, target, criteria, parts }: Prepared,
  serverDateMs: number,
): Promise<void> {
  if (searchFingerprint === undefined) return
  const request = { baseUrl: target.baseUrl, ...criteria }
  await saveState(world, { identity: searchFingerprint, request, serverDateMs, parts })
}

/** What a result has of the start of a run. */
type RunStart = Pick<DownloadResult, 'request' | 'plan' | 'startedAt'>

/** The result of a run, before anything is written beside its archive. */
function resultOf(
  start: RunStart,
  { duplicates, parts }: Prepared,
  { output, archive, account, requests, rateLimit }: Partial<Download> & Pick<Download, 'requests'>,
  withEntries: boolean,
): Omit<DownloadResult, 'finishedAt'> {
  const isPartial = requests.some(({ error }) => error !== undefined)
  return {
    schema: 'matdecl.download/1',
    status: isPartial ? 'partial' : archive === undefined ? 'empty' : 'ok',
    ...start,
    requests: requests.map(requestFields),
    archive:
      archive === undefined
        ? null
        : {
            path: output!.shown,
            bytes: archive.bytes,
            sha256: archive.sha256,
            entries: archive.entries.length,
          },
    ...(withEntries && archive !== undefined ? { entries: archive.entries.map(entryResult) } : {}),
    extracted: null,
    report: null,
    duplicates,
    ...accountFields(account, parts.length),
    rateLimit: rateLimit === undefined ? null : rateLimitFields(rateLimit),
  }
}

function requestFields(request: RequestResult): DownloadResult['requests'][number] {
  const { parts, status, attempts, bytes, seconds, sha256, isResumed, error } = request
  return {
    parts,
    status: status ?? null,
    attempts,
    bytes,
    seconds: roundSeconds(seconds),
    sha256: sha256 ?? null,
    resumed: isResumed || undefined,
    error,
  }
}

function rateLimitFields({ limit, remaining, resetMs }: RateLimit): DownloadResult['rateLimit'] {
  return { limit, remaining, resetSeconds: resetMs === undefined ? undefined : resetMs / 1000 }
}
