import { describe, expect, it, test } from 'vitest'
import { NO_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { readArchive } from '../../src/archive/read-archive.ts'
import { displayWidth } from '../../src/base/clean-text.ts'
import {
  archiveListings,
  type ListedEntry,
  type ListingLook,
  listingLines,
} from '../../src/cli/archive-listing.ts'
import { createStyle } from '../../src/terminal/style.ts'
import { bufferReader } from '../support/buffer-reader.ts'
import { zip } from '../support/zip.ts'

const STYLE = createStyle(false, true)

function entry(name: string, more: Partial<ListedEntry> = {}): ListedEntry {
  const modifiedMs = Date.UTC(2026, 2, 4, 5, 6, 8)
  const facts = { bytes: 16_078, packedBytes: 2_345, crc32: 0xab }
  return { name, ...facts, modifiedMs, ...more }
}

function linesOf(entries: readonly ListedEntry[], look: Partial<ListingLook>): string[] {
  const drawn = [...listingLines(entries, { isLong: false, columns: undefined, style: STYLE, ...look })]
  return drawn.join('').trimEnd().split('\n')
}

// 36 columns, as a service names them.
const NAME = '1752A_C_100200300_EXC188R60000KA.xml'

describe('listingLines', () => {
  test('has size, date and name; long listings packed size, time and CRC-32 too', () => {
    const entries = [entry('a.xml'), entry('sub/', { bytes: 0, packedBytes: 0, modifiedMs: undefined })]
    expect(linesOf(entries, {})).toEqual([
      ' size  date (UTC)  name',
      '16078  2026-03-04  a.xml',
      '    0  -           sub/',
      '2 entries, 15.7 KiB unpacked, 2.3 KiB packed',
    ])
    expect(linesOf(entries, { isLong: true }).slice(0, 3)).toEqual([
      ' size  packed  date (UTC)  time      crc-32    name',
      '16078    2345  2026-03-04  05:06:08  000000ab  a.xml',
      '    0       0  -                     000000ab  sub/',
    ])
  })

  test.each([
    [40, false, 'name'],
    [80, false, ' size  date (UTC)  name'],
    [200, false, ' size  date (UTC)  name'],
    [40, true, 'name'],
    [54, true, ' size  name'],
    [55, true, ' size  date (UTC)  name'],
    [65, true, ' size  date (UTC)  time      name'],
    [80, true, ' size  packed  date (UTC)  time      name'],
    [83, true, ' size  packed  date (UTC)  time      crc-32    name'],
    [200, true, ' size  packed  date (UTC)  time      crc-32    name'],
  ])('on %i columns (long: %s) the heading is "%s", and every name is whole', (columns, isLong, heading) => {
    const lines = linesOf([entry(NAME), entry('b.xml')], { columns, isLong })
    expect(lines[0]).toBe(heading)
    expect(lines[1]!.endsWith(NAME)).toBe(true)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
  })

  test.each([40, 80, 200])('no line wraps on %i columns with any names', (columns) => {
    const names = ['日本'.repeat(60), '\u202e'.repeat(30), 'ä'.repeat(columns), 'x'.repeat(columns + 1), 'a']
    for (const isLong of [false, true]) {
      for (const name of names) {
        const lines = linesOf([entry(name), entry('b.xml')], { columns, isLong })
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
        expect(lines.some((line) => line.includes('b.xml'))).toBe(true)
      }
      const [, long] = linesOf([entry('x'.repeat(columns + 1))], { columns, isLong })
      expect(long).toBe(`${'x'.repeat(columns - 1)}…`)
      expect(linesOf([entry('x'.repeat(columns))], { columns, isLong })[1]).toBe('x'.repeat(columns))
    }
  })

  it('cuts nothing where there is no terminal', () => {
    const name = 'x'.repeat(5_000)
    expect(linesOf([entry(name)], { isLong: true })[1]).toBe(
      `16078    2345  2026-03-04  05:06:08  000000ab  ${name}`,
    )
  })

  it('draws thousands of lines with long, plain and escaped names', async () => {
    const made = Array.from({ length: 3_000 }, (_, index) => ({
      name:
        index % 3 === 0 ? `\u202e${'ä'.repeat(index % 120)}-${index}` : `${'x'.repeat(index % 200)}-${index}`,
      data: 'x'.repeat(index),
      dosTime: index % 5 === 0 ? 0 : 0x5a_21_0000 + index * 32,
      method: 0,
    }))
    const { entries } = await readArchive(bufferReader(zip(made)), NO_ARCHIVE_LIMITS)
    const lines = linesOf(entries, { isLong: true })
    expect(lines.length).toBe(3_002)
    expect(lines[1]).toMatch(/^ +0 +0 {2}- +00000000 {2}\\u202e-0$/)
    expect(lines[2]).toMatch(/^ +1 +1 {2}2025-01-01 {2}00:01:00 {2}[0-9a-f]{8} {2}x-1$/)
    expect(lines.join('')).not.toContain('\u202e')
  })
})

describe('archiveListings', () => {
  it('names each archive where there are several, within the width', () => {
    const archives = [
      { path: 'a\u001b.zip', entries: [entry('a.xml')] },
      { path: `${'b'.repeat(50)}.zip`, entries: [] },
    ]
    const look = { isLong: false, columns: 40, style: STYLE }
    const text = [...archiveListings(archives, look)].join('')
    expect(text).toMatch(/^a\\u001b\.zip\n size .*\n.*a\.xml\n1 entry.*\n\nb{39}…\n/)
    expect([...archiveListings(archives.slice(0, 1), look)].join('')).toMatch(/^ size/)
  })
})
