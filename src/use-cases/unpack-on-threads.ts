import { MAX_TOLD } from '../archive/problem.ts'
import type { WorkList } from '../archive/work-list.ts'
import type { ProductId } from '../domain/product-ids.ts'
import { systemCode } from '../failure.ts'
import type { ArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'
import type { FromInflater, InflateWork, ThreadError } from './inflate-protocol.ts'
import { COUNTER } from './inflate-protocol.ts'
import { inflateShare } from './inflate-share.ts'
import type { UnpackOptions, UnpackResult } from './unpack-entries.ts'

/**
 * Unpacks on this thread and on others, each taking run after run from one list: what is slow to start finds less to do. Settles
 * only when all of them have ended, so that nobody writes any more.
 */
export async function unpackOnThreads(
  world: World,
  file: ArchiveFile,
  list: WorkList,
  threads: number,
  { target, onBytes, signal }: UnpackOptions,
): Promise<UnpackResult> {
  const work: InflateWork = {
    fd: file.fd,
    list: { numbers: list.numbers, paths: list.paths, runs: list.runs },
    counters: new SharedArrayBuffer(8),
    maxProblems: MAX_TOLD,
    target: target && {
      folder: { fd: target.folder.fd, path: target.pathByName },
      options: target.options,
    },
  }
  const stop = (): void => {
    Atomics.store(new Int32Array(work.counters), COUNTER.stop, 1)
  }
  const products: (readonly [number, readonly ProductId[]])[] = []
  const lasts: FromInflater[] = []
  const onMessage = (message: FromInflater): void => {
    onBytes(message.bytes)
    products.push(...message.products)
    if (message.isDone) lasts.push(message)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const others = Array.from({ length: threads - 1 }, () => runThread(world, work, onMessage, stop))
    await inflateShare(work, onMessage, () => new Promise((resolve) => setImmediate(resolve)))
    for (const fault of await Promise.all(others)) if (fault !== undefined) throw fault
  } finally {
    signal.removeEventListener('abort', stop)
  }
  for (const { error } of lasts) if (error !== undefined) throw threadFault(error, file)
  const problems = lasts.flatMap((last) => last.problems ?? []).toSorted(([one], [other]) => one - other)
  return {
    problems: problems.slice(0, MAX_TOLD),
    problemCount: lasts.reduce((sum, last) => sum + (last.problemCount ?? 0), 0),
    products,
  }
}

/** Resolves when the thread is gone: with what went wrong beyond the work itself, if anything. */
function runThread(
  world: World,
  work: InflateWork,
  onMessage: (message: FromInflater) => void,
  stop: () => void,
): Promise<unknown> {
  return new Promise((resolve) => {
    const worker = world.startWorker('inflate', work)
    let fault: unknown = new Error('a worker thread ended without a word')
    worker.on('message', (message: FromInflater) => {
      if (message.isDone) fault = undefined
      onMessage(message)
    })
    worker.on('error', (error) => {
      // Where the system gives no more threads, those that are there do its share.
      fault = systemCode(error) === 'ERR_WORKER_INIT_FAILED' ? undefined : error
      if (fault !== undefined) stop()
    })
    worker.on('exit', () => resolve(fault))
  })
}

/** A fault that a thread met, as if it had been met here. */
function threadFault(error: ThreadError, file: ArchiveFile): unknown {
  const fault = Object.assign(new Error(error.message), { code: error.code, stack: error.stack })
  return error.isRead ? file.readFault(fault) : fault
}
