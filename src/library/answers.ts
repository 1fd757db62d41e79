import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { Failure } from '../base/failure.ts'
import { jsonValue } from '../base/json-text.ts'
import type { Criteria } from '../request/request.ts'

/** The version of the records that this tool writes. */
const VERSION = 1

const count = z.int().check(z.nonnegative())
/** A moment that a date can have, in milliseconds since the epoch. */
export const moment = z.number().check(z.gte(0), z.lte(Date.UTC(9999, 11, 31)))
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/))

const search = z.looseObject({
  /** The address of the service without its version; `sandbox` for the built-in one, whatever its port. */
  baseUrl: z.string(),
  api: z.enum(['v2', 'v1']),
  format: z.string(),
  query: z.optional(z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()]))))),
})

/** What was searched for: everything but parts and dates. Dates of answers belong to the parts of one search. */
export interface Search extends Omit<Criteria, 'startDate'> {
  readonly baseUrl: string
}

/** The request that an answer is for. */
export const requested = z.object({
  id: z.string(),
  /** The run that sent it. */
  run: z.string(),
  search: search as unknown as z.ZodMiniType<Search>,
  parts: z.readonly(z.array(z.string())),
  /** The start date that was sent with it. */
  start: z.optional(z.string()),
  /** False when a run without criteria asked: it does not name the parts anew. */
  listed: z.boolean(),
})

/** An answer of the service: when and how it came. Times are milliseconds since the epoch. */
const answered = z.object({
  /** By the service's clock, as `answerDate` says; absent when it gave none. */
  date: z.optional(moment),
  /** By this machine's clock, at sending. */
  at: moment,
  status: z.int(),
  attempts: count,
  seconds: z.number(),
  /** The archive in the library; absent when the answer has no entry. */
  archive: z.optional(z.string().check(z.regex(/^[\w.-]+\.zip$/))),
  bytes: count,
  sha256: z.optional(sha256),
  /** When the archive was last written, as its file system says. */
  modified: z.optional(z.number()),
  /** Those of the parts that it declares. */
  found: z.readonly(z.array(z.string())),
  /** How many of its entries declare none of the parts, or could not be told apart. */
  others: count,
  /** What its entries hold, as `contentOf` names it. */
  entries: z.readonly(z.array(z.string())),
  tool: z.string(),
})

/** One answer of the service, as the library remembers it. */
const answer = z.extend(requested, answered.shape)
export type Requested = Readonly<z.infer<typeof requested>>
export type Answer = Readonly<z.infer<typeof answer>>
export type Answered = Readonly<z.infer<typeof answered>>
export const answeredSchema = answered

/** An answer on disk may name its parts as `listKey` does, or by the first answer with them, instead of repeating them. */
const written = z.union([
  z.extend(z.omit(answer, { parts: true }), { as: z.string() }),
  answer,
  z.object({ end: z.literal(true), run: z.string(), at: moment, damaged: z.optional(count) }),
  z.object({ publishing: z.object({ bytes: count, sha256 }), at: moment }),
])

/** A run in which every request was answered. */
export interface RunEnd {
  readonly end: true
  readonly run: string
  readonly at: number
  /** How many records could not be read then. */
  readonly damaged?: number | undefined
}

/** The archive that a job was about to publish. */
export interface Publishing {
  readonly publishing: { readonly bytes: number; readonly sha256: string }
  readonly at: number
}

/** The records of a library. */
export interface Records {
  /** In the order in which they were recorded. */
  readonly answers: readonly Answer[]
  /** The last run, unless all its requests were answered. */
  readonly openRun: string | undefined
  readonly publishing: Publishing['publishing'] | undefined
  /** Lines that cannot be read: each costs the answer that it was. */
  readonly damagedLines: number
  /** The number of the first of them in the file, from 1. */
  readonly firstDamaged: number | undefined
  /** Those that the last complete run did not know of. */
  readonly newlyDamaged: number
  /** How often each list of parts is written, for the writer of the next records. */
  readonly lists: WrittenLists
}

/** By `listKey`: how many lines have the list, and how many name it since the last of them. */
export type WrittenLists = ReadonlyMap<string, { readonly copies: number; readonly named: number }>

/** A list is on this many lines before others name it: a damaged line costs no answer but its own. */
const COPIES = 2
/** And again after as many lines that name it. */
const NAMED_UNTIL_NEXT_COPY = 100

/** A line with a checksum, which reveals a torn or edited one. */
export function checkedLine(value: object): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

/** The value of a line; undefined when it is torn or was edited. */
export function readCheckedLine(line: string): unknown {
  const text = line.slice(9)
  return line[8] === ' ' && checksum(text) === line.slice(0, 8) ? jsonValue(text) : undefined
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** Makes lines of records. An answer names the list of its parts once that is on two lines, and each hundredth has it again. */
export class RecordWriter {
  readonly #lists: Map<string, { readonly copies: number; readonly named: number }>
  /** Answers whose lines name their lists. */
  readonly #naming = new Set<string>()

  constructor(lists: WrittenLists = new Map()) {
    this.#lists = new Map(lists)
  }

  line(record: Answer | RunEnd | Publishing): string {
    if (!('parts' in record)) return checkedLine({ v: VERSION, ...record })
    const key = listKey(record.parts)
    const { copies = 0, named = 0 } = this.#lists.get(key) ?? {}
    if (record.parts.length < 2 || copies < COPIES || named >= NAMED_UNTIL_NEXT_COPY)
      return checkedLine({ v: VERSION, ...record })
    this.#naming.add(record.id)
    const { parts: _, ...rest } = record
    return checkedLine({ v: VERSION, as: key, ...rest })
  }

  /** Call when the line of an answer is on disk. */
  wrote({ id, parts }: Answer): void {
    if (parts.length > 1) countList(this.#lists, listKey(parts), this.#naming.delete(id))
  }
}

function countList(
  lists: Map<string, { readonly copies: number; readonly named: number }>,
  key: string,
  isNamed: boolean,
): void {
  const { copies = 0, named = 0 } = lists.get(key) ?? {}
  lists.set(key, isNamed ? { copies, named: named + 1 } : { copies: copies + 1, named: 0 })
}

/** Names a list of parts. */
function listKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

/** Reads the records; a record of a newer version is a Failure (`config`). `path` names the file in messages. */
export function readRecords(text: string, path: string): Records {
  const read: (Answer | (Omit<Answer, 'parts'> & { readonly as: string }))[] = []
  // By their keys, and by the answers that have them.
  const partsOf = new Map<string, readonly string[]>()
  const lists = new Map<string, { readonly copies: number; readonly named: number }>()
  let openRun: string | undefined
  let publishing: Records['publishing']
  let damagedLines = 0
  let firstDamaged: number | undefined
  let knownDamage = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const value = readCheckedLine(line)
    refuseNewer(value, path)
    const record = value === undefined ? undefined : written.safeParse(value).data
    if (record === undefined) {
      damagedLines += 1
      firstDamaged ??= index + 1
    } else if ('end' in record) {
      openRun = undefined
      knownDamage = record.damaged ?? 0
    } else if ('publishing' in record) publishing = record.publishing
    else {
      openRun = record.run
      read.push(record)
      if ('as' in record) countList(lists, record.as, true)
      else if (record.parts.length > 1) {
        const key = listKey(record.parts)
        countList(lists, key, false)
        partsOf.set(key, record.parts).set(record.id, record.parts)
      }
    }
  }
  // A list may be on a later line only, after the earlier one was damaged.
  const answers = read.flatMap((record) => {
    if (!('as' in record)) return record
    const answer = withParts(record, partsOf.get(record.as))
    if (answer === undefined) damagedLines += 1
    return answer ?? []
  })
  const newlyDamaged = Math.max(0, damagedLines - knownDamage)
  return { answers, openRun, publishing, damagedLines, firstDamaged, newlyDamaged, lists }
}

function withParts(
  { as: _, ...record }: Omit<Answer, 'parts'> & { readonly as: string },
  parts: readonly string[] | undefined,
): Answer | undefined {
  return parts && { ...record, parts }
}

function refuseNewer(value: unknown, path: string): void {
  const version = typeof value === 'object' && value !== null && 'v' in value ? value.v : undefined
  if (typeof version !== 'number' || version <= VERSION) return
  throw new Failure('config', `${path} was written by a newer version of matdecl`, {
    file: path,
    hint: 'update matdecl, or choose another directory',
    options: ['library'],
  })
}

/** Names a search: two searches with the same key ask the service the same. */
export function searchKey(search: Search): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && !isEmptyList(value))
  return JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Names the content of an entry: its CRC-32 and its size. */
export function contentOf({ crc32, bytes }: { readonly crc32: number; readonly bytes: number }): string {
  return `${crc32.toString(16).padStart(8, '0')}-${bytes.toString(36)}`
}
