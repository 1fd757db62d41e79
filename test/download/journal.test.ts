import { describe, expect, test } from 'vitest'
import {
  halves,
  type JournalRecord,
  journalIdentity,
  journalLine,
  readJournal,
  remainingRanges,
} from '../../src/download/journal.ts'

const ID = 'ab'.repeat(32)
const AT = '2026-03-04T05:06:07.000Z'
const ANSWER = { status: 200, attempts: 1, seconds: 0.5, serverDateMs: 1_772_600_000_000 }
const PIECE = { ...ANSWER, file: '0-5-00000000.zip', bytes: 10, sha256: 'cd'.repeat(32) }

const LINES: readonly JournalRecord[] = [
  { event: 'began', identity: ID, at: AT, tool: '1.0.0' },
  { event: 'sent', from: 0, to: 5, at: AT },
  { event: 'verified', from: 0, to: 5, ...PIECE },
  { event: 'sent', from: 5, to: 9, at: AT },
  { event: 'halved', from: 5, to: 9 },
  { event: 'sent', from: 5, to: 7, at: AT },
  { event: 'empty', from: 5, to: 7, ...ANSWER, status: 204 },
  { event: 'sent', from: 7, to: 9, at: AT },
]
const TEXT = LINES.map((record) => journalLine(ID, record)).join('')

describe('a journal', () => {
  test('is replayed into completed, halved and unanswered requests', () => {
    const state = readJournal(TEXT, ID)
    expect(state.pieces).toMatchObject([{ from: 0, to: 5, ...PIECE }])
    expect(state.empty).toMatchObject([{ from: 5, to: 7, status: 204 }])
    expect(state.halved).toEqual([{ from: 5, to: 9 }])
    expect(state.unanswered).toEqual([{ from: 7, to: 9 }])
    expect(state.damagedLines).toBe(0)
    expect(journalIdentity(TEXT)).toBe(ID)
  })

  test('a failed request is not unanswered', () => {
    const text = TEXT + journalLine(ID, { event: 'failed', from: 7, to: 9, kind: 'unavailable', attempts: 6 })
    expect(readJournal(text, ID).unanswered).toEqual([])
  })

  test('cut at any byte, it never claims more than was written', () => {
    for (let end = 0; end < TEXT.length; end += 1) {
      const state = readJournal(TEXT.slice(0, end), ID)
      expect(state.pieces.length).toBeLessThanOrEqual(1)
      for (const piece of state.pieces) expect(piece).toMatchObject(PIECE)
    }
  })

  test('with any byte changed, never claims more than was done', () => {
    const truth = readJournal(TEXT, ID)
    for (let at = 0; at < TEXT.length; at += 1) {
      const edited = `${TEXT.slice(0, at)}${TEXT[at] === '5' ? '6' : '5'}${TEXT.slice(at + 1)}`
      const state = readJournal(edited, ID)
      for (const piece of state.pieces) expect(truth.pieces).toContainEqual(piece)
      for (const answer of state.empty) expect(truth.empty).toContainEqual(answer)
    }
  })

  test('a line of the wrong shape counts as damaged, even with a valid checksum', () => {
    const wrong = [
      { event: 'verified', from: 0, to: 5 },
      { event: 'empty', from: -1, to: 5, ...ANSWER },
      { event: 'renamed', from: 0, to: 5 },
      { event: 'publishing', bytes: 10, sha256: '../..' },
    ] as unknown as JournalRecord[]
    const state = readJournal(wrong.map((record) => journalLine(ID, record)).join(''), ID)
    expect(state).toMatchObject({ pieces: [], empty: [], publishing: undefined, damagedLines: 4 })
  })

  test('lines of another job, garbage and a torn end count as not written', () => {
    const foreign = journalLine('ff'.repeat(32), { event: 'verified', from: 5, to: 9, ...PIECE })
    const state = readJournal(`${TEXT}${foreign}garbage\n\u0000\u0001\n0123`, ID)
    expect(state.pieces).toHaveLength(1)
    expect(state.damagedLines).toBe(4)
  })
})

describe('what is still to be sent', () => {
  const planned = [
    { from: 0, to: 5 },
    { from: 5, to: 10 },
    { from: 10, to: 12 },
  ]

  test('is everything at first and nothing at the end', () => {
    expect(remainingRanges(planned, [], [])).toEqual(planned)
    expect(remainingRanges(planned, planned, [])).toEqual([])
  })

  test('leaves out completed ranges in any order', () => {
    expect(remainingRanges(planned, [planned[2]!, planned[0]!], [])).toEqual([planned[1]])
  })

  test('asks in halves for what was halved before, down to the halves of halves', () => {
    const [left, right] = halves(planned[1]!)
    expect([left, right]).toEqual([
      { from: 5, to: 8 },
      { from: 8, to: 10 },
    ])
    expect(remainingRanges([planned[1]!], [left], [planned[1]!])).toEqual([right])
    expect(remainingRanges([planned[1]!], [], [planned[1]!, left])).toEqual([
      { from: 5, to: 7 },
      { from: 7, to: 8 },
      { from: 8, to: 10 },
    ])
  })

  test('holds for a plan that is packed otherwise than the one begun', () => {
    const answered = [
      { from: 0, to: 3 },
      { from: 6, to: 9 },
    ]
    expect(remainingRanges([{ from: 0, to: 12 }], answered, [])).toEqual([
      { from: 3, to: 6 },
      { from: 9, to: 12 },
    ])
    expect(remainingRanges(planned, [{ from: 0, to: 11 }], [])).toEqual([{ from: 11, to: 12 }])
  })

  test('a request without parts is sent once', () => {
    const all = [{ from: 0, to: 0 }]
    expect(remainingRanges(all, [], [])).toEqual(all)
    expect(remainingRanges(all, all, [])).toEqual([])
  })
})
