import { closeSync, openSync, readSync } from 'node:fs'

/** Where a reader and the writer of one file meet: shared between threads. */
export interface Meeting {
  /** Bytes that can be read at index 0; at index 1 whether more will come (0), no more (1) or all is given up (2); at index 2 a count of changes to wait on. */
  readonly counters: BigInt64Array
}

const READ_BYTES = 1024 * 1024

/** A meeting place in shared memory. */
export function createMeeting(): Meeting {
  return { counters: new BigInt64Array(new SharedArrayBuffer(24)) }
}

/** The writer's side: so many bytes can be read now. */
export function announce({ counters }: Meeting, bytes: number): void {
  Atomics.store(counters, 0, BigInt(bytes))
  wake(counters)
}

/** The writer's side: what was announced is all, or (`abandoned`) none of it matters any more. */
export function conclude({ counters }: Meeting, end: 'complete' | 'abandoned'): void {
  Atomics.store(counters, 1, end === 'complete' ? 1n : 2n)
  wake(counters)
}

/**
 * The reader's side, in a worker thread: reads the file as it grows and hands each piece to `take`, which must not keep it.
 * Returns false when the writer gave up. Blocks the thread while there is nothing to read.
 */
export function followFile(path: string, { counters }: Meeting, take: (piece: Uint8Array) => void): boolean {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const file = openSync(path, 'r')
  try {
    let position = 0
    while (true) {
      const turn = Atomics.load(counters, 2)
      const end = Atomics.load(counters, 1)
      if (end === 2n) return false
      const available = Number(Atomics.load(counters, 0))
      if (position < available) {
        const length = readSync(file, buffer, 0, Math.min(READ_BYTES, available - position), position)
        if (length === 0) throw Object.assign(new Error('the file became shorter'), { code: 'EIO' })
        take(buffer.subarray(0, length))
        position += length
      } else if (end === 1n) {
        return true
      } else {
        Atomics.wait(counters, 2, turn)
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
