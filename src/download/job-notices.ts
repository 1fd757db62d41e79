import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../base/units.ts'
import type { Job } from './job-store.ts'
import type { KeptBytes } from './partial-responses.ts'
import type { RequestResult } from './request-result.ts'

/** What of an unfinished job this run uses. */
export interface Resumed {
  /** Requests that are not sent again. */
  readonly answered: number
  /** Requests of which the rest is requested. */
  readonly begun: readonly KeptBytes[]
  /** Requests still to be sent, without those begun. */
  readonly remaining: number
  /** Archives with parts that are no longer requested. */
  readonly unused: number
  /** Requests that were sent and whose response is lost, in full or in part. */
  readonly lost: number
}

/** Reports what an earlier run left in the job directory, and, before anything is sent, which requests may use allowance again. */
export function noticeResume(job: Job, resumed: Resumed, reporter: Reporter): void {
  const { found, damagedPieces, folder, setAside } = job
  const { answered, begun, remaining, unused, lost } = resumed
  const notice = (level: 'info' | 'warning', event: string, message: string, costs = false): void =>
    reporter.notice({
      level,
      event,
      message,
      data: { folder, answered, remaining },
      ...(costs ? { costs } : {}),
    })
  if (setAside !== undefined) {
    notice(
      'warning',
      'job.changed',
      `moved an unfinished run of another request to ${setAside}; starting over`,
      true,
    )
  }
  if (answered + begun.length > 0) {
    const total = plural(answered + begun.length + remaining, 'request')
    const rest = begun.length === 0 ? '' : `, ${keptWords(begun)} kept`
    notice(
      'info',
      'job.resumed',
      `resuming an unfinished run: ${formatCount(answered)} of ${total} done${rest}`,
    )
  }
  if (found === 'related') {
    const parts =
      unused === 0
        ? ''
        : `; ${plural(unused, 'archive')} with parts no longer on the list will be kept separately`
    notice('info', 'job.other-parts', `the parts list has changed: responses are reused part by part${parts}`)
  }
  if (damagedPieces.length > 0) {
    const message = `${plural(damagedPieces.length, 'archive')} of the unfinished run cannot be used and will be requested again, which uses allowance again`
    notice('warning', 'job.damaged', message, true)
  }
  if (lost > 0) {
    const message = `${plural(lost, 'request')} of the unfinished run had no complete response; sending again, which may use allowance twice`
    notice('warning', 'job.unanswered', message, true)
  }
}

/** Reports a completed request. */
export function noticeResponse(
  label: string,
  parts: readonly string[],
  { status, bytes, seconds, attempts }: RequestResult,
  reporter: Reporter,
): void {
  const what = bytes === 0 ? `nothing (${status})` : formatBytes(bytes)
  reporter.notice({
    level: 'detail',
    event: 'request.done',
    message: `${label}${partsNamed(parts)}: ${what} in ${formatDuration(seconds * 1000)}`,
    data: { parts: parts.length, status, bytes, seconds, attempts },
  })
}

/** What a run that ends early has done. */
export interface Unfinished {
  readonly answered: number
  readonly total: number
  /** Requests in flight of which nothing is kept, by the reason. */
  readonly lost: readonly LostResponse[]
}

/** Why nothing of a response is kept: there was none yet, none of its bytes, or they could not be continued. */
export type LostResponse = 'unanswered' | 'preparing' | 'no-bytes' | 'no-validator'

const WHY_LOST: Readonly<Record<LostResponse, string>> = {
  'no-validator': 'the service gave no strong validator (ETag) with Accept-Ranges: bytes',
  'no-bytes': 'none of its bytes had been synced to disk yet',
  preparing: 'the service was still preparing the archive; it may have it ready when it is requested again',
  unanswered: 'the service had not responded yet',
}

/**
 * Keeps an unfinished job if the next run can use it, and removes it otherwise. Returns the failure with a hint that says
 * what is kept.
 */
export async function leaveJob(
  job: Job,
  error: unknown,
  { answered, total, lost }: Unfinished,
  reporter: Reporter,
): Promise<unknown> {
  const isKept = job.isWorthKeeping()
  const begun = job.keptBytes()
  const words = [
    ...(answered > 0 ? [`${formatCount(answered)} of ${plural(total, 'request')}`] : []),
    ...(begun.length > 0 ? [keptWords(begun)] : []),
  ].join(', and ')
  const sentAgain = `${plural(lost.length, 'request')} in flight will be sent again, which may use allowance twice`
  if (isKept) {
    const data = { folder: job.folder, answered, requests: total, bytes: begun.map(({ bytes }) => bytes) }
    const message = `kept in ${job.folder}: ${words}; run the same command to resume`
    reporter.notice({ level: 'info', event: 'job.kept', message, data })
    const again = lost.length > 0 ? `; ${sentAgain}` : ''
    return withHint(error, `run the same command again to resume: ${words} kept${again}`)
  }
  await job.remove().catch(() => undefined)
  if (lost.length === 0) return error
  const reason = (['no-validator', 'no-bytes', 'preparing', 'unanswered'] as const).find((why) =>
    lost.includes(why),
  )!
  return withHint(error, `run the same command again; nothing is kept: ${WHY_LOST[reason]}; ${sentAgain}`)
}

/** The failure of one of several requests, with its name and how to continue without it. */
export function failureOfRequest(which: string, error: Failure): Failure {
  const { hint, details } = error
  const without = 'keep the other archives without it'
  return new Failure(error.kind, `${which}: ${error.message}`, {
    ...details,
    hint: hint === undefined ? without : `${hint}; or ${without}`,
    options: [...(details.options ?? []), 'allow-partial'],
    cause: error,
  })
}

/** The parts of a request in parentheses, for a message; empty without parts. */
export function partsNamed(parts: readonly string[]): string {
  const [first] = parts
  if (first === undefined) return ''
  if (parts.length === 1) return ` (part ${quoted(first)})`
  return ` (${plural(parts.length, 'part')}, ${quoted(first)} to ${quoted(parts.at(-1)!)})`
}

// `100 MB of 500 MB of 1 request`, without the total where the service did not say it.
function keptWords(begun: readonly KeptBytes[]): string {
  const bytes = formatBytes(begun.reduce((sum, each) => sum + each.bytes, 0))
  const isTotalKnown = begun.every(({ total }) => total !== undefined)
  const total = formatBytes(begun.reduce((sum, each) => sum + (each.total ?? 0), 0))
  return `${bytes}${isTotalKnown ? ` of ${total}` : ''} of ${plural(begun.length, 'request')}`
}

// The hint of the signal only says to run the command again.
function withHint(error: unknown, hint: string): unknown {
  if (!isFailure(error)) return error
  const own = error.kind === 'interrupted' ? undefined : error.hint
  return new Failure(error.kind, error.message, {
    ...error.details,
    hint: own === undefined ? hint : `${hint}; ${own}`,
    cause: error.cause ?? error,
  })
}

function quoted(part: string): string {
  return `'${cleanText(part, 60)}'`
}

/** The failure of a request that is refused as too long and cannot be divided. */
export function tooLongAlone(error: Failure, parts: readonly string[]): Failure {
  const { options: _, ...details } = error.details
  const what =
    parts.length === 0 ? 'this request, which has no parts' : 'even the request for this part alone'
  return new Failure(error.kind, error.message, {
    ...details,
    hint: `${what} is too long for the service or a gateway before it: report it to the provider`,
    cause: error.cause ?? error,
  })
}
