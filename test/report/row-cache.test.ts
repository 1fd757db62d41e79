import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ArchiveFile, type FileFacts, openArchiveFile } from '../../src/archive/archive-file.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import {
  entryPieces,
  type ReadingOptions,
  readEntryPieces,
  readingKey,
  rowCacheKey,
} from '../../src/report/row-cache.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const OPTIONS: ReadingOptions = { limits: DEFAULT_ARCHIVE_LIMITS, substances: false, screening: '' }

async function withArchive(bytes: Buffer, body: (file: ArchiveFile) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'a.zip'), bytes)
    await using file = openArchiveFile(testWorld(), join(folder, 'a.zip'))
    await body(file)
  })
}

const keyOf = (file: ArchiveFile, options: ReadingOptions, version?: string): string | undefined =>
  rowCacheKey(file, options.limits, readingKey(options, version))

const ARCHIVE = zip([{ name: 'a.xml', data: '<a/>' }])

describe('the key of an archive', () => {
  test('is a SHA-256, the same every time', () =>
    withArchive(ARCHIVE, async (file) => {
      const key = keyOf(file, OPTIONS)
      expect(key).toMatch(/^[0-9a-f]{64}$/)
      expect(keyOf(file, { ...OPTIONS })).toBe(key)
    }))

  test('differs after a change of anything that it depends on', () =>
    withArchive(ARCHIVE, async (file) => {
      const changed = (facts: Partial<FileFacts>): ArchiveFile => ({
        ...file,
        facts: { ...file.facts, ...facts },
      })
      const { size, ino, mtimeNs, ctimeNs } = file.facts
      const limits = (some: object): ReadingOptions => ({
        ...OPTIONS,
        limits: { ...OPTIONS.limits, ...some },
      })
      const keys = [
        keyOf(file, OPTIONS),
        keyOf(changed({ size: size + 1n }), OPTIONS),
        keyOf(changed({ ino: ino + 1n }), OPTIONS),
        keyOf(changed({ mtimeNs: mtimeNs + 1n }), OPTIONS),
        keyOf(changed({ ctimeNs: ctimeNs + 1n }), OPTIONS),
        keyOf(file, { ...OPTIONS, substances: true }),
        keyOf(file, { ...OPTIONS, screening: 'tables' }),
        keyOf(file, limits({ maxEntries: 5 })),
        keyOf(file, limits({ maxBytes: 5 })),
        keyOf(file, limits({ maxRatio: 5 })),
        keyOf(file, OPTIONS, '99.0.0'),
      ]
      expect(new Set(keys).size).toBe(keys.length)
    }))

  test('differs for another directory, even with the same file facts', () =>
    withArchive(ARCHIVE, async (file) => {
      const key = keyOf(file, OPTIONS)
      await withArchive(zip([{ name: 'b.xml', data: '<a/>' }]), async (other) => {
        expect(other.size).toBe(file.size)
        expect(keyOf({ ...other, facts: file.facts }, OPTIONS)).not.toBe(key)
      })
    }))

  test('covers a directory that is read in pieces to its last byte', () => {
    const entries = Array.from({ length: 20_000 }, (_, n) => ({
      name: `${String(n).padStart(60, '0')}.xml`,
      data: '',
    }))
    const last = [...entries.slice(0, -1), { ...entries.at(-1)!, name: `${'9'.repeat(60)}.xml` }]
    return withArchive(zip(entries), async (file) => {
      const key = keyOf(file, OPTIONS)
      await withArchive(zip(last), async (other) => {
        expect(keyOf({ ...other, facts: file.facts }, OPTIONS)).not.toBe(key)
      })
    })
  })

  test.each([
    ['no ZIP archive', Buffer.from('text')],
    ['a truncated archive', ARCHIVE.subarray(0, -1)],
  ])('of %s is undefined', (_, bytes) =>
    withArchive(bytes, async (file) => {
      expect(keyOf(file, OPTIONS)).toBeUndefined()
    }),
  )

  test('of an archive with more entries than allowed is undefined', () =>
    withArchive(
      zip([
        { name: 'a.xml', data: '' },
        { name: 'b.xml', data: '' },
      ]),
      async (file) => {
        const limits = { ...DEFAULT_ARCHIVE_LIMITS, maxEntries: 1 }
        expect(keyOf(file, { limits, substances: false, screening: '' })).toBeUndefined()
      },
    ))
})

describe('an entry', () => {
  const PIECES = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(70_000, 7)]
  const BYTES = Buffer.concat(entryPieces('key', PIECES))

  test.each([
    ['pieces', PIECES],
    ['nothing', []],
  ])('has its %s', (_, pieces) => {
    expect(readEntryPieces('key', Buffer.concat(entryPieces('key', pieces)))).toEqual(pieces)
  })

  test('is not read under another key', () => {
    expect(readEntryPieces('other', BYTES)).toBeUndefined()
  })

  test('is not read when it is truncated anywhere, or has more bytes', () => {
    for (const length of [0, 1, 31, 32, 33, 36, 40, BYTES.length - 1]) {
      expect(readEntryPieces('key', BYTES.subarray(0, length)), String(length)).toBeUndefined()
    }
    expect(readEntryPieces('key', Buffer.concat([BYTES, Buffer.alloc(1)]))).toBeUndefined()
  })

  test('is not read when any byte is another', () => {
    for (const at of [0, 31, 32, 35, 36, 50, BYTES.length - 1]) {
      const damaged = Buffer.from(BYTES)
      damaged[at]! ^= 1
      expect(readEntryPieces('key', damaged), String(at)).toBeUndefined()
    }
  })
})
