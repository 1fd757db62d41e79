import type { Reporter } from '../base/notice.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import type { ServiceRequest } from '../request/request.ts'

/** How one request is sent, and where its archive goes. */
export interface FetchOptions<V> {
  readonly service: Service
  readonly request: ServiceRequest
  /** The path of the archive, in an existing folder. */
  readonly draftPath: string
  /** Verifies the received file; throws a Failure `archive` when it is damaged or unsafe. */
  readonly verify: (path: string) => Promise<V>
  /** How many attempts may fail without receiving new bytes. */
  readonly retries: number
  /** The longest wait that a server may request. */
  readonly maxWaitMs: number
  /** Shared by all requests of the run. */
  readonly rateLimiter: RateLimiter
  readonly reporter: Reporter
  /** Its reason must be a Failure. */
  readonly signal: AbortSignal
  /** The maximum size of the archive, in bytes. */
  readonly maxBytes: number
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}
