import type { Failure } from '../base/failure.ts'
import type { EmptyResponse, ResponseArchive } from './journal.ts'

/** The outcome of one request. */
export interface RequestResult {
  /** Where the first of its parts is in the plan. */
  readonly at: number
  /** Those of its parts that the plan has. */
  readonly parts: readonly string[]
  /** The status of the last response; undefined without one. */
  readonly status: number | undefined
  readonly attempts: number
  readonly bytes: number
  readonly seconds: number
  readonly sha256: string | undefined
  /** The name of the verified archive in the job directory; undefined when the response was empty or there was none. */
  readonly file: string | undefined
  /** True when an earlier run completed it. */
  readonly isResumed: boolean
  /** Why it failed, in a run that continued without it. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** A request that succeeded, with or without an archive. */
export function completedResult(
  { at, parts }: Pick<RequestResult, 'at' | 'parts'>,
  response: ResponseArchive | EmptyResponse,
  isResumed: boolean,
): RequestResult {
  const { status, attempts, seconds } = response
  const { bytes, sha256, file } =
    'sha256' in response ? response : { bytes: 0, sha256: undefined, file: undefined }
  // Not spread from smaller objects: V8 would give each of many thousand results a shape of its own.
  return { at, parts, status, attempts, bytes, seconds, sha256, file, isResumed }
}

/** A request that failed permanently. */
export function failedRequestResult(
  { at, parts }: Pick<RequestResult, 'at' | 'parts'>,
  error: Failure,
): RequestResult {
  return {
    at,
    parts,
    status: error.details.httpStatus,
    attempts: error.details.attempts ?? 1,
    seconds: 0,
    bytes: 0,
    sha256: undefined,
    file: undefined,
    isResumed: false,
    error: { code: error.kind, message: error.message },
  }
}
