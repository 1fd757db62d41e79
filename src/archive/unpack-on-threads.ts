import type { ProductId } from '../declaration/product-ids.ts'
import type { ArchiveFile } from './archive-file.ts'
import type { FromInflater, InflateWork, ThreadError } from './inflate-protocol.ts'
import { COUNTER } from './inflate-protocol.ts'
import { inflateShare } from './inflate-share.ts'
import { MAX_TOLD } from './problem.ts'
import type { UnpackOptions, UnpackResult } from './unpack-options.ts'
import type { WorkList } from './work-list.ts'

/** Gives other threads the same work; settles when they are gone. */
export type RunOthers = (
  work: InflateWork,
  onMessage: (message: FromInflater) => void,
  stop: () => void,
) => Promise<void>

/**
 * Unpacks on this thread and on others, each taking run after run from one list: what is slow to start finds less to do. Settles
 * only when all of them have ended, so that nobody writes any more.
 */
export async function unpackOnThreads(
  file: ArchiveFile,
  list: WorkList,
  runOthers: RunOthers,
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
    const others = runOthers(work, onMessage, stop)
    await inflateShare(work, onMessage, () => new Promise((resolve) => setImmediate(resolve)))
    await others
  } finally {
    signal.removeEventListener('abort', stop)
  }
  for (const { error } of lasts) if (error !== undefined) throw threadFault(error, file)
  const problems = lasts.flatMap((last) => last.problems ?? []).toSorted(([one], [other]) => one - other)
  return {
    problems: problems.slice(0, MAX_TOLD),
    problemCount: lasts.reduce((sum, last) => sum + (last.problemCount ?? 0), 0),
    itemCount: lasts.reduce((sum, last) => sum + (last.itemCount ?? 0), 0),
    products,
  }
}

/** A fault that a thread met, as if it had been met here. */
function threadFault(error: ThreadError, file: ArchiveFile): unknown {
  const fault = Object.assign(new Error(error.message), { code: error.code, stack: error.stack })
  return error.isRead ? file.readFault(fault) : fault
}
