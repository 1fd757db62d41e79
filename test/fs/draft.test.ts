import { spawnSync } from 'node:child_process'
import { link, lstat, mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { draftBeside, openDraft } from '../../src/fs/draft.ts'
import { markOf, ownIdentity } from '../../src/fs/process-identity.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()

describe('a draft', () => {
  test('contains all bytes in order, and is removed unless it is kept', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const chunks = Array.from({ length: 3_000 }, (_, at) => Buffer.alloc((at * 37) % 4_096, at % 251))
      {
        await using draft = await openDraft(disk, path)
        for (const chunk of chunks) await draft.write(chunk)
        await draft.flush()
        expect(draft.bytes()).toBe(Buffer.concat(chunks).length)
        expect((await readFile(path)).equals(Buffer.concat(chunks))).toBe(true)
      }
      await expect(lstat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })

  posixTest('is a regular file under the umask once it is kept', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const before = process.umask(0o027)
      try {
        await using draft = await openDraft(disk, path)
        await draft.write(Buffer.from('abc'))
        await draft.sync()
        await draft.keep()
      } finally {
        process.umask(before)
      }
      expect(await readFile(path, 'utf8')).toBe('abc')
      expect((await stat(path)).mode & 0o777).toBe(0o640)
    })
  })

  test('is not named by errors where the final path is known', async () => {
    await withFolder(async (folder) => {
      const full = failingDisk((call) => (call === 'handle.writev' ? 'ENOSPC' : undefined))
      await using draft = await openDraft(full, join(folder, '.a.csv.draft'), {
        named: join(folder, 'a.csv'),
      })
      await draft.write(Buffer.from('abc'))
      const error = await draft.flush().catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        message: `cannot write ${join(folder, 'a.csv')}: the disk is full (ENOSPC)`,
        details: { file: join(folder, 'a.csv') },
      })
    })
  })

  test('reports how many bytes can be read back, never more', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const reported: number[] = []
      await using draft = await openDraft(disk, path, { onWritten: (bytes) => reported.push(bytes) })
      for (let at = 0; at < 40; at += 1) await draft.write(Buffer.alloc(100_000, at))
      await draft.flush()
      expect(reported.at(-1)).toBe(4_000_000)
      expect(reported).toEqual([...reported].sort((a, b) => a - b))
    })
  })

  test('can be truncated and continued', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      await using draft = await openDraft(disk, path)
      await draft.write(Buffer.from('0123456789'))
      await draft.cut(4)
      await draft.write(Buffer.from('xy'))
      await draft.flush()
      expect(await readFile(path, 'utf8')).toBe('0123xy')
      expect(await draft.isInPlace()).toBe(true)
      await draft.cut(0)
      expect((await stat(path)).size).toBe(0)
    })
  })

  posixTest('knows when it was removed or replaced', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      await using draft = await openDraft(disk, path)
      await draft.write(Buffer.from('abc'))
      await draft.flush()
      await unlink(path)
      expect(await draft.isInPlace()).toBe(false)
      await writeFile(path, 'abc')
      expect(await draft.isInPlace()).toBe(false)
    })
  })

  test('finishes short writes', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const content = Buffer.from('a long enough content to be written in several pieces')
      const stingy = new Proxy(disk, {
        get: (target, key) =>
          key !== 'open'
            ? Reflect.get(target, key)
            : async (...args: Parameters<typeof target.open>) => {
                const handle = await target.open(...args)
                handle.writev = (async (buffers: readonly NodeJS.ArrayBufferView[], position?: number) => {
                  const all = Buffer.concat(buffers as Buffer[])
                  const { bytesWritten } = await handle.write(all, 0, Math.min(7, all.length), position)
                  return { bytesWritten, buffers }
                }) as typeof handle.writev
                return handle
              },
      })
      await using draft = await openDraft(stingy, path)
      await draft.write(content.subarray(0, 11))
      await draft.write(content.subarray(11))
      await draft.flush()
      expect(await readFile(path)).toEqual(content)
    })
  })
})

describe('an existing file at the path of a draft', () => {
  test('of a killed run is replaced', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      await writeFile(path, 'left over, and longer than the new one')
      await using draft = await openDraft(disk, path)
      await draft.write(Buffer.from('new'))
      await draft.flush()
      expect(await readFile(path, 'utf8')).toBe('new')
    })
  })

  posixTest('that is a link is refused, and neither it nor its target changes', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const target = join(folder, 'precious')
      await writeFile(target, 'precious')
      await symlink(target, path)
      await expect(openDraft(disk, path)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(/cannot create .*: there is a link/),
      })
      expect((await lstat(path)).isSymbolicLink()).toBe(true)
      expect(await readFile(target, 'utf8')).toBe('precious')
    })
  })

  test('with a second hard link is refused and not changed', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      await writeFile(join(folder, 'precious'), 'precious')
      await link(join(folder, 'precious'), path)
      await expect(openDraft(disk, path)).rejects.toMatchObject({ kind: 'io' })
      expect(await readFile(path, 'utf8')).toBe('precious')
    })
  })

  test('that is a directory is refused', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      await mkdir(path)
      await expect(openDraft(disk, path)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(/a directory/),
      })
      expect((await lstat(path)).isDirectory()).toBe(true)
    })
  })
})

posixTest('a draft with permissions has them with any umask', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, '.draft')
    const before = process.umask(0o277)
    try {
      await using draft = await openDraft(disk, path, { mode: 0o600 })
      await draft.keep()
    } finally {
      process.umask(before)
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })
})

describe('a disk that fails', () => {
  const cures = [
    ['ENOSPC', /the disk is full/, /free some space/],
    ['EDQUOT', /quota is exceeded/, /quota/],
    ['EFBIG', /too large for this file system/, /ulimit -f/],
    ['EROFS', /read-only/, /another path/],
    ['EACCES', /permission denied/, /permissions/],
    ['EPERM', /not permitted/, /permissions/],
    ['ENAMETOOLONG', /name is too long/, /shorter name/],
    ['ESTALE', /network file system lost the file/, /mount/],
    ['EIO', /the disk reports an error/, /check the disk/],
    ['EXDEV', /different file systems/, /one file system/],
    ['EWHATEVER', /EWHATEVER/, /check the disk and the path/],
  ] as const

  test.each(cures)('while a draft is created: %s is reported with a hint', async (code, says, hint) => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const bad = failingDisk((call) => (call === 'open' ? code : undefined))
      const failure = await openDraft(bad, path).catch((error: unknown) => error)
      expect(failure).toMatchObject({ kind: 'io', exitCode: 9, details: { file: path } })
      expect(failure).toMatchObject({
        message: expect.stringMatching(says),
        hint: expect.stringMatching(hint),
      })
    })
  })

  test.each(['handle.writev', 'handle.sync', 'handle.close', 'handle.truncate'])(
    'at %s loses no error',
    async (call) => {
      await withFolder(async (folder) => {
        const path = join(folder, '.draft')
        const bad = failingDisk((name) => (name === call ? 'ENOSPC' : undefined))
        const failure = await (async () => {
          await using draft = await openDraft(bad, path)
          await draft.write(Buffer.alloc(3_000_000))
          await draft.cut(10)
          await draft.sync()
          await draft.keep()
        })().catch((error: unknown) => error)
        expect(failure).toMatchObject({ kind: 'io', message: expect.stringMatching(/the disk is full/) })
        if (call !== 'handle.close') await expect(lstat(path)).rejects.toMatchObject({ code: 'ENOENT' })
      })
    },
  )

  test.each(['ENOTSUP', 'EINVAL', 'ENOSYS'])(
    'to sync because it does not support it (%s) is no failure',
    async (code) => {
      await withFolder(async (folder) => {
        const bad = failingDisk((call) => (call === 'handle.sync' ? code : undefined))
        await using draft = await openDraft(bad, join(folder, '.draft'))
        await draft.write(Buffer.from('abc'))
        await draft.sync()
      })
    },
  )

  test('fails all later writes too', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, '.draft')
      const bad = failingDisk((call, count) =>
        call === 'handle.writev' && count === 1 ? 'ENOSPC' : undefined,
      )
      await using draft = await openDraft(bad, path)
      void draft.write(Buffer.alloc(3_000_000))
      await expect(draft.flush()).rejects.toMatchObject({ kind: 'io' })
      await expect(draft.write(Buffer.from('more'))).rejects.toMatchObject({ kind: 'io' })
      await expect(draft.flush()).rejects.toMatchObject({ kind: 'io' })
      expect((await stat(path)).size).toBe(0)
    })
  })
})

test('a draft has a hidden name beside its file, the same throughout a process', () =>
  withFolder(async (folder) => {
    const world = testWorld()
    const path = await draftBeside(world, join(folder, 'r.csv'))
    expect(path.startsWith(join(folder, `.r.csv.${world.host.pid}-`))).toBe(true)
    expect(await draftBeside(world, join(folder, 'r.csv'))).toBe(path)
  }))

test('drafts of killed runs are removed; those that may be in use or belong to another file stay', () =>
  withFolder(async (folder) => {
    const world = testWorld()
    const own = await ownIdentity(world.disk, world.host)
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const gone = `.r.csv.${markOf({ ...own, pid })}.draft`
    const stay = [
      basename(await draftBeside(world, join(folder, 'r.csv'))),
      `.r.csv.${markOf({ ...own, pid: process.ppid, startTick: undefined })}.draft`,
      `.r.csv.${markOf({ ...own, pid, host: 'elsewhere' })}.draft`,
      gone.replace('.r.csv.', '.s.csv.'),
      '.r.csv.draft',
      'r.csv',
    ]
    for (const name of [gone, ...stay]) await writeFile(join(folder, name), '')
    await draftBeside(world, join(folder, 'r.csv'))
    expect((await readdir(folder)).toSorted()).toEqual(stay.toSorted())
  }))
