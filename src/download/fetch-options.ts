import type { Reporter } from '../base/notice.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import type { ServiceRequest } from '../request/request.ts'

/** A body that a later transfer can continue. */
export interface BodyFacts {
  /** Its strong entity tag, quotes included. */
  readonly etag: string
  readonly total: number | undefined
  readonly status: number
  readonly serverDateMs: number | undefined
}

/** Keeps the bytes of a transfer, at the path of its draft, for a later run. */
export interface TransferKeeper {
  /** What an earlier run kept. */
  readonly kept:
    | (Omit<BodyFacts, 'total' | 'serverDateMs'> & Partial<BodyFacts> & { readonly bytes: number })
    | undefined
  /** Records that the first `bytes` bytes of this body are safe on disk. */
  readonly mark: (body: BodyFacts, bytes: number) => Promise<void>
  readonly close: () => Promise<void>
  /** Records that nothing is kept; call it before the draft is emptied, and when its archive is verified. */
  readonly forget: () => Promise<void>
}

/** How one request is sent, and where its archive goes. */
export interface FetchOptions<V> {
  readonly service: Service
  readonly request: ServiceRequest
  /** The path of the archive, in an existing directory. */
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
  /** Without one, an unfinished draft is removed. */
  readonly keeper?: TransferKeeper
  /** The name of this request in messages, such as `request 3`. */
  readonly label: string
}
