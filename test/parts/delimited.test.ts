import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { guessDelimiter, readRecord } from '../../src/parts/delimited.ts'

function readAll(text: string, delimiter = ','): string[][] {
  const rows: string[][] = []
  for (let at = 0; at < text.length; ) {
    const record = readRecord(text, at, delimiter)
    expect(record.isWhole).toBe(true)
    rows.push([...record.cells])
    at = record.next
  }
  return rows
}

describe('records of a delimited text', () => {
  test.each([
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a,b",c', [['a,b', 'c']]],
    ['"a ""b""",c', [['a "b"', 'c']]],
    ['"a\nb",c\nd', [['a\nb', 'c'], ['d']]],
    [' "a" ,b', [['a', 'b']]],
    ['5" pipe,b', [['5" pipe', 'b']]],
    [',,\n', [['', '', '']]],
    ['""', [['']]],
  ])('%j', (text, rows) => expect(readAll(text)).toEqual(rows))

  test('counts the lines a record takes', () => {
    expect(readRecord('"a\nb\nc",d\ne', 0, ',')).toMatchObject({ lines: 3, next: 10 })
  })

  test('an open quote leaves the record unfinished', () => {
    expect(readRecord('a,"b\nc', 0, ',').isWhole).toBe(false)
  })

  test('text after a closing quote is malformed', () => {
    expect(readRecord('"a"b,c', 0, ',').isMalformed).toBe(true)
  })

  test('reads ten thousand random tables as csv-parse does', () => {
    const random = seeded(7)
    const pieces = ['a', 'b1', ' x', '""', ',', ';', '\n', ' ', 'ü', '-']
    for (let round = 0; round < 10_000; round += 1) {
      const rows = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
          const content = Array.from({ length: Math.floor(random() * 4) }, () => pick(pieces, random)).join(
            '',
          )
          return /[",\n]/.test(content) || content.startsWith(' ') || random() < 0.2
            ? `"${content}"`
            : content
        }).join(','),
      )
      const text = `${rows.join('\n')}\n`
      expect(readAll(text), text).toEqual(parse(text, { relaxColumnCount: true, skipEmptyLines: false }))
    }
  })
})

test.each([
  ['Part,Qty', ','],
  ['Part;Qty;Name, long', ';'],
  ['Part\tQty', '\t'],
  ['Part|Qty', '|'],
  ['"a;b;c",d', ','],
  ['Part', ','],
])('the delimiter of %j is %j', (line, delimiter) => expect(guessDelimiter(line)).toBe(delimiter))

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
