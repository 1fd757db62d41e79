import { spawnSync } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../../src/fs/cache-files.ts'
import { markOf, ownIdentity, type ProcessIdentity } from '../../src/fs/process-identity.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const DAY_MS = 86_400_000
const BOUNDS: CacheBounds = { ending: '.rows', fileBytes: 100, totalBytes: 1000, unusedMs: 60 * DAY_MS }
const isWindows = process.platform === 'win32'
const isRoot = process.geteuid?.() === 0

interface Cache {
  readonly files: CacheFiles
  readonly path: (name?: string) => string
  readonly open: (world?: World, bounds?: CacheBounds) => Promise<CacheFiles>
}

async function withCache(body: (cache: Cache) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = (name = ''): string => join(folder, 'matdecl', 'rows', name)
    const open: Cache['open'] = (world = testWorld(), bounds = BOUNDS) =>
      openCacheFiles(world, path(), bounds)
    await body({ files: await open(), path, open })
  })
}

const named = (text: string): readonly Buffer[] => [Buffer.from(text)]

describe('a file of a cache', () => {
  test('has the written content, is readable only by its owner, and leaves no draft', () =>
    withCache(async ({ files, path }) => {
      await files.write('a.rows', [Buffer.from('one'), Buffer.from('two')])
      expect((await files.read('a.rows'))?.toString()).toBe('onetwo')
      expect(await readdir(path())).toEqual(['a.rows'])
      if (isWindows) return
      expect((await lstat(path('a.rows'))).mode & 0o777).toBe(0o600)
      expect((await lstat(path())).mode & 0o777).toBe(0o700)
    }))

  test('is replaced as a whole', () =>
    withCache(async ({ files }) => {
      await files.write('a.rows', named('long content'))
      await files.write('a.rows', named('new'))
      expect((await files.read('a.rows'))?.toString()).toBe('new')
    }))

  test('that is missing, a directory or too large is not read', () =>
    withCache(async ({ files, path }) => {
      await mkdir(path('dir.rows'))
      await writeFile(path('large.rows'), Buffer.alloc(101), { mode: 0o600 })
      for (const name of ['none.rows', 'dir.rows', 'large.rows'])
        expect(await files.read(name)).toBeUndefined()
    }))

  posixTest('that is a link, or that others can write to, is not read', () =>
    withCache(async ({ files, path }) => {
      await files.write('a.rows', named('a'))
      await symlink(path('a.rows'), path('link.rows'))
      expect(await files.read('link.rows')).toBeUndefined()
      await chmod(path('a.rows'), 0o620)
      expect(await files.read('a.rows')).toBeUndefined()
    }),
  )

  test.skipIf(!isRoot)('of another user is not read', () =>
    withCache(async ({ files, path }) => {
      await files.write('a.rows', named('a'))
      await chown(path('a.rows'), 65_534, 65_534)
      expect(await files.read('a.rows')).toBeUndefined()
    }),
  )

  test.each(['open', 'handle.appendFile', 'rename'])('leaves no draft when %s fails', (call) =>
    withCache(async ({ path, open }) => {
      const disk = failingDisk((name, _, at) =>
        name === call && at.includes('.draft') ? 'ENOSPC' : undefined,
      )
      const files = await open({ ...testWorld(), disk })
      await expect(files.write('a.rows', named('a'))).rejects.toMatchObject({ kind: 'io' })
      expect(await readdir(path())).toEqual([])
    }),
  )
})

describe('the directory of a cache', () => {
  test('that cannot be created is an io failure', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((name) => (name === 'mkdir' ? 'EROFS' : undefined))
      const opened = openCacheFiles({ ...testWorld(), disk }, join(folder, 'm', 'rows'), BOUNDS)
      await expect(opened).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('read-only'),
      })
    }))

  posixTest('of another user is refused', () =>
    withCache(async ({ open }) => {
      const world = testWorld()
      const other = { ...world, host: { ...world.host, uid: world.host.uid! + 1 } }
      await expect(open(other)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('another user can change it'),
      })
    }),
  )

  posixTest.each([
    ['it', ''],
    ['the one above', '..'],
  ])('is refused when others can write to %s', (_, name) =>
    withCache(async ({ path, open }) => {
      await chmod(path(name), 0o770)
      await expect(open()).rejects.toMatchObject({ kind: 'io' })
    }),
  )

  posixTest('is refused when it is a link', () =>
    withCache(async ({ path }) => {
      await mkdir(path('../elsewhere'), { mode: 0o700 })
      await symlink(path('../elsewhere'), path('../link'))
      await expect(openCacheFiles(testWorld(), path('../link'), BOUNDS)).rejects.toMatchObject({ kind: 'io' })
    }),
  )
})

describe('old files of a cache', () => {
  const daysAgo = (path: string, days: number): Promise<void> => {
    const at = testWorld().clock.nowMs() / 1000 - days * 86_400
    return utimes(path, at, at)
  }

  test('are removed, drafts of killed runs too; other files are left', () =>
    withCache(async ({ files, path }) => {
      const { host } = testWorld()
      const draftOf = (owner: ProcessIdentity): string => `.${markOf(owner)}.0123456789abcdef.draft`
      const young = draftOf({ pid: process.pid, host: 'elsewhere' })
      const old = draftOf({ pid: process.pid + 1, host: 'elsewhere' })
      const own = await ownIdentity(testWorld().disk, host)
      const pid = spawnSync(process.execPath, ['-e', '']).pid
      const killed = draftOf({ pid, host: own.host, system: own.system })
      for (const name of ['old.rows', 'new.rows', 'other.txt', young, old, killed])
        await writeFile(path(name), '1')
      await daysAgo(path('old.rows'), 61)
      await daysAgo(path('new.rows'), 59)
      await daysAgo(path('other.txt'), 500)
      await daysAgo(path(young), 0)
      await daysAgo(path(old), 1)
      await files.removeOld()
      expect((await readdir(path())).sort()).toEqual([young, 'new.rows', 'other.txt'].sort())
    }))

  test('are removed until the rest is within the bound, the longest unused first', () =>
    withCache(async ({ path, open }) => {
      const files = await open(testWorld(), { ...BOUNDS, totalBytes: 25 })
      for (const [name, days] of [
        ['a', 3],
        ['b', 9],
        ['c', 5],
        ['d', 1],
      ] as const) {
        await files.write(`${name}.rows`, named('0123456789'))
        await daysAgo(path(`${name}.rows`), days)
      }
      await files.removeOld()
      expect((await readdir(path())).sort()).toEqual(['a.rows', 'd.rows'])
    }))

  test('that are used again stay', () =>
    withCache(async ({ files, path }) => {
      await files.write('a.rows', named('a'))
      await daysAgo(path('a.rows'), 59)
      expect(await files.read('a.rows')).toBeDefined()
      const { mtimeMs } = await lstat(path('a.rows'))
      expect(mtimeMs).toBe(testWorld().clock.nowMs())
      expect(await readFile(path('a.rows'), 'utf8')).toBe('a')
    }))

  test('that cannot be removed are no error', () =>
    withCache(async ({ path, open }) => {
      const disk = failingDisk((name) => (name === 'unlink' || name === 'readdir' ? 'EACCES' : undefined))
      const files = await open({ ...testWorld(), disk })
      await writeFile(path('old.rows'), '1')
      await daysAgo(path('old.rows'), 99)
      await files.removeOld()
      expect(await readdir(path())).toEqual(['old.rows'])
    }))
})
