import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { stateFolder } from '../fs/app-folders.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { hashFile } from '../fs/hash-file.ts'
import { acquireLock, type IfLocked } from '../fs/lock.ts'
import { publishDraft } from '../fs/publish.ts'
import { requestIdentity } from '../request/request-identity.ts'
import { type Account, accountParts } from './accounting.ts'
import { isoTime } from './download-result.ts'
import {
  type Gathered,
  type GatheredArchive,
  type GatherWish,
  gatherArchive,
  rereadArchive,
} from './gather-archive.ts'
import { type Job, openJob, removeJob } from './job-folder.ts'
import { findUnfinishedJob, jobFolder } from './job-folder-path.ts'
import { readJobRecord } from './job-record.ts'
import { type EmptyAnswer, type JobState, type Piece, remainingRanges } from './journal.ts'
import { checkPlace, makePlace, type Place, type PlaceWish, placeOf } from './output-path.ts'
import { failedResult } from './run-job-results.ts'

/** One run: what is asked, how, and where it goes. Everything in it has been checked. */
export interface DownloadWish extends GatherWish {
  readonly place: Place
  readonly placeWish: PlaceWish
  readonly ifLocked: IfLocked
  readonly tool: string
}

/** What a run brought. */
export interface Downloaded extends Omit<Gathered, 'archive'> {
  /** Where everything went; its name may be that of the unfinished run that was taken up. */
  readonly place: Place
  /** Undefined when there was nothing. Readable at its `path` until the run is over. */
  readonly archive: GatheredArchive | undefined
  /** Undefined when no parts were asked for, or nobody wants to know. */
  readonly account: Account | undefined
}

/**
 * Runs a download: checks that it can end well, takes the lock, asks for what an unfinished run left to ask, gathers, accounts,
 * and gives the archive its name. `use` gets the result while it is certain to be there, also when it goes to standard output.
 * Nothing stands at the final name unless it is whole. False when another run holds the output and is to be left alone.
 */
export async function download(
  world: World,
  wish: DownloadWish,
  reporter: Reporter,
  use: (result: Downloaded) => Promise<void>,
): Promise<boolean> {
  const identity = requestIdentity(wish.plan)
  const found = await placeOfUnfinished(world, wish, identity)
  const earlier = await publishedBefore(world, found, identity)
  // What stands beside an archive that the same run published is its own work, perhaps cut off: it is done again.
  const place = earlier === undefined ? found : { ...found, overwrite: true }
  await checkPlace(world, place, wish.placeWish, earlier !== undefined)
  const takeBack = await makePlace(world, place, wish.placeWish)
  try {
    const folder = await chooseJobFolder(world, place, identity)
    await using lock = await acquireLock(world, folder.replace(/\.parts$/, ''), wish.ifLocked, reporter)
    if (lock === undefined) return false
    // The run that was waited for may have taken the name.
    await checkPlace(world, place, wish.placeWish, earlier !== undefined)
    if (earlier !== undefined) {
      await use(resultOf(wish, place, await gatherAgain(world, wish, place, earlier, reporter)))
      await removeJob(world.disk, folder)
      return true
    }
    await using job = await openJob(world.disk, folder, {
      identity,
      at: isoTime(world.clock.nowMs()),
      tool: wish.tool,
      signal: wish.signal,
    })
    tellStart(wish, reporter)
    const gathered = await gatherArchive(world, job, wish, reporter)
    const result = resultOf(wish, place, gathered)
    const published = await publish(world, job, result)
    try {
      await use(published)
    } catch (error) {
      // What the disk or a signal kept from being done can be gone on with; a verdict can not.
      if (isFailure(error) && error.kind === 'missing') await job.remove()
      throw error
    }
    await job.remove()
    return true
  } finally {
    await takeBack()
  }
}

function tellStart({ plan }: DownloadWish, reporter: Reporter): void {
  const what = plan.partCount === 0 ? '' : ` for ${plural(plan.partCount, 'part')}`
  reporter.notice({
    level: 'info',
    event: 'download.started',
    message: `asking ${new URL(plan.baseUrl).host}${what} in ${plural(plan.requestCount, 'request')}`,
    data: { requests: plan.requestCount, parts: plan.partCount },
  })
}

// A name that holds the time is new in every run: the unfinished job of the same request is found by what it asks for.
async function placeOfUnfinished(world: World, wish: DownloadWish, identity: string): Promise<Place> {
  const { place, placeWish } = wish
  if (!place.holdsTime || place.archivePath === undefined) return place
  const folder = dirname(place.archivePath)
  const found = await findUnfinishedJob(world.disk, folder, identity)
  if (found === undefined) return place
  return placeOf(world, placeWish, join(dirname(place.shown), basename(found.outputPath)), true)
}

// The job of an earlier run that was stopped between giving the archive its name and clearing its job away.
async function publishedBefore(world: World, place: Place, identity: string): Promise<JobState | undefined> {
  const { archivePath } = place
  if (archivePath === undefined) return undefined
  const facts = await world.disk.lstat(archivePath).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  const record = await readJobRecord(world.disk, jobFolder(archivePath), identity)
  if (record?.publishing === undefined || record.publishing.bytes !== facts.size) return undefined
  const sha256 = await hashFile(world, archivePath, facts.size)
  return sha256 === record.publishing.sha256 ? record : undefined
}

async function gatherAgain(
  world: World,
  wish: DownloadWish,
  place: Place,
  earlier: JobState,
  reporter: Reporter,
): Promise<Gathered> {
  reporter.notice({
    level: 'info',
    event: 'job.published',
    message: 'an earlier run had brought everything and was stopped right after; nothing is asked again',
  })
  const answers = [...earlier.pieces, ...earlier.empty]
  const failed = remainingRanges(wish.plan.ranges, answers, earlier.halved)
  const failure = new Failure('unavailable', 'this request failed for good in the earlier run')
  const requests = [
    ...answers.map((answer) => ({
      from: answer.from,
      to: answer.to,
      parts: wish.plan.request(answer).parts,
      status: answer.status,
      attempts: answer.attempts,
      seconds: answer.seconds,
      ...pieceFacts(answer),
      path: undefined,
      isResumed: true,
    })),
    ...failed.map((range) => failedResult(wish.plan, range, failure)),
  ]
  return {
    requests: requests.sort((a, b) => a.from - b.from),
    archive: await rereadArchive(world, place.archivePath!, wish, reporter),
    rateLimit: undefined,
    serverDateMs: answers.find(({ serverDateMs }) => serverDateMs !== undefined)?.serverDateMs,
  }
}

function pieceFacts(answer: Piece | EmptyAnswer): {
  readonly bytes: number
  readonly sha256: string | undefined
} {
  return 'sha256' in answer ? { bytes: answer.bytes, sha256: answer.sha256 } : { bytes: 0, sha256: undefined }
}

function resultOf(wish: DownloadWish, place: Place, gathered: Gathered): Downloaded {
  const { plan, reconcile } = wish
  const archive = gathered.archive?.entries.length === 0 ? undefined : gathered.archive
  if (!reconcile || plan.partCount === 0) return { ...gathered, place, archive, account: undefined }
  const account = accountParts(
    plan.groups.flatMap(({ parts }) => parts),
    archive?.products ?? [],
    gathered.requests.flatMap(({ error, parts }) => (error === undefined ? [] : parts)),
  )
  return { ...gathered, place, archive, account }
}

// The pieces of a job are its owner's alone; what is published has the mode of any new file.
async function publish(world: World, job: Job, result: Downloaded): Promise<Downloaded> {
  const { archive, place } = result
  if (archive === undefined || place.archivePath === undefined) return result
  await job.publishing(archive)
  await world.disk.chmod(archive.path, (0o666 & ~world.host.umask) | 0o600).catch((error: unknown) => {
    throw diskFailure(error, 'publish', archive.path)
  })
  await publishDraft(world.disk, archive.path, place.archivePath, { overwrite: place.overwrite })
  return { ...result, archive: { ...archive, path: place.archivePath } }
}

// Beside the output. For standard output there is no beside: the state folder, or a temporary one that no later run can find.
async function chooseJobFolder(world: World, { archivePath }: Place, identity: string): Promise<string> {
  if (archivePath !== undefined) return jobFolder(archivePath)
  const state = stateFolder({ env: world.env, ...world.host })
  if (state !== undefined) {
    const jobs = join(state, 'jobs')
    const isUsable = await world.disk.mkdir(jobs, { recursive: true, mode: 0o700 }).then(
      () => true,
      () => false,
    )
    if (isUsable) return join(jobs, `${identity.slice(0, 32)}.parts`)
  }
  const name = `matdecl-${randomBytes(9).toString('hex')}.parts`
  return join(world.host.tempDir, name)
}
