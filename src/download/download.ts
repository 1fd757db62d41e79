import { basename, dirname, join } from 'node:path'
import { smallest } from '../base/extremes.ts'
import { isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { formatDuration, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { removeStaleDrafts } from '../fs/draft.ts'
import { hashFile } from '../fs/file-hash.ts'
import { acquireLock, type IfLocked } from '../fs/lock.ts'
import { ensureDirectory, openOwnDirectory, STATE_DIRECTORY, stateDirectory } from '../fs/user-files.ts'
import type { Answer } from '../library/answers.ts'
import { partsOrWhole } from '../library/known.ts'
import { type Library, openLibrary, readLibrary } from '../library/library.ts'
import type { Criteria } from '../request/request.ts'
import { type AccountedParts, accountParts } from './accounting.ts'
import { type CollectedArchive, collectArchive, publishArchive, rereadArchive } from './collect-archive.ts'
import {
  checkJobDirectory,
  findUnfinishedJob,
  JOB_SUFFIX,
  type JobSearch,
  jobDirectory,
  jobName,
  removeJobDirectory,
} from './job.ts'
import { checkOutput, makeOutputDirectories, type OutputPaths, renameOutput } from './output-path.ts'
import type { Plan } from './plan.ts'
import type { SearchPlan } from './request-queue.ts'
import type { RequestSettings, RunContext } from './run-context.ts'
import {
  answeredResult,
  keptWords,
  type RequestResult,
  type Responses,
  sendRequests,
  verifyResponse,
  whatIsKept,
} from './send-requests.ts'

/** The checked options of one run. */
export interface DownloadOptions extends RequestSettings {
  readonly plan: Plan
  /** The address in what is remembered: that of the service, or one for every sandbox. */
  readonly address: string
  /** The period that the start date of the plan was computed from. */
  readonly since: string | undefined
  readonly output: OutputPaths
  readonly ifLocked: IfLocked
  readonly tool: string
}

/** What came of a download, also when it failed. Holds lock and job directory until disposed. */
export interface Download extends Pick<Responses, 'requests' | 'rateLimit' | 'learned'>, AsyncDisposable {
  /** Why it failed; undefined when its archive is published, or in the job directory for standard output. */
  readonly failure: unknown
  /** Undefined when no response has an entry. */
  readonly archive: CollectedArchive | undefined
  /** The output paths, those of the earlier run when one was resumed. */
  readonly output: OutputPaths
  /** The criteria, with the start date that was used. */
  readonly criteria: Criteria
  /** Undefined when no parts were requested, or accounting is off. */
  readonly account: AccountedParts | undefined
  /** How many parts that are no longer requested are in the archive. */
  readonly otherParts: number
  /** Removes the job directory; call it last. Until then, the next run repeats the steps after the download and sends nothing. */
  readonly complete: () => Promise<void>
}

/** A run that holds its lock. */
interface Job extends RunContext, DownloadOptions {
  readonly library: Library
}

/** What a job has come to. */
type Finished = Pick<Download, 'requests' | 'rateLimit' | 'learned' | 'failure' | 'archive' | 'otherParts'>

/**
 * Runs a download: checks the output paths, takes the lock, sends the requests that an earlier run has not completed, collects one
 * verified archive, publishes it and accounts for the parts. Undefined when another run holds the output and `ifLocked` is `skip`.
 * Rejects with what is wrong before anything is sent; later failures are in the result.
 */
export async function download(
  world: World,
  options: DownloadOptions,
  reporter: Reporter,
): Promise<Download | undefined> {
  await using held = new ResourceStack()
  const job = searchOf(options)
  const found = await outputOfUnfinishedJob(world, options, job)
  const isPublished = await wasPublished(world, found, job)
  // The same run may have left incomplete files beside the archive that it published.
  const output = isPublished ? { ...found, overwrite: true } : found
  await checkOutput(world, output, isPublished)
  held.use(await makeOutputDirectories(world, output, reporter))
  const directory = await chooseJobDirectory(world, output, job)
  // The time limit of the run holds for this wait too.
  const waiting = { afterwards: afterWaiting(output), signal: options.signal }
  const lock = await acquireLock(
    world,
    directory.replace(/\.parts$/, ''),
    options.ifLocked,
    reporter,
    waiting,
  )
  if (lock === undefined) return undefined
  held.use(lock)
  // Another run may have published while this one waited for the lock.
  await checkOutput(world, output, isPublished)
  await checkJobDirectory(world, directory)
  const { tool, signal } = options
  const verify = (path: string) => verifyResponse({ world, ...options, reporter: SILENT }, path)
  const opened = { isJob: true, tool, lock, reporter, signal, verify }
  const library = (await openLibrary(world, join(directory, jobName(job)), opened))!
  held.use(library)
  const plan = withEarlierStart(options, library)
  const run: Job = { ...options, output, world, reporter, plan, library }
  const finished = isPublished ? await finishPublished(run) : await runJob(run, job)
  const remove = async (): Promise<void> => {
    await library.remove()
    await removeJobDirectory(world.disk, directory)
  }
  if (finished.failure !== undefined && !library.isWorthKeeping()) await remove().catch(() => undefined)
  const resources = held.move()
  return {
    ...finished,
    output,
    criteria: plan.criteria,
    account: isOver(finished) ? accountFor(run, finished) : undefined,
    complete: () => remove().catch((error: unknown) => noticeLeft(run, error)),
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

// The archive is delivered: what is left of the job does no harm.
function noticeLeft({ reporter, library }: Job, error: unknown): void {
  const why = isFailure(error) ? error.message : String(error)
  const message = `${library.directory} could not be removed: ${why}`
  reporter.notice({ level: 'warning', event: 'job.left', message })
}

function searchOf({ plan, address, since }: DownloadOptions): JobSearch {
  const { startDate, ...criteria } = plan.criteria
  return {
    search: { ...criteria, baseUrl: address },
    hasParts: plan.partCount > 0,
    start: since ?? startDate,
  }
}

// A resumed run keeps the start date of the first one: its answers hold what was approved since then.
function withEarlierStart({ plan, since }: DownloadOptions, library: Library): Plan {
  const earlier = library.answers[0]?.start ?? library.begun()[0]?.request.start
  return since === undefined || earlier === undefined ? plan : plan.withStartDate(earlier)
}

// A run never takes what another one publishes as its own result.
function afterWaiting({ archivePath, overwrite }: OutputPaths): string {
  return archivePath === undefined || overwrite
    ? '; when it ends, this run sends the remaining requests, or all of them if the other run completed'
    : '; if it writes the output, this run stops and sends nothing'
}

async function runJob(job: Job, { search }: JobSearch): Promise<Finished> {
  const { reporter, plan, library } = job
  reporter.notice({
    level: 'info',
    event: 'download.started',
    message: `requesting ${plan.partCount === 0 ? '' : `${plural(plan.partCount, 'part')} `}from ${new URL(plan.baseUrl).host} in ${plural(plan.requestCount, 'request')}`,
    data: { requests: plan.requestCount, parts: plan.partCount },
  })
  const { reused, done, otherParts } = reuseAnswers(plan, library)
  const begun = usable(library, plan, done)
  const todo: SearchPlan = { search, plan, done, begun, isListed: true }
  noticeResume(job, todo, reused)
  const responses = await sendRequests(job, library, [todo], reused)
  const { requests, rateLimit, learned } = responses
  const known = { requests, rateLimit, learned, otherParts }
  if (responses.failure !== undefined) return { ...known, archive: undefined, failure: responses.failure }
  try {
    const collected = await collectArchive(job, library, responses)
    const { archivePath, overwrite } = job.output
    const archive =
      collected === undefined || archivePath === undefined
        ? collected
        : await publishArchive(job.world, library, collected, archivePath, { overwrite })
    return { ...known, archive, failure: undefined }
  } catch (error) {
    if (!isFailure(error)) return { ...known, archive: undefined, failure: error }
    await library.suspect(error.details.file)
    const { words, notes } = whatIsKept(library, requests, requests.length)
    const again = { ...(words === '' ? {} : { kept: words }), notes }
    return { ...known, archive: undefined, failure: error.with({ again }) }
  }
}

/** What of the answers of earlier runs the archive holds: all of them that were not lost before it was published. */
function answersInArchive(library: Library, isPublished: boolean): readonly Answer[] {
  if (!isPublished) return library.answers.filter((answer) => !library.isLost(answer))
  // The archives may have been removed since. Those that were lost before were requested again.
  const seen = new Set<string>()
  const isLast = ({ parts }: Answer): boolean => {
    const others = partsOrWhole(parts).filter((part) => !seen.has(part))
    for (const part of others) seen.add(part)
    return others.length > 0
  }
  return library.answers.toReversed().filter(isLast).toReversed()
}

/** The answers of earlier runs, as results of this one. */
function reuseAnswers(
  plan: Plan,
  library: Library,
  isPublished = false,
): { readonly reused: RequestResult[]; readonly done: Set<number>; readonly otherParts: number } {
  const done = new Set<number>()
  const others = new Set<string>()
  const whole = answersInArchive(library, isPublished)
  const reused = whole.map((answer, index) => {
    const positions = plan.positionsOf(answer.parts)
    for (const position of positions) done.add(position)
    if (positions.length < answer.parts.length) for (const part of answer.parts) others.add(part)
    // What is no longer requested comes last.
    const at = positions.length === 0 ? plan.positionCount + index : smallest(positions)
    return answeredResult(at, answer.parts, answer, true)
  })
  for (const part of plan.positionsOf([...others])) others.delete(plan.parts[part]!)
  return { reused, done, otherParts: others.size }
}

// Responses that were begun and are requested as a whole.
function usable(library: Library, plan: Plan, done: ReadonlySet<number>): SearchPlan['begun'] {
  const taken = new Set(done)
  return library.begun().filter(({ request: { parts } }) => {
    const positions = plan.positionsOf(parts)
    if (positions.length !== Math.max(1, parts.length) || positions.some((at) => taken.has(at))) return false
    for (const position of positions) taken.add(position)
    return true
  })
}

// What an earlier run left, and, before anything is sent, which requests may use allowance again.
function noticeResume(
  { library, reporter, world }: Job,
  todo: SearchPlan,
  reused: readonly RequestResult[],
): void {
  const { plan, done, begun } = todo
  const data = { folder: library.directory, answered: reused.length }
  const lost = library.answers.filter((answer) => library.isLost(answer))
  if (reused.length + begun.length > 0) {
    const open = plan.positionCount - done.size
    const oldest = smallest(reused.flatMap(({ answer }) => answer?.at ?? []))
    const age = `${formatDuration(Math.max(0, world.clock.nowMs() - oldest))} old`
    const kept = [
      ...(reused.length === 1 ? [`1 response (${age})`] : []),
      ...(reused.length > 1 ? [`${plural(reused.length, 'response')} (the oldest ${age})`] : []),
      ...(begun.length > 0 ? [keptWords(library.kept(begun), 0, 0)] : []),
    ]
    const rest =
      open === 0 ? 'nothing is sent again' : plan.partCount === 0 ? '' : `${plural(open, 'part')} to request`
    const message = `resuming an unfinished run: ${kept.join(' and ')} kept${rest && `; ${rest}`}`
    reporter.notice({ level: 'info', event: 'job.resumed', message, data })
  }
  if (lost.length + library.damagedRecords > 0) {
    const message = `${plural(lost.length + library.damagedRecords, 'response')} of the unfinished run cannot be used and will be requested again, which uses allowance again`
    reporter.notice({ level: 'warning', event: 'job.damaged', message, data, needsLook: true })
  }
  if (library.abandonedCount > 0) {
    const message = `${plural(library.abandonedCount, 'request')} of the unfinished run had no complete response; sending again, which may use allowance twice`
    reporter.notice({ level: 'warning', event: 'job.unanswered', message, data, needsLook: true })
  }
}

// An output name with the time changes with every run, so the unfinished job is found by its search.
async function outputOfUnfinishedJob(
  world: World,
  { output, plan }: DownloadOptions,
  job: JobSearch,
): Promise<OutputPaths> {
  if (!output.holdsTime || output.archivePath === undefined) return output
  const directory = dirname(output.archivePath)
  const found = await findUnfinishedJob(world, directory, jobName(job), (answers) =>
    isMostlyWanted(plan, answers),
  )
  if (found === undefined) return output
  // Another run may still be at work on it.
  const lock = await acquireLock(world, found, 'skip', SILENT)
  if (lock === undefined) return output
  await lock[Symbol.asyncDispose]()
  const renamed = await renameOutput(world, output, join(dirname(output.shown), basename(found)))
  // A file there that is not its own was named by another command.
  const exists = (await world.disk.lstat(found).catch(() => undefined)) !== undefined
  return exists && !(await wasPublished(world, renamed, job)) ? output : renamed
}

/** True when at least half of what a job has received is requested by this plan. */
function isMostlyWanted(plan: Plan, answers: readonly Answer[]): boolean {
  const wanted = answers.reduce((sum, { parts }) => sum + plan.positionsOf(parts).length, 0)
  const all = answers.reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0)
  return wanted > 0 ? 2 * wanted >= all : all === 0
}

// A run may be stopped between publishing its archive and removing its job directory.
async function wasPublished(world: World, { archivePath }: OutputPaths, job: JobSearch): Promise<boolean> {
  if (archivePath === undefined) return false
  const facts = await world.disk.lstat(archivePath).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return false
  const { publishing } = await readLibrary(world, join(jobDirectory(archivePath), jobName(job)))
  if (publishing === undefined || publishing.bytes !== facts.size) return false
  return (await hashFile(world, archivePath, facts.size)) === publishing.sha256
}

// The earlier run may have continued without requests that failed.
async function finishPublished(job: Job): Promise<Finished> {
  const { world, reporter, plan, library } = job
  reporter.notice({
    level: 'info',
    event: 'job.published',
    message: 'an earlier run completed all requests; nothing is sent again',
  })
  const path = job.output.archivePath!
  // It may have been killed between linking the archive to its final path and removing the draft.
  await removeStaleDrafts(world, path)
  const { reused, otherParts } = reuseAnswers(plan, library, true)
  const archive = await rereadArchive(job, path)
  return {
    requests: reused,
    archive,
    rateLimit: undefined,
    failure: undefined,
    otherParts,
  }
}

// Of a run that failed, it is known what the parts are when every request failed permanently.
function isOver({ failure, requests }: Pick<Finished, 'failure' | 'requests'>): boolean {
  return failure === undefined || (requests.length > 0 && requests.every(({ error }) => error !== undefined))
}

function accountFor(
  { plan, reconcile }: Job,
  { archive, requests }: Pick<Download, 'archive' | 'requests'>,
): AccountedParts | undefined {
  if (!reconcile || plan.partCount === 0) return undefined
  const answered = new Set(requests.flatMap(({ answer, parts }) => (answer === undefined ? [] : parts)))
  return accountParts(
    plan.parts,
    archive?.declared ?? new Set(),
    plan.parts.filter((part) => !answered.has(part)),
  )
}

// It is beside the output; for standard output in the state directory, or else in a private one of this user among temporary files: the
// next run finds it.
async function chooseJobDirectory(
  world: World,
  { archivePath }: OutputPaths,
  job: JobSearch,
): Promise<string> {
  if (archivePath !== undefined) return jobDirectory(archivePath)
  const name = `${jobName(job)}${JOB_SUFFIX}`
  const state = stateDirectory(world)
  if (state !== undefined) {
    const jobs = join(state, 'jobs')
    const isUsable = await ensureDirectory(world.disk, jobs).then(
      () => true,
      () => false,
    )
    if (isUsable) return join(jobs, name)
  }
  const { tempDir, uid = 'jobs' } = world.host
  const jobs = join(tempDir, `matdecl-${uid}`)
  const names = { what: 'the temporary directory', alternative: STATE_DIRECTORY.alternative }
  await openOwnDirectory(world, jobs, names)
  return join(jobs, name)
}
