import type { World } from '../base/world.ts'
import { KNOWN_TABLES } from '../compliance/indications.ts'
import { threadOf, type WorkerThread } from '../fs/worker-thread.ts'
import type { PackedBatch } from './report-batch.ts'
import type { ReportJob } from './report-job.ts'

/** A job to start, or the next batch of the one that was started last. */
export type ReportTask = ReportJob | 'next batch'

export interface ReportAnswer {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** A job to read, or packed batches of an earlier report; and what to do with its batches, and after the last of them. */
export interface PlannedJob {
  readonly job: ReportJob | { readonly kind: 'kept'; readonly batches: readonly Uint8Array[] }
  /** How its sources begin. */
  readonly prefix: string
  readonly seen?: ((bytes: Uint8Array) => void) | undefined
  readonly finished?: (() => Promise<void>) | undefined
}

/** Passes the batches of a planned job on, and finishes it. */
export async function* readPlanned(
  { prefix, seen, finished }: Omit<PlannedJob, 'job'>,
  batches: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<PackedBatch, void, void> {
  for await (const bytes of batches) {
    seen?.(bytes)
    yield { prefix, bytes }
  }
  await finished?.()
}

const MAX_THREADS = 4
/** Jobs for each thread that may be done or under way before the first of them is used up. */
const JOBS_AHEAD = 12

/**
 * Runs jobs on worker threads and gives their batches in the order of the jobs. A thread that is ahead of the reader waits after
 * each batch, so memory does not grow with the number of jobs. The threads end with the iteration, however it ends.
 */
export async function* runReportJobs(
  world: World,
  jobs: AsyncIterator<PlannedJob>,
): AsyncGenerator<PackedBatch, void, void> {
  const { interrupt } = world
  const running: RunningJob[] = []
  const count = Math.max(1, Math.min(MAX_THREADS, world.host.cores))
  const threads = createThreads(world, count)
  let isExhausted = false
  interrupt.addEventListener('abort', threads.end, { once: true })
  try {
    for (;;) {
      // Kept rows are in memory: what follows them is planned when they are used up.
      while (!isExhausted && running.length < count * JOBS_AHEAD && running.at(-1)?.job.kind !== 'kept') {
        const next = await jobs.next()
        isExhausted = next.done === true
        if (next.done) break
        interrupt.throwIfAborted()
        const { job } = next.value
        running.push({ ...next.value, batches: job.kind === 'kept' ? job.batches : startJob(threads, job) })
      }
      const first = running.shift()
      if (first === undefined) return
      yield* readPlanned(first, first.batches)
    }
  } catch (error) {
    // A thread that was ended only says that it is gone, not why.
    interrupt.throwIfAborted()
    throw error
  } finally {
    interrupt.removeEventListener('abort', threads.end)
    await threads.end()
  }
}

interface RunningJob extends PlannedJob {
  readonly batches: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

type Thread = WorkerThread<ReportTask, never, ReportAnswer>

/** Up to `most` threads, started when they are needed; jobs take them in the order in which they ask. */
function createThreads(world: World, most: number) {
  const all: Thread[] = []
  const idle: Thread[] = []
  const informed = new Set<Thread>()
  const waiting: ((thread: Thread) => void)[] = []
  const start = (): Thread => {
    const thread: Thread = threadOf(world.startWorker('declarations-worker'))
    all.push(thread)
    return thread
  }
  return {
    /** A thread that is free, as soon as there is one. */
    async take(): Promise<Thread> {
      return idle.pop() ?? (all.length < most ? start() : new Promise((resolve) => waiting.push(resolve)))
    },
    /** Makes a thread free again. */
    free(thread: Thread): void {
      const next = waiting.shift()
      if (next) next(thread)
      else idle.push(thread)
    },
    /** Whether the thread has received the tables with an earlier job. The first call for a thread returns false. */
    knowsTables(thread: Thread): boolean {
      if (informed.has(thread)) return true
      informed.add(thread)
      return false
    },
    async end(): Promise<void> {
      await Promise.all(all.map((thread) => thread.end()))
    },
  }
}

/** A job keeps its thread until its last batch: jobs before it have theirs already, so none waits for a later one. */
function startJob(threads: ReturnType<typeof createThreads>, job: ReportJob): AsyncIterable<Uint8Array> {
  const taken = threads.take()
  const ask = async (task: ReportTask): Promise<ReportAnswer> => {
    const thread = await taken
    // The tables are the same for all jobs, and larger than most of them.
    if (task !== 'next batch' && task.screening !== '' && threads.knowsTables(thread)) {
      task = { ...task, screening: KNOWN_TABLES }
    }
    const answer = await thread.run(task)
    if (answer.isLast) threads.free(thread)
    return answer
  }
  const first = ask(job)
  first.catch(() => undefined)
  return (async function* () {
    let answer = await first
    for (; !answer.isLast; answer = await ask('next batch')) yield answer.bytes
    yield answer.bytes
  })()
}
