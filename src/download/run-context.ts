import type { ArchiveLimits } from '../archive/problem.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { Service } from '../http/service.ts'

/** The checked options of a run that its requests depend on. */
export interface RequestSettings {
  readonly service: Service
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey: string | undefined
  readonly limits: ArchiveLimits
  /** Find the ProductIDs in the archives. */
  readonly reconcile: boolean
  /** Continue without the requests that fail permanently. */
  readonly allowPartial: boolean
  /** Requests in flight at once. */
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  /** How long responses that have begun may take when the run has to end. */
  readonly finishMs: number
  readonly ratePerMinute: number
  /** The file of the rate that runs with the same token share; undefined for a rate of this run's own. */
  readonly rateKey?: string | undefined
  readonly signal: AbortSignal
}

/** What every step of a run shares. */
export interface RunContext extends RequestSettings {
  readonly world: World
  readonly reporter: Reporter
}
