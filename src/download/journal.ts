import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import type { PartRange } from './plan.ts'

const count = z.int().check(z.nonnegative())
const range = { from: count, to: count }

// `serverDateMs` is the response's own date.
const response = {
  ...range,
  status: z.int(),
  attempts: count,
  seconds: z.number(),
  serverDateMs: z.optional(z.number()),
}
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/))

/** One line of a job's journal. */
const journalRecord = z.discriminatedUnion('event', [
  z.object({ event: z.literal('began'), identity: z.string(), at: z.string(), tool: z.string() }),
  z.object({ event: z.literal('sent'), ...range, at: z.string() }),
  z.object({ event: z.literal('verified'), ...response, file: z.string(), bytes: count, sha256 }),
  z.object({ event: z.literal('empty'), ...response }),
  z.object({ event: z.literal('halved'), ...range }),
  z.object({ event: z.literal('failed'), ...range, kind: z.string(), attempts: count }),
  z.object({ event: z.literal('publishing'), bytes: count, sha256 }),
])

// Every line names its job, so that a line of another one is noticed.
const journalEntry = z.intersection(z.object({ job: z.string() }), journalRecord)

export type JournalRecord = z.infer<typeof journalRecord>
type RecordOf<E extends JournalRecord['event']> = Omit<Extract<JournalRecord, { event: E }>, 'event'>

/** A verified archive in the job folder. */
export type Piece = Readonly<RecordOf<'verified'>>
export type EmptyResponse = Readonly<RecordOf<'empty'>>

/** The state of a job by its journal. */
export interface JobState {
  readonly pieces: readonly Piece[]
  readonly empty: readonly EmptyResponse[]
  /** Ranges that were too large for the service and were sent as two halves. */
  readonly halved: readonly PartRange[]
  /** Requests that were sent but have no response: they may have cost allowance. */
  readonly unanswered: readonly PartRange[]
  /** The archive that was about to take its final name. */
  readonly publishing: { readonly bytes: number; readonly sha256: string } | undefined
  /** Lines that could not be read: torn, edited, or of another job. */
  readonly damagedLines: number
}

/** A record as a line: a checksum, which reveals a torn or edited line, and JSON with the job and the record. */
export function journalLine(identity: string, record: JournalRecord): string {
  const text = JSON.stringify({ job: identity.slice(0, 16), ...record })
  return `${checksum(text)} ${text}\n`
}

/** The identity of the job, from the start of its journal; undefined when it cannot be read. */
export function journalIdentity(head: string): string | undefined {
  for (const line of head.split('\n')) {
    const record = readLine(line)
    if (record?.event === 'began') return record.identity
  }
  return undefined
}

/** Replays a journal into the state of the job with this identity. Damaged lines are skipped and counted. */
export function readJournal(text: string, identity: string): JobState {
  const pieces = new Map<string, Piece>()
  const empty = new Map<string, EmptyResponse>()
  const halved = new Map<string, PartRange>()
  const sent = new Map<string, PartRange>()
  let publishing: JobState['publishing']
  let damagedLines = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const record = readLine(line, identity)
    if (record === undefined) {
      damagedLines += 1
      continue
    }
    const key = 'from' in record ? rangeKey(record) : ''
    if (record.event === 'sent') sent.set(key, { from: record.from, to: record.to })
    else sent.delete(key)
    if (record.event === 'verified') pieces.set(key, record)
    if (record.event === 'empty') empty.set(key, record)
    if (record.event === 'halved') halved.set(key, { from: record.from, to: record.to })
    if (record.event === 'publishing') publishing = { bytes: record.bytes, sha256: record.sha256 }
  }
  return {
    pieces: [...pieces.values()],
    empty: [...empty.values()],
    halved: [...halved.values()],
    unanswered: [...sent.values()],
    publishing,
    damagedLines,
  }
}

/**
 * What is still to be sent: the planned ranges, halved as they were before, without what has an response. The plan may be packed
 * differently from the one that was started.
 */
export function remainingRanges(
  planned: Iterable<PartRange>,
  answered: readonly PartRange[],
  halved: readonly PartRange[],
): readonly PartRange[] {
  const done = [...answered].sort((a, b) => a.from - b.from)
  const isHalved = new Set(halved.map(rangeKey))
  const hasAll = new Set(done.filter(({ from, to }) => from === to).map(rangeKey))
  const remaining: PartRange[] = []
  let next = 0
  for (const range of planned) {
    // A request without parts has an empty range.
    if (range.from === range.to) {
      if (!hasAll.has(rangeKey(range))) remaining.push(range)
      continue
    }
    for (const piece of halve(range, isHalved)) {
      let from = piece.from
      while (next < done.length && done[next]!.to <= from) next += 1
      for (let at = next; at < done.length && done[at]!.from < piece.to; at += 1) {
        if (done[at]!.from > from) remaining.push({ from, to: done[at]!.from })
        from = Math.max(from, done[at]!.to)
      }
      if (from < piece.to) remaining.push({ from, to: piece.to })
    }
  }
  return remaining
}

/** The two halves of a range; the first is the larger when they differ. */
export function halves({ from, to }: PartRange): readonly [PartRange, PartRange] {
  const middle = from + Math.ceil((to - from) / 2)
  return [
    { from, to: middle },
    { from: middle, to },
  ]
}

function halve(range: PartRange, isHalved: ReadonlySet<string>): readonly PartRange[] {
  if (range.to - range.from < 2 || !isHalved.has(rangeKey(range))) return [range]
  return halves(range).flatMap((half) => halve(half, isHalved))
}

function rangeKey({ from, to }: PartRange): string {
  return `${from}-${to}`
}

function readLine(line: string, identity?: string): z.infer<typeof journalEntry> | undefined {
  const text = line.slice(9)
  if (line[8] !== ' ' || checksum(text) !== line.slice(0, 8)) return undefined
  const record = journalEntry.safeParse(parseJson(text)).data
  return identity === undefined || record?.job === identity.slice(0, 16) ? record : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
