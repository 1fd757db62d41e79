import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { threadOf, type WorkerThread } from './worker-thread.ts'

/** A file to hash while it grows, for the worker thread. */
export interface HashTask {
  readonly path: string
  /**
   * Shared between the writing and the reading thread: bytes that can be read; 0 while more will come, 1 at the end, 2 when abandoned; a
   * count of changes to wait on.
   */
  readonly counters: BigInt64Array
}

/** Hashing this much takes about as long as starting a thread. */
const WORTH_A_THREAD_BYTES = 8 * 1024 * 1024

interface Follower {
  readonly thread: WorkerThread<HashTask, never, string>
  readonly counters: BigInt64Array
  readonly result: Promise<string>
}

/**
 * The SHA-256 of a file while it is written. Small files are hashed from their chunks, and large ones in a worker thread that reads the
 * file back, because SHA-256 is slower than a fast network; not where there is one core.
 */
export class FileHash {
  readonly #world: Pick<World, 'startWorker' | 'host'>
  readonly #path: string
  #inline: Hash | undefined = createHash('sha256')
  #follower: Follower | undefined
  #takenBytes = 0
  #writtenBytes = 0

  constructor(world: Pick<World, 'startWorker' | 'host'>, path: string) {
    this.#world = world
    this.#path = path
  }

  /** Announces the size, so that a large file gets its thread early. */
  expect(bytes: number): void {
    if (bytes > WORTH_A_THREAD_BYTES && this.#world.host.cores > 1) this.#follow()
  }

  /** Starts with the first bytes of the file, this many, which an earlier run wrote. */
  resume(bytes: number): void {
    this.#takenBytes = bytes
    this.#writtenBytes = bytes
    this.#follow()
  }

  /** Call with each chunk, in order. */
  take(chunk: Uint8Array): void {
    this.#takenBytes += chunk.length
    this.expect(this.#takenBytes)
    this.#inline?.update(chunk)
  }

  /** Call with the number of bytes that can be read back from the file. */
  written(bytes: number): void {
    this.#writtenBytes = bytes
    this.#announce(0, bytes)
  }

  /** Starts over with an empty file. */
  restart(): void {
    this.abandon()
    this.#inline = createHash('sha256')
    this.#takenBytes = 0
    this.#writtenBytes = 0
  }

  /** The hash in lower-case hexadecimal; call it when all bytes are written. */
  async finish(): Promise<string> {
    if (this.#inline) return this.#inline.digest('hex')
    const { thread, result } = this.#follower!
    this.#announce(1, 1)
    try {
      return await result
    } catch (error) {
      throw diskFailure(error, 'read', this.#path)
    } finally {
      this.#follower = undefined
      void thread.end()
    }
  }

  abandon(): void {
    this.#announce(1, 2)
    void this.#follower?.thread.end()
    this.#follower = undefined
  }

  #follow(): void {
    if (this.#follower) return
    this.#inline = undefined
    const counters = new BigInt64Array(new SharedArrayBuffer(24))
    const thread: Follower['thread'] = threadOf(this.#world.startWorker('hash-worker'))
    const result = thread.run({ path: this.#path, counters })
    result.catch(() => undefined)
    this.#follower = { thread, counters, result }
    this.#announce(0, this.#writtenBytes)
  }

  #announce(counter: number, value: number): void {
    const counters = this.#follower?.counters
    if (counters === undefined) return
    Atomics.store(counters, counter, BigInt(value))
    Atomics.add(counters, 2, 1n)
    Atomics.notify(counters, 2)
  }
}

/** The SHA-256 of a finished file in lower-case hexadecimal; a large one is hashed in a worker thread. */
export async function hashFile(world: World, path: string, bytes: number): Promise<string> {
  if (bytes <= WORTH_A_THREAD_BYTES) {
    const content = await world.disk.readFile(path).catch((error: unknown) => {
      throw diskFailure(error, 'read', path)
    })
    return createHash('sha256').update(content).digest('hex')
  }
  const hash = new FileHash(world, path)
  hash.resume(bytes)
  try {
    return await hash.finish()
  } catch (error) {
    hash.abandon()
    throw error
  }
}

const READ_BYTES = 1024 * 1024

/**
 * For the reader, in a worker thread: passes the file to `take` piece by piece as it grows, blocking while there is nothing to read.
 * The buffer is reused. Returns false when the file is abandoned.
 */
export function followFile({ path, counters }: HashTask, take: (piece: Uint8Array) => void): boolean {
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
