import { setMaxListeners } from 'node:events'
import type { VerifiedArchive } from '../archive/verify-archive.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import { serviceRequest } from '../request/request.ts'
import { fetchArchive } from './fetch-archive.ts'
import type { Job } from './job-folder.ts'
import {
  failureOfRequest,
  type leaveJob,
  noticeResponse,
  noticeResume,
  partsNamed,
  tooLongAlone,
} from './job-notices.ts'
import { requestKey } from './journal.ts'
import { criteriaOf } from './plan.ts'
import type { Slot } from './request-pool.ts'
import { createJobProgress } from './request-progress.ts'
import type { Ask, RequestQueue } from './request-queue.ts'
import { completedResult, failedRequestResult, type RequestResult } from './request-result.ts'
import type { ReusedResponse } from './reuse-responses.ts'
import { createRunArchives } from './run-archives.ts'
import type { Responses, SendOptions } from './send-options.ts'
import { createSendPriority } from './send-priority.ts'
import { createSentRequests } from './sent-requests.ts'

const TOO_LARGE: readonly (number | undefined)[] = [413, 414, 431]
// Failures of one request after which the next may succeed.
const OF_ONE_REQUEST: readonly string[] = ['rejected', 'unavailable', 'archive']

/** What a run starts with. */
export interface RunState {
  readonly reused: readonly ReusedResponse[]
  readonly queue: RequestQueue
  readonly unusedCount: number
}

/** The requests of one run. */
export interface Run {
  readonly send: (ask: Ask, slot: Slot) => Promise<void>
  /** Finds the ProductIDs in the archives of earlier runs. */
  readonly scanResumed: () => Promise<void>
  readonly results: () => readonly RequestResult[]
  readonly failures: () => readonly Failure[]
  readonly facts: () => Omit<Responses, 'requests' | 'unusedFiles' | 'learned'>
  readonly unfinished: () => Parameters<typeof leaveJob>[2]
}

/** Creates the run, and reports what it resumes and which requests may use allowance again. */
export function createRun(
  world: World,
  options: SendOptions,
  { reused, queue, unusedCount }: RunState,
  reporter: Reporter,
): Run {
  const { plan, job, service, limits } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  // Every request in flight listens to it; Node would warn of a leak at eleven.
  setMaxListeners(0, signal)
  const archives = createRunArchives(world, options, reused, signal)
  const priority = createSendPriority()
  const results = reused.map((answer) => completedResult(answer, answer.response, true))
  const failures: Failure[] = []
  const begun = job.state.kept.filter((kept) => queue.isBegun(kept))
  const requestCount = reused.length + queue.count()
  const reusedBytes = reused.reduce(
    (sum, { response }) => sum + ('bytes' in response ? response.bytes : 0),
    0,
  )
  const progress = createJobProgress(reporter, reused.length, requestCount, reusedBytes)
  let dates = reused.flatMap(({ response }) => response.serverDateMs ?? [])
  let rateLimit: RateLimit | undefined
  let verified: Responses['verified']
  const sent = createSentRequests(world, job, service)
  const begunKeys = new Set(begun.map(requestKey))
  const resumed = {
    answered: reused.length,
    begun,
    remaining: queue.count() - begun.length,
    unused: unusedCount,
    lost: job.state.unanswered.filter((key) => !begunKeys.has(key)).length,
  }
  const rateLimiter: RateLimiter = {
    turn: (turnOptions) =>
      options.rateLimiter.turn({
        ...turnOptions,
        onWait(waitMs) {
          priority.held()
          turnOptions.onWait(waitMs)
        },
      }),
  }
  noticeResume(job, resumed, reporter)

  async function send(ask: Ask, slot: Slot): Promise<void> {
    const label = progress.begin(ask)
    priority.begin(ask)
    try {
      await answer(ask, label, slot)
    } catch (error) {
      progress.end(ask, false)
      await failed(ask, error, label)
    } finally {
      priority.end(ask)
      queue.settled(ask)
    }
  }

  async function answer(ask: Ask, label: string, slot: Slot): Promise<void> {
    const { parts, startDate } = ask
    const file = ask.kept?.file ?? job.newPiece(rangeOf(ask))
    const path = job.piecePath(file)
    const keeper = job.keeper(ask, path, ask.kept)
    const fetched = await fetch(ask, label, slot, path, keeper)
    sent.settled(ask)
    if (fetched.serverDateMs !== undefined) dates = [Math.min(...dates, fetched.serverDateMs)]
    rateLimit = fetched.rateLimit ?? rateLimit
    const { status, attempts, seconds, serverDateMs } = fetched
    const response = { parts: [...parts], startDate, status, attempts, seconds, serverDateMs }
    const place = { at: ask.positions[0]!, parts }
    if (fetched.kind === 'archive' && fetched.verified.entries.length > 0) {
      const { bytes, sha256, identity } = fetched
      const piece = { file, bytes, sha256, ...response }
      await job.verified(piece)
      results.push(completedResult(place, piece, false))
      archives.keepProducts(fetched.verified)
      verified = { identity, ...fetched.verified }
    } else {
      if (fetched.kind === 'archive') await world.disk.unlink(path)
      await job.empty(response)
      results.push(completedResult(place, response, false))
    }
    await keeper.forget()
    progress.end(ask, true)
    noticeResponse(label, parts, results.at(-1)!, reporter)
  }

  async function fetch(
    ask: Ask,
    label: string,
    slot: Slot,
    draftPath: string,
    keeper: ReturnType<Job['keeper']>,
  ): ReturnType<typeof fetchArchive<VerifiedArchive>> {
    const criteria = criteriaOf(plan.criteria, ask)
    const journaled = sent.serviceFor(ask, {
      before: slot.acquire,
      sent: () => priority.end(ask),
      accepted() {
        queue.accepted(ask)
        if (queue.learned() !== undefined) progress.remaining(queue.count())
      },
    })
    return fetchArchive(world, {
      service: journaled,
      request: serviceRequest(plan.baseUrl, criteria, ask.parts, options.userAgent, options.apiKey),
      draftPath,
      async verify(path) {
        slot.release()
        priority.end(ask)
        await priority.idle()
        return archives.verify(path, progress.of(ask))
      },
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rateLimiter,
      reporter: progress.of(ask),
      signal,
      maxBytes: limits.maxBytes,
      keeper,
      label,
    })
  }

  async function failed(ask: Ask, error: unknown, label: string): Promise<void> {
    if (job.isKept(ask)) sent.settled(ask)
    if (!isFailure(error) || signal.aborted) {
      stop.abort(error)
      throw options.signal.aborted ? options.signal.reason : stop.signal.reason
    }
    const { httpStatus, attempts = 1 } = error.details
    const range = rangeOf(ask)
    if (TOO_LARGE.includes(httpStatus)) {
      const isDivided = queue.divide(ask)
      await job.tooLong(ask, queue.learned()!)
      if (isDivided) {
        const message = `${label}: ${plural(ask.parts.length, 'part')} are too many for the service (${httpStatus}); sending smaller requests`
        reporter.notice({ level: 'info', event: 'request.halved', message, data: { ...range, httpStatus } })
        progress.remaining(queue.count())
        return
      }
    }
    // A proxy that refused the login: the service got nothing.
    if (error.kind === 'auth') sent.settled(ask)
    if (!OF_ONE_REQUEST.includes(error.kind)) {
      stop.abort(error)
      throw error
    }
    // A lost response stays recorded as sent: requesting it again uses allowance again.
    if (!sent.isLost(ask, error.kind)) await job.failed(ask, error.kind, attempts)
    const which = `${label}${partsNamed(ask.parts)}`
    const final = TOO_LARGE.includes(httpStatus) ? tooLongAlone(error, ask.parts) : error
    if (!options.allowPartial) throw requestCount === 1 ? final : failureOfRequest(which, final)
    const message = `${which} failed: ${error.message}; continuing without it`
    reporter.notice({
      level: 'warning',
      event: 'request.failed',
      message,
      data: { ...range, code: error.kind },
    })
    failures.push(final)
    results.push(failedRequestResult({ at: ask.positions[0]!, parts: ask.parts }, final))
  }

  return {
    send,
    scanResumed: archives.scanReused,
    results: () => results.toSorted((a, b) => a.at - b.at),
    failures: () => failures,
    facts: () => ({
      verified: results.length === 1 ? verified : undefined,
      ...archives.facts(),
      serverDateMs: dates.length === 0 ? undefined : Math.min(...dates),
      rateLimit,
    }),
    unfinished: () => {
      const answered = results.filter(({ error }) => error === undefined).length
      return {
        answered,
        total: Math.max(requestCount, results.length + queue.count()),
        lost: sent.lost(),
      }
    },
  }
}

// Where the parts of a request are in the list, for names and messages.
function rangeOf({ positions, parts }: Ask): { readonly from: number; readonly to: number } {
  return { from: positions[0]!, to: parts.length === 0 ? positions[0]! : positions.at(-1)! + 1 }
}
