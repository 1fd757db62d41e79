import { join } from 'node:path'
import type { Disk } from '../base/world.ts'
import { JOURNAL, jobIdentity } from './job-folder-path.ts'
import { type JobState, readJournal } from './journal.ts'

/** What the journal in a job folder says of the request with this identity, without taking the job up; undefined when there is none. */
export async function readJobRecord(
  disk: Disk,
  folder: string,
  identity: string,
): Promise<JobState | undefined> {
  const text = await disk.readFile(join(folder, JOURNAL), 'utf8').catch(() => undefined)
  if (text === undefined || jobIdentity(text) !== identity) return undefined
  return readJournal(text, identity)
}
