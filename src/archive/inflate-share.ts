import { systemCode } from '../base/failure.ts'
import { readSyncAt } from './archive-file.ts'
import { createSyncFolderWriter } from './archive-writer-sync.ts'
import type { FromInflater, InflateWork, ThreadError } from './inflate-protocol.ts'
import { COUNTER } from './inflate-protocol.ts'
import type { Unpacking } from './unpack.ts'
import { unpackRun } from './unpack.ts'
import { createWholeInflater } from './whole-inflater.ts'
import { itemsOfRun, RUN_BYTES } from './work-list.ts'

/**
 * Takes runs of entries from the shared list until none is left or somebody says stop, and tells what it finds; the last thing
 * it tells is done. Never rejects. Every thread does this, the main one too, which rests between runs for whatever else waits.
 */
export async function inflateShare(
  work: InflateWork,
  tell: (message: FromInflater) => void,
  rest: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const counters = new Int32Array(work.counters)
  const isStopped = (): boolean => Atomics.load(counters, COUNTER.stop) !== 0
  const inflater = createWholeInflater()
  const writer = work.target && createSyncFolderWriter(work.target.folder, work.target.options)
  const problems: [number, string][] = []
  let products: FromInflater['products'] = []
  let problemCount = 0
  let itemCount = 0
  let bytes = 0
  let isReading = false
  const say = (end: Partial<FromInflater> = {}): void => {
    tell({ isDone: false, bytes, products, ...end })
    products = []
    bytes = 0
  }
  const readInto = (buffer: Buffer, offset: number, length: number): Buffer => {
    isReading = true
    if (!readSyncAt(work.fd, buffer, offset, length)) throw new Error('the archive became shorter')
    isReading = false
    return buffer
  }
  let runBuffer = Buffer.alloc(0)
  const readRun = (offset: number, length: number): Buffer => {
    if (runBuffer.length < length) runBuffer = Buffer.allocUnsafeSlow(Math.max(length, RUN_BYTES))
    return readInto(runBuffer, offset, length).subarray(0, length)
  }
  const takeRuns = async (): Promise<void> => {
    while (!isStopped()) {
      const run = Atomics.add(counters, COUNTER.nextRun, 1)
      if (run * 2 >= work.list.runs.length) break
      itemCount += await unpackRun(itemsOfRun(work.list, run), unpacking)
      await rest()
    }
  }
  const unpacking: Unpacking = {
    read: (offset, length, into) =>
      readInto(into ?? Buffer.allocUnsafeSlow(length), offset, length).subarray(0, length),
    readRun,
    inflater,
    sink: writer,
    onProblem: ({ place }, text) => {
      problemCount += 1
      if (problems.length < work.maxProblems) problems.push([place, text])
    },
    onProducts: ({ place }, ids) => {
      if (ids.length > 0) products.push([place, ids])
    },
    onBytes: (count) => {
      bytes += count
      if (bytes >= TELL_BYTES || products.length >= TELL_PRODUCTS) say()
    },
    isStopped,
  }
  let error: ThreadError | undefined
  try {
    await takeRuns()
  } catch (fault) {
    Atomics.store(counters, COUNTER.stop, 1)
    const { message, stack } = fault as Error
    error = { code: systemCode(fault), message, stack, isRead: isReading }
  }
  inflater.close()
  writer?.close()
  say({ isDone: true, problems, problemCount, itemCount, ...(error === undefined ? {} : { error }) })
}

const TELL_BYTES = 4 * 1024 ** 2
const TELL_PRODUCTS = 500
