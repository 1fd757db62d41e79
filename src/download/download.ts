import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { removeStaleDrafts } from '../fs/draft.ts'
import { hashFile } from '../fs/file-hash.ts'
import { acquireLock, type IfLocked } from '../fs/lock.ts'
import { ensureDirectory, stateDirectory } from '../fs/user-files.ts'
import { requestFingerprint, searchFingerprint } from '../request/fingerprints.ts'
import { type Account, accountParts } from './accounting.ts'
import { type CollectedArchive, collectArchive, publishArchive, rereadArchive } from './collect-archive.ts'
import { failedResult, isMostlyWanted, planJob, type RequestResult } from './job-plan.ts'
import {
  findUnfinishedJob,
  jobDirectory,
  keepUnused,
  openJob,
  readJobState,
  removeEmptyJobs,
  removeJob,
} from './job-store.ts'
import type { JobIdentity, JobState } from './journal.ts'
import { checkOutput, makeOutputDirectories, type OutputPaths, renameOutput } from './output-path.ts'
import { type RequestSettings, type Responses, type RunContext, sendRequests } from './send-requests.ts'

/** The checked options of one run. */
export interface DownloadOptions extends RequestSettings {
  readonly output: OutputPaths
  readonly ifLocked: IfLocked
  readonly tool: string
}

/**
 * A download that has ended: its archive is published, or in the job directory for standard output. Holds lock and job directory until
 * disposed.
 */
export interface Download
  extends Pick<Responses, 'requests' | 'rateLimit' | 'serverDateMs' | 'learned' | 'failure'>,
    AsyncDisposable {
  /** Undefined when no response has an entry. */
  readonly archive: CollectedArchive | undefined
  /** The output paths, those of the earlier run when one was resumed. */
  readonly output: OutputPaths
  /** Undefined when no parts were requested, or accounting is off. */
  readonly account: Account | undefined
  /** Removes the job directory; call it last. Until then, the next run repeats the steps after the download and sends nothing. */
  readonly complete: () => Promise<void>
}

/** What a job has come to, and how its directory is removed. */
interface Finished extends Omit<Download, 'output' | 'account' | 'complete' | keyof AsyncDisposable> {
  /** Archives with parts that are no longer requested, by their names in the job directory. */
  readonly unusedFiles: readonly string[]
  readonly remove: () => Promise<void>
}

/**
 * Runs a download: checks the output paths, takes the lock, sends the requests that an earlier run has not completed, collects one
 * verified archive, publishes it and accounts for the parts. Undefined when another run holds the output and `ifLocked` is `skip`.
 */
export async function download(
  world: World,
  options: DownloadOptions,
  reporter: Reporter,
): Promise<Download | undefined> {
  await using held = new ResourceStack()
  const context = { world, reporter, ...options }
  const { plan, signal } = options
  const job = {
    identity: requestFingerprint(plan),
    search: searchFingerprint(plan.baseUrl, plan.criteria, plan.partCount > 0),
  }
  const found = await outputOfUnfinishedJob(world, options, job)
  const earlier = await publishedJob(world, found, job)
  // The same run may have left incomplete files beside the archive that it published.
  const output = earlier === undefined ? found : { ...found, overwrite: true }
  await checkOutput(world, output, earlier !== undefined)
  held.use(await makeOutputDirectories(world, output, reporter))
  const directory = await chooseJobDirectory(world, output, job.identity)
  const lockedPath = directory.replace(/\.parts$/, '')
  // The time limit of the run holds for this wait too.
  const waiting = { afterwards: afterWaiting(output), signal }
  const lock = await acquireLock(world, lockedPath, options.ifLocked, reporter, waiting)
  if (lock === undefined) return undefined
  held.use(lock)
  await removeEmptyJobs(world, dirname(directory))
  // Another run may have published while this one waited for the lock.
  await checkOutput(world, output, earlier !== undefined)
  const { remove, unusedFiles, ...finished } =
    earlier === undefined
      ? await runJob(context, output, { directory, ...job }, held)
      : await finishPublished(context, output.archivePath!, directory, earlier)
  const account = accountFor(options, finished)
  const resources = held.move()
  return {
    ...finished,
    output,
    account,
    complete: async () => {
      await setUnusedApart(world, directory, unusedFiles, reporter)
      await remove()
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

// A run never takes what another one publishes as its own result.
function afterWaiting({ archivePath, overwrite }: OutputPaths): string {
  return archivePath === undefined || overwrite
    ? '; when it ends, this run sends the remaining requests, or all of them if the other run completed'
    : '; if it writes the output, this run stops and sends nothing'
}

async function runJob(
  context: RunContext & DownloadOptions,
  output: OutputPaths,
  { directory, ...identity }: JobIdentity & { readonly directory: string },
  held: ResourceStack,
): Promise<Finished> {
  const { world, reporter, tool, signal, plan } = context
  const at = new Date(world.clock.nowMs()).toISOString()
  const { uid } = world.host
  const isWanted: Parameters<typeof openJob>[2]['isWanted'] = (list) => plan.positionsOf(list).length > 0
  const job = held.use(await openJob(world.disk, directory, { ...identity, uid, at, tool, isWanted, signal }))
  reporter.notice({
    level: 'info',
    event: 'download.started',
    message: `requesting ${plan.partCount === 0 ? '' : `${plural(plan.partCount, 'part')} `}from ${new URL(plan.baseUrl).host} in ${plural(plan.requestCount, 'request')}`,
    data: { requests: plan.requestCount, parts: plan.partCount },
  })
  const jobPlan = planJob(plan, job.state)
  const responses = await sendRequests(context, job, jobPlan)
  const collected = await collectArchive(context, job, responses)
  const { requests, rateLimit, serverDateMs, learned, failure } = responses
  const { archivePath, overwrite } = output
  const archive =
    collected === undefined || archivePath === undefined
      ? collected
      : await publishArchive(world, job, collected, archivePath, { overwrite })
  const { unusedFiles } = jobPlan
  const remove = (): Promise<void> => job.remove()
  return { requests, archive, rateLimit, serverDateMs, learned, failure, unusedFiles, remove }
}

// An output name with the time changes with every run, so the unfinished job is found by its request.
async function outputOfUnfinishedJob(
  world: World,
  { output, plan }: DownloadOptions,
  job: JobIdentity,
): Promise<OutputPaths> {
  if (!output.holdsTime || output.archivePath === undefined) return output
  const directory = dirname(output.archivePath)
  const found = await findUnfinishedJob(world.disk, directory, job, (state) => isMostlyWanted(plan, state))
  if (found === undefined) return output
  // A run with another parts list may still be at work on it.
  if (found.hasOtherParts) {
    const lock = await acquireLock(world, found.outputPath, 'skip', SILENT)
    if (lock === undefined) return output
    await lock[Symbol.asyncDispose]()
  }
  return renameOutput(world, output, join(dirname(output.shown), basename(found.outputPath)))
}

// Finds the job of a run that was stopped between publishing its archive and removing its job directory.
async function publishedJob(
  world: World,
  { archivePath }: OutputPaths,
  job: JobIdentity,
): Promise<JobState | undefined> {
  if (archivePath === undefined) return undefined
  const facts = await world.disk.lstat(archivePath).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  const state = await readJobState(world.disk, jobDirectory(archivePath), job, world.host.uid)
  if (state?.publishing === undefined || state.publishing.bytes !== facts.size) return undefined
  const sha256 = await hashFile(world, archivePath, facts.size)
  return sha256 === state.publishing.sha256 ? state : undefined
}

// The earlier run may have continued without requests that failed.
async function finishPublished(
  context: RunContext,
  path: string,
  directory: string,
  state: JobState,
): Promise<Finished> {
  const { world, reporter, plan } = context
  reporter.notice({
    level: 'info',
    event: 'job.published',
    message: 'an earlier run completed all requests; nothing is sent again',
  })
  // It may have been killed between linking the archive to its final path and removing the draft.
  await removeStaleDrafts(world, path)
  const { reused, queue, unusedFiles } = planJob(plan, { ...state, kept: [] })
  const requests: RequestResult[] = reused.map(({ result }) => result)
  const failure = new Failure('unavailable', 'this request failed in the earlier run')
  for (let pending = queue.take(); pending !== undefined; pending = queue.take()) {
    requests.push(failedResult(pending, failure, 0))
    queue.settled()
  }
  return {
    requests: requests.sort((a, b) => a.at - b.at),
    archive: await rereadArchive(context, path),
    rateLimit: undefined,
    serverDateMs: reused.find(({ response }) => response.serverDateMs !== undefined)?.response.serverDateMs,
    learned: undefined,
    failure: undefined,
    unusedFiles,
    remove: () => removeJob(world.disk, directory),
  }
}

// Responses that are not in the result are kept next to it: they used allowance.
async function setUnusedApart(
  { disk }: World,
  directory: string,
  files: readonly string[],
  reporter: Reporter,
): Promise<void> {
  const path = await keepUnused(disk, directory, files)
  if (path === undefined) return
  const message = `${plural(files.length, 'archive')} with parts that are no longer requested: kept in ${path}; delete it when you no longer need them`
  reporter.notice({
    level: 'warning',
    event: 'job.unused',
    message,
    data: { folder: path, archives: files.length },
  })
}

function accountFor(
  { plan, reconcile }: DownloadOptions,
  { archive, requests }: Pick<Download, 'archive' | 'requests'>,
): Account | undefined {
  if (!reconcile || plan.partCount === 0) return undefined
  return accountParts(
    plan.groups.flatMap(({ parts }) => parts),
    archive?.declared ?? new Set(),
    requests.flatMap(({ error, parts }) => (error === undefined ? [] : parts)),
  )
}

// It is beside the output; for standard output in the state directory, or else a temporary one, which no later run finds.
async function chooseJobDirectory(
  world: World,
  { archivePath }: OutputPaths,
  identity: string,
): Promise<string> {
  if (archivePath !== undefined) return jobDirectory(archivePath)
  const state = stateDirectory(world)
  if (state !== undefined) {
    const jobs = join(state, 'jobs')
    const isUsable = await ensureDirectory(world.disk, jobs).then(
      () => true,
      () => false,
    )
    if (isUsable) return join(jobs, `${identity.slice(0, 32)}.parts`)
  }
  return join(world.host.tempDir, `matdecl-${randomBytes(9).toString('hex')}.parts`)
}
