import { chmod, chown, mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import { isOnlyMember, refuseForeign, whoCanChange } from '../../src/fs/file-ownership.ts'
import { posixDescribe } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()
const OWN = { uid: 1000, isPrivateGroup: async (gid: number) => gid === 1000 }

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
    expect(await whoCanChange({ uid, gid, mode: 0o100000 | mode }, OWN)).toBe(who)
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
