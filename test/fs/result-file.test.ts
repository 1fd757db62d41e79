import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  appendToFile,
  createResultFile,
  writePrivateFile,
  writeResultFile,
} from '../../src/fs/result-file.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const world = testWorld()

describe('a result file', () => {
  test('is at its path when it is published, and not before', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'r.csv')
      await using file = await createResultFile(world, path, { overwrite: false })
      await file.write('a,')
      await file.write(Buffer.from('ä\n'))
      await expect(lstat(path)).rejects.toMatchObject({ code: 'ENOENT' })
      expect(await file.publish()).toBe(5)
      expect(await readFile(path, 'utf8')).toBe('a,ä\n')
      expect(await readdir(folder)).toEqual(['r.csv'])
    })
  })

  test('is removed when it is not published', async () => {
    await withFolder(async (folder) => {
      {
        await using file = await createResultFile(world, join(folder, 'r.csv'), { overwrite: false })
        await file.write('a')
      }
      expect(await readdir(folder)).toEqual([])
    })
  })

  test('does not exist when its content fails', async () => {
    await withFolder(async (folder) => {
      async function* pieces(): AsyncGenerator<string> {
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
      await writePrivateFile(world, path, 'x', { overwrite: false })
      expect(await readFile(path, 'utf8')).toBe('x')
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700)
    })
  })

  test('is not left behind when its permissions cannot be set', async () => {
    await withFolder(async (folder) => {
      const disk = failingDisk((call) => (call === 'handle.chmod' ? 'EPERM' : undefined))
      const run = writePrivateFile({ ...world, disk }, join(folder, 'c.toml'), 'x', { overwrite: false })
      await expect(run).rejects.toMatchObject({ kind: 'io' })
      expect(await readdir(folder)).toEqual([])
    })
  })

  posixTest('replaces another one only with overwrite, and never the target of a link', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'c.toml')
      await writeFile(join(folder, 'target'), 'old')
      await symlink('target', path)
      await expect(writePrivateFile(world, path, 'new', { overwrite: false })).rejects.toMatchObject({
        kind: 'io',
      })
      expect((await lstat(path)).isSymbolicLink()).toBe(true)
      await writePrivateFile(world, path, 'new', { overwrite: true })
      expect(await readFile(path, 'utf8')).toBe('new')
      expect(await readFile(join(folder, 'target'), 'utf8')).toBe('old')
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
