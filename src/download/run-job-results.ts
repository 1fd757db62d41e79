import type { Failure } from '../base/failure.ts'
import type { RequestResult } from './download-result.ts'
import type { Job } from './job-folder.ts'
import type { PieceFacts } from './journal.ts'
import type { PartRange, Plan } from './plan.ts'

/** What became of one request of the plan, or of a half of one that was too large. */
export interface JobRequest extends RequestResult, PartRange {
  /** The verified archive in the job folder; undefined when the answer was empty or never came. */
  readonly path: string | undefined
  /** True when an earlier run brought it. */
  readonly isResumed: boolean
}

type AnswerFacts = Pick<PieceFacts, 'status' | 'attempts' | 'seconds'>

/** A request whose archive is in the job folder. */
export function pieceResult(
  plan: Plan,
  job: Job,
  { from, to }: PartRange,
  piece: PieceFacts,
  isResumed: boolean,
): JobRequest {
  const { status, attempts, seconds, bytes, sha256, file } = piece
  const { parts } = plan.request({ from, to })
  return { from, to, parts, status, attempts, seconds, bytes, sha256, path: job.piecePath(file), isResumed }
}

/** A request that was answered with nothing. */
export function emptyResult(
  plan: Plan,
  { from, to }: PartRange,
  facts: AnswerFacts,
  isResumed: boolean,
): JobRequest {
  const { status, attempts, seconds } = facts
  const { parts } = plan.request({ from, to })
  return {
    from,
    to,
    parts,
    status,
    attempts,
    seconds,
    bytes: 0,
    sha256: undefined,
    path: undefined,
    isResumed,
  }
}

/** A request that failed for good. */
export function failedResult(plan: Plan, { from, to }: PartRange, error: Failure): JobRequest {
  return {
    from,
    to,
    parts: plan.request({ from, to }).parts,
    status: error.details.httpStatus,
    attempts: error.details.attempts ?? 1,
    seconds: 0,
    bytes: 0,
    sha256: undefined,
    path: undefined,
    isResumed: false,
    error: { code: error.kind, message: error.message },
  }
}
