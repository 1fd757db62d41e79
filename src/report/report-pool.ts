import { on } from 'node:events'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Failure, type FailureDetails, type FailureKind } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { ReadBatch } from './report-batch.ts'
import type { ReportJob } from './report-job.ts'

/** A job for a worker, and the port for its batches; any message on that port requests the next batch. */
export interface ReportTask {
  readonly job: ReportJob
  readonly port: MessagePort
}

export type FromReportWorker =
  | { readonly kind: 'batch' | 'last'; readonly batch: ReadBatch }
  | { readonly kind: 'failed'; readonly failure: FailureData }

interface FailureData {
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string | undefined
  readonly details: FailureDetails
}

/** A job, and what to do when its file is no longer read. */
export interface PlannedJob {
  readonly job: ReportJob
  readonly finished: () => Promise<void>
}

const MAX_WORKERS = 4
/** Jobs per worker that may be finished or running before the first of them is consumed. */
const JOBS_AHEAD = 3

/**
 * Runs jobs on worker threads and yields their batches in the order of the jobs. A worker that is ahead of the reader waits after
 * each batch, so memory does not grow with the number of jobs. The threads end with the iteration, however it ends.
 */
export async function* runReportJobs(
  world: World,
  jobs: AsyncIterator<PlannedJob>,
): AsyncGenerator<ReadBatch, void, void> {
  const crash = new AbortController()
  const stop = AbortSignal.any([world.interrupt, crash.signal])
  const workers: Worker[] = []
  const running: RunningJob[] = []
  const count = Math.max(1, Math.min(MAX_WORKERS, world.host.cores))
  let started = 0
  let isExhausted = false
  try {
    for (;;) {
      while (!isExhausted && running.length < count * JOBS_AHEAD) {
        const next = await jobs.next()
        isExhausted = next.done === true
        if (next.done) break
        stop.throwIfAborted()
        if (workers.length < count) workers.push(addWorker(world, crash))
        running.push(startJob(workers[started % count]!, next.value, stop))
        started += 1
      }
      const first = running[0]
      if (first === undefined) return
      yield* takeBatches(first, stop)
      running.shift()
      await first.finished()
    }
  } finally {
    for (const { port } of running) port.close()
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

interface RunningJob {
  readonly port: MessagePort
  readonly messages: AsyncIterable<[FromReportWorker]>
  readonly finished: () => Promise<void>
}

function addWorker(world: World, crash: AbortController): Worker {
  return world
    .startWorker('declarations-worker', undefined)
    .on('error', (error) => crash.abort(error))
    .on('exit', () => crash.abort(new Error('a worker thread ended before its work')))
}

function startJob(worker: Worker, { job, finished }: PlannedJob, signal: AbortSignal): RunningJob {
  const { port1, port2 } = new MessageChannel()
  const messages = on(port1, 'message', { signal }) as AsyncIterable<[FromReportWorker]>
  worker.postMessage({ job, port: port2 } satisfies ReportTask, [port2])
  return { port: port1, messages, finished }
}

async function* takeBatches(
  { port, messages }: RunningJob,
  stop: AbortSignal,
): AsyncGenerator<ReadBatch, void, void> {
  try {
    for await (const [message] of messages) {
      stop.throwIfAborted()
      if (message.kind === 'failed') throw revive(message.failure)
      yield message.batch
      if (message.kind === 'last') return
      port.postMessage('next')
    }
  } catch (error) {
    // The iterator reports that it was stopped, but not why.
    stop.throwIfAborted()
    throw error
  } finally {
    port.close()
  }
}

function revive({ kind, message, hint, details }: FailureData): Failure {
  return new Failure(kind, message, { ...details, ...(hint === undefined ? {} : { hint }) })
}
