import type { Extracted } from '../../archive/extract-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../../base/units.ts'
import type { Account } from '../../download/accounting.ts'
import type { Downloaded } from '../../download/download.ts'
import type { Place } from '../../download/output-path.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { listedJson, listingLines } from '../archive-listing.ts'
import type { Context } from '../context.ts'
import type { Prepared } from './prepare.ts'
import type { Reported } from './report-step.ts'

const MOST_NAMED = 10

/** Everything the end of a run is told from. */
export interface Ending {
  readonly result: Downloaded
  readonly prepared: Prepared
  readonly place: Place
  readonly extracted: (Extracted & { readonly shown: string }) | undefined
  readonly reported: Reported | undefined
  readonly seconds: number
  readonly status: 'ok' | 'empty' | 'partial'
}

/** The result on standard output: the path that was written, then the list. */
export async function writeResult({ terminal, settings }: Context, { result, place }: Ending): Promise<void> {
  if (terminal.choice.json || terminal.choice.quiet || place.shown === '-' || result.archive === undefined)
    return
  await terminal.write(`${escapeUnsafe(place.shown)}\n`)
  if (!settings.values.list) return
  for (const piece of listingLines(result.archive.entries, terminal.out)) await terminal.write(piece)
}

/** The summary on standard error: what came, from what, and which parts did not. */
export function saySummary({ terminal, settings }: Context, ending: Ending): void {
  for (const line of summaryLines(ending)) terminal.say(line.event, line.message, line.data)
  const { missing, manifest } = settings.values
  if (missing !== undefined) {
    terminal.say('download.missing-written', `missing parts written to ${escapeUnsafe(missing)}`)
  }
  if (ending.place.manifestPath !== undefined) {
    const shown = typeof manifest === 'string' ? manifest : `${ending.place.shown}.manifest.json`
    terminal.say('download.manifest', `manifest written to ${escapeUnsafe(shown)}`)
  }
}

/** The summary as lines with their stable events. */
export function summaryLines(
  ending: Ending,
): { event: string; message: string; data?: Record<string, unknown> }[] {
  const { result, prepared, place, extracted, reported, seconds, status } = ending
  const { archive, account } = result
  const requests = plural(result.requests.length, 'request')
  const lines: { event: string; message: string; data?: Record<string, unknown> }[] = []
  const took = `${requests}, ${formatDuration(seconds * 1000)}`
  if (archive === undefined) {
    const statuses = [...new Set(result.requests.map((one) => one.status))].join(', ')
    const why = statuses === '204' ? 'the service has nothing (204)' : 'the archive has no entries'
    lines.push({
      event: 'download.empty',
      message: `nothing matches: ${why}; no archive was written (${took})`,
    })
  } else {
    const where = place.shown === '-' ? 'standard output' : escapeUnsafe(place.shown)
    lines.push({
      event: 'download.done',
      message: `${where}: ${plural(archive.entries.length, 'entry', 'entries')}, ${formatBytes(archive.bytes)}, verified (${took})`,
      data: {
        status,
        bytes: archive.bytes,
        entries: archive.entries.length,
        sha256: archive.sha256,
        requests: result.requests.length,
      },
    })
    lines.push({ event: 'download.sha256', message: `sha256 ${archive.sha256}` })
  }
  if (prepared.duplicates > 0) {
    lines.push({
      event: 'download.duplicates',
      message: `${plural(prepared.duplicates, 'duplicate')} in the parts, asked for once`,
    })
  }
  if (account !== undefined) {
    const { foundCount, missing, near, unknown } = account
    const asked = plural(prepared.parts.length, 'part')
    const rest = [
      ...(missing.length > 0 ? [`${formatCount(missing.length)} ${missingWord(prepared)}`] : []),
      ...(unknown.length > 0
        ? [
            `${formatCount(unknown.length)} unknown, since ${unknown.length === 1 ? 'its' : 'their'} request failed`,
          ]
        : []),
    ]
    lines.push({
      event: 'download.parts',
      message: `${asked} asked for: ${formatCount(foundCount)} found${rest.length > 0 ? `, ${rest.join(', ')}` : ''}`,
      data: {
        asked: prepared.parts.length,
        found: foundCount,
        missing: missing.length,
        unknown: unknown.length,
      },
    })
    if (missing.length > 0)
      lines.push({
        event: 'download.missing',
        message: `${missingWord(prepared)}: ${named(missing, '--missing FILE')}`,
      })
    if (missing.length > 0 && prepared.plan.groups.some(({ startDate }) => startDate !== undefined)) {
      lines.push({
        event: 'download.missing-since',
        message: 'with a start date, a part for which nothing was approved since counts as missing too',
      })
    }
    if (unknown.length > 0) {
      lines.push({ event: 'download.unknown', message: `unknown: ${named(unknown, 'the manifest')}` })
    }
    for (const one of near.slice(0, MOST_NAMED)) {
      lines.push({
        event: 'download.near',
        message: `near, but not the same: ${quote(one.asked)} was asked for, ${quote(one.near)} is in the archive`,
      })
    }
  }
  if (account === undefined && prepared.parts.length > 0 && prepared.criteria.format === 'CSV') {
    lines.push({
      event: 'download.not-matched',
      message: 'a CSV answer has no ProductIDs: what was found is not matched with what was asked for',
    })
  }
  if (extracted !== undefined) {
    lines.push({
      event: 'download.extracted',
      message: `unpacked ${plural(extracted.files, 'file')}, ${formatBytes(extracted.bytes)}, into ${escapeUnsafe(extracted.shown)}`,
    })
  }
  if (reported !== undefined) {
    lines.push({ event: 'download.reported', message: `report written to ${escapeUnsafe(reported.path)}` })
  }
  return lines
}

/** What the JSON result tells of a run, beyond its schema and status. */
export function resultFacts(
  { result, prepared, place, extracted, reported }: Ending,
  withList: boolean,
): Record<string, unknown> {
  const { archive, account } = result
  return {
    requests: result.requests.map(
      ({ parts, status, attempts, bytes, seconds, sha256, isResumed, error }) => ({
        parts,
        status: status ?? null,
        attempts,
        bytes,
        seconds: Math.round(seconds * 1000) / 1000,
        sha256: sha256 ?? null,
        ...(isResumed ? { resumed: true } : {}),
        ...(error === undefined ? {} : { error }),
      }),
    ),
    archive:
      archive === undefined
        ? null
        : {
            path: place.shown,
            bytes: archive.bytes,
            sha256: archive.sha256,
            entries: archive.entries.length,
          },
    ...(withList && archive !== undefined ? { entries: archive.entries.map(listedJson) } : {}),
    extracted:
      extracted === undefined
        ? null
        : { path: extracted.shown, files: extracted.files, bytes: extracted.bytes },
    report: reported ?? null,
    duplicates: prepared.duplicates,
    ...accountFacts(account, prepared.parts.length),
    rateLimit: rateLimitFacts(result.rateLimit),
  }
}

// Where nothing was asked for by part there is nothing to miss; where nobody looked (`--no-reconcile`) nothing is said.
function accountFacts(account: Account | undefined, partCount: number): Record<string, unknown> {
  if (account === undefined) {
    return partCount === 0 ? { foundParts: 0, missingParts: [], unknownParts: [], nearParts: [] } : {}
  }
  const { foundCount, missing, unknown, near } = account
  return { foundParts: foundCount, missingParts: missing, unknownParts: unknown, nearParts: near }
}

function rateLimitFacts(rateLimit: RateLimit | undefined): Record<string, unknown> | null {
  if (rateLimit === undefined) return null
  const { limit, remaining, resetMs } = rateLimit
  return { limit, remaining, resetSeconds: resetMs === undefined ? undefined : resetMs / 1000 }
}

/** The summary as Markdown, for a CI system's summary page. */
export function summaryMarkdown(ending: Ending): string {
  const { result, status, place } = ending
  const { archive, account } = result
  const rows: [string, string][] = [
    ['status', status],
    ['archive', archive === undefined ? 'none' : `\`${place.shown.replaceAll('`', "'")}\``],
    ...(archive === undefined
      ? []
      : ([
          ['size', formatBytes(archive.bytes)],
          ['entries', formatCount(archive.entries.length)],
          ['sha256', `\`${archive.sha256}\``],
        ] as [string, string][])),
    ['requests', formatCount(result.requests.length)],
    ...(account === undefined
      ? []
      : ([
          ['parts found', formatCount(account.foundCount)],
          ['parts missing', formatCount(account.missing.length)],
          ['parts unknown', formatCount(account.unknown.length)],
        ] as [string, string][])),
  ]
  return `### matdecl download\n\n| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${escapeUnsafe(value).replaceAll('|', '\\|')} |\n`).join('')}\n`
}

function named(parts: readonly string[], where: string): string {
  const rest = parts.length - MOST_NAMED
  return `${parts.slice(0, MOST_NAMED).map(quote).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more (${where} has them all)` : ''}`
}

function quote(part: string): string {
  return `'${escapeUnsafe(part)}'`
}

// With a start date the service says nothing of what did not change: it can not be told from what it does not have.
function missingWord({ plan }: Prepared): string {
  const dates = plan.groups.flatMap(({ startDate }) => startDate ?? [])
  return dates.length === 0 ? 'missing' : `missing, or unchanged since ${dates[0]}`
}
