import type { ArchiveLimits } from '../archive/archive-limits.ts'
import type { VerifiedArchive } from '../archive/verify-archive.ts'
import type { FileIdentity } from '../fs/file-identity.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import type { Job } from './job-folder.ts'
import type { LearnedLength } from './journal.ts'
import type { Plan } from './plan.ts'
import type { RequestResult } from './request-result.ts'

/** How the requests of a plan are sent. */
export interface SendOptions {
  readonly plan: Plan
  readonly service: Service
  readonly job: Job
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey?: string | undefined
  readonly rateLimiter: RateLimiter
  /** Requests in flight at once. */
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  readonly limits: ArchiveLimits
  /** Continue without the requests that fail permanently. */
  readonly allowPartial: boolean
  /** Find ProductIDs while archives are verified. */
  readonly scan: boolean
  readonly signal: AbortSignal
}

export interface Responses {
  /** In the order of the parts. */
  readonly requests: readonly RequestResult[]
  /** The only archive, when there is one and it was received in this run. */
  readonly verified: (VerifiedArchive & { readonly identity: FileIdentity }) | undefined
  /** By the name of an archive in the job folder: its entries that declare only parts that are no longer requested. */
  readonly unwanted: ReadonlyMap<string, ReadonlySet<string>>
  /** Archives of earlier runs with parts that are no longer requested, by their names in the job directory. */
  readonly unusedFiles: readonly string[]
  /** With `scan`: the part numbers that the archives declare, including those of earlier runs. */
  readonly declared: ReadonlySet<string>
  /** The `Date` of the earliest response, including those of earlier runs. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** What rejected requests have shown about the maximum length. */
  readonly learned: LearnedLength | undefined
}
