import { entryResult } from '../../archive/entry.ts'
import type { Download } from '../../download/download.ts'
import type { DownloadResult } from '../../download/download-result.ts'
import type { RequestResult } from '../../download/job-plan.ts'
import { accountFields, roundSeconds } from '../../download/manifest.ts'
import type { RateLimit } from '../../http/rate-headers.ts'
import type { Prepared } from './prepare.ts'

export type ExtractedFolder = NonNullable<DownloadResult['extracted']>
export type ReportFileResult = NonNullable<DownloadResult['report']>

/** What a result has of the start of a run. */
export type RunStart = Pick<DownloadResult, 'request' | 'plan' | 'startedAt'>

/** What was written after the archive. */
export interface WrittenFiles {
  readonly extracted: ExtractedFolder | undefined
  readonly report: ReportFileResult | undefined
  readonly finishedAt: string
}

/** The result of a run. */
export function resultOf(
  start: RunStart,
  { duplicates, parts }: Prepared,
  { output, archive, account, requests, rateLimit }: Download,
  { extracted, report, finishedAt }: WrittenFiles,
  withEntries: boolean,
): DownloadResult {
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
            path: output.shown,
            bytes: archive.bytes,
            sha256: archive.sha256,
            entries: archive.entries.length,
          },
    ...(withEntries && archive !== undefined ? { entries: archive.entries.map(entryResult) } : {}),
    extracted: extracted ?? null,
    report: report ?? null,
    duplicates,
    ...accountFields(account, parts.length),
    rateLimit: rateLimit === undefined ? null : rateLimitFields(rateLimit),
    finishedAt,
  }
}

/** The result of a run that did nothing, since another one holds the output. */
export function skippedResult(start: RunStart, { duplicates }: Prepared, finishedAt: string): DownloadResult {
  return {
    schema: 'matdecl.download/1',
    status: 'ok',
    skipped: true,
    ...start,
    requests: [],
    archive: null,
    extracted: null,
    report: null,
    duplicates,
    rateLimit: null,
    finishedAt,
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
