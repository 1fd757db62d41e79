import type { Worker } from 'node:worker_threads'
import { systemCode } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { FromInflater, InflateWork } from './inflate-protocol.ts'

/** Threads that inflate beside this one; those that got no work are ended when this is disposed. */
export interface InflateThreads extends AsyncDisposable {
  /** How many may work, this one among them. */
  readonly most: number
  /** Hands the work to `count` threads; resolves when all of them have done theirs, rejects when one of them broke. */
  readonly run: (
    count: number,
    work: InflateWork,
    onMessage: (message: FromInflater) => void,
    stop: () => void,
  ) => Promise<void>
}

/** An archive of this size holds enough work for several threads, whatever is in it. */
const EARLY_BYTES = 8 * 1024 ** 2
const MAX_THREADS = 4

/**
 * Threads for an archive of `archiveBytes`. For a large one they are started at once: they come up while its directory is
 * read. They wait until they get work.
 */
export function openInflateThreads(world: World, archiveBytes: number): InflateThreads {
  const most = Math.min(world.host.cores, MAX_THREADS)
  const waiting: Started[] = []
  const early = archiveBytes < EARLY_BYTES ? 0 : most - 1
  while (waiting.length < early) waiting.push(start(world))
  return {
    most,
    run: async (count, work, onMessage, stop) => {
      while (waiting.length < count) waiting.push(start(world))
      const faults = await Promise.all(
        waiting.splice(0, count).map((started) => give(started, work, onMessage, stop)),
      )
      for (const fault of faults) if (fault !== undefined) throw fault
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(waiting.splice(0).map(({ worker }) => worker.terminate()))
    },
  }
}

/** A thread, and what became of it; undefined while it is there. */
interface Started {
  readonly worker: Worker
  readonly ended: Promise<unknown>
}

function start(world: World): Started {
  const worker = world.startWorker('inflate-worker', undefined)
  const ended = new Promise<unknown>((resolve) => {
    let fault: unknown
    worker.on('error', (error) => {
      fault = error
    })
    worker.on('exit', () => resolve(fault))
  })
  return { worker, ended }
}

/** Gives a thread its work. Resolves when it has done it, or is gone: then with what went wrong beyond the work itself. */
function give(
  { worker, ended }: Started,
  work: InflateWork,
  onMessage: (message: FromInflater) => void,
  stop: () => void,
): Promise<unknown> {
  return new Promise((resolve) => {
    let isDone = false
    worker.on('message', (message: FromInflater) => {
      onMessage(message)
      if (message.isDone) isDone = true
      if (message.isDone) resolve(undefined)
    })
    void ended.then((fault) => {
      // Where the system gives no more threads, those that are there do its share.
      if (isDone || isMissing(fault)) return resolve(undefined)
      stop()
      resolve(fault ?? new Error('a worker thread ended without a word'))
    })
    worker.postMessage(work)
  })
}

function isMissing(fault: unknown): boolean {
  return systemCode(fault) === 'ERR_WORKER_INIT_FAILED'
}
