import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { leaveJob } from './job-notices.ts'
import { runPool } from './request-pool.ts'
import { createRequestQueue } from './request-queue.ts'
import { createRun } from './request-run.ts'
import { reuseResponses, unusedPieces } from './reuse-responses.ts'

import type { Responses, SendOptions } from './send-options.ts'

export type { Responses, SendOptions }

/**
 * Sends requests for the parts of a plan that have no response yet, several at once under one rate limit, and verifies and journals
 * each response. A request that is too long for the service is divided, and no longer one is sent. After a permanent failure no
 * request is started and those in flight finish, because they use allowance; a failure that affects all requests aborts them.
 * Rejects with the first Failure, whose hint says what stays in the job.
 */
export async function sendRequests(
  world: World,
  options: SendOptions,
  reporter: Reporter,
): Promise<Responses> {
  const { plan, job } = options
  const { state } = job
  const reused = reuseResponses(plan, state)
  const answered = reused.map(({ response }) => response)
  const queue = createRequestQueue(plan, answered, state.kept, state.learned)
  const unusedFiles = unusedPieces(plan, state).map(({ file }) => file)
  const run = createRun(world, options, { reused, queue, unusedCount: unusedFiles.length }, reporter)
  // Archives of earlier runs are scanned while new requests run.
  const scanning = run.scanResumed()
  scanning.catch(() => undefined)
  try {
    await runPool(queue.take, options.concurrency, run.send)
    await scanning
    const requests = run.results()
    const failed = run.failures()
    if (failed.length > 0 && requests.every(({ error }) => error !== undefined)) throw failed[0]
    return { requests, ...run.facts(), unusedFiles, learned: queue.learned() }
  } catch (error) {
    await scanning.catch(() => undefined)
    throw await leaveJob(job, error, run.unfinished(), reporter)
  }
}
