import { entryResult } from '../../archive/entry.ts'
import type { AccountEntry } from '../../base/account-entry.ts'
import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, type FailureKind, isFailure } from '../../base/failure.ts'
import { SILENT } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import type { World } from '../../base/world.ts'
import { accountOfParts } from '../../download/accounting.ts'
import { type Download, download } from '../../download/download.ts'
import type { DownloadResult } from '../../download/download-result.ts'
import {
  accountFields,
  criteriaResult,
  isoTime,
  manifestFile,
  manifestOf,
  requestFields,
} from '../../download/manifest.ts'
import { type OutputOptions, resolveOutput } from '../../download/output-path.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { writeResultFile } from '../../fs/publish.ts'
import type { RateLimit } from '../../http/rate-headers.ts'
import type { ReferenceTables } from '../../report/regulations/reference-tables.ts'
import type { Context } from '../context.ts'
import { FailedRun } from '../json.ts'
import { listFields, noneFound } from '../parts-lists.ts'
import { inputsOf } from '../settings/settings.ts'
import { connectService, fitOpenFiles, readAccess, requestSettings, startRunSignal } from './access.ts'
import { type Prepared, prepareDownload } from './prepare.ts'

const TOOL = `matdecl ${VERSION}`

/** A run with all files written. It holds the lock, the job directory and the sandbox until it is disposed. */
export interface DownloadRun extends AsyncDisposable {
  /** What `--json` prints. */
  readonly result: DownloadResult
  readonly prepared: Prepared
  /** Undefined when another run holds the output and this one is to skip it. */
  readonly download: Download | undefined
  /** The failure for missing parts, or for an empty result that was not to be. */
  readonly gap: Failure | undefined
  /** Aborts when the run is stopped, or takes too long. */
  readonly signal: AbortSignal
  /** Removes the job directory; call it when the archive is delivered. */
  readonly complete: () => Promise<void>
}

/**
 * Downloads, then extracts, reports and writes the files of the options. Prints nothing. Rejects with a `FailedRun` that has what is
 * known by then.
 */
export async function runDownload(given: Context): Promise<DownloadRun> {
  await using held = new ResourceStack()
  const startedAtMs = given.world.clock.nowMs()
  const { tables, records } = await tablesOfReport(given)
  const prepared = await prepareDownload(given, held)
  const { plan, target, parts } = prepared
  const start = {
    request: { ...criteriaResult(target.baseUrl, plan.criteria), parts: parts.length },
    plan: { requests: plan.requestCount, parts: plan.partCount },
    startedAt: isoTime(startedAtMs),
  }
  const failed = (error: unknown): never => {
    throw new FailedRun(error, start)
  }
  const context = await fitOpenFiles(given, plan.requestCount).catch(failed)
  const { world, settings } = context
  const { signal } = held.use(startRunSignal(world, settings.values.timeout))
  const downloaded = await startDownload(context, prepared, { startedAtMs, signal }, held).catch(failed)
  if (downloaded === undefined) {
    const finishedAt = isoTime(world.clock.nowMs())
    const nothing = resultOf(start, prepared, { requests: [] }, { records, withEntries: false })
    const result = { ...nothing, status: 'ok', skipped: true, finishedAt } as const
    const complete = async (): Promise<void> => {}
    return runOf(held, { result, prepared, download: undefined, gap: undefined, signal, complete })
  }
  held.use(downloaded)
  const used = {
    ...start,
    request: { ...start.request, ...criteriaResult(target.baseUrl, downloaded.criteria) },
  }
  const received = resultOf(used, prepared, downloaded, { records, withEntries: settings.values.list })
  if (downloaded.failure !== undefined) throw new FailedRun(downloaded.failure, received)
  const { failure, ...written } = await writeOutputs(context, prepared, downloaded, tables, startedAtMs)
  const result = { ...received, ...written }
  if (failure !== undefined) throw new FailedRun(failure, result)
  const gap = noneFoundFailure(prepared, downloaded) ?? gapFailure(context, prepared, downloaded)
  return runOf(held, { result, prepared, download: downloaded, gap, signal, complete: downloaded.complete })
}

async function startDownload(
  context: Context,
  prepared: Prepared,
  { startedAtMs, signal }: { readonly startedAtMs: number; readonly signal: AbortSignal },
  held: ResourceStack,
): Promise<Download | undefined> {
  const { world, settings, terminal } = context
  const { plan, target } = prepared
  const access = await readAccess(context, target, plan.criteria)
  const { supplier, format, formatClass, startDate } = plan.criteria
  const names = { supplier, format, formatClass, startDate, nowMs: startedAtMs }
  const output = await resolveOutput(world, outputOptions(context), names)
  const service = await connectService(context, access)
  held.defer(() => service.close())
  const options = {
    ...requestSettings(context, access),
    plan,
    since: settings.values.since,
    reconcile: prepared.reconcile,
    allowPartial: settings.values.allowPartial,
    ifLocked: settings.values.ifLocked,
    tool: TOOL,
    address: target.address,
    output,
    service,
    apiKey: access.apiKey,
    signal,
  }
  return download(world, options, terminal.reporter)
}

/** What was written beside the archive, and what went wrong with the rest. */
type Written = Pick<DownloadResult, 'extracted' | 'report' | 'finishedAt'> & { readonly failure?: unknown }

async function writeOutputs(
  context: Context,
  prepared: Prepared,
  downloaded: Download,
  tables: ReferenceTables | undefined,
  startedAtMs: number,
): Promise<Written> {
  const { clock } = context.world
  let extracted: DownloadResult['extracted'] = null
  let report: DownloadResult['report'] = null
  const written = () => ({ extracted, report, finishedAt: isoTime(clock.nowMs()) })
  try {
    extracted = await extractOutput(context, downloaded)
    report = await reportOutput(context, prepared, downloaded, tables)
    const finishedAtMs = clock.nowMs()
    await writeMissingParts(context, downloaded)
    await writeManifest(context, prepared, downloaded, { startedAtMs, finishedAtMs })
    return { ...written(), finishedAt: isoTime(finishedAtMs) }
  } catch (failure) {
    return { ...written(), failure: afterArchive(failure, downloaded) }
  }
}

const REPEATED: readonly FailureKind[] = ['io', 'interrupted', 'unavailable']

/** A failure after the download: its job is kept, so that the same command only repeats what comes after it. */
export function afterArchive(failure: unknown, { archive, output }: Download): unknown {
  if (!isFailure(failure) || !REPEATED.includes(failure.kind)) return failure
  const isPublished = archive !== undefined && output.archivePath !== undefined
  const done = isPublished ? `${escapeUnsafe(output.shown)} is complete, and ` : ''
  return failure.with({ again: { notes: [`${done}nothing is sent again`] } })
}

// Before anything is requested: a table that cannot be used is noticed now.
async function tablesOfReport(
  context: Context,
): Promise<{ readonly tables?: ReferenceTables; readonly records?: AccountEntry | undefined }> {
  if (context.settings.values.report === undefined) return {}
  const { readTables } = await import('../report/run-report.ts')
  const { UserTables } = await import('../../report/records.ts')
  const read = new UserTables(context.terminal.reporter)
  const tables = await readTables(context, read)
  return { tables, records: read.account }
}

function runOf(held: ResourceStack, run: Omit<DownloadRun, keyof AsyncDisposable>): DownloadRun {
  const resources = held.move()
  return { ...run, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() }
}

function outputOptions({ settings }: Context): OutputOptions {
  const { output, overwrite, extract, manifest, missing, report } = settings.values
  const others = [
    ...(missing === undefined ? [] : [{ what: 'missing parts', path: missing }]),
    ...(report === undefined ? [] : [{ what: 'report', path: report }]),
  ]
  return { output, overwrite, extract, manifest, others, inputs: inputsOf(settings) }
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
  const { partsAsList } = await import('../../parts/parts-result.ts')
  const parts = account?.missing ?? []
  const path = absolutePath(world.cwd, missing)
  await writeResultFile(world, path, [partsAsList(parts, missing)], {
    overwrite: output.overwrite,
    option: 'missing',
  })
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
  const { readParts } = await import('../../parts/read-parts.ts')
  const read = await readParts(world, { parts: [], files: [path], strict: false }, SILENT).catch(
    // A usage error means that the list has no parts; other errors say nothing about them.
    (error: unknown) => ({ parts: isFailure(error) && error.kind === 'usage' ? [] : parts }),
  )
  const kept = new Set(read.parts)
  return parts.filter((part) => !kept.has(part))
}

async function writeManifest(
  { world, terminal }: Context,
  { target, parts }: Prepared,
  downloaded: Download,
  times: { readonly startedAtMs: number; readonly finishedAtMs: number },
): Promise<void> {
  const { manifestPath, overwrite } = downloaded.output
  if (manifestPath === undefined) return
  const isSandbox = target.sandboxToken !== undefined
  const facts = { tool: TOOL, isSandbox, baseUrl: target.baseUrl, parts, ...times }
  const text = manifestFile(manifestOf(downloaded, facts), terminal.secrets.redact)
  await writeResultFile(world, manifestPath, [text], { overwrite, option: 'manifest' })
}

// Without a start date, which also leaves out unchanged declarations, the parts or the column they were read from are wrong.
function noneFoundFailure(
  { parts, lists, target }: Prepared,
  { account, archive, criteria }: Download,
): Failure | undefined {
  const isNone = parts.length > 0 && account?.missing.length === parts.length
  if (!isNone || criteria.startDate !== undefined) return undefined
  const { message, hint } = noneFound(parts, lists, archive === undefined ? target.tip : undefined)
  const hasNumbers = archive === undefined || archive.declared.size > 0
  const [near] = account.near
  const nearHint =
    near &&
    `'${cleanText(near.near, 80)}' is in the archive: part numbers must match in case, spaces and dashes`
  return new Failure('missing', hasNumbers ? message : `${message}: its declarations have no ProductID`, {
    hint: nearHint ?? hint,
  })
}

function gapFailure(
  { settings }: Context,
  { target }: Prepared,
  { archive, account, requests }: Download,
): Failure | undefined {
  const { failIfEmpty, failIfMissing, missing: list } = settings.values
  if (failIfEmpty && archive === undefined) {
    const failed = requests.filter(({ error }) => error !== undefined).length
    const which =
      failed === 0
        ? 'this request'
        : `${formatCount(requests.length - failed)} of ${formatCount(requests.length)} requests, and the others failed`
    return new Failure('missing', `the service has no declarations for ${which} (--fail-if-empty)`, {
      hint: target.tip ?? 'check the supplier, the parts and the start date',
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

/** What a result has of the start of a run. */
type RunStart = Pick<DownloadResult, 'request' | 'plan' | 'startedAt'>

/** The result of a run, before anything is written beside its archive. */
function resultOf(
  start: RunStart,
  { duplicates, parts, target, lists, warned }: Prepared,
  { output, archive, account, requests, rateLimit }: Partial<Download> & Pick<Download, 'requests'>,
  { records, withEntries }: { readonly records: AccountEntry | undefined; readonly withEntries: boolean },
): Omit<DownloadResult, 'finishedAt'> {
  const isPartial = requests.some(({ error }) => error !== undefined) || (account?.unknown.length ?? 0) > 0
  return {
    schema: 'matdecl.download/1',
    status: isPartial ? 'partial' : archive === undefined ? 'empty' : 'ok',
    ...(target.sandboxToken === undefined ? {} : { sandbox: true }),
    ...start,
    requests: requests.map((one) => ({ ...requestFields(one), resumed: one.isResumed || undefined })),
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
    account: { parts: accountOfParts(parts, account), ...listFields(lists), ...(records && { records }) },
    ...warned,
    rateLimit: rateLimit === undefined ? null : rateLimitFields(rateLimit),
  }
}

export function rateLimitFields({ limit, remaining, resetMs }: RateLimit): DownloadResult['rateLimit'] {
  return { limit, remaining, resetSeconds: resetMs === undefined ? undefined : resetMs / 1000 }
}
