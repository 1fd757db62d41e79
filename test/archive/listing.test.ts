import { describe, expect, it } from 'vitest'
import { NO_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { allEntries } from '../../src/archive/entry-table.ts'
import { listingOf } from '../../src/archive/listing.ts'
import { readArchive } from '../../src/archive/read-archive.ts'
import { listingLines, listingTable } from '../../src/cli/archive-listing.ts'
import { bufferReader } from '../support/buffer-reader.ts'
import { zip } from '../support/zip.ts'
import { GOOD_SPECIMENS } from '../support/zip-good.ts'

const STYLE = { strong: String, faint: String } as unknown as Parameters<typeof listingTable>[1]

async function both(bytes: Buffer): Promise<readonly [string, string]> {
  const { table } = await readArchive(bufferReader(bytes), NO_ARCHIVE_LIMITS)
  return [
    Array.from(listingTable(listingOf(table), STYLE), String).join(''),
    [...listingLines(allEntries(table), STYLE)].join(''),
  ]
}

describe('listingOf', () => {
  it.each(GOOD_SPECIMENS)('draws $file as its entries would be drawn', async ({ bytes }) => {
    const [drawn, expected] = await both(bytes())
    expect(drawn).toBe(expected)
  })

  it('draws thousands of lines with long, plain and escaped names', async () => {
    const entries = Array.from({ length: 3_000 }, (_, index) => ({
      name:
        index % 3 === 0 ? `\u202e${'ä'.repeat(index % 120)}-${index}` : `${'x'.repeat(index % 200)}-${index}`,
      data: 'x'.repeat(index),
      dosTime: index % 5 === 0 ? 0 : 0x5a_21_0000 + index * 32,
      method: 0,
    }))
    const [drawn, expected] = await both(zip(entries))
    expect(drawn.split('\n').length).toBe(3_003)
    expect(drawn).toBe(expected)
    expect(drawn).not.toContain('\u202e')
  })
})
