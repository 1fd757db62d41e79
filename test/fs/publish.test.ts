import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import { appendToFile, publishDraft, writePrivateFile, writeResultFile } from '../../src/fs/publish.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()

describe('a finished file', () => {
  test('gets its final name, and the draft is gone', async () => {
    await withDraft(async ({ folder, draft, final }) => {
      await publishDraft(disk, draft, final, { overwrite: false })
      expect(await readdir(folder)).toEqual(['out.zip'])
      expect(await readFile(final, 'utf8')).toBe('new')
      expect((await stat(final)).nlink).toBe(1)
    })
  })

  posixTest('is synced before it gets its name, and the directory after', async () => {
    for (const overwrite of [false, true]) {
      await withDraft(async ({ draft, final }) => {
        const watched = failingDisk(() => undefined)
        await publishDraft(watched, draft, final, { overwrite })
        const named = watched.calls.indexOf(overwrite ? 'rename' : 'link')
        const syncs = watched.calls.flatMap((call, at) => (call === 'handle.sync' ? [at] : []))
        expect(syncs.length).toBe(2)
        expect(syncs[0]).toBeLessThan(named)
        expect(syncs[1]).toBeGreaterThan(named)
      })
    }
  })

  test('does not replace an existing file, with a hint how to', async () => {
    await withDraft(async ({ draft, final }) => {
      await writeFile(final, 'old')
      const failure = await publishDraft(disk, draft, final, { overwrite: false }).catch(
        (error: unknown) => error,
      )
      expect(failure).toMatchObject({
        kind: 'io',
        message: `${final} exists`,
        hint: expect.stringMatching(/overwrite it/),
        details: { options: ['output', 'overwrite'] },
      })
      expect(await readFile(final, 'utf8')).toBe('old')
      expect(await readFile(draft, 'utf8')).toBe('new')
    })
  })

  test('replaces it with overwrite', async () => {
    await withDraft(async ({ folder, draft, final }) => {
      await writeFile(final, 'old')
      await publishDraft(disk, draft, final, { overwrite: true })
      expect(await readFile(final, 'utf8')).toBe('new')
      expect(await readdir(folder)).toEqual(['out.zip'])
    })
  })

  posixTest('does not replace a link', async () => {
    await withDraft(async ({ folder, draft, final }) => {
      await writeFile(join(folder, 'target'), 'precious')
      await symlink(join(folder, 'target'), final)
      for (const overwrite of [false, true])
        await expect(publishDraft(disk, draft, final, { overwrite })).rejects.toMatchObject({ kind: 'io' })
      expect((await lstat(final)).isSymbolicLink()).toBe(true)
      expect(await readFile(join(folder, 'target'), 'utf8')).toBe('precious')
    })
  })

  test('does not replace a directory, not even with overwrite', async () => {
    await withDraft(async ({ draft, final }) => {
      await mkdir(final)
      for (const overwrite of [false, true]) {
        await expect(publishDraft(disk, draft, final, { overwrite })).rejects.toMatchObject({ kind: 'io' })
      }
      expect((await lstat(final)).isDirectory()).toBe(true)
      expect(await readFile(draft, 'utf8')).toBe('new')
    })
  })
})

describe('without hard links', () => {
  const noLinks = (): ReturnType<typeof failingDisk> =>
    failingDisk((call) => (call === 'link' ? 'EPERM' : undefined))

  test('a finished file gets a free name', async () => {
    await withDraft(async ({ folder, draft, final }) => {
      await publishDraft(noLinks(), draft, final, { overwrite: false })
      expect(await readdir(folder)).toEqual(['out.zip'])
      expect(await readFile(final, 'utf8')).toBe('new')
    })
  })

  test('an existing file is not replaced', async () => {
    await withDraft(async ({ draft, final }) => {
      await writeFile(final, 'old')
      await expect(publishDraft(noLinks(), draft, final, { overwrite: false })).rejects.toMatchObject({
        kind: 'io',
        message: `${final} exists`,
      })
      expect(await readFile(final, 'utf8')).toBe('old')
    })
  })

  test('no empty file is left when the rename fails', async () => {
    await withDraft(async ({ folder, draft, final }) => {
      const bad = failingDisk((call) => (call === 'link' ? 'EPERM' : call === 'rename' ? 'EIO' : undefined))
      await expect(publishDraft(bad, draft, final, { overwrite: false })).rejects.toMatchObject({
        kind: 'io',
      })
      expect(await readdir(folder)).toEqual(['.draft'])
    })
  })
})

describe('a disk that fails while publishing', () => {
  const steps = (overwrite: boolean): readonly string[] =>
    overwrite
      ? ['open', 'handle.sync', 'handle.close', 'rename']
      : ['open', 'handle.sync', 'handle.close', 'link']

  test.each([false, true])('leaves the final path unchanged (overwrite: %s)', async (overwrite) => {
    for (const step of steps(overwrite)) {
      for (const code of ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT']) {
        await withDraft(async ({ draft, final }) => {
          if (overwrite) await writeFile(final, 'old')
          const bad = failingDisk((call, count) => (call === step && count === 1 ? code : undefined))
          const failure = await publishDraft(bad, draft, final, { overwrite }).catch(
            (error: unknown) => error,
          )
          expect(failure, `${step} ${code}`).toMatchObject({ kind: 'io', exitCode: 9 })
          if (overwrite) expect(await readFile(final, 'utf8')).toBe('old')
          else await expect(lstat(final)).rejects.toMatchObject({ code: 'ENOENT' })
          expect(await readFile(draft, 'utf8')).toBe('new')
        })
      }
    }
  })

  test('a file system that does not sync directories is no failure', async () => {
    await withDraft(async ({ draft, final }) => {
      const bad = failingDisk((call, count) => (call === 'handle.sync' && count === 2 ? 'EINVAL' : undefined))
      await publishDraft(bad, draft, final, { overwrite: false })
      expect(await readFile(final, 'utf8')).toBe('new')
    })
  })

  describe('where another program has the old file open, as Excel does on Windows,', () => {
    const held = (): Disk => {
      const isOld = (path: string): boolean => path.endsWith('out.zip')
      const failing = failingDisk((call, _count, path) => {
        if (call === 'open' && isOld(path)) return 'EBUSY'
        return call === 'rename' && path.endsWith('.draft') ? 'EPERM' : undefined
      })
      return windowsWorld({ disk: failing }).disk
    }

    test('gets a name beside it', () =>
      withDraft(async ({ folder, draft, final }) => {
        await writeFile(final, 'old')
        await writeFile(join(folder, 'out (new).zip'), 'theirs')
        const kept = join(folder, 'out (new 2).zip')
        await expect(
          publishDraft(held(), draft, final, { overwrite: true, keepBeside: true }),
        ).rejects.toMatchObject({
          kind: 'io',
          message: `cannot publish ${final}: another program is using it (EBUSY)`,
          hint: `the new file is ${kept}; close the old one, then rename it`,
        })
        expect(await readFile(kept, 'utf8')).toBe('new')
        expect(await readFile(final, 'utf8')).toBe('old')
        expect(await readFile(join(folder, 'out (new).zip'), 'utf8')).toBe('theirs')
        expect(await readdir(folder)).not.toContain('.draft')
      }))

    test('stays where it is, if it is needed there', () =>
      withDraft(async ({ folder, draft, final }) => {
        await writeFile(final, 'old')
        await expect(publishDraft(held(), draft, final, { overwrite: true })).rejects.toMatchObject({
          hint: 'close that program, then run the command again',
        })
        expect((await readdir(folder)).toSorted()).toEqual(['.draft', 'out.zip'])
      }))
  })

  test('a draft that was removed meanwhile is an io failure', async () => {
    await withDraft(async ({ folder, final }) => {
      const failure = await publishDraft(disk, join(folder, 'gone'), final, { overwrite: true }).catch(
        (e: unknown) => e,
      )
      expect(failure).toMatchObject({
        kind: 'io',
        message: expect.stringMatching(/cannot publish .*: no such file/),
      })
      await expect(lstat(final)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })
})

async function withDraft(
  body: (paths: { readonly folder: string; readonly draft: string; readonly final: string }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const draft = join(folder, '.draft')
    await writeFile(draft, 'new')
    await body({ folder, draft, final: join(folder, 'out.zip') })
  })
}

const world = testWorld()

describe('a result file', () => {
  test('is at its path when it is complete, and not before', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'r.csv')
      function* pieces(): Generator<string | Uint8Array> {
        yield 'a,'
        expect(existsSync(path)).toBe(false)
        yield Buffer.from('ä\n')
        expect(existsSync(path)).toBe(false)
      }
      await writeResultFile(world, path, pieces(), { overwrite: false })
      expect(await readFile(path, 'utf8')).toBe('a,ä\n')
      expect(await readdir(folder)).toEqual(['r.csv'])
    })
  })

  test('does not exist when its content fails', async () => {
    await withFolder(async (folder) => {
      function* pieces(): Generator<string> {
        yield 'a'
        throw new Error('no more')
      }
      const run = writeResultFile(world, join(folder, 'r.csv'), pieces(), { overwrite: true })
      await expect(run).rejects.toThrow('no more')
      expect(await readdir(folder)).toEqual([])
    })
  })

  test.each(['open', 'handle.writev', 'handle.sync', 'link'])(
    'leaves nothing when the disk fails at %s, and names the final path',
    async (call) => {
      await withFolder(async (folder) => {
        const disk = failingDisk((name) => (name === call ? 'ENOSPC' : undefined))
        const path = join(folder, 'r.csv')
        const run = writeResultFile({ ...world, disk }, path, ['a'], { overwrite: false })
        await expect(run).rejects.toMatchObject({
          kind: 'io',
          message: expect.stringContaining(`${path}: the disk is full (ENOSPC)`),
          details: { file: path, options: ['output'] },
        })
        expect(await readdir(folder)).toEqual([])
      })
    },
  )
})

describe('a private file', () => {
  posixTest('can be read by its owner alone, as can the directories made for it', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'a', 'b', 'c.toml')
      await writePrivateFile(world, path, 'x')
      expect(await readFile(path, 'utf8')).toBe('x')
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700)
    })
  })

  test('names the option that chose its path in hints, and is there although its draft cannot be removed', async () => {
    await withFolder(async (folder) => {
      for (const call of ['open', 'handle.writev', 'link']) {
        const disk = failingDisk((each) => (each === call ? 'EROFS' : undefined))
        const run = writeResultFile({ ...world, disk }, join(folder, 'r.csv'), ['x'], {
          overwrite: false,
          option: 'report',
        })
        await expect(run).rejects.toMatchObject({ details: { options: ['report'] } })
      }
      const tidy = failingDisk((each) => (each === 'unlink' ? 'EBUSY' : undefined))
      await writeResultFile({ ...world, disk: tidy }, join(folder, 'r.csv'), ['x'], { overwrite: false })
      expect(await readFile(join(folder, 'r.csv'), 'utf8')).toBe('x')
    })
  })

  test('is not left behind when its permissions cannot be set', async () => {
    await withFolder(async (folder) => {
      const disk = failingDisk((call) => (call === 'handle.chmod' ? 'EIO' : undefined))
      const run = writePrivateFile({ ...world, disk }, join(folder, 'c.toml'), 'x')
      await expect(run).rejects.toMatchObject({ kind: 'io' })
      expect(await readdir(folder)).toEqual([])
    })
  })

  posixTest('replaces another one, and what a link leads to', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'c.toml')
      await writeFile(join(folder, 'target'), 'old')
      await symlink('target', path)
      await writePrivateFile(world, path, 'new')
      expect((await lstat(path)).isSymbolicLink()).toBe(true)
      expect(await readFile(join(folder, 'target'), 'utf8')).toBe('new')
      expect((await readdir(folder)).sort()).toEqual(['c.toml', 'target'])
    })
  })
})

test('text is appended to the file of another program', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'summary.md')
    await writeFile(path, 'a')
    await appendToFile(world.disk, path, 'b')
    expect(await readFile(path, 'utf8')).toBe('ab')
    await mkdir(join(folder, 'folder'))
    await expect(appendToFile(world.disk, join(folder, 'folder'), 'b')).rejects.toMatchObject({ kind: 'io' })
  })
})
