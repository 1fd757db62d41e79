import { createHash, type Hash } from 'node:crypto'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { announceBytes, createFeed, endFeed, type FileFeed } from './follow-file.ts'
import { threadOf, type WorkerThread } from './worker-thread.ts'
import type { HashTask } from './workers/hash-worker.ts'

/** The SHA-256 of a file while it is written. */
export interface FileHash {
  /** Announces the size, so that a large file gets its thread early. */
  readonly expect: (bytes: number) => void
  /** Starts with the first bytes of the file, this many, which an earlier run wrote. */
  readonly resume: (bytes: number) => void
  /** Call with each chunk, in order. */
  readonly take: (chunk: Uint8Array) => void
  /** Call with the number of bytes that can be read back from the file. */
  readonly written: (bytes: number) => void
  /** Starts over with an empty file. */
  readonly restart: () => void
  /** The hash in lower-case hexadecimal; call it when all bytes are written. */
  readonly finish: () => Promise<string>
  readonly abandon: () => void
}

/** Hashing this much takes about as long as starting a thread. */
export const WORTH_A_THREAD_BYTES = 8 * 1024 * 1024

interface Follower {
  readonly thread: WorkerThread<HashTask, never, string>
  readonly feed: FileFeed
  readonly result: Promise<string>
}

/**
 * Hashes small files from their chunks, and large ones in a worker thread that reads the file back, because SHA-256 is slower than
 * a fast network.
 */
export function createFileHash(world: Pick<World, 'startWorker'>, path: string): FileHash {
  let inline: Hash | undefined = createHash('sha256')
  let follower: Follower | undefined
  let takenBytes = 0
  let writtenBytes = 0

  function follow(): void {
    if (follower) return
    inline = undefined
    follower = startFollower(world, path)
    announceBytes(follower.feed, writtenBytes)
  }

  function abandon(): void {
    if (!follower) return
    endFeed(follower.feed, 'abandoned')
    void follower.thread.end()
    follower = undefined
  }

  return {
    expect: (bytes) => {
      if (bytes > WORTH_A_THREAD_BYTES) follow()
    },
    resume: (bytes) => {
      takenBytes = bytes
      writtenBytes = bytes
      follow()
    },
    take: (chunk) => {
      takenBytes += chunk.length
      if (takenBytes > WORTH_A_THREAD_BYTES) follow()
      inline?.update(chunk)
    },
    written: (bytes) => {
      writtenBytes = bytes
      if (follower) announceBytes(follower.feed, bytes)
    },
    restart: () => {
      abandon()
      inline = createHash('sha256')
      takenBytes = 0
      writtenBytes = 0
    },
    finish: async () => {
      if (inline) return inline.digest('hex')
      const { thread, feed, result } = follower!
      endFeed(feed, 'complete')
      try {
        return await result
      } catch (error) {
        throw diskFailure(error, 'read', path)
      } finally {
        follower = undefined
        void thread.end()
      }
    },
    abandon,
  }
}

function startFollower(world: Pick<World, 'startWorker'>, path: string): Follower {
  const feed = createFeed()
  const thread: Follower['thread'] = threadOf(world.startWorker('hash-worker'))
  const result = thread.ask({ path, feed })
  result.catch(() => undefined)
  return { thread, feed, result }
}
