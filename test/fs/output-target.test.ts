import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  absolutePath,
  checkFileTarget,
  checkFolderTarget,
  isFolder,
  isTaken,
  requireWritableFolder,
} from '../../src/fs/output-target.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()

async function withTargets(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '')
    await mkdir(join(folder, 'folder'))
    await symlink('nowhere', join(folder, 'link'))
    await body(folder)
    expect((await readdir(folder)).toSorted()).toEqual(['file', 'folder', 'link'])
  })
}

describe('a path for a file', () => {
  test.each([
    ['free', false],
    ['new/deep/file', false],
    ['file', true],
    ['link', true],
  ])('%s is accepted (overwrite: %s)', (name, overwrite) =>
    withTargets((folder) => checkFileTarget(disk, join(folder, name), 'output', overwrite)),
  )

  test.each([
    ['file', false, 'io', /^output: .*file exists$/],
    ['link', false, 'io', /exists/],
    ['folder', true, 'io', /is a directory/],
    ['file/below', false, 'io', /part of the path is not a directory/],
    ['..', false, 'usage', /'\.\.' is not a file name/],
    ['a\0b', false, 'usage', /is not a file name/],
    ['ä'.repeat(128), false, 'usage', /too long \(256 bytes, at most 255\)/],
  ])('%j is refused (overwrite: %s)', (name, overwrite, kind, message) =>
    withTargets(async (folder) => {
      await expect(checkFileTarget(disk, `${folder}/${name}`, 'output', overwrite)).rejects.toMatchObject({
        kind,
        message: expect.stringMatching(message),
      })
    }),
  )

  test('that is no regular file is refused', async () => {
    await expect(checkFileTarget(disk, '/dev/null', 'output', true)).rejects.toMatchObject({
      kind: 'io',
      message: 'output: /dev/null is not a regular file',
    })
  })
})

describe('a path for a directory', () => {
  test.each([
    ['free', false],
    ['folder', true],
  ])('%s is accepted (overwrite: %s)', (name, overwrite) =>
    withTargets((folder) => checkFolderTarget(disk, join(folder, name), 'extract', overwrite)),
  )

  test.each([
    ['folder', false, /folder exists$/],
    ['file', true, /is not a directory/],
  ])('%s is refused (overwrite: %s)', (name, overwrite, message) =>
    withTargets(async (folder) => {
      await expect(checkFolderTarget(disk, join(folder, name), 'extract', overwrite)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(message),
      })
    }),
  )
})

describe('a directory to write to', () => {
  test('is writable when its nearest existing directory is', () =>
    withFolder((folder) => requireWritableFolder(disk, join(folder, 'a', 'b'))))

  test('on a read-only file system is refused with the variable that chooses another', () =>
    withFolder(async (folder) => {
      const readOnly = failingDisk((call) => (call === 'access' ? 'EROFS' : undefined))
      await expect(
        requireWritableFolder(readOnly, join(folder, 'a'), 'choose another path with XDG_STATE_HOME'),
      ).rejects.toMatchObject({
        message: `cannot write to ${folder}: the file system is read-only (EROFS)`,
        hint: 'choose another path with XDG_STATE_HOME',
      })
    }))
})

test('a path is taken by anything, and a directory by its slash', () =>
  withTargets(async (folder) => {
    for (const name of ['file', 'folder', 'link']) expect(await isTaken(disk, join(folder, name))).toBe(true)
    expect(await isTaken(disk, join(folder, 'free'))).toBe(false)
    expect(await isFolder(disk, join(folder, 'folder'))).toBe(true)
    expect(await isFolder(disk, join(folder, 'file'))).toBe(false)
    expect(await isFolder(disk, `${folder}/free/`)).toBe(true)
  }))

describe('on Windows', () => {
  test.each([
    ['NUL', "output: the name 'NUL' is reserved for a device on Windows"],
    ['CON.zip', "output: the name 'CON.zip' is reserved for a device on Windows"],
    ['trail.', "output: the name 'trail.' ends with a dot or a space"],
    ['ab:c.zip', `output: the name 'ab:c.zip' contains ":", which means a drive or a stream on Windows`],
    ['a?b.zip', "output: the name 'a?b.zip' contains ?, which Windows does not allow in names"],
    ['aux/a.zip', "output: the name 'aux' is reserved for a device on Windows"],
  ])('a file or directory %s is refused', (name, message) =>
    withTargets(async (folder) => {
      const windows = windowsWorld().disk
      for (const check of [checkFileTarget, checkFolderTarget]) {
        await expect(check(windows, join(folder, name), 'output', true)).rejects.toMatchObject({
          kind: 'usage',
          message,
        })
        await check(disk, join(folder, name), 'output', true)
      }
    }),
  )

  test('a file that another program has open is found before the work', () =>
    withTargets(async (folder) => {
      const held = windowsWorld({ disk: failingDisk((call) => (call === 'open' ? 'EBUSY' : undefined)) }).disk
      await expect(checkFileTarget(held, join(folder, 'file'), 'report', true)).rejects.toMatchObject({
        kind: 'io',
        message: `report: ${join(folder, 'file')} is open in another program`,
      })
      await checkFileTarget(windowsWorld().disk, join(folder, 'file'), 'report', true)
    }))
})

test('a path is made absolute with the working directory', () => {
  const cwd = (): string => '/work'
  expect([absolutePath(cwd, 'a'), absolutePath(cwd, '/b'), absolutePath(cwd, 'c:d')]).toEqual([
    '/work/a',
    '/b',
    '/work/c:d',
  ])
})
