import type { Failure } from '../base/failure.ts'
import type { Job } from './job-folder.ts'
import type { EmptyAnswer, Piece } from './journal.ts'
import type { PartRange, Plan } from './plan.ts'

/** What became of one request of the plan, or of a half of one that was too large. */
export interface RequestResult extends PartRange {
  readonly parts: readonly string[]
  /** The status of the last response; undefined without one. */
  readonly status: number | undefined
  readonly attempts: number
  readonly bytes: number
  readonly seconds: number
  readonly sha256: string | undefined
  /** The verified archive in the job folder; undefined when the answer was empty or there was none. */
  readonly path: string | undefined
  /** True when an earlier run did it. */
  readonly isResumed: boolean
  /** Why it failed, in a run that continued without it. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** A request that was answered, with an archive or with nothing. `job` has the archive, unless it is published already. */
export function answeredResult(
  plan: Plan,
  job: Job | undefined,
  answer: Piece | EmptyAnswer,
  isResumed: boolean,
): RequestResult {
  const { from, to, status, attempts, seconds } = answer
  const { parts } = plan.request({ from, to })
  const common = { from, to, parts, status, attempts, seconds, isResumed }
  if (!('sha256' in answer)) return { ...common, bytes: 0, sha256: undefined, path: undefined }
  const { bytes, sha256, file } = answer
  return { ...common, bytes, sha256, path: job?.piecePath(file) }
}

/** A request that failed permanently. */
export function failedRequestResult(plan: Plan, { from, to }: PartRange, error: Failure): RequestResult {
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
