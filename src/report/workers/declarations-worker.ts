import { parentPort } from 'node:worker_threads'
import { isFailure } from '../../base/failure.ts'
import { runReportJob } from '../report-job.ts'
import type { FromReportWorker, ToReportWorker } from '../report-pool.ts'

// One job at a time; after each batch the thread waits until the other side has room for the next one.
const port = parentPort
if (port) {
  let wake: () => void = () => undefined
  const tell = (message: FromReportWorker): void => port.postMessage(message)
  port.on('message', (message: ToReportWorker) => {
    if (message === 'go on') {
      wake()
      return
    }
    runReportJob(message, (batch, isLast) => {
      tell({ kind: 'batch', batch, isLast })
      if (isLast) return undefined
      return new Promise<void>((resolve) => {
        wake = resolve
      })
    }).then(
      () => tell({ kind: 'done' }),
      (error: unknown) => {
        if (!isFailure(error)) throw error
        const { kind, message: text, hint, details } = error
        tell({ kind: 'failed', failure: { kind, message: text, hint, details } })
      },
    )
  })
}
