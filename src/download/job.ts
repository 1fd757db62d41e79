import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import { SILENT } from '../base/notice.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { acquireLock, lockPath, readLock } from '../fs/lock.ts'
import type { Answer, Search } from '../library/answers.ts'
import { searchKey } from '../library/answers.ts'
import { ownDirectory, readLibrary } from '../library/library.ts'

/** What the name of a job directory ends with. */
export const JOB_SUFFIX = '.parts'

/** What is searched for by a download: its requests are kept together. */
export interface JobSearch {
  readonly search: Search
  readonly hasParts: boolean
  /** The start date, or the period that it was computed from: the next run of the same command computes another one. */
  readonly start: string | undefined
}

/** The job directory of an output: beside it, with its name and `.parts`. It has a library for each search. */
export function jobDirectory(outputPath: string): string {
  const name = `${basename(outputPath)}${JOB_SUFFIX}`
  if (Buffer.byteLength(name) > 255) {
    throw new Failure(
      'usage',
      `the name ${basename(outputPath)} is too long: ${JOB_SUFFIX} is appended to it`,
      {
        hint: 'choose a shorter name',
        options: ['output'],
      },
    )
  }
  return join(dirname(outputPath), name)
}

/** The name of the library of a search in a job directory. */
export function jobName({ search, hasParts, start }: JobSearch): string {
  const facts = JSON.stringify([searchKey(search), hasParts, start ?? null])
  return createHash('sha256').update(facts).digest('hex').slice(0, 16)
}

const JOB_NAME = /^[0-9a-f]{16}$/

/**
 * Checks a job directory before it is used: one that does not exist is fine. A link, another user's directory, or one with something else
 * in it is refused (`io`) and not changed.
 */
export async function checkJobDirectory({ disk, host }: World, directory: string): Promise<void> {
  const facts = await disk.lstat(directory).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'use', directory)
  })
  if (facts === undefined) return
  if (facts.isSymbolicLink()) throw refused(directory, 'it is a symbolic link')
  if (!facts.isDirectory()) throw refused(directory, 'it is not a directory')
  if (host.uid !== undefined && facts.uid !== host.uid) throw refused(directory, 'it belongs to another user')
  const names = await disk.readdir(directory).catch((error: unknown) => {
    throw diskFailure(error, 'read', directory)
  })
  if (!names.every((name) => JOB_NAME.test(name))) throw refused(directory, 'it is not a job directory')
}

function refused(directory: string, why: string): Failure {
  return new Failure('io', `${directory} cannot be the job directory: ${why}`, {
    file: directory,
    hint: 'inspect and remove it, or choose another output name',
    options: ['output'],
  })
}

/** Removes a job directory once no search has a library in it. */
export async function removeJobDirectory(disk: Disk, directory: string): Promise<void> {
  await disk.rmdir(directory).catch((error: unknown) => {
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT')
      throw diskFailure(error, 'remove', directory)
  })
}

/**
 * Finds the latest unfinished job of a search in a directory, for output names that hold the time: one of which `isUseful` says that
 * this run can use it. Returns its output path. Directories that a run left empty when it was killed are removed.
 */
export async function findUnfinishedJob(
  world: World,
  directory: string,
  name: string,
  isUseful: (answers: readonly Answer[]) => boolean,
): Promise<string | undefined> {
  const { disk } = world
  const found: { readonly outputPath: string; readonly modifiedMs: number }[] = []
  for (const entry of await disk.readdir(directory).catch(() => [])) {
    if (!entry.endsWith(JOB_SUFFIX) || entry === JOB_SUFFIX) continue
    const job = join(directory, entry)
    const outputPath = job.slice(0, -JOB_SUFFIX.length)
    const library = join(job, name)
    const facts = await disk.lstat(join(ownDirectory(library), 'answers.jsonl')).catch(() => undefined)
    if (facts === undefined) {
      await removeIfEmpty(world, job, outputPath)
      continue
    }
    if (!facts.isFile() || (world.host.uid !== undefined && facts.uid !== world.host.uid)) continue
    const { answers } = await readLibrary(world, library).catch(() => ({ answers: [] }))
    if (isUseful(answers)) found.push({ outputPath, modifiedMs: facts.mtimeMs })
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs)[0]?.outputPath
}

// Only if the lock of the run that left it exists and its process is gone. A run that needs this path reports what is wrong with it.
async function removeIfEmpty(world: World, job: string, outputPath: string): Promise<void> {
  const { disk } = world
  try {
    if ((await readLock(disk, lockPath(outputPath)))?.owner === undefined) return
    await using lock = await acquireLock(world, outputPath, 'skip', SILENT)
    if (lock === undefined) return
    for (const name of await disk.readdir(job)) {
      if (!JOB_NAME.test(name)) return
      const own = ownDirectory(join(job, name))
      for (const each of [join(own, 'incoming'), own, join(job, name)]) await disk.rmdir(each)
    }
    await disk.rmdir(job)
  } catch {}
}
