import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecords } from '../../src/library/answers.ts'
import { type ResponseNote, readNote } from '../../src/library/incoming.ts'

/** The files of a job directory whose names end like this, whatever the search. */
export async function jobFiles(job: string, ending: string): Promise<string[]> {
  const names = await readdir(job, { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith(ending)).map((name) => join(job, name))
}

/** The notes of the requests that have begun, with the size of what is there of their bodies. */
async function notesIn(
  job: string,
): Promise<{ readonly note: ResponseNote; readonly bytes: number | undefined }[]> {
  const found: { note: ResponseNote; bytes: number | undefined }[] = []
  for (const path of await jobFiles(job, '.note')) {
    const note = readNote(await readFile(path, 'utf8').catch(() => ''))
    if (note === undefined) continue
    const body = await stat(path.replace(/note$/, 'zip')).catch(() => undefined)
    found.push({ note, bytes: body?.size })
  }
  return found
}

/** How many bytes a later run can continue, one number for each response of which it can. */
export async function keptIn(job: string): Promise<number[]> {
  return (await notesIn(job)).map(({ note }) => note.kept).filter((kept) => kept > 0)
}

/** The parts that a later run need not request: those of recorded answers, and of responses that are complete. */
export async function obtainedIn(job: string): Promise<Set<string>> {
  const parts = new Set<string>()
  for (const path of await jobFiles(job, 'answers.jsonl')) {
    const { answers } = readRecords(await readFile(path, 'utf8'), path)
    for (const part of answers.flatMap((answer) => answer.parts)) parts.add(part)
  }
  const archives = await jobFiles(job, '.zip')
  for (const { note, bytes } of await notesIn(job)) {
    const { body, answer, request } = note
    const isNamed = archives.some((path) => answer?.archive !== undefined && path.endsWith(answer.archive))
    const isComplete = bytes !== undefined && body?.total !== undefined && bytes >= body.total
    if (isNamed || isComplete) for (const part of request.parts) parts.add(part)
  }
  return parts
}
