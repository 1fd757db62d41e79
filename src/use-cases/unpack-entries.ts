import { MAX_TOLD } from '../archive/problem.ts'
import type { Run, UnpackItem } from '../archive/unpack.ts'
import { inWorkOrder, planRuns, unpackRun } from '../archive/unpack.ts'
import type { ProductId } from '../domain/product-ids.ts'
import type { ArchiveFile } from '../storage/archive-file.ts'
import type { HeldFolder } from '../storage/archive-folders.ts'
import type { WriteOptions } from '../storage/archive-writer.ts'
import { createFolderWriter } from '../storage/archive-writer.ts'
import type { World } from '../world.ts'
import { unpackOnThreads } from './unpack-on-threads.ts'

/** What unpacking found: problems of the data by item, the first `MAX_TOLD` and their number, and ProductIDs. */
export interface UnpackResult {
  readonly problems: readonly (readonly [UnpackItem, string])[]
  readonly problemCount: number
  readonly products: readonly (readonly [UnpackItem, readonly ProductId[]])[]
}

/** Where files are written, and how. */
export interface UnpackTarget {
  readonly folder: HeldFolder
  readonly pathByName: string | undefined
  readonly options: WriteOptions
}

export interface UnpackOptions {
  readonly target?: UnpackTarget
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

/** What is to be unpacked, before its place in the order of work is known. */
export type Unordered = Omit<UnpackItem, 'index'>

/**
 * Inflates entries and holds each to its declared size and CRC-32, on worker threads when there is enough to do; writes them below
 * `target` when there is one. Rejects with the signal's reason when it aborts, once nothing works on it any more.
 */
export async function unpackEntries(
  world: World,
  file: ArchiveFile,
  unordered: readonly Unordered[],
  options: UnpackOptions,
): Promise<UnpackResult> {
  const items = inWorkOrder(unordered).map((item, index): UnpackItem => ({ ...item, index }))
  const runs = planRuns(items)
  options.signal.throwIfAborted()
  const threads = threadCount(world, items, runs.length, options)
  const result =
    (threads > 0 ? await unpackOnThreads(world, file, { items, runs, threads }, options) : undefined) ??
    (await unpackHere(world, file, items, runs, options))
  options.signal.throwIfAborted()
  await file.assertUnchanged()
  return result
}

// Starting two threads takes as long as this much work on one.
const HERE_BYTES = 24 * 1024 ** 2
const HERE_FILES = 300
const HERE_ENTRIES = 2_000
const MAX_THREADS = 4

function threadCount(
  world: World,
  items: readonly UnpackItem[],
  runs: number,
  { target }: UnpackOptions,
): number {
  if (target?.options.restoreOwner === true || runs < 2) return 0
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
  const isLittle = bytes < HERE_BYTES && items.length < (target === undefined ? HERE_ENTRIES : HERE_FILES)
  return isLittle ? 0 : Math.max(1, Math.min(world.host.cores, MAX_THREADS, runs))
}

async function unpackHere(
  world: World,
  file: ArchiveFile,
  items: readonly UnpackItem[],
  runs: readonly Run[],
  { target, onBytes, signal }: UnpackOptions,
): Promise<UnpackResult> {
  const problems: (readonly [UnpackItem, string])[] = []
  const products: (readonly [UnpackItem, readonly ProductId[]])[] = []
  let problemCount = 0
  const writer = target && createFolderWriter(world.disk, target.folder, target.options)
  try {
    for (const [start, end] of runs) {
      if (signal.aborted) break
      await unpackRun(items.slice(start, end), {
        read: file.read,
        sink: writer,
        onProblem: (item, text) => {
          problemCount += 1
          if (problems.length < MAX_TOLD) problems.push([item, text])
        },
        onProducts: (item, ids) => {
          if (ids.length > 0) products.push([item, ids])
        },
        onBytes,
        isStopped: () => signal.aborted,
      })
    }
  } finally {
    await writer?.close()
  }
  return { problems, problemCount, products }
}
