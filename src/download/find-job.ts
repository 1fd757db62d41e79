import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { type JobIdentity, type JobState, journalIdentity, mentionsJob, readJournal } from './journal.ts'

/** The name of the journal in a job directory. */
export const JOURNAL = 'journal'
/** The name of an archive in a job directory. */
export const PIECE = /^\d+-\d+-[0-9a-f]{8}\.zip$/

/** What the name of a job directory ends with. */
export const JOB_SUFFIX = '.parts'
const HEAD_BYTES = 4096
const OWNERS_AT_ONCE = 64

/** The job directory of an output: beside it, with its name and `.parts`. */
export function jobFolder(outputPath: string): string {
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

/** An unfinished job, found by its request. */
export interface FoundJob {
  readonly outputPath: string
  readonly folder: string
  /** Its criteria are the same, its parts list is not. */
  readonly hasOtherParts: boolean
}

/**
 * Finds the latest unfinished job of a request, for output names that contain the time. Without one, the latest with the same
 * criteria of which `isMostlyWanted` says that this run can use it.
 */
export async function findUnfinishedJob(
  disk: Disk,
  folder: string,
  { identity, search }: JobIdentity,
  isMostlyWanted: (state: JobState) => boolean = () => false,
): Promise<FoundJob | undefined> {
  const found: (FoundJob & { readonly atMs: number })[] = []
  for (const name of await namesIn(disk, folder)) {
    if (!name.endsWith(JOB_SUFFIX) || name === JOB_SUFFIX) continue
    const job = join(folder, name)
    const head = await readHead(disk, join(job, JOURNAL))
    const its = head && journalIdentity(head.text)
    if (its?.search !== search) continue
    const outputPath = join(folder, name.slice(0, -JOB_SUFFIX.length))
    found.push({ outputPath, folder: job, hasOtherParts: its.identity !== identity, atMs: head!.modifiedMs })
  }
  found.sort((a, b) => b.atMs - a.atMs)
  const same = found.find(({ hasOtherParts }) => !hasOtherParts)
  if (same !== undefined) return same
  for (const each of found) {
    const text = await disk.readFile(join(each.folder, JOURNAL), 'utf8').catch(() => '')
    if (isMostlyWanted(readJournal(text, search))) return each
  }
  return undefined
}

/** What was found at the path of a job directory. `related`: the same criteria, another parts list. */
export type Claim = 'none' | 'same' | 'related' | 'other'

/**
 * Creates the directory, or checks that it is a job directory of this user. A link, another user's directory or file, or a directory that is not
 * a job is refused (`io`) and not changed.
 */
export async function claimFolder(
  disk: Disk,
  folder: string,
  { identity, search }: JobIdentity,
  uid: number | undefined,
): Promise<Claim> {
  if (await makeFolder(disk, folder)) return 'none'
  const facts = await disk.lstat(folder).catch((error: unknown) => {
    throw diskFailure(error, 'use', folder)
  })
  if (!facts.isDirectory()) {
    throw refused(folder, facts.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a directory')
  }
  const names = await namesIn(disk, folder)
  await refuseOthers(disk, folder, names, uid)
  if (names.length > 0 && !names.includes(JOURNAL)) throw refused(folder, 'it is not a job directory')
  try {
    await disk.chmod(folder, 0o700)
  } catch (error) {
    if (systemCode(error) === 'EPERM') throw refused(folder, 'it belongs to another user')
    throw diskFailure(error, 'use', folder)
  }
  if (names.length === 0) return 'none'
  const head = await readHead(disk, join(folder, JOURNAL))
  if (head === undefined) throw refused(folder, 'its journal is not a regular file')
  const its = journalIdentity(head.text)
  if (its?.identity === identity) return 'same'
  // When the first line is damaged, other lines still have the job.
  return its?.search === search || (its === undefined && mentionsJob(head.text, search)) ? 'related' : 'other'
}

/** The job in a directory, without claiming it; undefined when there is none that can be read. */
export async function jobIn(disk: Disk, folder: string): Promise<JobIdentity | undefined> {
  const head = await readHead(disk, join(folder, JOURNAL))
  return head && journalIdentity(head.text)
}

/** The state of a job, without claiming it; undefined unless it is of this request and this user. */
export async function readJobState(
  disk: Disk,
  folder: string,
  { identity, search }: JobIdentity,
  uid: number | undefined,
): Promise<JobState | undefined> {
  const facts = await disk.lstat(folder).catch(() => undefined)
  if (facts === undefined || !facts.isDirectory() || !isOwn(facts.uid, uid)) return undefined
  const text = await disk.readFile(join(folder, JOURNAL), 'utf8').catch(() => undefined)
  if (text === undefined || journalIdentity(text)?.identity !== identity) return undefined
  return readJournal(text, search)
}

async function makeFolder(disk: Disk, folder: string): Promise<boolean> {
  try {
    await disk.mkdir(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw diskFailure(error, 'create', folder)
  }
}

// Another user could change what was verified, also when this one is root.
async function refuseOthers(
  disk: Disk,
  folder: string,
  names: readonly string[],
  uid: number | undefined,
): Promise<void> {
  const paths = [folder, ...names.map((name) => join(folder, name))]
  for (let from = 0; from < paths.length; from += OWNERS_AT_ONCE) {
    const some = paths.slice(from, from + OWNERS_AT_ONCE)
    const facts = await Promise.all(some.map((path) => disk.lstat(path).catch(() => undefined)))
    const foreign = some.find((_, index) => facts[index] !== undefined && !isOwn(facts[index].uid, uid))
    if (foreign === undefined) continue
    const what = foreign === folder ? 'it' : `${basename(foreign)} in it`
    throw refused(folder, `${what} belongs to another user`)
  }
}

function isOwn(ownerUid: number, uid: number | undefined): boolean {
  return uid === undefined || ownerUid === uid
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw diskFailure(error, 'read', folder)
  }
}

async function readHead(
  disk: Disk,
  path: string,
): Promise<{ readonly text: string; readonly modifiedMs: number } | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const handle = await disk.open(path, flags)
    try {
      const facts = await handle.stat()
      if (!facts.isFile()) return undefined
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return { text: buffer.toString('utf8', 0, bytesRead), modifiedMs: facts.mtimeMs }
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

function refused(folder: string, why: string): Failure {
  return new Failure('io', `${folder} cannot be the job directory: ${why}`, {
    file: folder,
    hint: 'inspect and remove it, or choose another output name',
    options: ['output'],
  })
}
