import type { World } from '../base/world.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { createAttempts } from './attempts.ts'
import type { FetchOptions } from './fetch-options.ts'
import { createTransfer, type ReceivedArchive } from './transfer.ts'

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
  | (FetchedFacts & ReceivedArchive<V> & { readonly kind: 'archive'; readonly path: string })
  | (FetchedFacts & { readonly kind: 'empty' })

/**
 * Sends one request and receives, verifies and syncs its archive, with retries; continues what an earlier run kept of it. Resolves
 * with the file and its hash, or with `empty` for a 204. Rejects with a Failure; the draft is then removed, or kept by the keeper.
 */
export async function fetchArchive<V>(world: World, options: FetchOptions<V>): Promise<Fetched<V>> {
  const startedMs = world.clock.monotonicMs()
  const attempts = createAttempts(world, options)
  await using transfer = await createTransfer(world, options)
  const seconds = (): number => (world.clock.monotonicMs() - startedMs) / 1000
  try {
    const whole = await transfer.finishKept()
    if (whole !== undefined) {
      const facts = { status: options.keeper!.kept!.status, headers: {}, ...attempts.facts() }
      const serverDateMs = transfer.keptDateMs()
      return {
        kind: 'archive',
        path: options.draftPath,
        ...whole,
        ...facts,
        serverDateMs,
        seconds: seconds(),
      }
    }
    while (true) {
      await attempts.waitForTurn()
      const outcome = await transfer.attempt(attempts.record).catch(async (error: unknown) => {
        await attempts.failed(error, transfer.fruitless())
      })
      if (outcome === undefined) continue
      const { status, headers } = outcome
      const facts = { status, headers, seconds: seconds(), ...attempts.facts() }
      const serverDateMs = transfer.keptDateMs() ?? facts.serverDateMs
      return outcome.kind === 'empty'
        ? { kind: 'empty', ...facts, serverDateMs }
        : { kind: 'archive', path: options.draftPath, ...outcome.archive, ...facts, serverDateMs }
    }
  } catch (error) {
    await transfer.leave(error)
    throw error
  }
}
