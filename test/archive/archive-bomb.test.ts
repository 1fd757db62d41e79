import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { listArchive } from '../../src/archive/read-archive.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import type { SyncDisk } from '../../src/base/world.ts'
import { soakTest } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { type ZipEntry, zip } from '../support/zip.ts'

const MIB = 1024 ** 2
const REST = { include: [], exclude: [], flat: false, overwrite: false, reporter: SILENT }
const GENEROUS: ArchiveLimits = { ...DEFAULT_ARCHIVE_LIMITS, maxRatio: 100_000 }

// A mebibyte of zeros that ends on a byte and looks back at nothing, so that it can be repeated.
const SEGMENT = deflateRawSync(Buffer.alloc(MIB), { finishFlush: constants.Z_FULL_FLUSH })
const END = deflateRawSync(Buffer.alloc(0))

/** Ten megabytes that unpack to ten gibibytes, whatever the headers say. */
function bomb(declaredBytes: number): ZipEntry {
  const packed = Buffer.concat([...Array<Buffer>(10_240).fill(SEGMENT), END])
  return {
    name: 'bomb.xml',
    data: '',
    method: 8,
    packed,
    central: { bytes: declaredBytes },
    local: { bytes: declaredBytes },
  }
}

/** A disk that counts what is written. */
function countingDisk(): { readonly syncDisk: SyncDisk; readonly written: () => number } {
  const { syncDisk } = testWorld()
  let written = 0
  const writeSync = (...args: Parameters<typeof syncDisk.writeSync>): number => {
    const bytes = syncDisk.writeSync(...args)
    written += bytes
    return bytes
  }
  return { written: () => written, syncDisk: { ...syncDisk, writeSync: writeSync as SyncDisk['writeSync'] } }
}

async function withArchive(
  bytes: Buffer,
  body: (folder: string, path: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, 'a.zip')
    await writeFile(path, bytes)
    await body(folder, path)
    expect(await readdir(folder)).toEqual(['a.zip'])
  })
}

describe('ten megabytes that unpack to ten gibibytes', () => {
  it('stop at what they declare', async () => {
    const declared = 20 * MIB
    await withArchive(zip([{ name: 'a', data: 'x' }, bomb(declared)]), async (folder, path) => {
      const { syncDisk, written } = countingDisk()
      const message = expect.stringMatching(
        /"bomb\.xml" at offset \d+: unpacks to more than the 20,971,520 bytes/,
      )
      await expect(
        extractArchive(testWorld({ syncDisk }), path, join(folder, 'out'), { ...REST, limits: GENEROUS }),
      ).rejects.toMatchObject({ kind: 'archive', message })
      expect(written()).toBeGreaterThan(declared / 2)
      expect(written()).toBeLessThanOrEqual(declared + 1)
      await expect(
        verifyArchive(testWorld(), path, { limits: GENEROUS, reporter: SILENT }),
      ).rejects.toMatchObject({ kind: 'archive', message })
    })
  })

  it.each<[string, number, Partial<ArchiveLimits>, RegExp]>([
    ['their ratio', 0xf000_0000, {}, /1:3\d\d\), more than the maximum ratio of 1:250/],
    [
      'their size',
      0xf000_0000,
      { maxRatio: 100_000, maxBytes: 3 * 1024 * MIB },
      /3\.8 GiB, more than the maximum of 3\.0 GiB/,
    ],
  ])(
    'are refused by %s before anything is inflated when they own up to it',
    async (_title, declared, limits, words) => {
      await withArchive(zip([bomb(declared)]), async (folder, path) => {
        const { syncDisk, written } = countingDisk()
        const all = { ...DEFAULT_ARCHIVE_LIMITS, ...limits }
        const expected = { kind: 'archive', message: expect.stringMatching(words) }
        await expect(listArchive(testWorld(), path, { limits: all })).rejects.toMatchObject(expected)
        await expect(
          verifyArchive(testWorld(), path, { limits: all, reporter: SILENT }),
        ).rejects.toMatchObject(expected)
        await expect(
          extractArchive(testWorld({ syncDisk }), path, join(folder, 'out'), { ...REST, limits: all }),
        ).rejects.toMatchObject(expected)
        expect(written()).toBe(0)
      })
    },
  )

  it('stop when they are many and small, on worker threads', async () => {
    const packed = Buffer.concat([SEGMENT, SEGMENT, END])
    const entries = Array.from({ length: 60 }, (_, index) => ({ ...bomb(MIB), name: `${index}`, packed }))
    await withArchive(zip(entries), async (folder, path) => {
      const limits = GENEROUS
      const expected = {
        kind: 'archive',
        message: expect.stringMatching(/60 problems; .*"0" .*unpacks to more than the 1,048,576 bytes/),
      }
      await expect(
        extractArchive(testWorld(), path, join(folder, 'out'), { ...REST, limits }),
      ).rejects.toMatchObject(expected)
    })
  })
})

describe('a hundred thousand entries', () => {
  soakTest('are listed, and are too many for a smaller limit', async () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => ({ name: `d/${index}`, method: 0 }))
    await withArchive(zip(entries, { zip64: {} }), async (_folder, path) => {
      const { entries: listed } = await listArchive(testWorld(), path, {
        limits: DEFAULT_ARCHIVE_LIMITS,
      })
      expect(listed.length).toBe(100_000)
      expect(listed[99_999]).toMatchObject({ name: 'd/99999', crc32: crc32('') })
      const limits = { ...DEFAULT_ARCHIVE_LIMITS, maxEntries: 99_999 }
      await expect(listArchive(testWorld(), path, { limits })).rejects.toMatchObject({
        kind: 'archive',
        message: expect.stringContaining('100,000 entries, more than the maximum of 99,999'),
      })
    })
  })
})
