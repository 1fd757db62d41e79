import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { threadOf, type WorkerThread } from './worker-thread.ts'

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
const WORTH_A_THREAD_BYTES = 8 * 1024 * 1024

/** A file to hash while it grows, for the worker thread. */
export interface HashTask {
  readonly path: string
  readonly feed: FileFeed
}

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

/** The SHA-256 of a finished file in lower-case hexadecimal; a large one is hashed in a worker thread. */
export async function hashFile(world: World, path: string, bytes: number): Promise<string> {
  if (bytes <= WORTH_A_THREAD_BYTES) {
    const content = await world.disk.readFile(path).catch((error: unknown) => {
      throw diskFailure(error, 'read', path)
    })
    return createHash('sha256').update(content).digest('hex')
  }
  const hash = createFileHash(world, path)
  hash.expect(bytes)
  hash.written(bytes)
  try {
    return await hash.finish()
  } catch (error) {
    hash.abandon()
    throw error
  }
}

/** How much of a file is written, shared between the writing and the reading thread. */
export interface FileFeed {
  /** Bytes that can be read; 0 while more will come, 1 at the end, 2 when abandoned; a count of changes to wait on. */
  readonly counters: BigInt64Array
}

const READ_BYTES = 1024 * 1024

function createFeed(): FileFeed {
  return { counters: new BigInt64Array(new SharedArrayBuffer(24)) }
}

/** For the writer: this many bytes can be read now. */
function announceBytes({ counters }: FileFeed, bytes: number): void {
  Atomics.store(counters, 0, BigInt(bytes))
  wake(counters)
}

/** For the writer: no more bytes follow, or the file is abandoned. */
function endFeed({ counters }: FileFeed, end: 'complete' | 'abandoned'): void {
  Atomics.store(counters, 1, end === 'complete' ? 1n : 2n)
  wake(counters)
}

/**
 * For the reader, in a worker thread: passes the file to `take` piece by piece as it grows, blocking while there is nothing to read.
 * The buffer is reused. Returns false when the file is abandoned.
 */
export function followFile(path: string, { counters }: FileFeed, take: (piece: Uint8Array) => void): boolean {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const file = openSync(path, 'r')
  try {
    let position = 0
    while (true) {
      const change = Atomics.load(counters, 2)
      const end = Atomics.load(counters, 1)
      if (end === 2n) return false
      const available = Number(Atomics.load(counters, 0))
      if (position < available) {
        const length = readSync(file, buffer, 0, Math.min(READ_BYTES, available - position), position)
        if (length === 0) throw Object.assign(new Error('the file was truncated'), { code: 'EIO' })
        take(buffer.subarray(0, length))
        position += length
      } else if (end === 1n) {
        return true
      } else {
        Atomics.wait(counters, 2, change)
      }
    }
  } finally {
    closeSync(file)
  }
}

function wake(counters: BigInt64Array): void {
  Atomics.add(counters, 2, 1n)
  Atomics.notify(counters, 2)
}
