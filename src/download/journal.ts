import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { jsonValue } from '../base/json-text.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure, ignoreUnsupported } from '../fs/disk-failure.ts'
import type { PartGroup } from '../request/request.ts'

const count = z.int().check(z.nonnegative())
const parts = { parts: z.array(z.string()), startDate: z.optional(z.string()) }

// `serverDateMs` is the `Date` of the response.
const response = {
  ...parts,
  status: z.int(),
  attempts: count,
  seconds: z.number(),
  serverDateMs: z.optional(z.number()),
}
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/))
const request = z.string()

/** One line of a job's journal. Requests are named by `requestId`. */
const journalRecord = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('began'),
    identity: z.string(),
    search: z.string(),
    at: z.string(),
    tool: z.string(),
  }),
  // Earlier versions wrote no parts.
  z.object({ event: z.literal('sent'), request, at: z.string(), ...z.partial(z.object(parts)).shape }),
  z.object({ event: z.literal('verified'), ...response, file: z.string(), bytes: count, sha256 }),
  // The size of an archive without entries; 0 for a 204. Earlier versions wrote none.
  z.object({ event: z.literal('empty'), ...response, bytes: z.optional(count) }),
  z.object({ event: z.literal('failed'), request, kind: z.string(), attempts: count }),
  z.object({ event: z.literal('publishing'), bytes: count, sha256 }),
])

// Every line names its job, so that a line of another one is noticed.
const journalEntry = z.intersection(z.object({ job: z.string() }), journalRecord)

export type JournalRecord = z.infer<typeof journalRecord>
type RecordOf<E extends JournalRecord['event']> = Omit<Extract<JournalRecord, { event: E }>, 'event'>

/** Which job a directory has: the fingerprint of the whole request, and that of its criteria without parts and start date. */
export interface JobIdentity {
  readonly identity: string
  readonly search: string
}

/** A verified archive in the job directory. */
export type ResponseArchive = Readonly<RecordOf<'verified'>>
export type EmptyResponse = Readonly<RecordOf<'empty'>>

/** The state of a job by its journal. */
export interface JobState {
  readonly archives: readonly ResponseArchive[]
  readonly empty: readonly EmptyResponse[]
  /** Requests that were sent but have no response: they may have used allowance. Earlier versions did not record their parts. */
  readonly withoutResponse: readonly {
    readonly id: string
    readonly parts: readonly string[] | undefined
    readonly startDate: string | undefined
  }[]
  /** The archive that was about to take its final name. */
  readonly publishing: { readonly bytes: number; readonly sha256: string } | undefined
  /** Lines that could not be read: torn, edited, or of another job. */
  readonly damagedLines: number
}

/** Names a request: the same parts in the same order with the same start date have the same name. */
export function requestId({ parts, startDate }: PartGroup): string {
  return createHash('sha256')
    .update(JSON.stringify([startDate ?? null, parts]))
    .digest('hex')
    .slice(0, 16)
}

/** A record as a line: a checksum, which reveals a torn or edited line, and JSON with the job and the record. */
export function journalLine(search: string, record: JournalRecord): string {
  const text = JSON.stringify({ job: jobMark(search), ...record })
  return `${checksum(text)} ${text}\n`
}

/** The identity of the job, from the start of its journal; undefined when it cannot be read. */
export function journalIdentity(head: string): JobIdentity | undefined {
  for (const line of head.split('\n')) {
    const record = readLine(line)
    if (record?.event === 'began') return { identity: record.identity, search: record.search }
  }
  return undefined
}

/** True when any line of this text, even a damaged one, names the job. */
export function mentionsJob(text: string, search: string): boolean {
  return text.includes(`"job":"${jobMark(search)}"`)
}

/** Replays the journal of a job with these criteria into its state. Damaged lines are skipped and counted. */
export function readJournal(text: string, search: string): JobState {
  const archives = new Map<string, ResponseArchive>()
  const empty = new Map<string, EmptyResponse>()
  const withoutResponse = new Map<string, JobState['withoutResponse'][number]>()
  let publishing: JobState['publishing']
  let damagedLines = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const record = readLine(line, search)
    switch (record?.event) {
      case undefined:
        damagedLines += 1
        break
      case 'sent': {
        const { request: id, parts, startDate } = record
        withoutResponse.set(id, { id, parts, startDate })
        break
      }
      case 'failed':
        withoutResponse.delete(record.request)
        break
      case 'verified':
      case 'empty': {
        const id = requestId(record)
        withoutResponse.delete(id)
        if (record.event === 'verified') archives.set(id, record)
        else empty.set(id, record)
        break
      }
      case 'publishing':
        publishing = { bytes: record.bytes, sha256: record.sha256 }
    }
  }
  return {
    archives: [...archives.values()],
    empty: [...empty.values()],
    withoutResponse: [...withoutResponse.values()],
    publishing,
    damagedLines,
  }
}

function readLine(line: string, search?: string): z.infer<typeof journalEntry> | undefined {
  const text = line.slice(9)
  if (line[8] !== ' ' || checksum(text) !== line.slice(0, 8)) return undefined
  const record = journalEntry.safeParse(jsonValue(text)).data
  return search === undefined || record?.job === jobMark(search) ? record : undefined
}

function jobMark(search: string): string {
  return search.slice(0, 16)
}

/** CRC-32, which reveals a torn or edited line. */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** An append-only file of lines. */
export type JournalFile = Awaited<ReturnType<typeof openJournalFile>>

/** Opens the journal (mode 0600) for appending, and ends a torn last line; `isNew` empties it first. */
export async function openJournalFile(disk: Disk, path: string, isNew: boolean) {
  const { O_RDWR, O_APPEND, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const flags = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (isNew ? O_TRUNC : 0)
  const file = await disk.open(path, flags, 0o600).catch((error: unknown) => {
    throw diskFailure(error, 'open', path)
  })
  let waiting = await lineEndIfTorn(file).catch(async (error: unknown) => {
    await file.close().catch(() => undefined)
    throw diskFailure(error, 'read', path)
  })
  let writing: Promise<void> | undefined
  let isClosed = false

  /** Resolves when the line is synced; concurrent lines share one sync. */
  async function append(line: string): Promise<void> {
    waiting += line
    // A write in progress does not include this line, the next one does.
    await writing?.catch(() => undefined)
    if (waiting.trim() !== '') writing = write()
    await writing
  }

  async function write(): Promise<void> {
    const text = waiting
    waiting = ''
    try {
      await file.appendFile(text)
      await file.datasync().catch(ignoreUnsupported)
    } catch (error) {
      // This separates the next line from a torn one.
      waiting = `\n${waiting}`
      throw diskFailure(error, 'write', path)
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await writing?.catch(() => undefined)
    await file.close().catch(() => undefined)
  }

  return { append, close }
}

async function lineEndIfTorn(file: Awaited<ReturnType<Disk['open']>>): Promise<'' | '\n'> {
  const { size } = await file.stat()
  if (size === 0) return ''
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 0x0a ? '' : '\n'
}
