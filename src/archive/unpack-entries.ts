import { setImmediate as turn } from 'node:timers/promises'
import type { SyncDisk, World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { type OpenDirectory, sharedDirectory } from '../fs/held-directory.ts'
import { isThreadMissing, threadOf, type WorkerThread } from '../fs/worker-thread.ts'
import { type ArchiveFile, readAt } from './archive-file.ts'
import {
  createFile,
  type FileWriter,
  type NewFile,
  stagingTree,
  type WriteOptions,
} from './directory-tree.ts'
import type { ArchiveEntry } from './entry.ts'
import { type Declared, EntryDataError, fitsWhole, inflateChunks, inflateWhole } from './entry-data.ts'

/** The entries of an archive that are to be unpacked. */
export interface Wanted {
  /** All entries of the archive. */
  readonly entries: readonly ArchiveEntry[]
  /** Which of them are wanted. */
  readonly indexes: readonly number[]
  /** What to do with one of them; called when it is its turn, so that there are never many items. */
  readonly itemOf: (index: number) => UnpackItem
}

interface UnpackOptions {
  /** Undefined: the data is only verified. */
  readonly target?: UnpackTarget
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Inflates entries and holds each to its declared size and CRC-32, on worker threads when there is enough to do; writes those
 * that have a path below `target`. Rejects with the signal's reason when it aborts, once all work on it has stopped.
 */
export async function unpackEntries(
  world: World,
  file: ArchiveFile,
  wanted: Wanted,
  { target, onBytes, signal }: UnpackOptions,
): Promise<UnpackAnswer> {
  signal.throwIfAborted()
  const tasks = planTasks(wanted)
  const waiting = tasks.values()
  const answers: UnpackAnswer[] = []
  const threads: Thread[] = []
  let isStopped = false
  const here = async (task: UnpackTask): Promise<UnpackAnswer> => {
    await turn()
    return await unpackTask(world.syncDisk, task, (bytes) => {
      signal.throwIfAborted()
      onBytes(bytes)
    })
  }
  const work = async (give: (task: UnpackTask) => Promise<UnpackAnswer>): Promise<void> => {
    try {
      for (const indexes of waiting) {
        if (isStopped) return
        const items = indexes.map(wanted.itemOf)
        answers.push(await give({ archive: file.path, fd: file.fd, items, target }))
      }
    } finally {
      // After a fault the others end with the task they are at.
      isStopped = true
    }
  }
  const onThread = (): Promise<void> => {
    const thread: Thread = threadOf(world.startWorker('inflate-worker'))
    threads.push(thread)
    // The result doesn't wait until the thread has ended.
    return work((task) =>
      thread.ask(task, onBytes).catch((error: unknown) => {
        if (isThreadMissing(error)) return here(task)
        throw error
      }),
    ).finally(() => void thread.end())
  }
  const endThreads = (): void => {
    isStopped = true
    for (const thread of threads) void thread.end()
  }
  signal.addEventListener('abort', endThreads, { once: true })
  try {
    const count = threadCount(world, wanted, tasks.length, target)
    const ended = await Promise.allSettled(count < 2 ? [work(here)] : Array.from({ length: count }, onThread))
    signal.throwIfAborted()
    for (const each of ended) if (each.status === 'rejected') throw each.reason
  } finally {
    signal.removeEventListener('abort', endThreads)
  }
  file.assertUnchanged()
  return {
    problems: answers.flatMap(({ problems }) => problems).sort(([one], [other]) => one - other),
    products: answers.flatMap(({ products }) => products).sort(([one], [other]) => one - other),
  }
}

type Thread = WorkerThread<UnpackTask, number, UnpackAnswer>

// Less work than this is done sooner, and with less memory, without another thread.
const LITTLE_BYTES = 24 * 1024 ** 2
const LITTLE_FILES = 300
const LITTLE_ENTRIES = 50_000
const MAX_THREADS = 4

function threadCount(
  { host }: World,
  { entries, indexes }: Wanted,
  taskCount: number,
  target: UnpackTarget | undefined,
): number {
  // A directory without the owner's rights is made usable by the thread that made it, while another may already need it.
  if (target?.options.restoreOwner === true) return 1
  const bytes = indexes.reduce((sum, index) => sum + entries[index]!.bytes, 0)
  const few = target === undefined ? LITTLE_ENTRIES : LITTLE_FILES
  if (bytes < LITTLE_BYTES && indexes.length < few) return 1
  return Math.min(host.cores, MAX_THREADS, taskCount)
}

/** Most bytes of small entries that are read from the archive in one piece. */
const TASK_BYTES = 512 * 1024

/** Most entries in one task, so that threads finish at about the same time. */
const TASK_ENTRIES = 256

/**
 * Every large entry is a task by itself, and the largest comes first, so that none is left over at the end; small ones that are
 * near each other in the file are tasks of many.
 */
function planTasks({ entries, indexes }: Wanted): number[][] {
  const isSmall = (index: number): boolean => fitsWhole(entries[index]!)
  const bytesOf = (index: number): number => entries[index]!.bytes
  const startOf = (index: number): number => entries[index]!.dataOffset
  const large = indexes.filter((index) => !isSmall(index)).sort((one, other) => bytesOf(other) - bytesOf(one))
  const small = indexes.filter(isSmall).sort((one, other) => startOf(one) - startOf(other))
  const tasks = large.map((index) => [index])
  let task: number[] = []
  for (const index of small) {
    const span = startOf(index) + entries[index]!.packedBytes - startOf(task[0] ?? index)
    if (task.length === 0 || task.length >= TASK_ENTRIES || span > TASK_BYTES) {
      task = []
      tasks.push(task)
    }
    task.push(index)
  }
  return tasks
}

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
interface UnpackTarget {
  readonly directory: OpenDirectory
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
  using tree = target && stagingTree(disk, sharedDirectory(target.directory), target.options)
  const create = tree && ((file: NewFile): FileWriter => createFile(disk, tree, file, target.options))
  const read = (offset: number, length: number): Buffer => readAt(disk, { fd, path: archive }, offset, length)
  const chunksOf = smallChunks(items, read)
  // Only a download needs it, and it brings the whole reader of declarations.
  const scanner = items.some(({ scan }) => scan)
    ? {
        ...(await import('../declaration/product-ids.ts')),
        ...(await import('../declaration/product-ids.ts')),
      }
    : undefined
  for (const item of items) {
    const scan = item.scan ? scanner!.createProductScanner() : undefined
    try {
      const chunks = (): AsyncIterable<Buffer> | readonly Buffer[] =>
        fitsWhole(item)
          ? chunksOf(item)
          : inflateChunks((position, length) => read(item.dataOffset + position, length), item)
      const unpacked = chunks()
      const { path, modifiedMs } = item
      const file = path === undefined ? undefined : create?.({ path, modifiedMs })
      await passOn(unpacked, file, (chunk) => {
        scan?.push(chunk)
        onBytes(chunk.length)
      })
      const ids = scan?.end() ?? []
      if (ids.length === 0) continue
      // A request for declarations has the same elements.
      products.push([item.index, scan!.mayBeRequest() ? await scanner!.markRequested(ids, chunks()) : ids])
    } catch (error) {
      if (!(error instanceof EntryDataError)) throw error
      problems.push([item.index, error.message])
    }
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

async function passOn(
  chunks: AsyncIterable<Buffer> | readonly Buffer[],
  file: FileWriter | undefined,
  take: (chunk: Buffer) => void,
): Promise<void> {
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
