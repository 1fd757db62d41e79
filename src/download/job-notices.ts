import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../base/units.ts'
import type { Job } from './job-folder.ts'
import type { RequestResult } from './request-result.ts'

/** Reports what an earlier run left in the job folder. */
export function noticeResume(job: Job, remainingCount: number, reporter: Reporter): void {
  const { state, found, damagedPieces, folder } = job
  const answered = state.pieces.length + state.empty.length
  const notice = (level: 'info' | 'warning', event: string, message: string): void =>
    reporter.notice({ level, event, message, data: { folder, answered, remaining: remainingCount } })
  if (found === 'changed') {
    notice('warning', 'job.changed', `${folder} has an unfinished run of another request; starting over`)
  }
  if (answered > 0) {
    const message = `resuming an unfinished run: ${formatCount(answered)} of ${plural(answered + remainingCount, 'request')} done`
    notice('info', 'job.resumed', message)
  }
  if (damagedPieces.length > 0) {
    const message = `${plural(damagedPieces.length, 'archive')} of the unfinished run cannot be used and will be requested again`
    notice('warning', 'job.damaged', message)
  }
  if (state.unanswered.length > 0) {
    const message = `${plural(state.unanswered.length, 'request')} of the unfinished run had no response; sending again, which may cost allowance twice`
    notice('warning', 'job.unanswered', message)
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

/** Keeps a job that did not finish when the next run can use it, and removes it otherwise. */
export async function leaveJob(job: Job, reporter: Reporter): Promise<void> {
  if (!job.isWorthKeeping()) {
    await job.remove().catch(() => undefined)
    return
  }
  reporter.notice({
    level: 'info',
    event: 'job.kept',
    message: `completed requests are kept in ${job.folder}; the same command resumes`,
    data: { folder: job.folder },
  })
}

/** The failure of one request of several, with its name and how to continue without it. */
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

function quoted(part: string): string {
  return `'${cleanText(part, 60)}'`
}
