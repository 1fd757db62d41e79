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
import { ensureFolder, stateFolder } from '../fs/user-files.ts'
import { requestFingerprint, searchFingerprint } from '../request/fingerprints.ts'
import { type Account, accountParts } from './accounting.ts'
import { type Collected, type CollectOptions, collectArchive, rereadArchive } from './collect-archive.ts'
import {
  findUnfinishedJob,
  jobFolder,
  keepUnused,
  openJob,
  readJobState,
  removeEmptyJobs,
  removeJob,
} from './job-store.ts'
import type { JobIdentity, JobState, PartList } from './journal.ts'
import { checkOutput, makeOutputFolders, type OutputPaths, renameOutput } from './output-path.ts'
import { publishArchive } from './publish-archive.ts'
import { createRequestQueue, indexParts } from './request-queue.ts'
import { completedResult, failedRequestResult } from './request-result.ts'
import { isMostlyWanted, reuseResponses, unusedPieces } from './reuse-responses.ts'

/** The checked options of one run. */
export interface DownloadOptions extends CollectOptions {
  readonly output: OutputPaths
  readonly ifLocked: IfLocked
  readonly tool: string
}

/** A finished download: its archive is published, or in the job directory for standard output. Holds lock and job directory until disposed. */
export interface Download extends Collected, AsyncDisposable {
  /** The output paths, those of the earlier run when one was resumed. */
  readonly output: OutputPaths
  /** Undefined when no parts were requested, or accounting is off. */
  readonly account: Account | undefined
  /** Removes the job directory; call it last. Until then, the next run repeats the steps after the download and sends nothing. */
  readonly complete: () => Promise<void>
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
  const { plan } = options
  const job = {
    identity: requestFingerprint(plan),
    search: searchFingerprint(plan.baseUrl, plan.criteria, plan.partCount > 0),
  }
  const found = await outputOfUnfinishedJob(world, options, job)
  const earlier = await publishedJob(world, found, job)
  // The same run may have left incomplete files beside the archive that it published.
  const output = earlier === undefined ? found : { ...found, overwrite: true }
  await checkOutput(world, output, earlier !== undefined)
  held.use(await makeOutputFolders(world, output, reporter))
  const folder = await chooseJobFolder(world, output, job.identity)
  const lockedPath = folder.replace(/\.parts$/, '')
  const lock = await acquireLock(world, lockedPath, options.ifLocked, reporter, afterWaiting(output))
  if (lock === undefined) return undefined
  held.use(lock)
  await removeEmptyJobs(world, dirname(folder))
  // Another run may have published while this one waited for the lock.
  await checkOutput(world, output, earlier !== undefined)
  const { collected, remove } =
    earlier === undefined
      ? await runJob(world, options, output, { folder, ...job }, held, reporter)
      : {
          collected: await collectPublished(world, options, output, earlier, reporter),
          remove: () => removeJob(world.disk, folder),
        }
  const complete = async (): Promise<void> => {
    await setUnusedApart(world, folder, collected.unusedFiles, reporter)
    await remove()
  }
  const account = accountFor(options, collected)
  const resources = held.move()
  const dispose = (): Promise<void> => resources[Symbol.asyncDispose]()
  return { ...collected, output, account, complete, [Symbol.asyncDispose]: dispose }
}

// What another run publishes is not taken as the result of this one.
function afterWaiting({ archivePath, overwrite }: OutputPaths): string {
  return archivePath === undefined || overwrite
    ? '; when it ends, this run sends the remaining requests, or all of them if the other run completed'
    : '; if it writes the output, this run stops and sends nothing'
}

async function runJob(
  world: World,
  options: DownloadOptions,
  output: OutputPaths,
  { folder, ...identity }: JobIdentity & { readonly folder: string },
  held: ResourceStack,
  reporter: Reporter,
): Promise<{ readonly collected: Collected; readonly remove: () => Promise<void> }> {
  const at = new Date(world.clock.nowMs()).toISOString()
  const { tool, signal, plan } = options
  const { uid } = world.host
  const index = indexParts(plan)
  const isWanted = (list: PartList): boolean => index.positions(list).length > 0
  const job = held.use(await openJob(world.disk, folder, { ...identity, uid, at, tool, isWanted, signal }))
  reporter.notice({
    level: 'info',
    event: 'download.started',
    message: `requesting ${plan.partCount === 0 ? '' : `${plural(plan.partCount, 'part')} `}from ${new URL(plan.baseUrl).host} in ${plural(plan.requestCount, 'request')}`,
    data: { requests: plan.requestCount, parts: plan.partCount },
  })
  const collected = await collectArchive(world, job, options, reporter)
  const { archive } = collected
  const { archivePath, overwrite } = output
  if (archive === undefined || archivePath === undefined) return { collected, remove: job.remove }
  const published = await publishArchive(world, job, archive, archivePath, { overwrite })
  return { collected: { ...collected, archive: published }, remove: job.remove }
}

// An output name with the time changes with every run, so the unfinished job is found by its request.
async function outputOfUnfinishedJob(
  world: World,
  { output, plan }: DownloadOptions,
  job: JobIdentity,
): Promise<OutputPaths> {
  if (!output.holdsTime || output.archivePath === undefined) return output
  const folder = dirname(output.archivePath)
  const found = await findUnfinishedJob(world.disk, folder, job, (state) => isMostlyWanted(plan, state))
  if (found === undefined) return output
  // A run with another parts list may still be at work on it.
  if (found.hasOtherParts) {
    const lock = await acquireLock(world, found.outputPath, 'skip', SILENT)
    if (lock === undefined) return output
    await lock[Symbol.asyncDispose]()
  }
  return renameOutput(world, output, join(dirname(output.shown), basename(found.outputPath)))
}

// The job of a run that was stopped between publishing its archive and removing its job directory.
async function publishedJob(
  world: World,
  { archivePath }: OutputPaths,
  job: JobIdentity,
): Promise<JobState | undefined> {
  if (archivePath === undefined) return undefined
  const facts = await world.disk.lstat(archivePath).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  const state = await readJobState(world.disk, jobFolder(archivePath), job, world.host.uid)
  if (state?.publishing === undefined || state.publishing.bytes !== facts.size) return undefined
  const sha256 = await hashFile(world, archivePath, facts.size)
  return sha256 === state.publishing.sha256 ? state : undefined
}

async function collectPublished(
  world: World,
  options: DownloadOptions,
  output: OutputPaths,
  state: JobState,
  reporter: Reporter,
): Promise<Collected> {
  reporter.notice({
    level: 'info',
    event: 'job.published',
    message: 'an earlier run completed all requests; nothing is sent again',
  })
  // It may have been killed between linking the archive to its final path and removing the draft.
  await removeStaleDrafts(world, output.archivePath!)
  const { plan } = options
  const reused = reuseResponses(plan, state)
  const responses = reused.map(({ response }) => response)
  const failure = new Failure('unavailable', 'this request failed in the earlier run')
  const requests = reused.map((answer) => completedResult(answer, answer.response, true))
  const queue = createRequestQueue(plan, responses, [])
  for (let pending = queue.take(); pending !== undefined; pending = queue.take()) {
    requests.push(failedRequestResult({ at: pending.positions[0]!, parts: pending.parts }, failure))
  }
  return {
    requests: requests.sort((a, b) => a.at - b.at),
    archive: await rereadArchive(world, output.archivePath!, options, reporter),
    rateLimit: undefined,
    serverDateMs: responses.find(({ serverDateMs }) => serverDateMs !== undefined)?.serverDateMs,
    learned: undefined,
    unusedFiles: unusedPieces(plan, state).map(({ file }) => file),
  }
}

// Responses that are not in the result are kept next to it: they used allowance.
async function setUnusedApart(
  { disk }: World,
  folder: string,
  files: readonly string[],
  reporter: Reporter,
): Promise<void> {
  const path = await keepUnused(disk, folder, files)
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
  { archive, requests }: Collected,
): Account | undefined {
  if (!reconcile || plan.partCount === 0) return undefined
  return accountParts(
    plan.groups.flatMap(({ parts }) => parts),
    archive?.declared ?? new Set(),
    requests.flatMap(({ error, parts }) => (error === undefined ? [] : parts)),
  )
}

// Beside the output. For standard output in the state directory, or else a temporary one, from which no later run can resume.
async function chooseJobFolder(
  world: World,
  { archivePath }: OutputPaths,
  identity: string,
): Promise<string> {
  if (archivePath !== undefined) return jobFolder(archivePath)
  const state = stateFolder({ env: world.env, ...world.host })
  if (state !== undefined) {
    const jobs = join(state, 'jobs')
    const isUsable = await ensureFolder(world.disk, jobs).then(
      () => true,
      () => false,
    )
    if (isUsable) return join(jobs, `${identity.slice(0, 32)}.parts`)
  }
  return join(world.host.tempDir, `matdecl-${randomBytes(9).toString('hex')}.parts`)
}
