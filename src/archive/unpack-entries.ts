import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import type { ArchiveFile } from './archive-file.ts'
import { createFolderWriter } from './archive-writer.ts'
import type { InflateThreads } from './inflate-threads.ts'
import { MAX_TOLD } from './problem.ts'
import { unpackRun } from './unpack.ts'
import { unpackOnThreads } from './unpack-on-threads.ts'
import type { UnpackOptions, UnpackResult } from './unpack-options.ts'
import { createWholeInflater } from './whole-inflater.ts'
import type { WorkList } from './work-list.ts'
import { itemsOfRun } from './work-list.ts'

/**
 * Inflates entries and holds each to its declared size and CRC-32, on worker threads when there is enough to do; writes them below
 * `target` when there is one. Rejects with the signal's reason when it aborts, once nothing works on it any more.
 */
export async function unpackEntries(
  world: World,
  file: ArchiveFile,
  list: WorkList,
  options: UnpackOptions,
): Promise<UnpackResult> {
  options.signal.throwIfAborted()
  const others = options.threads === undefined ? 0 : threadCount(options.threads, list, options) - 1
  const result =
    options.threads !== undefined && others > 0
      ? await unpackOnThreads(file, list, (...work) => options.threads!.run(others, ...work), options)
      : await unpackHere(world, file, list, options)
  options.signal.throwIfAborted()
  if (result.itemCount !== list.count) {
    throw new Error(`${result.itemCount} of ${list.count} entries were unpacked, and nobody said why`)
  }
  await file.assertUnchanged()
  return result
}

// Starting another thread takes as long as this much work on one.
const HERE_BYTES = 24 * 1024 ** 2
const HERE_FILES = 300
const HERE_ENTRIES = 2_000

function threadCount(
  { most }: InflateThreads,
  { count, bytes, runs }: WorkList,
  { target }: UnpackOptions,
): number {
  if (target?.options.restoreOwner === true) return 1
  const isLittle = bytes < HERE_BYTES && count < (target === undefined ? HERE_ENTRIES : HERE_FILES)
  return isLittle ? 1 : Math.min(most, runs.length / 2)
}

async function unpackHere(
  world: World,
  file: ArchiveFile,
  list: WorkList,
  { target, onBytes, signal }: UnpackOptions,
): Promise<UnpackResult> {
  const problems: (readonly [number, string])[] = []
  const products: (readonly [number, readonly ProductId[]])[] = []
  let problemCount = 0
  let itemCount = 0
  const inflater = createWholeInflater()
  const writer = target && createFolderWriter(world.disk, target.folder, target.options)
  try {
    for (let run = 0; run < list.runs.length / 2 && !signal.aborted; run += 1) {
      itemCount += await unpackRun(itemsOfRun(list, run), {
        read: file.read,
        readRun: file.read,
        inflater,
        sink: writer,
        onProblem: ({ place }, text) => {
          problemCount += 1
          if (problems.length < MAX_TOLD) problems.push([place, text])
        },
        onProducts: ({ place }, ids) => {
          if (ids.length > 0) products.push([place, ids])
        },
        onBytes,
        isStopped: () => signal.aborted,
      })
    }
  } finally {
    inflater.close()
    await writer?.close()
  }
  return { problems, problemCount, itemCount, products }
}
