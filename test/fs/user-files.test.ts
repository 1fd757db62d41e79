import { chmod, chown, lstat, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import type { Disk } from '../../src/base/world.ts'
import {
  configDirectory,
  ensureDirectory,
  isOnlyMember,
  openOwnDirectory,
  refuseForeign,
  stateDirectory,
  whoCanChange,
} from '../../src/fs/user-files.ts'
import { posixDescribe } from '../support/programs.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

posixDescribe('the directories of the program', () => {
  test.each<[NodeJS.Platform, Record<string, string>, string, string | undefined, string | undefined]>([
    ['linux', {}, '/home/u', '/home/u/.config/matdecl', '/home/u/.local/state/matdecl'],
    ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/home/u', '/c/matdecl', '/s/matdecl'],
    ['linux', { XDG_CONFIG_HOME: 'c' }, '/home/u', '/home/u/.config/matdecl', '/home/u/.local/state/matdecl'],
    ['linux', { XDG_STATE_HOME: '/s' }, '', undefined, '/s/matdecl'],
    [
      'darwin',
      {},
      '/Users/u',
      '/Users/u/Library/Preferences/matdecl',
      '/Users/u/Library/Application Support/matdecl',
    ],
    [
      'win32',
      { APPDATA: 'C:\\a', LOCALAPPDATA: 'relative' },
      'C:\\Users\\u',
      'C:\\a\\matdecl',
      'C:\\Users\\u\\AppData\\Local\\matdecl',
    ],
    ['win32', {}, '', undefined, undefined],
  ])('on %s with %j and home %j', (platform, env, homeDir, config, state) => {
    const facts = { env, host: { platform, homeDir } }
    expect([configDirectory(facts), stateDirectory(facts)]).toEqual([config, state])
  })
})

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
      await openOwnDirectory(testWorld(), folder, WORDS)
      await openOwnDirectory(testWorld(), folder, WORDS)
      expect((await lstat(folder)).mode & 0o777).toBe(0o700)
    }))

  test.each([0o770, 0o702])('with the mode %o is not used', (mode) =>
    withPlace(async (home, folder) => {
      await mkdir(folder)
      await chmod(folder, mode)
      await expect(openOwnDirectory(testWorld(), folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chmod(folder, 0o755)
      await openOwnDirectory(testWorld(), folder, WORDS)
      await chmod(home, mode)
      await expect(openOwnDirectory(testWorld(), folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chmod(home, 0o1777)
      await openOwnDirectory(testWorld(), folder, WORDS)
    }),
  )

  test('on a file system without owners and permissions is used, whatever it seems to be', () =>
    withPlace(async (_, folder) => {
      const world = testWorld()
      const everybodys = async (path: string, options?: { bigint: true }) => {
        const facts = await lstat(path, options)
        return Object.assign(facts, { mode: Number(facts.mode) | 0o777, uid: 12_345 })
      }
      const disk = { ...world.disk, lstat: everybodys as Disk['lstat'], stat: everybodys as Disk['stat'] }
      await openOwnDirectory({ ...world, disk }, folder, WORDS)
      expect(await readdir(folder)).toEqual([])
      const foreign = async (path: string) => Object.assign(await lstat(path), { uid: 12_345 })
      const other = { ...world.disk, stat: foreign as Disk['stat'] }
      await expect(openOwnDirectory({ ...world, disk: other }, folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      expect(await readdir(folder)).toEqual([])
    }))

  test('that is a link is not used, on no system', () =>
    withPlace(async (home, folder) => {
      await mkdir(join(home, 'elsewhere'))
      await symlink('elsewhere', folder)
      for (const world of [testWorld(), windowsWorld()])
        await expect(openOwnDirectory(world, folder, WORDS)).rejects.toEqual(refused(folder, 'it is a link'))
      expect(await readdir(join(home, 'elsewhere'))).toEqual([])
    }))

  test.skipIf(!isRoot)('that is a link of root is used by another user whose directory it leads to', () =>
    withPlace(async (home, folder) => {
      const ordinary = testWorld()
      const user = { ...ordinary, host: { ...ordinary.host, uid: 65_534 } }
      await mkdir(join(home, 'private'))
      await mkdir(join(home, 'private', 'matdecl'), { mode: 0o700 })
      await symlink('private/matdecl', folder)
      await expect(openOwnDirectory(user, folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
      await chown(join(home, 'private', 'matdecl'), 65_534, 65_534)
      await openOwnDirectory(user, folder, WORDS)
      await chmod(join(home, 'private'), 0o777)
      await expect(openOwnDirectory(user, folder, WORDS)).rejects.toEqual(
        refused(folder, 'another user can change it'),
      )
    }),
  )

  test.skipIf(!isRoot)('of another user, or in a directory of another user, is not used', () =>
    withPlace(async (home, folder) => {
      await mkdir(folder)
      await chown(folder, 65_534, 65_534)
      const foreign = refused(folder, 'another user can change it')
      await expect(openOwnDirectory(testWorld(), folder, WORDS)).rejects.toEqual(foreign)
      await chown(folder, 0, 0)
      await chown(home, 65_534, 65_534)
      await expect(openOwnDirectory(testWorld(), folder, WORDS)).rejects.toEqual(foreign)
      await openOwnDirectory(windowsWorld(), folder, WORDS)
    }),
  )
})

test('creates a private directory with its parents, once and again', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'a', 'b', 'c')
    await ensureDirectory(testWorld().disk, path)
    await ensureDirectory(testWorld().disk, path)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o700)
  }))

test.skipIf(process.platform !== 'linux')('fails where the file system refuses, and ends', async () => {
  await expect(ensureDirectory(testWorld().disk, '/proc/none/a/b')).rejects.toThrow()
})

const { disk } = testWorld()
// The user 1000 has a group of that number, without other members.
const readFile = (async (path: string) =>
  path === '/etc/passwd' ? 'ann:x:1000:1000::/:\n' : 'ann:x:1000:\n') as unknown as Disk['readFile']

describe('a file with settings', () => {
  it.each([
    [1000, 1000, 0o600, undefined],
    [1000, 1000, 0o644, undefined],
    [0, 0, 0o644, undefined],
    [0, 1000, 0o440, undefined],
    // The private group of a user, which a umask of 002 lets write.
    [1000, 1000, 0o664, undefined],
    [1000, 100, 0o664, 'others'],
    [0, 0, 0o664, 'others'],
    [1000, 1000, 0o602, 'others'],
    [1000, 1000, 0o666, 'others'],
    [1001, 1000, 0o600, 'owner'],
    [65_534, 0, 0o666, 'owner'],
  ] as const)('of user %i and group %i with mode %o can be changed by: %s', async (uid, gid, mode, who) => {
    expect(await whoCanChange({ ...disk, readFile }, { uid, gid, mode: 0o100000 | mode }, 1000)).toBe(who)
  })
})

describe('a group', () => {
  const PASSWD = 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n'
  it.each([
    ['ann:x:1000:', true],
    ['ann:x:1000:ann', true],
    ['ann:x:1000:ann,bob', false],
    ['ann:x:1000:bob', false],
    ['staff:x:50:', false],
    ['', false],
  ])('"%s" is private to its user: %s', (group, isPrivate) => {
    expect(isOnlyMember(PASSWD, `root:x:0:\n${group}\n`, 1000, 1000)).toBe(isPrivate)
  })

  it('is not private when it is the first group of another user, or the user is unknown', () => {
    expect(isOnlyMember(`${PASSWD}eve:x:1002:1000::/:\n`, 'ann:x:1000:\n', 1000, 1000)).toBe(false)
    expect(isOnlyMember('', 'ann:x:1000:\n', 1000, 1000)).toBe(false)
  })
})

posixDescribe('settings that others can change', () => {
  async function refusal(path: string): Promise<{ message: string; hint: string | undefined } | undefined> {
    try {
      await refuseForeign(disk, path, 'the config file', await stat(path))
      return undefined
    } catch (error) {
      if (!isFailure(error)) throw error
      expect(error.kind).toBe('config')
      return { message: error.message, hint: error.hint }
    }
  }

  it('are refused with the command that repairs it, and then accepted', () =>
    withFolder(async (folder) => {
      const path = join(folder, "it's.toml")
      await writeFile(path, '')
      await chmod(path, 0o646)
      expect(await refusal(path)).toEqual({
        message: `the config file ${path} is not used: others can change it`,
        hint: `check its content, then run: chmod go-w '${folder}/it'\\''s.toml'`,
      })
      await chmod(path, 0o644)
      expect(await refusal(path)).toBeUndefined()
    }))

  it('are refused in a directory in which everyone can replace them, also behind a link', () =>
    withFolder(async (folder) => {
      const shared = join(folder, 'shared')
      await mkdir(shared)
      await writeFile(join(shared, 'c.toml'), '', { mode: 0o600 })
      await symlink('shared/c.toml', join(folder, 'link.toml'))
      for (const path of [join(shared, 'c.toml'), join(folder, 'link.toml')]) {
        await chmod(shared, 0o777)
        expect(await refusal(path)).toEqual({
          message: `the config file ${path} is not used: others can replace it, because everyone can write to ${shared}`,
          hint: `check its content, then run: chmod o-w ${shared}`,
        })
        // Such as /tmp, and the volumes of secrets in Kubernetes.
        for (const mode of [0o1777, 0o775, 0o755, 0o700]) {
          await chmod(shared, mode)
          expect(await refusal(path), mode.toString(8)).toBeUndefined()
        }
      }
    }))

  it.skipIf(process.geteuid?.() !== 0)('are refused when another user owns them, for root too', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'c.toml')
      await writeFile(path, '', { mode: 0o600 })
      await chown(path, 65_534, 65_534)
      expect(await refusal(path)).toEqual({
        message: `the config file ${path} is not used: it belongs to another user (uid 65534)`,
        hint: `use a copy of your own; or check its content, then run as root: chown 0 ${path}`,
      })
      await rename(path, `${path}.old`)
    }),
  )
})
