import type { World } from '../base/world.ts'
import { threadOf, type WorkerThread } from '../fs/worker-thread.ts'
import type { ReadBatch } from './report-batch.ts'
import type { ReportJob } from './report-job.ts'
import type { KeptRows } from './row-cache.ts'

/** A job to start, or the next batch of the one that was started last. */
export type ReportTask = ReportJob | 'next batch'

export interface ReportAnswer {
  readonly batch: ReadBatch
  readonly isLast: boolean
}

/** A job to read, or rows that were read before; and what to do with its batches, and when its file is no longer read. */
export interface PlannedJob {
  readonly job: ReportJob | KeptRows
  readonly seen?: ((batch: ReadBatch) => void) | undefined
  readonly finished: () => Promise<void>
}

/** Passes the batches of a planned job on, and finishes it. */
export async function* readPlanned(
  { seen, finished }: Pick<PlannedJob, 'seen' | 'finished'>,
  batches: AsyncIterable<ReadBatch> | Iterable<ReadBatch>,
): AsyncGenerator<ReadBatch, void, void> {
  for await (const batch of batches) {
    seen?.(batch)
    yield batch
  }
  await finished()
}

const MAX_THREADS = 4
/** Jobs for each thread that may be done or under way before the first of them is used up. */
const JOBS_AHEAD = 3

/**
 * Runs jobs on worker threads and gives their batches in the order of the jobs. A thread that is ahead of the reader waits after
 * each batch, so memory does not grow with the number of jobs. The threads end with the iteration, however it ends.
 */
export async function* runReportJobs(
  world: World,
  jobs: AsyncIterator<PlannedJob>,
): AsyncGenerator<ReadBatch, void, void> {
  const { interrupt } = world
  const threads: Thread[] = []
  const running: RunningJob[] = []
  const count = Math.max(1, Math.min(MAX_THREADS, world.host.cores))
  let started = 0
  let isExhausted = false
  const endThreads = async (): Promise<void> => {
    await Promise.all(threads.map(({ worker }) => worker.end()))
  }
  interrupt.addEventListener('abort', endThreads, { once: true })
  try {
    for (;;) {
      // Kept rows are in memory: what follows them is planned when they are used up.
      while (!isExhausted && running.length < count * JOBS_AHEAD && running.at(-1)?.job.kind !== 'kept') {
        const next = await jobs.next()
        isExhausted = next.done === true
        if (next.done) break
        interrupt.throwIfAborted()
        const { job } = next.value
        if (job.kind === 'kept') {
          running.push({ ...next.value, batches: job.batches })
          continue
        }
        if (threads.length < count) threads.push(startThread(world))
        running.push({ ...next.value, batches: startJob(threads[started % count]!, job) })
        started += 1
      }
      const first = running.shift()
      if (first === undefined) return
      yield* readPlanned(first, first.batches())
    }
  } catch (error) {
    // A thread that was ended only says that it is gone, not why.
    interrupt.throwIfAborted()
    throw error
  } finally {
    interrupt.removeEventListener('abort', endThreads)
    await endThreads()
  }
}

interface Thread {
  readonly worker: WorkerThread<ReportTask, never, ReportAnswer>
  /** Resolves when all batches of the jobs that it was given have been read. */
  free: Promise<void>
}

interface RunningJob extends PlannedJob {
  readonly batches: () => AsyncIterable<ReadBatch> | Iterable<ReadBatch>
}

function startThread(world: World): Thread {
  return { worker: threadOf(world.startWorker('declarations-worker')), free: Promise.resolve() }
}

function startJob(thread: Thread, job: ReportJob): RunningJob['batches'] {
  let release = (): void => undefined
  const ask = async (task: ReportTask): Promise<ReportAnswer> => {
    const answer = await thread.worker.ask(task)
    if (answer.isLast) release()
    return answer
  }
  const first = thread.free.then(() => ask(job))
  first.catch(() => undefined)
  thread.free = new Promise((resolve) => {
    release = resolve
  })
  return async function* () {
    let answer = await first
    for (; !answer.isLast; answer = await ask('next batch')) yield answer.batch
    yield answer.batch
  }
}
