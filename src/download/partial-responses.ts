import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Disk } from '../base/world.ts'
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
  folder: string,
  names: readonly string[],
  { pieces, empty }: JobState,
): Promise<readonly PartialResponse[]> {
  const done = new Set([...pieces, ...empty].map(requestId))
  const best = new Map<string, PartialResponse>()
  for (const name of names) {
    const file = name.replace(/\.partial$/, '.zip')
    if (file === name) continue
    const record = await readWhole(disk, join(folder, name))
    const kept = record === undefined ? undefined : readPartial(record)
    if (kept === undefined || kept.bytes === 0) continue
    const key = requestId(kept)
    if (done.has(key) || (best.get(key)?.bytes ?? 0) >= kept.bytes) continue
    const facts = await disk.lstat(join(folder, file)).catch(() => undefined)
    if (facts?.isFile() && facts.nlink === 1 && facts.size >= kept.bytes) best.set(key, { ...kept, file })
  }
  return [...best.values()]
}

/** Keeps the response of one request in the job directory while it is received. `onKept` gets how much, undefined for nothing. */
export function createKeeper(
  disk: Disk,
  path: string,
  list: PartGroup,
  kept: PartialResponse | undefined,
  onKept: (kept: KeptBytes | undefined) => void,
): TransferKeeper {
  const recordPath = recordName(path)
  const bodies = new WeakMap<BodyFacts, PartialBody>()
  let record: PartialFile | undefined
  if (kept !== undefined) onKept({ bytes: kept.bytes, total: kept.total })

  function bodyOf(facts: BodyFacts): PartialBody {
    const known = bodies.get(facts)
    if (known !== undefined) return known
    const body = { parts: [...list.parts], startDate: list.startDate, ...facts }
    bodies.set(facts, body)
    return body
  }

  async function close(): Promise<void> {
    const open = record
    record = undefined
    await open?.close().catch(() => undefined)
  }

  return {
    kept,
    async mark(facts, bytes) {
      record ??= await openPartialFile(disk, recordPath)
      await record.mark(bodyOf(facts), bytes)
      onKept({ bytes, total: facts.total })
    },
    close,
    async forget() {
      onKept(undefined)
      await close()
      await disk.rm(recordPath, { force: true }).catch(() => undefined)
    },
  }
}

async function readWhole(disk: Disk, path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const handle = await disk.open(path, flags)
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : undefined
    } finally {
      await handle.close()
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
  /** The strong entity tag, quotes included. */
  etag: z.string(),
  total: z.optional(count),
  status: z.int(),
  serverDateMs: z.optional(z.number()),
})
export type PartialBody = Readonly<z.infer<typeof bodySchema>>

/** The record of a partial archive beside it: which body it is the start of, and how many bytes are safe on disk. */
interface PartialFile {
  /** Records that the first `bytes` bytes of this body are safe on disk. */
  readonly mark: (body: PartialBody, bytes: number) => Promise<void>
  readonly close: () => Promise<void>
}

// Two slots that are written alternately: a torn write loses only one of them.
const PLACES = 2
const PLACE_BYTES = 48

/** Opens a record (mode 0600). A record of the same body is continued, another one is replaced with the first mark. */
export async function openPartialFile(disk: Disk, path: string): Promise<PartialFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const file = await disk.open(path, flags, 0o600)
  let of: PartialBody | undefined
  let head: Buffer = Buffer.alloc(0)
  let turn = 0

  async function startBody(body: PartialBody): Promise<void> {
    of = undefined
    head = headOf(body)
    const before = await file.readFile()
    turn = before.subarray(0, head.length).equals(head) ? lastMark(before, head).turn : 0
    if (turn === 0) {
      await file.truncate(0)
      await writeAt(file, Buffer.concat([head, Buffer.alloc(PLACES * PLACE_BYTES, ' ')]), 0)
    }
    of = body
  }

  async function mark(body: PartialBody, bytes: number): Promise<void> {
    if (of !== body) await startBody(body)
    turn += 1
    await writeAt(file, placeOf(head, turn, bytes), head.length + (turn % PLACES) * PLACE_BYTES)
  }

  return { mark, close: () => file.close() }
}

/** Reads a record; undefined when it is damaged. */
export function readPartial(record: Buffer): (PartialBody & { readonly bytes: number }) | undefined {
  const end = record.indexOf(0x0a) + 1
  const head = record.subarray(0, end)
  const text = head.toString('utf8').trimEnd()
  if (end === 0 || checksum(text.slice(9)) !== text.slice(0, 8)) return undefined
  const body = bodySchema.safeParse(JSON.parse(text.slice(9))).data
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

function headOf({ parts, startDate, etag, total, status, serverDateMs }: PartialBody): Buffer {
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
