import { chmod, chown, lstat, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOwnFolder } from '../../src/fs/own-folder.ts'
import { posixDescribe } from '../support/programs.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

const WORDS = { what: 'the state directory', alternative: 'choose another' }
const isRoot = process.geteuid?.() === 0

/** The home of a user, and the directory in it. */
function withPlace(body: (home: string, folder: string) => Promise<void>): Promise<void> {
  return withFolder((home) => body(home, join(home, 'matdecl')))
}

const refused = (folder: string, why: string): unknown =>
  expect.objectContaining({
    kind: 'io',
    message: `the state directory ${folder} is not used: ${why}`,
    hint: 'choose another',
  })

posixDescribe('a directory for files between runs', () => {
  test('is created for its user alone, and used again', () =>
    withPlace(async (home) => {
      const folder = join(home, 'new', 'matdecl')
      await openOwnFolder(testWorld(), folder, WORDS)
      await openOwnFolder(testWorld(), folder, WORDS)
      expect((await lstat(folder)).mode & 0o777).toBe(0o700)
    }))

  test.each([0o770, 0o702])('with the mode %o is not used', (mode) =>
    withPlace(async (home, folder) => {
      await mkdir(folder)
      await chmod(folder, mode)
      await expect(openOwnFolder(testWorld(), folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chmod(folder, 0o755)
      await openOwnFolder(testWorld(), folder, WORDS)
      await chmod(home, mode)
      await expect(openOwnFolder(testWorld(), folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chmod(home, 0o1777)
      await openOwnFolder(testWorld(), folder, WORDS)
    }),
  )

  test('that is a link is not used, on no system', () =>
    withPlace(async (home, folder) => {
      await mkdir(join(home, 'elsewhere'))
      await symlink('elsewhere', folder)
      for (const world of [testWorld(), windowsWorld()])
        await expect(openOwnFolder(world, folder, WORDS)).rejects.toEqual(refused(folder, 'it is a link'))
      expect(await readdir(join(home, 'elsewhere'))).toEqual([])
    }))

  test.skipIf(!isRoot)('that is a link of root is used by another user whose directory it leads to', () =>
    withPlace(async (home, folder) => {
      const ordinary = testWorld()
      const user = { ...ordinary, host: { ...ordinary.host, uid: 65_534 } }
      await mkdir(join(home, 'private'))
      await mkdir(join(home, 'private', 'matdecl'), { mode: 0o700 })
      await symlink('private/matdecl', folder)
      await expect(openOwnFolder(user, folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chown(join(home, 'private', 'matdecl'), 65_534, 65_534)
      await openOwnFolder(user, folder, WORDS)
      await chmod(join(home, 'private'), 0o777)
      await expect(openOwnFolder(user, folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
    }),
  )

  test.skipIf(!isRoot)('of another user, or in a directory of another user, is not used', () =>
    withPlace(async (home, folder) => {
      await mkdir(folder)
      await chown(folder, 65_534, 65_534)
      const foreign = refused(folder, 'another user can change it')
      await expect(openOwnFolder(testWorld(), folder, WORDS)).rejects.toEqual(foreign)
      await chown(folder, 0, 0)
      await chown(home, 65_534, 65_534)
      await expect(openOwnFolder(testWorld(), folder, WORDS)).rejects.toEqual(foreign)
      await openOwnFolder(windowsWorld(), folder, WORDS)
    }),
  )
})
