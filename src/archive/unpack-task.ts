import type { SyncDisk } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { type OpenFolder, sharedFolder } from '../fs/held-folder.ts'
import { readAt } from './archive-file.ts'
import { type Declared, EntryDataError, fitsWhole, inflateChunks, inflateWhole } from './entry-data.ts'
import { createFolderWriter, type FileWriter, type FolderWriter, type WriteOptions } from './folder-writer.ts'

/** One entry to unpack. */
export interface UnpackItem extends Declared {
  /** Its index in the archive's entries. */
  readonly index: number
  readonly dataOffset: number
  /** Where it goes, relative to the target directory; undefined when it is only verified. */
  readonly path: string | undefined
  readonly modifiedMs: number | undefined
  /** Whether its ProductIDs are wanted. */
  readonly scan: boolean
}

/** Where files are written, and how. */
export interface UnpackTarget {
  readonly folder: OpenFolder
  readonly options: WriteOptions
}

/** Some entries to unpack: one large one, or small ones that are near each other in the file. */
export interface UnpackTask {
  /** The archive as the user named it, and its descriptor in this process. */
  readonly archive: string
  readonly fd: number
  readonly items: readonly UnpackItem[]
  readonly target: UnpackTarget | undefined
}

/** What unpacking found, by the entry's index. */
export interface UnpackAnswer {
  readonly problems: readonly (readonly [index: number, text: string])[]
  readonly products: readonly (readonly [index: number, ids: readonly ProductId[]])[]
}

/** Inflates the entries of a task, checks them against what is declared, writes them and scans them. `onBytes` gets unpacked bytes as they come. */
export async function unpackTask(
  disk: SyncDisk,
  { archive, fd, items, target }: UnpackTask,
  onBytes: (bytes: number) => void,
): Promise<UnpackAnswer> {
  const problems: [number, string][] = []
  const products: [number, readonly ProductId[]][] = []
  const writer = target && createFolderWriter(disk, sharedFolder(target.folder), target.options)
  const read = (offset: number, length: number): Buffer => readAt(disk, { fd, path: archive }, offset, length)
  const chunksOf = smallChunks(items, read)
  // Only a download needs it, and it brings the whole reader of declarations.
  const scans = items.some(({ scan }) => scan) ? await import('./scan-entry.ts') : undefined
  try {
    for (const item of items) {
      const scan = item.scan ? scans!.createEntryScan() : undefined
      try {
        const chunks = (): AsyncIterable<Buffer> | readonly Buffer[] =>
          fitsWhole(item)
            ? chunksOf(item)
            : inflateChunks((position, length) => read(item.dataOffset + position, length), item)
        await unpackOne(chunks(), item, writer, (chunk) => {
          scan?.push(chunk)
          onBytes(chunk.length)
        })
        const ids = (await scan?.end(chunks)) ?? []
        if (ids.length > 0) products.push([item.index, ids])
      } catch (error) {
        if (!(error instanceof EntryDataError)) throw error
        problems.push([item.index, error.message])
      }
    }
  } finally {
    writer?.close()
  }
  return { problems, products }
}

/** Reads small entries in one piece; gives the one chunk of each. */
function smallChunks(
  items: readonly UnpackItem[],
  read: (offset: number, length: number) => Buffer,
): (item: UnpackItem) => readonly Buffer[] {
  const start = items[0]!.dataOffset
  let all: Buffer | undefined
  return (item) => {
    all ??= read(start, items.at(-1)!.dataOffset + items.at(-1)!.packedBytes - start)
    const from = item.dataOffset - start
    return [inflateWhole(all.subarray(from, from + item.packedBytes), item)]
  }
}

async function unpackOne(
  chunks: AsyncIterable<Buffer> | readonly Buffer[],
  { path, modifiedMs }: UnpackItem,
  writer: FolderWriter | undefined,
  take: (chunk: Buffer) => void,
): Promise<void> {
  const file: FileWriter | undefined = path === undefined ? undefined : writer?.open({ path, modifiedMs })
  let isWhole = false
  try {
    for await (const chunk of chunks) {
      file?.write(chunk)
      take(chunk)
    }
    isWhole = true
  } finally {
    file?.close(isWhole)
  }
}
