import { parentPort, workerData } from 'node:worker_threads'
import type { UnpackItem } from '../../archive/unpack.ts'
import { unpackRun } from '../../archive/unpack.ts'
import { systemCode } from '../../failure.ts'
import { readSyncAt } from '../../storage/archive-file.ts'
import { createSyncFolderWriter } from '../../storage/archive-writer-sync.ts'
import type { FromInflater, InflateWork } from '../inflate-protocol.ts'
import { COUNTER, itemAt } from '../inflate-protocol.ts'

/** Takes runs of entries from the shared list until none is left, and tells what it finds. */
async function work(data: InflateWork): Promise<void> {
  const counters = new Int32Array(data.counters)
  const writer = data.target && createSyncFolderWriter(data.target.folder, data.target.options)
  const isStopped = (): boolean => Atomics.load(counters, COUNTER.stop) !== 0
  const problems: [number, string][] = []
  let products: FromInflater['products'] = []
  let problemCount = 0
  let bytes = 0
  let isReading = false
  const tell = (end: Partial<FromInflater> = {}): void => {
    const message: FromInflater = { isDone: false, bytes, products, ...end }
    parentPort!.postMessage(message)
    products = []
    bytes = 0
  }
  const read = (offset: number, length: number): Buffer => {
    isReading = true
    const buffer = Buffer.allocUnsafeSlow(length)
    if (!readSyncAt(data.fd, buffer, offset, length)) throw new Error('the archive became shorter')
    isReading = false
    return buffer
  }
  try {
    while (!isStopped()) {
      const run = Atomics.add(counters, COUNTER.nextRun, 1)
      if (run * 2 >= data.runs.length) break
      const items: UnpackItem[] = []
      for (let index = data.runs[run * 2]!; index < data.runs[run * 2 + 1]!; index += 1) {
        items.push(itemAt(data, index))
      }
      await unpackRun(items, {
        read,
        sink: writer,
        onProblem: (item, text) => {
          problemCount += 1
          if (problems.length < data.maxProblems) problems.push([item.index, text])
        },
        onProducts: (item, ids) => {
          if (ids.length > 0) products.push([item.index, ids])
        },
        onBytes: (count) => {
          bytes += count
          if (bytes >= TELL_BYTES || products.length >= TELL_PRODUCTS) tell()
        },
        isStopped,
      })
    }
    tell({ isDone: true, problems, problemCount })
  } catch (error) {
    Atomics.store(counters, COUNTER.stop, 1)
    const { message, stack } = error as Error
    tell({ isDone: true, error: { code: systemCode(error), message, stack, isRead: isReading } })
  } finally {
    writer?.close()
  }
}

const TELL_BYTES = 4 * 1024 ** 2
const TELL_PRODUCTS = 500

await work(workerData as InflateWork)
