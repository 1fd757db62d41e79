import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolders, removeEmptyFolders, reportMadeFolders } from '../../src/fs/made-folders.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { testWorld, withFolder } from '../support/world.ts'

const world = testWorld()

describe('missing directories', () => {
  test('are created, and removed again while they are empty', () =>
    withFolder(async (folder) => {
      const made = await makeFolders(world, join(folder, 'a', 'b', 'c'))
      expect(made.map(({ path }) => path)).toEqual(['a', 'a/b', 'a/b/c'].map((path) => join(folder, path)))
      expect(await makeFolders(world, join(folder, 'a'))).toEqual([])
      await writeFile(join(folder, 'a', 'file'), '')
      removeEmptyFolders(world, made)
      expect(await readdir(join(folder, 'a'))).toEqual(['file'])
    }))

  test('are reported without their parents', () => {
    const messages: string[] = []
    const made = ['/a', '/a/b', '/a/c', '/d'].map((path) => ({ path, dev: 1n, ino: 1n }))
    reportMadeFolders(made, { notice: ({ message }) => messages.push(message) })
    expect(messages).toEqual(['/a/b', '/a/c', '/d'].map((path) => `created directory ${path}`))
  })

  test('are an io failure where even the root is missing, as on a drive that is not connected', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call) => (call === 'lstat' ? 'ENOENT' : undefined))
      await expect(makeFolders({ ...world, disk }, join(folder, 'a', 'b'))).rejects.toMatchObject({
        kind: 'io',
        message: `there is no drive or share ${parse(folder).root}`,
      })
      expect(await readdir(folder)).toEqual([])
    }))

  test('are not left when one cannot be created', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call, count) => (call === 'mkdir' && count === 3 ? 'EACCES' : undefined))
      await expect(makeFolders({ ...world, disk }, join(folder, 'a', 'b', 'c'))).rejects.toMatchObject({
        kind: 'io',
      })
      expect(await readdir(folder)).toEqual([])
    }))

  test('are removed only themselves, not what has taken the place of one', () =>
    withFolder(async (folder) => {
      const made = await makeFolders(world, join(folder, 'a', 'b'))
      await mkdir(join(folder, 'other', 'b'), { recursive: true })
      await rename(join(folder, 'a'), join(folder, 'moved'))
      await symlink('other', join(folder, 'a'))
      removeEmptyFolders(world, made)
      expect(await readdir(join(folder, 'other'))).toEqual(['b'])
      expect(await readdir(join(folder, 'moved'))).toEqual(['b'])
    }))
})
