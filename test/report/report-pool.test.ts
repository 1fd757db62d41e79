import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { batchOf, packBatch, unpackHead } from '../../src/report/report-batch.ts'
import type { ReportJob } from '../../src/report/report-job.ts'
import { type PlannedJob, runReportJobs } from '../../src/report/report-pool.ts'
import { inProcessWorker } from '../support/in-process-worker.ts'
import { testWorld } from '../support/world.ts'

const jobNamed = (label: string): ReportJob => ({
  kind: 'files',
  isTolerant: false,
  files: [{ label, path: label }],
  substances: false,
  screening: '',
})

async function* planned(labels: readonly string[]): AsyncGenerator<PlannedJob> {
  for (const label of labels) yield { job: jobNamed(label), prefix: '' }
}

/** Threads in the test process, which note the jobs that they are given; the first answers when it is told to. */
function fakeThreads() {
  const jobs: string[][] = []
  let answerFirst = (): void => undefined
  const startWorker = (): Worker => {
    const own: string[] = []
    jobs.push(own)
    const isFirst = jobs.length === 1
    return inProcessWorker(async ({ files: [file] }: ReportJob & { kind: 'files' }) => {
      own.push(file!.label)
      if (isFirst && own.length === 1) await new Promise<void>((resolve) => (answerFirst = resolve))
      return { bytes: packBatch(batchOf({ requests: [file!.label] })), isLast: true }
    })
  }
  return { jobs, startWorker, answerFirst: () => answerFirst() }
}

test('another thread does the jobs behind a slow one, and the batches keep their order', async () => {
  const { jobs, startWorker, answerFirst } = fakeThreads()
  const { host } = testWorld()
  const world = testWorld({ startWorker, host: { ...host, cores: 2 } })
  const labels = Array.from({ length: 40 }, (_, index) => String(index + 1))
  const read: string[] = []
  const reading = (async () => {
    for await (const packed of runReportJobs(world, planned(labels)))
      read.push(...unpackHead(packed).requests)
  })()
  for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  // It is ahead of the slow one by a bounded number of jobs.
  expect(jobs).toEqual([['1'], labels.slice(1, 24)])
  expect(read).toEqual([])
  answerFirst()
  await reading
  expect(read).toEqual(labels)
})
