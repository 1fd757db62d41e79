import { orAborted } from '../../base/aborted.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { EXIT_CODES } from '../../base/failure.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../../base/units.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import { changed } from '../../download/collect-archive.ts'
import type { Download } from '../../download/download.ts'
import type { DownloadResult } from '../../download/download-result.ts'
import { identityOf, isSameFile } from '../../fs/draft.ts'
import { unlessReaderGone } from '../../terminal/stream-writer.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { interruptionOr } from '../explain.ts'
import { FailedRun, printResult } from '../json.ts'
import { writeStepSummary } from '../step-summary.ts'
import { lengthAdvice } from './access.ts'
import { afterArchive, type DownloadRun, runDownload } from './run-download.ts'

/** Downloads one verified archive, then does what else the options ask for. */
export const printDownload: CommandRun = async (context) => {
  const { settings, terminal } = context
  if (settings.values.dryRun) {
    const { planDownload, printPlan } = await import('./plan-download.ts')
    await printPlan(context, await planDownload(context))
    return 0
  }
  await using download = await runDownload(context).catch(async (error: unknown) => {
    const reason = error instanceof FailedRun ? error.reason : error
    await writeStepSummary(context, summaryMarkdown(undefined, interruptionOr(context.world, reason)))
    throw error
  })
  await sendArchive(context, download).catch((error: unknown) => {
    throw new FailedRun(afterArchive(error, download.download!), download.result)
  })
  // The archive is delivered: the run is complete, also when what follows cannot be written.
  await download.complete()
  try {
    await printNames(context, download).catch(unlessReaderGone)
  } finally {
    terminal.stopProgress()
    printSummary(context, download)
  }
  const { result, gap } = download
  if (!result.skipped) await writeStepSummary(context, summaryMarkdown(result, gap))
  if (gap === undefined) await printResult(terminal, result).catch(unlessReaderGone)
  if (gap !== undefined) throw new FailedRun(gap, result)
  return download.result.status === 'partial' ? EXIT_CODES.partial : 0
}

/** Writes the archive to standard output for `--output -`. */
async function sendArchive({ world, terminal }: Context, { download, signal }: DownloadRun): Promise<void> {
  const { archive, output } = download ?? {}
  if (archive === undefined || output?.shown !== '-') return
  const handle = await world.disk.open(archive.path, 'r')
  try {
    if (!isSameFile(identityOf(await handle.stat({ bigint: true })), archive.identity))
      throw changed(archive.path)
    const buffer = Buffer.allocUnsafe(1 << 20)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      await orAborted(terminal.writeBytes(buffer.subarray(0, bytesRead)), signal)
    }
  } finally {
    await handle.close()
  }
}

// The path, then the list.
async function printNames({ terminal, settings }: Context, { download }: DownloadRun): Promise<void> {
  const { archive, output } = download ?? {}
  if (archive === undefined || output === undefined || output.shown === '-') return
  if (terminal.choice.json || terminal.choice.quiet) return
  // On a terminal the summary names it.
  if (!terminal.isOneScreen) await terminal.write(`${escapeUnsafe(output.shown)}\n`)
  if (!settings.values.list) return
  const { listingLines, listingLook } = await import('../archive-listing.ts')
  for (const piece of listingLines(archive.entries, listingLook(terminal, false))) await terminal.write(piece)
}

/** Prints the summary on standard error. */
function printSummary({ terminal, settings }: Context, run: DownloadRun): void {
  for (const { event, message, data, level } of summaryLines(run, settings.values.missing)) {
    if (level === undefined) terminal.saySummary(event, [message], data)
    else terminal.reporter.notice({ level, event, message })
  }
}

const MOST_NAMED = 10

/** A line of the summary, with its stable event id. */
interface SummaryLine {
  readonly event: string
  readonly message: string
  readonly level?: 'warning'
  readonly data?: Readonly<Record<string, unknown>>
}

/** The summary of a run: the archive, the parts, and the files written. `missingFile` is the file of `--missing`. */
function summaryLines(
  { result, prepared, download, gap }: DownloadRun,
  missingFile: string | undefined,
): readonly SummaryLine[] {
  if (download === undefined) return []
  const { extracted, report, duplicates } = result
  const advice = lengthAdvice(download.learned, prepared.criteria.api)
  const { shown, manifestPath, options } = download.output
  const manifest = typeof options.manifest === 'string' ? options.manifest : `${shown}.manifest.json`
  return [
    ...archiveLines(result),
    ...(duplicates > 0 ? [line('duplicates', `${plural(duplicates, 'duplicate part')} requested once`)] : []),
    ...partLines(result, download.criteria.startDate, missingFile),
    ...(download.otherParts > 0
      ? [
          line(
            'other-parts',
            `the archive also holds ${plural(download.otherParts, 'part')} of the unfinished run that ${download.otherParts === 1 ? 'is' : 'are'} no longer on the list`,
          ),
        ]
      : []),
    ...(advice === undefined ? [] : [line('too-long', advice, { ...download.learned })]),
    ...(download.account === undefined && prepared.parts.length > 0 && prepared.criteria.format === 'CSV'
      ? [line('not-matched', 'a CSV response has no ProductIDs: parts are not matched')]
      : []),
    ...(result.sandbox === true && result.archive !== null ? [line('made-up', MADE_UP)] : []),
    ...(prepared.target.tip !== undefined && result.archive === null && gap === undefined
      ? [line('sandbox', prepared.target.tip)]
      : []),
    ...(extracted === null
      ? []
      : [
          line(
            'extracted',
            `extracted ${plural(extracted.files, 'file')}, ${formatBytes(extracted.bytes)}, to ${escapeUnsafe(extracted.path)}`,
          ),
        ]),
    ...(report === null ? [] : [line('reported', `report written to ${escapeUnsafe(report.path)}`)]),
    ...(missingFile === undefined
      ? []
      : [
          line(
            'missing-written',
            `missing parts written to ${escapeUnsafe(missingFile)}${whyNone(download, prepared)}`,
          ),
        ]),
    ...(manifestPath === undefined
      ? []
      : [line('manifest', `manifest written to ${escapeUnsafe(manifest)}`)]),
  ]
}

/** What to add where the list of missing parts is empty. */
function whyNone({ account }: Download, { parts }: DownloadRun['prepared']): string {
  if (parts.length === 0) return ': none, as no parts were requested'
  return account?.missing.length === 0 ? ': none' : ''
}

/** The summary as Markdown, for the summary page of a CI system; without a result when the run failed before it had one. */
function summaryMarkdown(result: DownloadResult | undefined, failure?: unknown): string {
  const rows = [
    ['status', failure === undefined ? result!.status : 'failed'],
    ...(failure instanceof Error ? [['reason', failure.message]] : []),
    ...(result === undefined ? [] : resultCells(result)),
  ]
  const cells = rows.map(
    (row) => `| ${row.map((cell) => escapeUnsafe(cell).replaceAll('|', '\\|')).join(' | ')} |\n`,
  )
  return `### matdecl download\n\n| | |\n|---|---|\n${cells.join('')}\n`
}

function resultCells({
  sandbox,
  archive,
  request,
  requests,
  foundParts,
  missingParts = [],
  unknownParts = [],
}: DownloadResult): readonly (readonly [name: string, text: string])[] {
  return [
    ['archive', archive === null ? 'none' : `\`${archive.path.replaceAll('`', "'")}\``],
    ...(archive === null
      ? []
      : ([
          ['size', formatBytes(archive.bytes)],
          ['entries', formatCount(archive.entries)],
          ['sha256', `\`${archive.sha256}\``],
          ...(sandbox === true ? [['note', MADE_UP] as const] : []),
        ] as const)),
    ['requests', formatCount(requests.length)],
    ...(foundParts === undefined || request.parts === 0
      ? []
      : ([
          ['parts found', formatCount(foundParts)],
          ['parts missing', formatCount(missingParts.length)],
          ['parts unknown', formatCount(unknownParts.length)],
        ] as const)),
  ]
}

function archiveLines({ archive, requests, status, startedAt, finishedAt }: DownloadResult): SummaryLine[] {
  const tookMs = Date.parse(finishedAt) - Date.parse(startedAt)
  const responses = requests.filter(({ error }) => error === undefined)
  const failed = requests.length - responses.length
  const kept = requests.filter(({ resumed }) => resumed).length
  const count = [
    plural(requests.length - kept, 'request'),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
    ...(kept === 0 ? [] : [`${formatCount(kept)} kept from an earlier run`]),
  ]
  const took = [...count, formatDuration(tookMs)].join(', ')
  if (archive === null) {
    const is204 = responses.every((response) => response.status === 204)
    const why = is204 ? 'the service has nothing (204)' : 'the archive has no entries'
    return [line('empty', `no match: ${why}; no archive was written (${took})`)]
  }
  const { path, entries, bytes, sha256 } = archive
  const where = path === '-' ? 'standard output' : escapeUnsafe(path)
  return [
    line(
      'done',
      `${where}: ${plural(entries, 'entry', 'entries')}, ${formatBytes(bytes)}, verified (${took})`,
      {
        status,
        bytes,
        entries,
        sha256,
        requests: requests.length,
      },
    ),
    line('sha256', `sha256 ${sha256}`),
  ]
}

function partLines(
  result: DownloadResult,
  startDate: string | undefined,
  missingFile = '--missing FILE',
): SummaryLine[] {
  const { request, foundParts, missingParts = [], unknownParts = [], nearParts = [] } = result
  if (foundParts === undefined || request.parts === 0) return []
  // With a start date the service also omits unchanged declarations.
  const missing = startDate === undefined ? 'missing' : `missing, or unchanged since ${startDate}`
  const counts = [
    `${formatCount(foundParts)} found`,
    ...(missingParts.length > 0 ? [`${formatCount(missingParts.length)} ${missing}`] : []),
    ...(unknownParts.length > 0
      ? [
          `${formatCount(unknownParts.length)} unknown because ${unknownParts.length === 1 ? 'its' : 'their'} request failed`,
        ]
      : []),
  ]
  return [
    line('parts', `${plural(request.parts, 'part')} requested: ${counts.join(', ')}`, {
      asked: request.parts,
      found: foundParts,
      missing: missingParts.length,
      unknown: unknownParts.length,
    }),
    ...(missingParts.length > 0
      ? [line('missing', `${missing}: ${named(missingParts, escapeUnsafe(missingFile))}`)]
      : []),
    ...(missingParts.length > 0 && startDate !== undefined
      ? [line('missing-since', 'with a start date, parts without a newer declaration also count as missing')]
      : []),
    ...(unknownParts.length > 0 ? [line('unknown', `unknown: ${named(unknownParts, 'the manifest')}`)] : []),
    ...nearParts
      .slice(0, MOST_NAMED)
      .map(({ asked, near }) =>
        line('near', `near match: ${quote(asked)} was requested, ${quote(near)} is in the archive`),
      ),
  ]
}

function line(event: string, message: string, data?: SummaryLine['data']): SummaryLine {
  return { event: `download.${event}`, message, ...(data === undefined ? {} : { data }) }
}

function named(parts: readonly string[], where: string): string {
  const rest = parts.length - MOST_NAMED
  return `${parts.slice(0, MOST_NAMED).map(quote).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more (all of them: ${where})` : ''}`
}

function quote(part: string): string {
  return `'${escapeUnsafe(part)}'`
}
