import type { Reporter } from '../domain/notice.ts'
import type { Pace } from '../domain/pace.ts'
import type { RateLimit } from '../domain/rate-limit.ts'
import type { ServiceRequest } from '../domain/request.ts'
import type { Service } from '../service/service.ts'
import type { World } from '../world.ts'
import { createAttempts } from './fetch-archive-attempts.ts'
import { createTransfer } from './fetch-archive-transfer.ts'

/** One request to be answered with one verified archive on disk. */
export interface FetchArchiveAsk<V> {
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

interface FetchedFacts {
  readonly status: number
  readonly attempts: number
  /** From the first attempt's start to the end, waits included. */
  readonly seconds: number
  /** The last answer's own `Date`. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** The last answer's headers, names in lower case, values cleaned. */
  readonly headers: Readonly<Record<string, string>>
}

export type Fetched<V> =
  | (FetchedFacts & {
      readonly kind: 'archive'
      readonly path: string
      readonly bytes: number
      readonly sha256: string
      readonly verified: V
    })
  | (FetchedFacts & { readonly kind: 'empty' })

/**
 * Asks, receives into a draft, checks it, and retries around all of that (contract §4). Resolves with a file that is whole,
 * hashed, verified and synced, or with `empty` for a 204. Rejects with a Failure, and then the draft is gone.
 */
export async function fetchArchive<V>(world: World, ask: FetchArchiveAsk<V>): Promise<Fetched<V>> {
  const startedMs = world.clock.monotonicMs()
  const attempts = createAttempts(world, ask)
  await using transfer = await createTransfer(world, ask)
  while (true) {
    await attempts.waitForTurn()
    try {
      const outcome = await transfer.attempt(attempts.heard)
      const facts = {
        ...attempts.facts(),
        status: outcome.status,
        headers: outcome.headers,
        seconds: (world.clock.monotonicMs() - startedMs) / 1000,
      }
      return outcome.kind === 'empty'
        ? { kind: 'empty', ...facts }
        : { kind: 'archive', path: ask.draftPath, ...outcome.archive, ...facts }
    } catch (error) {
      await attempts.failed(error, transfer.gained())
    }
  }
}
