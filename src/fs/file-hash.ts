import { createHash, type Hash } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { announce, conclude, createMeeting, type Meeting } from './draft-follow.ts'
import type { HashResult, HashTask } from './workers/hash-worker.ts'

/** The SHA-256 of a file while it grows. */
export interface FileHash {
  /** The size that is announced, to choose a way early. */
  readonly expect: (bytes: number) => void
  /** The next bytes, in order. */
  readonly take: (chunk: Uint8Array) => void
  /** So many bytes, from the start, can be read back from the file. */
  readonly written: (bytes: number) => void
  /** Forgets everything: the file starts again. */
  readonly restart: () => void
  /** The hash in lower-case hexadecimal, of a file whose every byte is written. */
  readonly finish: () => Promise<string>
  /** Stops; nothing of it is wanted any more. */
  readonly abandon: () => void
}

// A worker thread costs about as much as hashing this much.
const WORTH_A_THREAD_BYTES = 8 * 1024 * 1024

interface Follower {
  readonly worker: Worker
  readonly meeting: Meeting
  readonly result: Promise<HashResult>
}

/**
 * Hashes small files from the chunks as they pass, and large ones in a worker thread that follows the file, so that the
 * thread that receives is free for it (SHA-256 takes longer than a fast network).
 */
export function createFileHash(world: Pick<World, 'startWorker'>, path: string): FileHash {
  let inline: Hash | undefined = createHash('sha256')
  let follower: Follower | undefined
  let taken = 0
  let onFile = 0

  function follow(): void {
    if (follower) return
    inline = undefined
    follower = startFollower(world, path)
    announce(follower.meeting, onFile)
  }

  function abandon(): void {
    if (!follower) return
    conclude(follower.meeting, 'abandoned')
    void follower.worker.terminate()
    follower = undefined
  }

  return {
    expect: (bytes) => {
      if (bytes > WORTH_A_THREAD_BYTES) follow()
    },
    take: (chunk) => {
      taken += chunk.length
      if (taken > WORTH_A_THREAD_BYTES) follow()
      inline?.update(chunk)
    },
    written: (bytes) => {
      onFile = bytes
      if (follower) announce(follower.meeting, bytes)
    },
    restart: () => {
      abandon()
      inline = createHash('sha256')
      taken = 0
      onFile = 0
    },
    finish: async () => {
      if (inline) return inline.digest('hex')
      const { meeting, result } = follower!
      conclude(meeting, 'complete')
      const outcome = await result
      follower = undefined
      if ('sha256' in outcome) return outcome.sha256
      throw diskFailure(Object.assign(new Error(outcome.message), { code: outcome.code }), 'read', path)
    },
    abandon,
  }
}

function startFollower(world: Pick<World, 'startWorker'>, path: string): Follower {
  const meeting = createMeeting()
  const worker = world.startWorker('hash-worker', { path, meeting } satisfies HashTask)
  const result = new Promise<HashResult>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the hash thread ended early (${code})`)))
  })
  result.catch(() => undefined)
  return { worker, meeting, result }
}
