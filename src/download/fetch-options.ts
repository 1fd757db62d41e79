import type { Reporter } from '../base/notice.ts'
import type { Pace } from '../http/pace.ts'
import type { Service } from '../http/service.ts'
import type { ServiceRequest } from '../request/request.ts'

/** One request to be answered with one verified archive on disk. */
export interface FetchOptions<V> {
  readonly service: Service
  readonly request: ServiceRequest
  /** A hidden name in an existing folder; the archive is left there. */
  readonly draftPath: string
  /** Reads the finished file again and throws a Failure `archive` when it is damaged or unsafe. */
  readonly verify: (path: string) => Promise<V>
  /** Attempts that may fail without bringing the transfer further. */
  readonly retries: number
  /** The longest wait a server may ask for. */
  readonly maxWaitMs: number
  /** Shared by all requests of the run. */
  readonly pace: Pace
  readonly reporter: Reporter
  /** Its reason, a Failure, is what the call rejects with when it aborts. */
  readonly signal: AbortSignal
  /** The largest archive that is taken, in bytes. */
  readonly maxBytes: number
  /** What messages call this request, such as `request 3`. */
  readonly label: string
}
