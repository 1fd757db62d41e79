import type { World } from '../base/world.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import { createBatchPacker, unpackBatches } from './batch-packer.ts'
import { type ReadBatch, sizeOf } from './report-batch.ts'

/** Keeps batches until all files are read: compressed in memory, beyond a limit in a private temporary file. */
export interface BatchSpool extends AsyncDisposable {
  readonly add: (batch: ReadBatch) => Promise<void>
  /** All that was added, in order. */
  readonly batches: () => AsyncGenerator<ReadBatch, void, void>
}

/** About a hundred thousand rows. */
const MEMORY_BYTES = 16 * 1024 ** 2

export function createBatchSpool(
  world: Pick<World, 'disk' | 'host'>,
  memoryBytes = MEMORY_BYTES,
): BatchSpool {
  const inMemory: Buffer[] = []
  const onDisk: number[] = []
  let bytes = 0
  let file: PrivateFile | undefined
  const packer = createBatchPacker()

  async function keep(packed: Buffer | undefined): Promise<void> {
    if (packed === undefined) return
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
      if (sizeOf(batch) + batch.starts.length > 0) await keep(packer.add(batch))
    },
    async *batches() {
      await keep(packer.rest())
      for (const packed of inMemory) yield unpackBatches(packed)
      let position = 0
      for (const length of onDisk) {
        yield unpackBatches(await file!.read(position, length))
        position += length
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]()
    },
  }
}
