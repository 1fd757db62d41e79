import { once } from 'node:events'
import { Readable } from 'node:stream'
import ZipStream from 'zip-stream'
import type { NewEntry } from './write-zip.ts'

/**
 * A ZIP archive of any number of small entries, not compressed, at the speed of its reader; one entry is in memory at a time, and a
 * few hundred bytes for the directory. The same entries give the same bytes.
 */
export function storedZipStream(entries: Iterable<NewEntry>): Readable {
  return Readable.from(storedBlocks(entries), { objectMode: false })
}

async function* storedBlocks(entries: Iterable<NewEntry>): AsyncGenerator<Buffer> {
  const zip = new ZipStream({ store: true })
  const blocks = joinPieces()
  // zip-stream writes the directory in pieces of a few bytes, all at once: as they are they would take 600 MB for 100,000 entries.
  zip.on('data', blocks.add)
  for (const { name, day, content } of entries) {
    const bytes = Buffer.from([...content()].join(''))
    const date = new Date(`${day}T00:00:00Z`)
    await new Promise<void>((resolve, reject) => {
      zip.entry(bytes, { name, date, mode: 0o100644 }, (error) => (error ? reject(error) : resolve()))
    })
    yield* blocks.take()
  }
  const ended = once(zip, 'end')
  zip.finalize()
  await ended
  yield* blocks.take()
  yield blocks.rest()
}

const BLOCK_BYTES = 64 * 1024

interface Blocks {
  readonly add: (piece: Buffer) => void
  /** The full blocks so far. */
  readonly take: () => readonly Buffer[]
  readonly rest: () => Buffer
}

function joinPieces(): Blocks {
  let full: Buffer[] = []
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let used = 0
  return {
    add(piece) {
      for (let at = 0; at < piece.length; ) {
        const copied = piece.copy(block, used, at)
        at += copied
        used += copied
        if (used < BLOCK_BYTES) continue
        full.push(block)
        block = Buffer.allocUnsafe(BLOCK_BYTES)
        used = 0
      }
    },
    take() {
      const taken = full
      full = []
      return taken
    },
    rest: () => block.subarray(0, used),
  }
}
