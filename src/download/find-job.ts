import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { type JobState, journalIdentity, readJournal } from './journal.ts'

/** The name of the journal in a job folder. */
export const JOURNAL = 'journal'

/** What the name of a job folder ends with. */
export const JOB_SUFFIX = '.parts'
const HEAD_BYTES = 4096

/** The job folder of an output: beside it, with its name and `.parts`. */
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

/** Finds the latest unfinished job of the request with this identity, for output names that contain the time. */
export async function findUnfinishedJob(
  disk: Disk,
  folder: string,
  identity: string,
): Promise<{ readonly outputPath: string; readonly folder: string } | undefined> {
  let best: { readonly outputPath: string; readonly folder: string; readonly atMs: number } | undefined
  for (const name of await namesIn(disk, folder)) {
    if (!name.endsWith(JOB_SUFFIX) || name === JOB_SUFFIX) continue
    const job = join(folder, name)
    const head = await readHead(disk, join(job, JOURNAL))
    if (head === undefined || journalIdentity(head.text) !== identity) continue
    if (best === undefined || head.modifiedMs > best.atMs) {
      best = {
        outputPath: join(folder, name.slice(0, -JOB_SUFFIX.length)),
        folder: job,
        atMs: head.modifiedMs,
      }
    }
  }
  return best
}

/** Creates the folder, or checks that it is ours. Returns whether it has no job, that of this request, or that of another one. */
export async function claimFolder(
  disk: Disk,
  folder: string,
  identity: string,
): Promise<'none' | 'same' | 'changed'> {
  if (await makeFolder(disk, folder)) return 'none'
  const facts = await disk.lstat(folder)
  if (!facts.isDirectory()) {
    throw refused(folder, facts.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a directory')
  }
  const names = await namesIn(disk, folder)
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
  return journalIdentity(head.text) === identity || mentions(head.text, identity) ? 'same' : 'changed'
}

// When the first line is damaged, other lines still have the job.
function mentions(head: string, identity: string): boolean {
  return journalIdentity(head) === undefined && head.includes(`"job":"${identity.slice(0, 16)}"`)
}

/** The state of a job, without claiming it; undefined unless it is of the request with this identity. */
export async function readJobState(
  disk: Disk,
  folder: string,
  identity: string,
): Promise<JobState | undefined> {
  const text = await disk.readFile(join(folder, JOURNAL), 'utf8').catch(() => undefined)
  if (text === undefined || journalIdentity(text) !== identity) return undefined
  return readJournal(text, identity)
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
