import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { isFailure } from '../../base/failure.ts'
import { readReportJob } from '../report-job.ts'
import type { FromReportWorker, ReportTask } from '../report-pool.ts'

// One job after the other, each with its own port; after every batch except the last it waits until that one is taken.
let previous: Promise<void> = Promise.resolve()
parentPort?.on('message', (task: ReportTask) => {
  previous = previous.then(() => answer(task))
})

async function answer({ job, port }: ReportTask): Promise<void> {
  const post = (message: FromReportWorker): void => port.postMessage(message)
  try {
    const batches = readReportJob(job)
    for (;;) {
      const { done, value: batch } = await batches.next()
      post({ kind: done ? 'last' : 'batch', batch })
      if (done) return
      await once(port, 'message')
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    const { kind, message, hint, details } = error
    post({ kind: 'failed', failure: { kind, message, hint, details } })
  }
}
