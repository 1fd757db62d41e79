import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import {
  type Answer,
  checkedLine,
  contentOf,
  RecordWriter,
  readCheckedLine,
  readRecords,
  searchKey,
} from '../../src/library/answers.ts'
import { answerOf, SEARCH } from '../support/answers.ts'
import { IS_SOAK } from '../support/soak.ts'

const AT = Date.parse('2026-03-04T05:06:07Z')
const DAY = 86_400_000
const END = { end: true, run: 'run-1', at: AT } as const

/** The lines of these records, as a library writes them one after the other. */
function linesOf(records: readonly (Answer | typeof END)[]): string[] {
  const writer = new RecordWriter()
  return records.map((record) => {
    const line = writer.line(record)
    if ('parts' in record) writer.wrote(record)
    return line
  })
}

const read = (text: string) => readRecords(text, 'answers.jsonl')

describe('a checked line', () => {
  test('is its own value', () => {
    const value = { parts: ['Ü/1', 'a b'], at: 1 }
    expect(checkedLine(value)).toMatch(/^[0-9a-f]{8} \{.*\}\n$/)
    expect(readCheckedLine(checkedLine(value).trimEnd())).toEqual(value)
  })

  test('is nothing once a character differs, is missing, or is too many', () => {
    const line = checkedLine({ id: 'one', parts: ['A'] }).trimEnd()
    for (let at = 0; at < line.length; at += 1) {
      const other = line[at] === 'x' ? 'y' : 'x'
      expect(readCheckedLine(line.slice(0, at) + other + line.slice(at + 1)), `changed at ${at}`).toBe(
        undefined,
      )
      expect(readCheckedLine(line.slice(0, at)), `torn at ${at}`).toBe(undefined)
      expect(readCheckedLine(line.slice(at + 1)), `without its start until ${at}`).toBe(undefined)
    }
    expect(readCheckedLine(`${line} `)).toBe(undefined)
    expect(readCheckedLine('')).toBe(undefined)
  })
})

describe('records', () => {
  const ANSWERS = [
    answerOf({ parts: ['A', 'B'], archive: '2026-03-04T050607Z-1.zip', found: ['A'], others: 2 }),
    answerOf({ parts: ['C', 'D'], start: '2026-03-02', date: undefined, listed: false }),
    answerOf({ parts: [], search: { ...SEARCH, supplier: '123456789', query: [['x', 'y']] } }),
  ]

  test('are read as they were written', () => {
    expect(read(linesOf(ANSWERS).join(''))).toEqual({
      answers: ANSWERS.map(({ date, ...rest }) => (date === undefined ? rest : { ...rest, date })),
      openRun: 'run-1',
      publishing: undefined,
      damagedLines: 0,
      firstDamaged: undefined,
      newlyDamaged: 0,
      lists: expect.any(Map),
    })
  })

  test('of no run are none', () => {
    expect(read('')).toMatchObject({ answers: [], openRun: undefined, damagedLines: 0 })
  })

  test('a damaged line costs itself, wherever it is', () => {
    const lines = linesOf(ANSWERS)
    for (const [at, { id }] of ANSWERS.entries()) {
      const damaged = lines.map((line, index) => (index === at ? line.replace('"v":1', '"v":7') : line))
      const { answers, damagedLines } = read(damaged.join(''))
      expect(answers.map((answer) => answer.id)).toEqual(
        ANSWERS.map((answer) => answer.id).filter((other) => other !== id),
      )
      expect(damagedLines).toBe(1)
    }
  })

  test('a torn last line costs itself, and none of those after it', () => {
    const [first, second, third] = linesOf(ANSWERS) as [string, string, string]
    for (let length = 1; length < second.length - 1; length += 1) {
      const torn = first + second.slice(0, length)
      expect(read(torn), `torn after ${length}`).toMatchObject({ answers: { length: 1 }, damagedLines: 1 })
      expect(read(`${torn}\n${third}`)).toMatchObject({ answers: { length: 2 }, damagedLines: 1 })
    }
    // Only its line break is missing.
    expect(read(first + second.trimEnd())).toMatchObject({ answers: { length: 2 }, damagedLines: 0 })
  })

  test.each(['at', 'date'])('a line whose %s is no date is a damaged one', (field) => {
    for (const value of [9e15, -9e15, 8.64e15, -1]) {
      const line = checkedLine({ v: 1, ...ANSWERS[0]!, [field]: value })
      expect(read(line).damagedLines, `${value}`).toBe(1)
    }
  })

  test('a line that is whole and is no record is a damaged one', () => {
    const { id: _, ...withoutId } = ANSWERS[0]!
    const values = [
      { v: 1, hello: 'world' },
      { v: 1, ...withoutId },
      { v: 1, ...ANSWERS[0], archive: '../../x.zip' },
      { v: 1, ...ANSWERS[0], sha256: 'no hash' },
      { v: 1, ...ANSWERS[0], bytes: -1 },
      { v: 1, ...ANSWERS[0], parts: 'A' },
    ]
    for (const value of values)
      expect(read(checkedLine(value)), JSON.stringify(value)).toMatchObject({ answers: [], damagedLines: 1 })
    expect(read('["not", "checked"]\n')).toMatchObject({ answers: [], damagedLines: 1 })
  })

  test('a newer version is refused as a whole', () => {
    const newer = checkedLine({ v: 2, whatever: true })
    for (const text of [newer, linesOf(ANSWERS).join('') + newer, newer + linesOf(ANSWERS).join('')]) {
      const error = catchFrom(() => read(text))
      expect(isFailure(error) && error.kind).toBe('config')
      expect(error).toMatchObject({
        message: 'answers.jsonl was written by a newer version of matdecl',
        exitCode: 3,
      })
    }
  })

  test('the version in a damaged line is not believed', () => {
    const line = checkedLine({ v: 1, id: 'x' }).replace('"v":1', '"v":2')
    expect(read(line)).toMatchObject({ answers: [], damagedLines: 1 })
  })

  test('the last run is open until its end is recorded', () => {
    const first = answerOf({ parts: ['A'], run: 'run-1' })
    const second = answerOf({ parts: ['A'], run: 'run-2' })
    const openRun = (...records: Parameters<typeof linesOf>[0]): string | undefined =>
      read(linesOf(records).join('')).openRun
    expect(openRun(first)).toBe('run-1')
    expect(openRun(first, END)).toBe(undefined)
    expect(openRun(first, END, second)).toBe('run-2')
    expect(openRun(first, second)).toBe('run-2')
  })

  test('damage that the last complete run knew of is not new', () => {
    const [first, second] = linesOf(ANSWERS) as [string, string]
    const end = checkedLine({ v: 1, ...END, damaged: 1 })
    expect(read(`garbage\n${first}`).newlyDamaged).toBe(1)
    expect(read(`garbage\n${first}${end}`).newlyDamaged).toBe(0)
    expect(read(`garbage\n${first}${end}garbage\n${second}`)).toMatchObject({
      damagedLines: 2,
      newlyDamaged: 1,
    })
  })

  test('the archive that a job was about to publish is remembered', () => {
    const publishing = { bytes: 10, sha256: 'cd'.repeat(32) }
    const line = new RecordWriter().line({ publishing, at: AT })
    expect(read(linesOf(ANSWERS).join('') + line)).toMatchObject({ publishing, openRun: 'run-1' })
  })
})

describe('a list of parts', () => {
  const PARTS = Array.from({ length: 300 }, (_, index) => `PART-NUMBER-${index}`)

  test('is written twice, and later answers name it', () => {
    const answers = [1, 2, 3, 4].map(() => answerOf({ parts: PARTS, start: '2026-03-02' }))
    const lines = linesOf(answers)
    for (const line of lines.slice(0, 2)) expect(line).toContain('PART-NUMBER-299')
    for (const line of lines.slice(2)) expect(line.length).toBeLessThan(500)
    expect(read(lines.join('')).answers).toEqual(answers)
  })

  test('is named by a later run too', () => {
    const answers = [1, 2, 3].map(() => answerOf({ parts: PARTS }))
    const text = linesOf(answers.slice(0, 2)).join('')
    const line = new RecordWriter(read(text).lists).line(answers[2]!)
    expect(line).toContain('"as"')
    expect(read(text + line).answers).toEqual(answers)
  })

  test('is written again on each hundredth line that would name it', () => {
    const answers = Array.from({ length: 310 }, () => answerOf({ parts: PARTS }))
    const whole = linesOf(answers).flatMap((line, index) => (line.includes('"as"') ? [] : index))
    expect(whole).toEqual([0, 1, 102, 203, 304])
  })

  test('costs no other answer when one of its lines is damaged, whichever it is', () => {
    const answers = Array.from({ length: 110 }, () => answerOf({ parts: PARTS }))
    const lines = linesOf(answers)
    // The first, the last, and those about the hundredth, which names the list again.
    const some = [0, 1, 2, 50, 98, 99, 100, 101, 108, 109]
    for (const [at, answer] of answers.entries()) {
      if (!IS_SOAK && !some.includes(at)) continue
      const damaged = lines.map((line, index) => (index === at ? line.replace('"v":1', '"v":7') : line))
      const { answers: left, damagedLines, firstDamaged } = read(damaged.join(''))
      expect(left).toEqual(answers.filter((other) => other !== answer))
      expect([damagedLines, firstDamaged]).toEqual([1, at + 1])
    }
  })

  test('is found by answers of older records, which name the first answer with it', () => {
    const [first, second] = [answerOf({ parts: PARTS }), answerOf({ parts: PARTS })]
    const { parts: _, ...rest } = second
    const text = checkedLine({ v: 1, ...first }) + checkedLine({ v: 1, as: first.id, ...rest })
    expect(read(text).answers).toEqual([first, second])
  })

  test('is another one in another order', () => {
    const [, second] = linesOf([answerOf({ parts: ['A', 'B'] }), answerOf({ parts: ['B', 'A'] })])
    expect(second).toContain('["B","A"]')
  })

  test('that is on no line any more costs the answers that name it, and is written anew', () => {
    const answers = [1, 2, 3].map(() => answerOf({ parts: PARTS }))
    const [first, second, third] = linesOf(answers) as [string, string, string]
    const damaged = `x${first}y${second}${third}`
    expect(read(damaged)).toMatchObject({ answers: [], damagedLines: 3 })
    const next = answerOf({ parts: PARTS })
    const line = new RecordWriter(read(damaged).lists).line(next)
    expect(line).not.toContain('"as"')
    // What the third answer was is known again.
    expect(read(damaged + line).answers).toEqual([answers[2], next])
  })

  test('is named only once it is on disk', () => {
    const [lost, kept] = [answerOf({ parts: PARTS }), answerOf({ parts: PARTS })] as const
    const writer = new RecordWriter()
    writer.line(lost)
    writer.line(lost)
    expect(read(writer.line(kept)).answers).toEqual([kept])
  })

  test('of one part, or none, is repeated', () => {
    for (const parts of [['A'], []]) {
      const [, second] = linesOf([answerOf({ parts }), answerOf({ parts })])
      expect(second).not.toContain('"as"')
    }
  })

  test('takes little room in a year of quiet nights', () => {
    const nights = Array.from({ length: 365 }, (_, night) =>
      answerOf({ parts: PARTS, at: AT + night * DAY, start: '2026-03-02', run: `run-${night}` }),
    )
    const text = linesOf(nights).join('')
    expect(text.length).toBeLessThan(365 * 500 + PARTS.join().length * 8)
    expect(read(text).answers.map(({ parts }) => parts.length)).toEqual(nights.map(() => 300))
  })
})

describe('a search', () => {
  test('is the same whatever the order of its properties, and what is not given', () => {
    const { baseUrl, api, format } = SEARCH
    const key = searchKey(SEARCH)
    expect(searchKey({ format, api, baseUrl })).toBe(key)
    expect(searchKey({ ...SEARCH, query: [] })).toBe(key)
    expect(searchKey({ ...SEARCH, supplier: undefined } as unknown as typeof SEARCH)).toBe(key)
  })

  test('is another one with another criterion', () => {
    const others = [
      { ...SEARCH, baseUrl: 'https://other.example.com' },
      { ...SEARCH, api: 'v1' as const },
      { ...SEARCH, format: '1752B' },
      { ...SEARCH, formatClass: 'C' as const },
      { ...SEARCH, formatClass: 'D' as const },
      { ...SEARCH, supplier: '123456789' },
      { ...SEARCH, query: [['x', '1']] as const },
      { ...SEARCH, query: [['x', '2']] as const },
    ]
    expect(new Set([SEARCH, ...others].map(searchKey)).size).toBe(others.length + 1)
  })

  test('keeps its key when it was recorded', () => {
    const search = {
      ...SEARCH,
      supplier: '123456789',
      formatClass: 'D' as const,
      query: [['x', '1']] as const,
    }
    const [answer] = read(linesOf([answerOf({ parts: [], search })]).join('')).answers
    expect(searchKey(answer!.search)).toBe(searchKey(search))
  })
})

test('the content of an entry is named by checksum and size', () => {
  expect(contentOf({ crc32: 0xab, bytes: 36 })).toBe('000000ab-10')
  expect(contentOf({ crc32: 0xab, bytes: 37 })).not.toBe(contentOf({ crc32: 0xac, bytes: 37 }))
})

function catchFrom(body: () => unknown): unknown {
  try {
    body()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
