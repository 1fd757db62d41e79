import { MAX_TOLD } from '../archive/problem.ts'
import type { Run, UnpackItem } from '../archive/unpack.ts'
import type { ProductId } from '../domain/product-ids.ts'
import { systemCode } from '../failure.ts'
import type { ArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'
import type { FromInflater, InflateWork, ThreadError } from './inflate-protocol.ts'
import { COUNTER, toNumbers } from './inflate-protocol.ts'
import type { UnpackOptions, UnpackResult } from './unpack-entries.ts'

/** The work in its order, and how many threads share it. */
export interface SharedWork {
  readonly items: readonly UnpackItem[]
  readonly runs: readonly Run[]
  readonly threads: number
}

/**
 * Unpacks on worker threads that take run after run from one list. Settles only when all of them are gone, so that nobody
 * writes any more. Undefined when the system gives not one thread: then nothing was done.
 */
export async function unpackOnThreads(
  world: World,
  file: ArchiveFile,
  { items, runs, threads }: SharedWork,
  { target, onBytes, signal }: UnpackOptions,
): Promise<UnpackResult | undefined> {
  const counters = new SharedArrayBuffer(8)
  const stop = (): void => {
    Atomics.store(new Int32Array(counters), COUNTER.stop, 1)
  }
  const work: InflateWork = {
    fd: file.fd,
    numbers: toNumbers(items),
    paths: target === undefined ? [] : items.map(({ path }) => path),
    runs: sharedRuns(runs),
    counters,
    maxProblems: MAX_TOLD,
    target: target && {
      folder: { fd: target.folder.fd, path: target.pathByName },
      options: target.options,
    },
  }
  const products: (readonly [UnpackItem, readonly ProductId[]])[] = []
  const onMessage = (message: FromInflater): void => {
    onBytes(message.bytes)
    for (const [index, ids] of message.products) products.push([items[index]!, ids])
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const ends = await Promise.all(
      Array.from({ length: threads }, () => runThread(world, work, onMessage, stop)),
    )
    for (const end of ends) if (end.fault !== undefined) throw end.fault
    const lasts = ends.flatMap(({ last }) => (last === undefined ? [] : [last]))
    if (lasts.length === 0) return undefined
    for (const { error } of lasts) if (error !== undefined) throw threadFault(error, file)
    const problems = lasts.flatMap((last) => last.problems ?? []).toSorted(([one], [other]) => one - other)
    return {
      problems: problems.slice(0, MAX_TOLD).map(([index, text]) => [items[index]!, text]),
      problemCount: lasts.reduce((sum, last) => sum + (last.problemCount ?? 0), 0),
      products,
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function sharedRuns(runs: readonly Run[]): Int32Array {
  const shared = new Int32Array(new SharedArrayBuffer(runs.length * 8))
  shared.set(runs.flat())
  return shared
}

/** How a thread ended: with its last message, with a fault, or with neither because it could not start. */
interface ThreadEnd {
  readonly last?: FromInflater
  readonly fault?: unknown
}

function runThread(
  world: World,
  work: InflateWork,
  onMessage: (message: FromInflater) => void,
  stop: () => void,
): Promise<ThreadEnd> {
  return new Promise((resolve) => {
    const worker = world.startWorker('inflate', work)
    let last: FromInflater | undefined
    let fault: unknown
    let hasStarted = true
    worker.on('message', (message: FromInflater) => {
      onMessage(message)
      if (message.isDone) last = message
    })
    worker.on('error', (error) => {
      // The others do its share.
      hasStarted = systemCode(error) !== 'ERR_WORKER_INIT_FAILED'
      if (!hasStarted) return
      fault = error
      stop()
    })
    worker.on('exit', () => {
      if (fault !== undefined) resolve({ fault })
      else if (last !== undefined) resolve({ last })
      else resolve(hasStarted ? { fault: new Error('a worker thread ended without a word') } : {})
    })
  })
}

/** A fault that a thread met, as if it had been met here. */
function threadFault(error: ThreadError, file: ArchiveFile): unknown {
  const fault = Object.assign(new Error(error.message), { code: error.code, stack: error.stack })
  return error.isRead ? file.readFault(fault) : fault
}
