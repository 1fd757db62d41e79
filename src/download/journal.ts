import { crc32 } from 'node:zlib'
import type { PartRange } from './plan.ts'

/** What is kept of an answer. */
export interface AnswerFacts {
  readonly status: number
  readonly attempts: number
  readonly seconds: number
  /** The server's own date of the answer. */
  readonly serverDateMs?: number | undefined
}

/** A verified archive in the job folder. */
export interface PieceFacts extends AnswerFacts {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

/** One line of a job's journal. */
export type JournalRecord =
  | { readonly event: 'began'; readonly identity: string; readonly at: string; readonly tool: string }
  | ({ readonly event: 'sent'; readonly at: string } & PartRange)
  | ({ readonly event: 'verified' } & PartRange & PieceFacts)
  | ({ readonly event: 'empty' } & PartRange & AnswerFacts)
  | ({ readonly event: 'halved' } & PartRange)
  | ({ readonly event: 'failed' } & PartRange & { readonly kind: string; readonly attempts: number })
  | { readonly event: 'publishing'; readonly bytes: number; readonly sha256: string }

export interface Piece extends PartRange, PieceFacts {}
export interface EmptyAnswer extends PartRange, AnswerFacts {}

/** What a journal says of a job. */
export interface JobState {
  readonly pieces: readonly Piece[]
  readonly empty: readonly EmptyAnswer[]
  /** Ranges that were too large for the service and were asked for in two halves. */
  readonly halved: readonly PartRange[]
  /** Requests that went out and whose answer never came: they may have cost allowance. */
  readonly unanswered: readonly PartRange[]
  /** The archive that was about to take the final name. */
  readonly publishing: { readonly bytes: number; readonly sha256: string } | undefined
  /** Lines that could not be read: torn, edited, or of another job. */
  readonly damagedLines: number
}

/** A record as its line: a checksum, so that a torn or edited line is known, the job it belongs to, and the record. */
export function journalLine(identity: string, record: JournalRecord): string {
  const text = JSON.stringify({ job: identity.slice(0, 16), ...record })
  return `${checksum(text)} ${text}\n`
}

/** The identity of the job whose journal begins like this; undefined when that can not be read. */
export function journalIdentity(head: string): string | undefined {
  for (const line of head.split('\n')) {
    const record = readLine(line)
    if (record?.event === 'began' && typeof record.identity === 'string') return record.identity
  }
  return undefined
}

/** Folds a journal into the state of the job with this identity. Lines that can not be trusted count as not written. */
export function readJournal(text: string, identity: string): JobState {
  const pieces = new Map<string, Piece>()
  const empty = new Map<string, EmptyAnswer>()
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
 * What is still to be sent: the planned ranges, halved as they were before, without what has an answer. Works for a plan
 * packed differently than the one that was begun.
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
    // A request without parts has no extent: it is answered or it is not.
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

function readLine(line: string, identity?: string): JournalRecord | undefined {
  const text = line.slice(9)
  if (line[8] !== ' ' || checksum(text) !== line.slice(0, 8)) return undefined
  try {
    const record = JSON.parse(text) as JournalRecord & { readonly job: string }
    return identity === undefined || record.job === identity.slice(0, 16) ? record : undefined
  } catch {
    return undefined
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
