import type { Reporter } from '../base/notice.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import type { ServiceRequest } from '../request/request.ts'

/** One request for one verified archive on disk. */
export interface FetchOptions<V> {
  readonly service: Service
  readonly request: ServiceRequest
  /** A name in an existing folder; the archive stays there. */
  readonly draftPath: string
  /** Verifies the received file; throws a Failure `archive` when it is damaged or unsafe. */
  readonly verify: (path: string) => Promise<V>
  /** How many attempts may fail without receiving more of the file. */
  readonly retries: number
  /** The longest wait that a server may ask for. */
  readonly maxWaitMs: number
  /** Shared by all requests of the run. */
  readonly rateLimiter: RateLimiter
  readonly reporter: Reporter
  /** Its reason, a Failure, is what the call rejects with when it aborts. */
  readonly signal: AbortSignal
  /** The maximum size of the archive, in bytes. */
  readonly maxBytes: number
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}
