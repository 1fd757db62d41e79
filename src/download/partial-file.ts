import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import type { Disk } from '../base/world.ts'

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
export interface PartialFile {
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

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
