import { parentPort } from 'node:worker_threads'
import { serveTasks } from '../../fs/worker-thread.ts'
import { readReportJob } from '../report-job.ts'
import type { ReportAnswer, ReportTask } from '../report-pool.ts'

let batches: ReturnType<typeof readReportJob>

serveTasks(parentPort!, async (task: ReportTask): Promise<ReportAnswer> => {
  if (task !== 'next batch') batches = readReportJob(task)
  const { done, value } = await batches.next()
  return { bytes: value, isLast: done === true }
})
