import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/domain/archive-limits.ts'
import { SILENT } from '../../src/domain/notice.ts'
import { extractArchive } from '../../src/use-cases/extract-archive.ts'
import { listArchive } from '../../src/use-cases/list-archive.ts'
import { verifyArchive } from '../../src/use-cases/verify-archive.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const PLAIN = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

const GOOD = zip([
  { name: 'a.xml', data: '<a/>' },
  { name: 'sub/', data: '' },
  { name: 'sub/b.xml', data: 'b'.repeat(50_000) },
  { name: 'sub/empty', data: '' },
  { name: 'größe.xml', data: 'x', method: 0, descriptor: 'signed' },
])

describe('extractArchive', () => {
  it('unpacks everything and takes the target in one step', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), GOOD)
      const done = await extractArchive(testWorld(), join(folder, 'a.zip'), join(folder, 'out'), PLAIN)
      expect(done).toEqual({ folder: join(folder, 'out'), files: 4, bytes: 50_005 })
      expect(await readFile(join(folder, 'out', 'sub', 'b.xml'), 'utf8')).toBe('b'.repeat(50_000))
      expect((await lstat(join(folder, 'out', 'a.xml'))).mtimeMs).toBe(Date.UTC(2026, 2, 4, 5, 6, 8))
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })
  it('lists and verifies', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'a.zip')
      await writeFile(path, GOOD)
      expect((await listArchive(testWorld(), path, PLAIN)).entries.map((entry) => entry.name)).toEqual(['a.xml', 'sub/', 'sub/b.xml', 'sub/empty', 'größe.xml'])
      expect((await verifyArchive(testWorld(), path, PLAIN)).unpackedBytes).toBe(50_005)
    })
  })
})
