import type { World } from '../base/world.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { createAttempts } from './attempts.ts'
import type { FetchOptions } from './fetch-options.ts'
import { createTransfer } from './transfer.ts'

interface FetchedFacts {
  readonly status: number
  readonly attempts: number
  /** From the start of the first attempt to the end, waits included. */
  readonly seconds: number
  /** The `Date` of the last response. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** The headers of the last response: names in lower case, values without control characters. */
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
 * Sends one request and receives, verifies and syncs its archive, with retries. Resolves with the file and its hash, or with
 * `empty` for a 204. Rejects with a Failure; the draft is then removed.
 */
export async function fetchArchive<V>(world: World, options: FetchOptions<V>): Promise<Fetched<V>> {
  const startedMs = world.clock.monotonicMs()
  const attempts = createAttempts(world, options)
  await using transfer = await createTransfer(world, options)
  while (true) {
    await attempts.waitForTurn()
    try {
      const outcome = await transfer.attempt(attempts.record)
      const facts = {
        ...attempts.facts(),
        status: outcome.status,
        headers: outcome.headers,
        seconds: (world.clock.monotonicMs() - startedMs) / 1000,
      }
      return outcome.kind === 'empty'
        ? { kind: 'empty', ...facts }
        : { kind: 'archive', path: options.draftPath, ...outcome.archive, ...facts }
    } catch (error) {
      await attempts.failed(error, transfer.fruitless())
    }
  }
}
