import type { JobBatch } from './report-gathering.ts'
import { type ReportJob, runReportJob } from './report-job.ts'

/** Runs a job on this thread; it goes on only as its batches are taken, and ends when nobody takes them any more. */
export async function* runReportJobHere(job: ReportJob): AsyncGenerator<JobBatch, void, void> {
  const waiting: JobBatch[] = []
  let isOver = false
  let wake: () => void = () => undefined
  let goOn: () => void = () => undefined
  let giveUp: (reason: Error) => void = () => undefined
  const work = runReportJob(job, (batch, isLast) => {
    waiting.push(batch)
    wake()
    if (isLast) return undefined
    return new Promise<void>((resolve, reject) => {
      goOn = resolve
      giveUp = reject
    })
  }).finally(() => {
    isOver = true
    wake()
  })
  work.catch(() => undefined)
  try {
    for (;;) {
      const batch = waiting.shift()
      if (batch) {
        yield batch
        goOn()
      } else if (isOver) {
        await work
        return
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    giveUp(new Error('nobody reads on'))
  }
}
