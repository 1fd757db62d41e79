import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { World } from '../base/world.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import { batchOf, mergeBatches, type ReadBatch, sizeOf } from './report-batch.ts'

/** Keeps batches until all files are read: compressed in memory, beyond a limit in a private temporary file. */
export interface BatchSpool extends AsyncDisposable {
  readonly add: (batch: ReadBatch) => Promise<void>
  /** All that was added, in order. */
  readonly batches: () => AsyncGenerator<ReadBatch, void, void>
}

/** About a hundred thousand rows. */
const MEMORY_BYTES = 16 * 1024 ** 2
const PACK_ROWS = 500

export function createBatchSpool(
  world: Pick<World, 'disk' | 'host'>,
  memoryBytes = MEMORY_BYTES,
): BatchSpool {
  const inMemory: Buffer[] = []
  const onDisk: number[] = []
  let bytes = 0
  let file: PrivateFile | undefined
  let waiting = batchOf({})

  async function pack(): Promise<void> {
    if (sizeOf(waiting) + waiting.starts.length === 0) return
    const packed = deflateRawSync(JSON.stringify(waiting), { level: 1 })
    waiting = batchOf({})
    bytes += packed.length
    if (bytes <= memoryBytes) {
      inMemory.push(packed)
      return
    }
    file ??= await openPrivateFile(world)
    await file.append(packed)
    onDisk.push(packed.length)
  }

  return {
    async add(batch) {
      if (sizeOf(waiting) > 0 && sizeOf(waiting) + sizeOf(batch) > PACK_ROWS) await pack()
      waiting = mergeBatches(waiting, batch)
    },
    async *batches() {
      await pack()
      for (const packed of inMemory) yield unpack(packed)
      let position = 0
      for (const length of onDisk) {
        yield unpack(await file!.read(position, length))
        position += length
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]()
    },
  }
}

function unpack(packed: Buffer): ReadBatch {
  return JSON.parse(inflateRawSync(packed).toString('utf8')) as ReadBatch
}
