import type { Worker } from 'node:worker_threads'
import { Failure, type FailureDetails, type FailureKind } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { JobBatch } from './report-gathering.ts'
import type { ReportJob } from './report-job.ts'

export type ToReportWorker = ReportJob | 'go on'
export type FromReportWorker =
  | { readonly kind: 'batch'; readonly batch: JobBatch; readonly isLast: boolean }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed'
      readonly failure: {
        readonly kind: FailureKind
        readonly message: string
        readonly hint: string | undefined
        readonly details: FailureDetails
      }
    }

/** A job, and what to do once nothing reads its file any more. */
export interface PlannedJob {
  readonly job: ReportJob
  readonly finished: () => Promise<void>
}

const MOST_WORKERS = 4
/** Jobs that may be done or under way before the first of them is used up, for each worker. */
const JOBS_AHEAD = 3

/**
 * Runs jobs on worker threads and gives their batches in the order of the jobs. A worker that is ahead of the reader waits
 * after each batch, so memory does not grow with the number of jobs. The threads end with the iteration, however it ends.
 */
export async function* runReportJobs(
  world: World,
  jobs: AsyncIterator<PlannedJob>,
): AsyncGenerator<JobBatch, void, void> {
  const count = Math.max(1, Math.min(MOST_WORKERS, world.host.cores))
  const workers: Worker[] = []
  const idle: Worker[] = []
  const running: RunningJob[] = []
  let isExhausted = false
  const onStop = (): void => running[0]?.wake()
  world.interrupt.addEventListener('abort', onStop)
  try {
    for (;;) {
      while (
        !isExhausted &&
        running.length < count * JOBS_AHEAD &&
        (idle.length > 0 || workers.length < count)
      ) {
        const next = await jobs.next()
        isExhausted = next.done === true
        if (next.done) break
        const worker = idle.pop() ?? addWorker(world, workers)
        running.push(startJob(worker, next.value, () => idle.push(worker)))
      }
      const first = running[0]
      if (!first) return
      const batch = await first.next(world.interrupt)
      if (batch) {
        yield batch
        continue
      }
      running.shift()
      await first.finished()
    }
  } finally {
    world.interrupt.removeEventListener('abort', onStop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

interface RunningJob {
  /** The next batch of the job, or undefined when it is done. */
  readonly next: (interrupt: AbortSignal) => Promise<JobBatch | undefined>
  readonly finished: () => Promise<void>
  /** Makes a waiting `next` look again. */
  readonly wake: () => void
}

function addWorker(world: World, workers: Worker[]): Worker {
  const worker = world.startWorker('declarations-worker', undefined)
  workers.push(worker)
  return worker
}

function startJob(worker: Worker, { job, finished }: PlannedJob, release: () => void): RunningJob {
  const messages: (FromReportWorker & { kind: 'batch' })[] = []
  let state: 'running' | 'done' | { readonly error: unknown } = 'running'
  let wake: () => void = () => undefined
  const end = (next: 'done' | { readonly error: unknown }): void => {
    if (state !== 'running') return
    state = next
    worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    // A late error must not be thrown into the void once nobody listens for it here.
    if (next === 'done') release()
    else worker.on('error', () => undefined)
    wake()
  }
  const onMessage = (message: FromReportWorker): void => {
    if (message.kind === 'batch') messages.push(message)
    else end(message.kind === 'done' ? 'done' : { error: revive(message.failure) })
    wake()
  }
  const onError = (error: unknown): void => end({ error })
  const onExit = (): void => end({ error: new Error('a worker thread ended before its work') })
  worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  worker.postMessage(job satisfies ToReportWorker)

  return {
    finished,
    wake: () => wake(),
    async next(interrupt) {
      for (;;) {
        interrupt.throwIfAborted()
        const message = messages.shift()
        if (message) {
          if (!message.isLast) worker.postMessage('go on' satisfies ToReportWorker)
          return message.batch
        }
        if (state === 'done') return undefined
        if (typeof state === 'object') throw state.error
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

function revive(failure: (FromReportWorker & { kind: 'failed' })['failure']): Failure {
  const { kind, message, hint, details } = failure
  return new Failure(kind, message, { ...details, ...(hint === undefined ? {} : { hint }) })
}
