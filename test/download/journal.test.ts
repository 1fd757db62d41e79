import { describe, expect, test } from 'vitest'
import {
  type JournalRecord,
  journalIdentity,
  journalLine,
  readJournal,
  requestId,
} from '../../src/download/journal.ts'

const ID = 'ab'.repeat(32)
const AT = '2026-03-04T05:06:07.000Z'
const ANSWER = { status: 200, attempts: 1, seconds: 0.5, serverDateMs: 1_772_600_000_000 }
const ARCHIVE = { parts: ['A', 'B'], ...ANSWER, file: '0-5-00000000.zip', bytes: 10, sha256: 'cd'.repeat(32) }

const SENT = { event: 'sent', at: AT } as const
const FAILED = {
  event: 'failed',
  request: requestId({ parts: ['D'] }),
  kind: 'unavailable',
  attempts: 6,
} as const

const LINES: readonly JournalRecord[] = [
  { event: 'began', identity: 'cd'.repeat(32), search: ID, at: AT, tool: '1.0.0' },
  { ...SENT, request: requestId(ARCHIVE) },
  { event: 'verified', ...ARCHIVE },
  { ...SENT, request: requestId({ parts: ['C', 'D'] }) },
  { event: 'failed', request: requestId({ parts: ['C', 'D'] }), kind: 'rejected', attempts: 1 },
  { ...SENT, request: requestId({ parts: ['C'], startDate: '2026-01-02' }) },
  { event: 'empty', parts: ['C'], startDate: '2026-01-02', ...ANSWER, status: 204 },
  { ...SENT, request: requestId({ parts: ['D'] }) },
]
const TEXT = LINES.map((record) => journalLine(ID, record)).join('')

describe('a journal', () => {
  test('is replayed into completed and unanswered requests', () => {
    const state = readJournal(TEXT, ID)
    expect(state.archives).toMatchObject([ARCHIVE])
    expect(state.empty).toMatchObject([{ parts: ['C'], startDate: '2026-01-02', status: 204 }])
    expect(state.withoutResponse.map(({ id }) => id)).toEqual([requestId({ parts: ['D'] })])
    expect(state.damagedLines).toBe(0)
    expect(journalIdentity(TEXT)).toEqual({ identity: 'cd'.repeat(32), search: ID })
  })

  test('a failed request is not one without a response', () => {
    const text = TEXT + journalLine(ID, FAILED)
    expect(readJournal(text, ID).withoutResponse).toEqual([])
  })

  test('cut at any byte, it never claims more than was written', () => {
    for (let end = 0; end < TEXT.length; end += 1) {
      const state = readJournal(TEXT.slice(0, end), ID)
      expect(state.archives.length).toBeLessThanOrEqual(1)
      for (const archive of state.archives) expect(archive).toMatchObject(ARCHIVE)
    }
  })

  test('with any byte changed, never claims more than was done', () => {
    const truth = readJournal(TEXT, ID)
    for (let at = 0; at < TEXT.length; at += 1) {
      const edited = `${TEXT.slice(0, at)}${TEXT[at] === '5' ? '6' : '5'}${TEXT.slice(at + 1)}`
      const state = readJournal(edited, ID)
      for (const archive of state.archives) expect(truth.archives).toContainEqual(archive)
      for (const answer of state.empty) expect(truth.empty).toContainEqual(answer)
    }
  })

  test('a line of the wrong shape counts as damaged, even with a valid checksum', () => {
    const wrong = [
      { event: 'verified', parts: ['A'] },
      { event: 'empty', parts: 'A', ...ANSWER },
      { event: 'renamed', parts: [] },
      { event: 'publishing', bytes: 10, sha256: '../..' },
    ] as unknown as JournalRecord[]
    const state = readJournal(wrong.map((record) => journalLine(ID, record)).join(''), ID)
    expect(state).toMatchObject({ archives: [], empty: [], publishing: undefined, damagedLines: 4 })
  })

  test('lines of another job, garbage and a torn end count as not written', () => {
    // Jobs that differ in the first or the last digit of their marks.
    const others = ['ff'.repeat(32), `e${ID.slice(1)}`, `${ID.slice(0, 15)}e${ID.slice(16)}`]
    const line = (id: string): string => journalLine(id, { event: 'verified', ...ARCHIVE, parts: ['Z'] })
    expect(others.every((id) => readJournal(TEXT + line(id), ID).damagedLines === 1)).toBe(true)
    const state = readJournal(`${TEXT}${line(others[0]!)}garbage\n\u0000\u0001\n0123`, ID)
    expect(state.archives).toHaveLength(1)
    expect(state.damagedLines).toBe(4)
  })
})
