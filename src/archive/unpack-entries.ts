import { setImmediate as turn } from 'node:timers/promises'
import type { Reporter } from '../base/notice.ts'
import type { SyncDisk, World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
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
import { archiveFailure, type ProblemList } from './problem.ts'

/** The entries of an archive that are to be unpacked. */
export interface EntrySelection {
  readonly entries: readonly ArchiveEntry[]
  /** Which of them are wanted. */
  readonly indexes: readonly number[]
  /** What to do with one of them beyond its verification; called when it is its turn, so that there are never many items. */
  readonly useOf: (entry: ArchiveEntry) => Partial<EntryUse>
}

interface UnpackOptions {
  readonly phase: 'verifying' | 'extracting'
  /** What is wrong with the archive so far. */
  readonly problems: ProblemList
  /** Undefined: the data is only verified. */
  readonly target?: UnpackTarget
  readonly reporter: Reporter
  readonly signal: AbortSignal
}

/**
 * Inflates entries and holds each to its declared size and CRC-32, on worker threads when there is enough to do; writes those that have
 * a path below `target`. Resolves with the ProductIDs of each entry that was scanned for them and has any, by name. Throws `archive` when
 * the archive has problems, and rejects with the signal's reason when it aborts, once all work on it has stopped.
 */
export async function unpackEntries(
  world: World,
  file: ArchiveFile,
  wanted: EntrySelection,
  { phase, problems, target, reporter, signal }: UnpackOptions,
): Promise<ReadonlyMap<string, readonly ProductId[]>> {
  const totalBytes = unpackedBytes(wanted)
  let bytes = 0
  const onBytes = (count: number): void => {
    bytes += count
    reporter.progress({ phase, bytes, totalBytes })
  }
  signal.throwIfAborted()
  const tasks = planTasks(wanted)
  const waiting = tasks.values()
  const results: UnpackResult[] = []
  const threads: Thread[] = []
  let isStopped = false
  const here = async (task: UnpackTask): Promise<UnpackResult> => {
    await turn()
    return await unpackTask(world.syncDisk, task, (bytes) => {
      signal.throwIfAborted()
      onBytes(bytes)
    })
  }
  const work = async (give: (task: UnpackTask) => Promise<UnpackResult>): Promise<void> => {
    try {
      for (const indexes of waiting) {
        if (isStopped) return
        const items = indexes.map((index) => itemOf(wanted, index))
        results.push(await give({ archive: file.path, fd: file.fd, items, target }))
      }
    } finally {
      // After a fault the other threads end with the task that they are at.
      isStopped = true
    }
  }
  const onThread = (): Promise<void> => {
    const thread: Thread = threadOf(world.startWorker('inflate-worker'))
    threads.push(thread)
    // The result doesn't wait until the thread has ended.
    return work((task) =>
      thread.run(task, onBytes).catch((error: unknown) => {
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
  const found = results.flatMap((result) => result.problems).sort(([one], [other]) => one - other)
  for (const [index, text] of found) {
    const { name, dataOffset } = wanted.entries[index]!
    problems.add({ rule: 'data', entry: name, offset: dataOffset, text })
  }
  if (problems.count > 0) throw archiveFailure(file.path, problems)
  if (results.some(({ keepsTimes }) => !keepsTimes)) {
    const message = 'the file system keeps no modification times: extracted files have the time of extraction'
    reporter.notice({ level: 'info', event: 'extract.times', message })
  }
  const products = results.flatMap((result) => result.products).sort(([one], [other]) => one - other)
  return new Map(products.map(([index, ids]) => [wanted.entries[index]!.name, ids]))
}

/** The declared size of the wanted entries. */
export function unpackedBytes({ entries, indexes }: Pick<EntrySelection, 'entries' | 'indexes'>): number {
  return indexes.reduce((sum, index) => sum + entries[index]!.bytes, 0)
}

function itemOf({ entries, useOf }: EntrySelection, index: number): UnpackItem {
  const entry = entries[index]!
  const { dataOffset, bytes, packedBytes, crc32, method } = entry
  const { path, modifiedMs, scan = false } = useOf(entry)
  return { index, dataOffset, bytes, packedBytes, crc32, method, path, modifiedMs, scan }
}

type Thread = WorkerThread<UnpackTask, number, UnpackResult>

// Less work than this is done sooner without another thread, and with less memory.
const LITTLE_BYTES = 24 * 1024 ** 2
const LITTLE_FILES = 300
const LITTLE_ENTRIES = 50_000
const MAX_THREADS = 4

function threadCount(
  { host }: World,
  wanted: EntrySelection,
  taskCount: number,
  target: UnpackTarget | undefined,
): number {
  // A directory without the owner's rights is made usable by the thread that made it, while another may already need it.
  if (target?.options.restoreOwner === true) return 1
  const few = target === undefined ? LITTLE_ENTRIES : LITTLE_FILES
  if (unpackedBytes(wanted) < LITTLE_BYTES && wanted.indexes.length < few) return 1
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
function planTasks({ entries, indexes }: EntrySelection): number[][] {
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

interface UnpackItem extends Declared, EntryUse {
  /** Its index in the archive's entries. */
  readonly index: number
  readonly dataOffset: number
}

/** What to do with an entry beyond its verification. */
interface EntryUse {
  /** Where it goes, relative to the target directory; undefined when it is only verified. */
  readonly path: string | undefined
  readonly modifiedMs: number | undefined
  /** Whether its ProductIDs are wanted. */
  readonly scan: boolean
}

/** Where files are written, and how. */
interface UnpackTarget {
  readonly directory: string
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
export interface UnpackResult {
  readonly problems: readonly (readonly [index: number, text: string])[]
  readonly products: readonly (readonly [index: number, ids: readonly ProductId[]])[]
  /** False when the file system has no modification times to set. */
  readonly keepsTimes: boolean
}

/** Inflates the entries of a task, checks them against what is declared, writes them and scans them. `onBytes` gets unpacked bytes as they come. */
export async function unpackTask(
  disk: SyncDisk,
  { archive, fd, items, target }: UnpackTask,
  onBytes: (bytes: number) => void,
): Promise<UnpackResult> {
  const problems: [number, string][] = []
  const products: [number, readonly ProductId[]][] = []
  let keepsTimes = true
  const tree = target && stagingTree(disk, target.directory, target.options)
  const onWithoutTimes = (): void => {
    keepsTimes = false
  }
  const create =
    tree && ((file: NewFile): FileWriter => createFile(disk, tree, file, target.options, onWithoutTimes))
  const read = (offset: number, length: number): Buffer => readAt(disk, { fd, path: archive }, offset, length)
  const chunksOf = smallChunks(items, read)
  // The reader of declarations is large, and only downloads need it.
  const scanner = items.some(({ scan }) => scan) ? await import('../declaration/product-ids.ts') : undefined
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
  return { problems, products, keepsTimes }
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
