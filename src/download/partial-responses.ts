import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { parseJson } from '../base/json-text.ts'
import type { Disk } from '../base/world.ts'
import { STRONG_TAG } from '../http/content-range.ts'
import type { PartGroup } from '../request/request.ts'
import type { BodyFacts, TransferKeeper } from './fetch-archive.ts'
import { checksum, type JobState, requestId } from './journal.ts'

/** The partial response that an earlier run received: bytes safe on disk, and what their rest must match. */
export interface PartialResponse extends PartialBody {
  readonly bytes: number
  /** The name of the archive in the job directory. */
  readonly file: string
}

/** How much of a partial response is kept. */
export interface KeptBytes {
  readonly bytes: number
  readonly total?: number | undefined
}

/** The name of the record of a partial archive. */
export function recordName(file: string): string {
  return file.replace(/\.zip$/, '.partial')
}

/** Finds the partial archives in a job directory that a transfer can continue; of the same request only the longest. */
export async function findPartialResponses(
  disk: Disk,
  directory: string,
  names: readonly string[],
  { pieces, empty }: JobState,
): Promise<readonly PartialResponse[]> {
  const done = new Set([...pieces, ...empty].map(requestId))
  const best = new Map<string, PartialResponse>()
  for (const name of names) {
    const file = name.replace(/\.partial$/, '.zip')
    if (file === name) continue
    const record = await readRegularFile(disk, join(directory, name), (file) => file.readFile())
    const kept = record === undefined ? undefined : readPartial(record)
    if (kept === undefined || kept.bytes === 0) continue
    const key = requestId(kept)
    if (done.has(key) || (best.get(key)?.bytes ?? 0) >= kept.bytes) continue
    const facts = await disk.lstat(join(directory, file)).catch(() => undefined)
    if (facts?.isFile() && facts.nlink === 1 && facts.size >= kept.bytes) best.set(key, { ...kept, file })
  }
  return [...best.values()]
}

/**
 * What `read` makes of a regular file in a job directory; undefined when the path is missing, a link or something else, or cannot be
 * read.
 */
export async function readRegularFile<T>(
  disk: Disk,
  path: string,
  read: (file: FileHandle, facts: Stats) => Promise<T>,
): Promise<T | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const file = await disk.open(path, flags)
    try {
      const facts = await file.stat()
      return facts.isFile() ? await read(file, facts) : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

const count = z.int().check(z.nonnegative())

/** The body that a partial archive is the start of. */
const bodySchema = z.object({
  parts: z.array(z.string()),
  startDate: z.optional(z.string()),
  etag: z.string().check(z.regex(STRONG_TAG)),
  total: z.optional(count),
  status: z.int(),
  serverDateMs: z.optional(z.number().check(z.nonnegative(), z.lte(8.64e15))),
})
export type PartialBody = Readonly<z.infer<typeof bodySchema>>

// Two slots that are written alternately: a torn write loses only one of them.
const PLACES = 2
const PLACE_BYTES = 48

/**
 * Keeps the response of one request in the job directory while it is received: beside the bytes at `path`, a record (mode 0600) says which
 * body they are the start of, and how many are safe on disk. A record of the same body is continued, another one is replaced with the
 * first mark.
 */
export class ResponseKeeper implements TransferKeeper {
  readonly kept: PartialResponse | undefined
  readonly #disk: Disk
  readonly #recordPath: string
  readonly #list: PartGroup
  readonly #onKept: (kept: KeptBytes | undefined) => void
  #file: FileHandle | undefined
  #of: BodyFacts | undefined
  #head: Buffer = Buffer.alloc(0)
  #turn = 0

  /** `onKept` gets how much is kept, undefined for nothing. */
  constructor(
    disk: Disk,
    path: string,
    { parts, startDate }: PartGroup,
    kept: PartialResponse | undefined,
    onKept: (kept: KeptBytes | undefined) => void,
  ) {
    this.kept = kept
    this.#disk = disk
    this.#recordPath = recordName(path)
    this.#list = { parts, startDate }
    this.#onKept = onKept
    if (kept !== undefined) onKept({ bytes: kept.bytes, total: kept.total })
  }

  async mark(facts: BodyFacts, bytes: number): Promise<void> {
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    this.#file ??= await this.#disk.open(this.#recordPath, flags, 0o600)
    if (this.#of !== facts) await this.#startBody(this.#file, facts)
    this.#turn += 1
    const place = placeOf(this.#head, this.#turn, bytes)
    await writeAt(this.#file, place, this.#head.length + (this.#turn % PLACES) * PLACE_BYTES)
    this.#onKept({ bytes, total: facts.total })
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#of = undefined
    await file?.close().catch(() => undefined)
  }

  async forget(): Promise<void> {
    this.#onKept(undefined)
    await this.close()
    await this.#disk.rm(this.#recordPath, { force: true }).catch(() => undefined)
  }

  async #startBody(file: FileHandle, facts: BodyFacts): Promise<void> {
    this.#of = undefined
    this.#head = headOf({ ...this.#list, ...facts })
    const before = await file.readFile()
    const isSame = before.subarray(0, this.#head.length).equals(this.#head)
    this.#turn = isSame ? lastMark(before, this.#head).turn : 0
    if (this.#turn === 0) {
      await file.truncate(0)
      await writeAt(file, Buffer.concat([this.#head, Buffer.alloc(PLACES * PLACE_BYTES, ' ')]), 0)
    }
    this.#of = facts
  }
}

/** Reads a record; undefined when it is damaged. */
export function readPartial(record: Buffer): (PartialBody & { readonly bytes: number }) | undefined {
  const end = record.indexOf(0x0a) + 1
  const head = record.subarray(0, end)
  const text = head.toString('utf8').trimEnd()
  if (end === 0 || checksum(text.slice(9)) !== text.slice(0, 8)) return undefined
  const json = parseJson(text.slice(9))
  const body = 'value' in json ? bodySchema.safeParse(json.value).data : undefined
  if (body === undefined) return undefined
  return { ...body, bytes: lastMark(record, head).bytes }
}

function lastMark(record: Buffer, head: Buffer): { readonly turn: number; readonly bytes: number } {
  let best = { turn: 0, bytes: 0 }
  for (let place = 0; place < PLACES; place += 1) {
    const at = head.length + place * PLACE_BYTES
    const text = record.toString('latin1', at + 9, at + PLACE_BYTES).trim()
    const [turn = Number.NaN, bytes = Number.NaN] = text.split(' ').map(Number)
    const isWhole = record.subarray(at, at + PLACE_BYTES).equals(placeOf(head, turn, bytes))
    if (isWhole && turn > best.turn) best = { turn, bytes }
  }
  return best
}

function headOf({ parts, startDate, etag, total, status, serverDateMs }: PartGroup & BodyFacts): Buffer {
  const text = JSON.stringify({ parts, startDate, etag, total, status, serverDateMs })
  return Buffer.from(`${checksum(text)} ${text}\n`)
}

function placeOf(head: Buffer, turn: number, bytes: number): Buffer {
  const text = `${turn} ${bytes}`.padEnd(PLACE_BYTES - 10)
  return Buffer.from(`${checksum(`${head.toString('latin1', 0, 8)} ${text}`)} ${text}\n`)
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    if (bytesWritten === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
    done += bytesWritten
  }
}
