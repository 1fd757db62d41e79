import { isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { Draft } from '../fs/draft.ts'
import type { BodyFacts, TransferKeeper } from './fetch-options.ts'

/** Records during a transfer how much of it is safe on disk. Nothing here fails it. */
export interface Checkpoints {
  /** The body that is being received; undefined when it cannot be continued. */
  readonly begin: (body: BodyFacts | undefined) => void
  /** Call with each chunk: a checkpoint follows when enough has come. */
  readonly received: () => void
  /** Starts checkpoints by time, for slow transfers; returns what stops them. */
  readonly watch: () => () => void
  /** All bytes are received and synced. */
  readonly whole: () => Promise<void>
  /** Forgets what is kept: the content was wrong, or it starts over. */
  readonly forget: () => Promise<void>
  /** The transfer ends with this error: keeps what can be continued. False when the draft is of no use. */
  readonly leave: (error: unknown) => Promise<boolean>
}

const EVERY_MS = 50
/** A slow transfer loses less than this when it is killed. */
const SLOW_BYTES = 32 * 1024
/** How much a fast transfer receives between checkpoints. */
const FAST_BYTES = 1024 * 1024

// Failures after which the same body may still be there.
const KEPT_AFTER: readonly string[] = [
  'interrupted',
  'unavailable',
  'limited',
  'auth',
  'rejected',
  'io',
  'config',
]

export function createCheckpoints(
  world: Pick<World, 'clock'>,
  keeper: TransferKeeper | undefined,
  draft: () => Draft,
): Checkpoints {
  let body: BodyFacts | undefined
  let marked = keeper?.kept?.bytes ?? 0
  let marking: Promise<void> | undefined
  if (keeper?.kept !== undefined) {
    const { etag, total, status, serverDateMs } = keeper.kept
    body = { etag, total, status, serverDateMs }
  }

  function markAt(least: number): void {
    if (keeper === undefined || body === undefined || marking !== undefined) return
    if (draft().bytes() - marked < least) return
    marking = mark().finally(() => {
      marking = undefined
    })
  }

  // A disk that cannot record it only means that less is kept; the transfer itself notices a broken disk.
  async function mark(): Promise<void> {
    const of = body!
    try {
      const bytes = await draft().secure()
      if (body !== of) return
      await keeper!.mark(of, bytes)
      marked = bytes
    } catch {}
  }

  async function forget(): Promise<void> {
    body = undefined
    await marking
    marked = 0
    await keeper?.forget()
  }

  return {
    begin(next) {
      const isSame = body !== undefined && body.etag === next?.etag && body.total === next.total
      if (!isSame) body = next
    },
    received: () => markAt(FAST_BYTES),
    watch: () =>
      keeper === undefined ? () => undefined : world.clock.every(EVERY_MS, () => markAt(SLOW_BYTES)),
    async whole() {
      await marking
      markAt(SLOW_BYTES)
      await marking
    },
    forget,
    async leave(error) {
      const isOfUse = isFailure(error) && KEPT_AFTER.includes(error.kind) && body !== undefined
      await marking
      if (isOfUse) {
        markAt(1)
        await marking
        if (marked > 0) return true
      }
      if (keeper !== undefined) await forget()
      return false
    },
  }
}
