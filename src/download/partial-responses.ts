import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { jsonValue } from '../base/json-text.ts'
import type { Disk } from '../base/world.ts'
import { STRONG_TAG } from '../http/content-range.ts'
import type { PartGroup } from '../request/request.ts'
import { checksum, type JobState, requestId } from './journal.ts'

/** The partial response that an earlier run received: bytes safe on disk, and what their rest must match. */
export interface PartialResponse extends PartGroup, BodyFacts {
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
  { archives, empty }: JobState,
): Promise<readonly PartialResponse[]> {
  const done = new Set([...archives, ...empty].map(requestId))
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

const bodySchema = z.object({
  /** The strong entity tag, quotes included. */
  etag: z.string().check(z.regex(STRONG_TAG)),
  total: z.optional(count),
  status: z.int(),
  serverDateMs: z.optional(z.number().check(z.nonnegative(), z.lte(8.64e15))),
})
const recordSchema = z.extend(bodySchema, { parts: z.array(z.string()), startDate: z.optional(z.string()) })

/** A body that a later transfer can continue. */
export type BodyFacts = Readonly<z.infer<typeof bodySchema>>

/**
 * Keeps the response of one request in the job directory while it is received: beside the bytes at `path`, a record (mode 0600) says which
 * body they are the start of, and in lines that follow, how many are safe on disk. The record of the same body is continued, that of
 * another one is replaced with the first mark.
 */
export class ResponseKeeper {
  /** What an earlier run kept. */
  readonly kept: PartialResponse | undefined
  readonly #disk: Disk
  readonly #recordPath: string
  readonly #list: PartGroup
  readonly #onKept: (kept: KeptBytes | undefined) => void
  #file: FileHandle | undefined
  #of: BodyFacts | undefined
  #head = ''

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
    if (kept !== undefined) onKept(kept)
  }

  /** Records that the first `bytes` bytes of this body are safe on disk. */
  async mark(body: BodyFacts, bytes: number): Promise<void> {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
    this.#file ??= await this.#disk.open(this.#recordPath, flags, 0o600)
    if (this.#of !== body) await this.#startBody(this.#file, body)
    await this.#file.appendFile(`\n${markLine(this.#head, String(bytes))}`)
    this.#onKept({ bytes, total: body.total })
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#of = undefined
    await file?.close().catch(() => undefined)
  }

  /** Records that nothing is kept; call it before the draft is emptied, and when its archive is verified. */
  async forget(): Promise<void> {
    this.#onKept(undefined)
    await this.close()
    await this.#disk.rm(this.#recordPath, { force: true }).catch(() => undefined)
  }

  async #startBody(file: FileHandle, body: BodyFacts): Promise<void> {
    const { etag, total, status, serverDateMs } = body
    this.#of = undefined
    this.#head = checkedLine(JSON.stringify({ ...this.#list, etag, total, status, serverDateMs }))
    const before = await file.readFile('utf8')
    if (!before.startsWith(this.#head)) {
      await file.truncate(0)
      await file.appendFile(this.#head)
    }
    this.#of = body
  }
}

/** Reads a record; undefined when it is damaged. */
export function readPartial(
  record: Buffer,
): (PartGroup & BodyFacts & { readonly bytes: number }) | undefined {
  const [head = '', ...marks] = record.toString('utf8').split('\n')
  const text = head.slice(9)
  if (head !== checkedLine(text)) return undefined
  const body = recordSchema.safeParse(jsonValue(text)).data
  const valid = marks.findLast((mark) => mark === markLine(head, mark.slice(9)))
  return body && { ...body, bytes: Number(valid?.slice(9) ?? 0) }
}

function checkedLine(text: string): string {
  return `${checksum(text)} ${text}`
}

// A mark belongs to one head: what another process left in the file is no mark of this body.
function markLine(head: string, text: string): string {
  return `${checksum(`${head.slice(0, 8)} ${text}`)} ${text}`
}
