import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../base/units.ts'
import type { RequestResult } from './download-result.ts'
import type { Job } from './job-folder.ts'

/** Says what was found in the job folder, and what that means for this run. */
export function tellState(job: Job, remainingCount: number, reporter: Reporter): void {
  const { state, found, damagedPieces, folder } = job
  const answered = state.pieces.length + state.empty.length
  const tell = (level: 'info' | 'warning', event: string, message: string): void =>
    reporter.notice({ level, event, message, data: { folder, answered, remaining: remainingCount } })
  if (found === 'changed') {
    tell('warning', 'job.changed', `${folder} was the unfinished run of another request; starting anew`)
  }
  if (answered > 0) {
    const message = `going on with an unfinished run: ${formatCount(answered)} of ${plural(answered + remainingCount, 'request')} done`
    tell('info', 'job.resumed', message)
  }
  if (damagedPieces.length > 0) {
    const message = `${plural(damagedPieces.length, 'archive')} of the unfinished run can not be used and will be asked for again`
    tell('warning', 'job.damaged', message)
  }
  if (state.unanswered.length > 0) {
    const message = `${plural(state.unanswered.length, 'request')} of the unfinished run went out and got no answer; asking again, which may cost allowance twice`
    tell('warning', 'job.unanswered', message)
  }
}

/** Says, for who wants to follow closely, that a request is answered. */
export function tellAnswer(
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

/** Leaves a job that did not come to its end: kept when a further run can use it, removed otherwise. */
export async function leaveJob(job: Job, reporter: Reporter): Promise<void> {
  if (!job.isWorthKeeping()) {
    await job.remove().catch(() => undefined)
    return
  }
  reporter.notice({
    level: 'info',
    event: 'job.kept',
    message: `what came so far is kept in ${job.folder}; the same command goes on from there`,
    data: { folder: job.folder },
  })
}

/** The failure of one request of many: says which, and what can be done without it. */
export function failureOfRequest(which: string, error: Failure): Failure {
  const without = '--allow-partial keeps what came without it'
  return new Failure(error.kind, `${which}: ${error.message}`, {
    ...error.details,
    hint: error.hint === undefined ? without : `${error.hint}; ${without}`,
    cause: error,
  })
}

/** The parts of a request in brackets, for a message; nothing when it asks for no parts. */
export function partsNamed(parts: readonly string[]): string {
  const [first] = parts
  if (first === undefined) return ''
  if (parts.length === 1) return ` (part ${quoted(first)})`
  return ` (${plural(parts.length, 'part')}, ${quoted(first)} to ${quoted(parts.at(-1)!)})`
}

function quoted(part: string): string {
  return `'${cleanText(part, 60)}'`
}
