import { describe, expect, it } from 'vitest'
import { columnLetters, rowHeight, tableSheet } from '../../../src/report/xlsx/sheet.ts'

const LINE_HEIGHT = 13.5

const linesOf = (text: string, width: number, bold = false): number =>
  rowHeight([{ text, width, bold }]) / LINE_HEIGHT

describe('the height of a row', () => {
  it.each([
    ['nothing', '', 10, 1],
    ['text that fits', 'requested, not declared', 38, 1],
    ['words that break', 'RoHS: 10 categories, none over; no SVHC above 0.1 %', 38, 2],
    ['part numbers, whose capitals are wide', 'EXC188R60000KA, EXC188R60001KA, EXC188R60002KA', 46, 2],
    ['a word that moves to the next line', 'a supercalifragilistic a', 22, 3],
    ['a number that breaks after hyphens', 'VERY-LONG-PART-NUMBER-THAT-NOBODY-EVER-DECLARED', 17, 4],
    ['a word that is longer than a line', 'x'.repeat(40), 10, 5],
    ['characters twice as wide', '\u96fb'.repeat(10), 11, 2],
  ])('has room for %s', (_, text, width, lines) => {
    expect(linesOf(text, width)).toBe(lines)
  })

  it('has more room for bold text, and ends where a row of a sheet does', () => {
    expect(linesOf('stale:24m; incomplete', 22)).toBe(1)
    expect(linesOf('stale:24m; incomplete', 22, true)).toBe(2)
    expect(rowHeight([{ text: 'x'.repeat(32_000), width: 10 }])).toBe(409)
  })

  it('is that of the longest text', () => {
    const texts = ['a', 'two texts'].map((text) => ({ text, width: 6 }))
    expect(rowHeight(texts)).toBe(2 * LINE_HEIGHT)
  })
})

it.each([
  [1, 'A'],
  [26, 'Z'],
  [27, 'AA'],
  [52, 'AZ'],
  [53, 'BA'],
  [702, 'ZZ'],
  [703, 'AAA'],
])('column %i is %s', (count, letters) => expect(columnLetters(count)).toBe(letters))

describe('a row of a table', () => {
  const column = (name: string, more = {}) =>
    ({ name, title: name, help: name, type: 'text', width: 10, ...more }) as const
  const heightWith = async (columns: Parameters<typeof tableSheet>[0]['columns'], opened: string[]) => {
    const rows = () => [[{ shown: 'short', other: 'several words that need lines' }]]
    const sheet = tableSheet({ name: 'Parts', columns, count: 1, rows, opened: new Set(opened) })
    let xml = ''
    for await (const text of sheet.rows()) xml += text
    return Number(/<row r="2" ht="([\d.]+)"/.exec(xml)![1]) / LINE_HEIGHT
  }

  it('is as high as the texts of its shown columns need', async () => {
    expect(await heightWith([column('shown'), column('other')], [])).toBe(4)
    const columns = [column('shown'), column('other', { isDetail: true })]
    expect(await heightWith(columns, [])).toBe(1)
    expect(await heightWith(columns, ['other'])).toBe(4)
  })
})
