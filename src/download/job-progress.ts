import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import { formatBytes, formatCount, plural } from '../base/units.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import type { JobPlan } from './job-plan.ts'
import type { Job } from './job-store.ts'
import type { KeptBytes } from './partial-responses.ts'

/** Combines the progress of many requests into that of one job, and names the requests. */
export class JobProgress {
  readonly #reporter: Reporter
  readonly #inFlight = new Map<object, Progress>()
  #requestsDone: number
  #requestsTotal: number
  #begun: number
  /** A request that was divided was sent too. */
  #sendTotal: number
  #receivedBytes: number
  #lastStartMs: number | undefined

  /** Of a job of `total` requests, of which earlier runs did `done`, with responses of `doneBytes`. */
  constructor(reporter: Reporter, done: number, total: number, doneBytes: number) {
    this.#reporter = reporter
    this.#requestsDone = done
    this.#requestsTotal = total
    this.#begun = done
    this.#sendTotal = total
    this.#receivedBytes = doneBytes
  }

  /** Call before a request is sent; returns its name in messages. */
  begin(request: object): string {
    this.#begun += 1
    // The rate limiter has not let it start yet.
    this.#inFlight.set(request, { phase: 'waiting' })
    this.#reporter.progress(this.#isSingle() ? { phase: 'asking', ...this.#counts() } : this.#whole())
    return `request ${this.#begun} of ${this.#sendTotal}`
  }

  /** Call when a request succeeded or failed. */
  end(request: object, isSuccess: boolean): void {
    if (isSuccess) {
      this.#receivedBytes += this.#inFlight.get(request)?.bytes ?? 0
      this.#requestsDone += 1
    }
    this.#inFlight.delete(request)
    if (!this.#isSingle()) this.#reporter.progress(this.#whole())
  }

  /** Call when the number of requests has changed: with those still to be sent. */
  remaining(count: number): void {
    this.#requestsTotal = this.#requestsDone + this.#inFlight.size + count
    this.#sendTotal = this.#begun + count
  }

  /** Call when it is known how fast requests may start: at most so many a minute, and as the service has said of its own limit. */
  paced(nowMs: number, perMinute: number, { limit, remaining = 0, resetMs = 0 }: RateLimit = {}): void {
    const waiting = [...this.#inFlight.values()].filter(({ phase }) => phase === 'waiting').length
    const unsent = this.#requestsTotal - this.#requestsDone - this.#inFlight.size + waiting
    const left = limit === undefined ? 0 : unsent - remaining
    const windows = left > 0 ? resetMs + (Math.ceil(left / Math.max(1, limit!)) - 1) * MINUTE_MS : 0
    this.#lastStartMs = nowMs + Math.max((unsent * MINUTE_MS) / Math.max(1, perMinute), windows)
  }

  /** The reporter for one request. */
  of(request: object): Reporter {
    return {
      notice: this.#reporter.notice,
      progress: (progress) => {
        if (this.#isSingle()) return this.#reporter.progress({ ...progress, ...this.#counts() })
        // The bytes of a broken transfer count until it starts over.
        if (progress.phase === 'verifying') return
        const { bytes = 0, totalBytes } = this.#inFlight.get(request) ?? {}
        const known = { bytes, ...(totalBytes === undefined ? {} : { totalBytes }) }
        this.#inFlight.set(request, { ...known, ...progress })
        this.#reporter.progress(this.#whole())
      },
    }
  }

  /** The whole job, while its requests are in different phases. */
  #whole(): Progress {
    const all = [...this.#inFlight.values()]
    const bytes = all.reduce((sum, one) => sum + (one.bytes ?? 0), this.#receivedBytes)
    const begunShare = all.reduce((sum, one) => sum + shareOf(one), 0)
    const share = (this.#requestsDone + begunShare) / this.#requestsTotal
    const pace = this.#lastStartMs === undefined ? {} : { lastStartMs: this.#lastStartMs }
    const sums = { bytes, share, ...pace, ...this.#counts() }
    // A response that is complete waits for its turn to be verified.
    if (all.some((one) => one.phase === 'receiving' && shareOf(one) < 1))
      return { phase: 'receiving', ...sums }
    if (all.some(({ phase }) => phase === 'asking')) return { phase: 'asking', ...sums }
    const [next] = all
      .filter(({ phase, waitUntilMs }) => phase === 'waiting' && waitUntilMs !== undefined)
      .sort((a, b) => a.waitUntilMs! - b.waitUntilMs!)
    return next === undefined ? { phase: 'asking', ...sums } : { ...next, ...sums }
  }

  #counts(): Pick<Progress, 'requestsDone' | 'requestsTotal'> {
    return { requestsDone: this.#requestsDone, requestsTotal: this.#requestsTotal }
  }

  #isSingle(): boolean {
    return this.#requestsTotal === 1
  }
}

const MINUTE_MS = 60_000

function shareOf({ bytes = 0, totalBytes }: Progress): number {
  return totalBytes ? Math.min(1, bytes / totalBytes) : 0
}

/** Reports what an earlier run left in the job directory, and, before anything is sent, which requests may use allowance again. */
export function noticeResume(job: Job, jobPlan: JobPlan, reporter: Reporter): void {
  const { found, damagedPieces, directory, setAside } = job
  const { reused, begun, queue, unusedFiles, unusedEmptyParts, lostCount } = jobPlan
  const [completed, remaining] = [reused.length, queue.count() - begun.length]
  const notice = (level: 'info' | 'warning', event: string, message: string, costs = false): void =>
    reporter.notice({
      level,
      event,
      message,
      data: { folder: directory, answered: completed, remaining },
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
  if (completed + begun.length > 0) {
    const total = plural(completed + begun.length + remaining, 'request')
    const kept = begunWords(
      begun.flatMap((request) => request.kept ?? []),
      begun.filter(({ preparedAt }) => preparedAt !== undefined).length,
    )
    const rest = kept.length === 0 ? '' : `, ${kept.join(', and ')} kept`
    const message = `resuming an unfinished run: ${formatCount(completed)} of ${total} done${rest}`
    notice('info', 'job.resumed', message)
  }
  if (found === 'related') {
    const unused = [
      ...(unusedFiles.length === 0
        ? []
        : [
            `; ${plural(unusedFiles.length, 'archive')} with parts no longer on the list will be kept separately`,
          ]),
      ...(unusedEmptyParts === 0
        ? []
        : [
            `; empty responses for ${plural(unusedEmptyParts, 'part')} no longer on the list will not be kept`,
          ]),
    ]
    const message = `the parts list has changed: responses are reused part by part${unused.join('')}`
    notice('info', 'job.other-parts', message)
  }
  if (damagedPieces.length > 0) {
    const message = `${plural(damagedPieces.length, 'archive')} of the unfinished run cannot be used and will be requested again, which uses allowance again`
    notice('warning', 'job.damaged', message, true)
  }
  if (lostCount > 0) {
    const message = `${plural(lostCount, 'request')} of the unfinished run had no complete response; sending again, which may use allowance twice`
    notice('warning', 'job.unanswered', message, true)
  }
}

/** What a run that ends early has done. */
export interface Unfinished {
  readonly completed: number
  readonly total: number
  /** Requests in flight of which nothing is kept, by the reason. */
  readonly lost: readonly LostResponse[]
}

/** Why nothing of a response is kept: there was none yet, none of its bytes, or they could not be continued. */
export type LostResponse = 'no-response' | 'preparing' | 'no-bytes' | 'no-validator'

const WHY_LOST: Readonly<Record<LostResponse, string>> = {
  'no-validator': 'the service gave no strong validator (ETag) with Accept-Ranges: bytes',
  'no-bytes': 'none of its bytes had been synced to disk yet',
  preparing: 'the service was still preparing the archive; it may have it ready when it is requested again',
  'no-response': 'the service had not responded yet',
}

/**
 * Keeps an unfinished job if the next run can use it, and removes it otherwise. Returns the failure with a hint that says
 * what is kept.
 */
export async function leaveJob(
  job: Job,
  error: unknown,
  { completed, total, lost }: Unfinished,
  reporter: Reporter,
): Promise<unknown> {
  const isKept = job.isWorthKeeping()
  const begun = job.keptBytes()
  const words = [
    ...(completed > 0 ? [`${formatCount(completed)} of ${plural(total, 'request')}`] : []),
    ...begunWords(begun, job.preparingCount()),
  ].join(', and ')
  const sentAgain = `${plural(lost.length, 'request')} in flight will be sent again, which may use allowance twice`
  if (isKept) {
    const data = {
      folder: job.directory,
      answered: completed,
      requests: total,
      bytes: begun.map(({ bytes }) => bytes),
    }
    const message = `kept in ${job.directory}: ${words}`
    reporter.notice({ level: 'info', event: 'job.kept', message, data })
    const again = lost.length > 0 ? `; ${sentAgain}` : ''
    return withHint(error, `run the same command again to resume: ${words} kept${again}`)
  }
  await job.remove().catch(() => undefined)
  if (lost.length === 0) return error
  const reason = (['no-validator', 'no-bytes', 'preparing', 'no-response'] as const).find((why) =>
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

// `100 MB of 500 MB of 1 request`, without the total where the service did not say it, and the addresses of archives.
function begunWords(begun: readonly KeptBytes[], preparingCount: number): string[] {
  const bytes = formatBytes(begun.reduce((sum, each) => sum + each.bytes, 0))
  const isTotalKnown = begun.every(({ total }) => total !== undefined)
  const total = formatBytes(begun.reduce((sum, each) => sum + (each.total ?? 0), 0))
  const addresses = preparingCount === 1 ? 'the address' : 'the addresses'
  return [
    ...(begun.length > 0
      ? [`${bytes}${isTotalKnown ? ` of ${total}` : ''} of ${plural(begun.length, 'request')}`]
      : []),
    ...(preparingCount > 0 ? [`${addresses} of ${plural(preparingCount, 'archive')} being prepared`] : []),
  ]
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
