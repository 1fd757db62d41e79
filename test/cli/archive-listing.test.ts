import { describe, expect, it } from 'vitest'
import { NO_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { readArchive } from '../../src/archive/read-archive.ts'
import { listingLines } from '../../src/cli/archive-listing.ts'
import { bufferReader } from '../support/buffer-reader.ts'
import { zip } from '../support/zip.ts'

const STYLE = { strong: String, faint: String } as unknown as Parameters<typeof listingLines>[1]

describe('listingLines', () => {
  it('draws thousands of lines with long, plain and escaped names', async () => {
    const made = Array.from({ length: 3_000 }, (_, index) => ({
      name:
        index % 3 === 0 ? `\u202e${'ä'.repeat(index % 120)}-${index}` : `${'x'.repeat(index % 200)}-${index}`,
      data: 'x'.repeat(index),
      dosTime: index % 5 === 0 ? 0 : 0x5a_21_0000 + index * 32,
      method: 0,
    }))
    const { entries } = await readArchive(bufferReader(zip(made)), NO_ARCHIVE_LIMITS)
    const drawn = [...listingLines(entries, STYLE)].join('')
    const lines = drawn.split('\n')
    expect(lines.length).toBe(3_003)
    expect(lines[1]).toMatch(/^ +0 +0 {2}- +00000000 {2}\\u202e-0$/)
    expect(lines[2]).toMatch(/^ +1 +1 {2}2025-01-01 00:01:00 {2}[0-9a-f]{8} {2}x-1$/)
    expect(drawn).not.toContain('\u202e')
  })
})
