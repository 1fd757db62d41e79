import { closeSync, openSync, readSync } from 'node:fs'

/** How much of a file is written, shared between the writing and the reading thread. */
export interface FileFeed {
  /** Bytes that can be read; 0 while more will come, 1 at the end, 2 when abandoned; a count of changes to wait on. */
  readonly counters: BigInt64Array
}

const READ_BYTES = 1024 * 1024

export function createFeed(): FileFeed {
  return { counters: new BigInt64Array(new SharedArrayBuffer(24)) }
}

/** For the writer: this many bytes can be read now. */
export function announceBytes({ counters }: FileFeed, bytes: number): void {
  Atomics.store(counters, 0, BigInt(bytes))
  wake(counters)
}

/** For the writer: no more bytes follow, or the file is abandoned. */
export function endFeed({ counters }: FileFeed, end: 'complete' | 'abandoned'): void {
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
