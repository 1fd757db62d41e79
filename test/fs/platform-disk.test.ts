import * as realSyncDisk from 'node:fs'
import * as realDisk from 'node:fs/promises'
import { chmod, lstat, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { syncDirectorySync } from '../../src/archive/directory-tree.ts'
import type { Disk, SyncDisk } from '../../src/base/world.ts'
import { identityAt, isSameFile, openDraft } from '../../src/fs/draft.ts'
import { secretFileExposure } from '../../src/fs/input-file.ts'
import { refuseSameFiles } from '../../src/fs/output-target.ts'
import { platformDisk, platformSyncDisk } from '../../src/fs/platform-disk.ts'
import { hasEnded, ownIdentity } from '../../src/fs/process-identity.ts'
import { publishDraft, syncDirectory } from '../../src/fs/publish.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { posixTest } from '../support/programs.ts'
import { windowsWorld, withFolder } from '../support/world.ts'

const { disk, syncDisk } = windowsWorld()

test('other platforms keep the calls of Node as they are', () => {
  expect(platformDisk('linux', realDisk)).toBe(realDisk)
  expect(platformSyncDisk('darwin', realSyncDisk)).toBe(realSyncDisk)
  expect(platformDisk('darwin', realDisk)).toEqual({ ...realDisk, exclusiveFlags: 0x24 })
})

describe('permission bits', () => {
  test('are those of the owner alone, and are never set', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'a')
      await writeFile(path, 'x')
      await chmod(path, 0o666)
      await using draft = await openDraft(disk, join(folder, '.draft'), { mode: 0o640 })
      await disk.chmod(path, 0o777)
      syncDisk.chmodSync(path, 0o777)
      await using file = await disk.open(path, 'r')
      syncDisk.fchmodSync(file.fd, 0o777)
      await file.chmod(0o777)
      for (const { mode } of [await disk.stat(path), await file.stat(), syncDisk.fstatSync(file.fd)])
        expect(mode & 0o777).toBe(0o600)
      expect((await disk.lstat(folder, { bigint: true })).mode & 0o777n).toBe(0o700n)
      expect((await stat(path)).mode & 0o777).toBe(0o666)
      expect(await secretFileExposure(disk, path)).toBe('none')
      expect(draft.bytes()).toBe(0)
    }))
})

describe('a rename of a file that another program holds', () => {
  test.each(['EBUSY', 'EPERM', 'EACCES'])('after %s is tried again until it succeeds', (code) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'x')
      const waits: number[] = []
      const held = failingDisk((call, count) => (call === 'rename' && count <= 3 ? code : undefined))
      const adapted = platformDisk('win32', held, async (ms) => void waits.push(ms))
      await adapted.rename(join(folder, 'a'), join(folder, 'b'))
      let left = 3
      const heldSync = platformSyncDisk(
        'win32',
        failingRename(() => (left-- > 0 ? code : undefined)),
        (ms) => waits.push(ms),
      )
      heldSync.renameSync(join(folder, 'b'), join(folder, 'c'))
      expect(waits).toEqual([10, 20, 50, 10, 20, 50])
      expect(await readdir(folder)).toEqual(['c'])
    }),
  )

  test('fails with its error after three seconds', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'x')
      let waitedMs = 0
      const adapted = platformDisk(
        'win32',
        failingDisk((call) => (call === 'rename' ? 'EBUSY' : undefined)),
        async (ms) => {
          waitedMs += ms
        },
      )
      await expect(adapted.rename(join(folder, 'a'), join(folder, 'b'))).rejects.toMatchObject({
        code: 'EBUSY',
      })
      const syncAdapted = platformSyncDisk(
        'win32',
        failingRename(() => 'EPERM'),
        (ms) => {
          waitedMs += ms
        },
      )
      expect(() => syncAdapted.renameSync(join(folder, 'a'), join(folder, 'b'))).toThrow('EPERM')
      expect(waitedMs).toBe(6_000)
      expect(await readdir(folder)).toEqual(['a'])
    }))

  test.each(['ENOENT', 'EPERM'])('is not tried again where that cannot help: %s', (code) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'x')
      await mkdir(join(folder, 'b'))
      const held = failingDisk((call) => (call === 'rename' ? code : undefined))
      const adapted = platformDisk('win32', held, () => Promise.reject(new Error('it waited')))
      await expect(adapted.rename(join(folder, 'a'), join(folder, 'b'))).rejects.toMatchObject({ code })
    }),
  )
})

describe('a file that another program holds for a moment', () => {
  const CALLS: readonly (readonly [keyof Disk, (folder: string, disk: Disk) => Promise<unknown>])[] = [
    ['link', (folder, held) => held.link(join(folder, 'file'), join(folder, 'new'))],
    ['mkdir', (folder, held) => held.mkdir(join(folder, 'new'))],
    ['open', async (folder, held) => (await held.open(join(folder, 'new'), 'wx')).close()],
    ['open', async (folder, held) => (await held.open(join(folder, 'file'), 'r')).close()],
    ['rm', (folder, held) => held.rm(join(folder, 'file'), { force: true })],
    ['rmdir', (folder, held) => held.rmdir(join(folder, 'empty'))],
    ['unlink', (folder, held) => held.unlink(join(folder, 'file'))],
    ['utimes', (folder, held) => held.utimes(join(folder, 'file'), 1, 1)],
  ]
  test.each(CALLS)('does not make %s fail', (name, run) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'file'), 'x')
      await mkdir(join(folder, 'empty'))
      for (const code of ['EBUSY', 'EPERM', 'EACCES']) {
        let left = 2
        const waits: number[] = []
        const held = failingDisk((call) => (call === name && left-- > 0 ? code : undefined))
        await run(
          folder,
          platformDisk('win32', held, async (ms) => void waits.push(ms)),
        ).catch((error: { code?: string }) => expect(error.code).not.toBe(code))
        expect(waits).toEqual([10, 20])
      }
    }),
  )

  test('does not make a synchronous call fail', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'file'), 'x')
      const waits: number[] = []
      const real: SyncDisk = realSyncDisk
      for (const name of ['linkSync', 'mkdirSync', 'openSync', 'rmdirSync', 'unlinkSync'] as const) {
        let left = 1
        const call = (...args: unknown[]): unknown => {
          if (left-- > 0) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' })
          return (real[name] as (...args: unknown[]) => unknown)(...args)
        }
        const held = { ...realSyncDisk, [name]: call } as SyncDisk
        const adapted = platformSyncDisk('win32', held, (ms) => waits.push(ms))
        if (name === 'linkSync') adapted.linkSync(join(folder, 'file'), join(folder, 'other'))
        if (name === 'mkdirSync') adapted.mkdirSync(join(folder, 'made'))
        if (name === 'openSync') realSyncDisk.closeSync(adapted.openSync(join(folder, 'new'), 'wx'))
        if (name === 'rmdirSync') adapted.rmdirSync(join(folder, 'made'))
        if (name === 'unlinkSync') adapted.unlinkSync(join(folder, 'other'))
      }
      expect(waits).toEqual([10, 10, 10, 10, 10])
      expect((await readdir(folder)).toSorted()).toEqual(['file', 'new'])
    }))

  test('keeps a directory with entries from being waited for, until they are about to go', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'file'), 'x')
      const noWait = (): never => expect.unreachable()
      await expect(platformDisk('win32', realDisk, noWait).rmdir(folder)).rejects.toMatchObject({
        code: 'ENOTEMPTY',
      })
      expect(() => platformSyncDisk('win32', realSyncDisk, noWait).rmdirSync(folder)).toThrow('ENOTEMPTY')
      const going: Disk = {
        ...realDisk,
        lstat: (() => Promise.reject(Object.assign(new Error(), { code: 'EPERM' }))) as Disk['lstat'],
      }
      await platformDisk('win32', going, () => realDisk.rm(join(folder, 'file'), { force: true })).rmdir(
        folder,
      )
      await mkdir(folder)
    }))

  test('a question for exclusive use is answered at once', () =>
    withFolder(async (folder) => {
      const held = platformDisk(
        'win32',
        failingDisk((call) => (call === 'open' ? 'EBUSY' : undefined)),
        () => expect.unreachable(),
      )
      const flags = realSyncDisk.constants.O_RDWR | held.exclusiveFlags!
      await expect(held.open(join(folder, 'a'), flags)).rejects.toMatchObject({ code: 'EBUSY' })
    }))
})

test('a virtual drive without real paths uses the path itself', () =>
  withFolder(async (folder) => {
    const ramDisk = platformDisk(
      'win32',
      failingDisk((call) => (call === 'realpath' ? 'EISDIR' : undefined)),
    )
    expect(await ramDisk.realpath(join(folder, 'x', '..'))).toBe(folder)
    const broken = platformDisk(
      'win32',
      failingDisk((call) => (call === 'realpath' ? 'ENOENT' : undefined)),
    )
    await expect(broken.realpath(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  }))

test('files with one number on two drives are two files', () =>
  withFolder(async (folder) => {
    const numbered = (async (path: string, options?: { bigint: true }) => {
      const facts = await stat(path, options)
      const dev = path.endsWith('D') ? 2 : 1
      return Object.assign(facts, options ? { ino: 5n, dev: BigInt(dev) } : { ino: 5, dev })
    }) as Disk['stat']
    const numberedAlike = (async (path: string) => {
      const facts = await stat(`${path.slice(0, -1)}C`, { bigint: true })
      return Object.assign(facts, { ino: 5n, dev: 1n })
    }) as unknown as Disk['stat']
    const onItsDrive = (async (path: string) => `${path.at(-1)}:\\file`) as unknown as Disk['realpath']
    const adapted = platformDisk('win32', { ...realDisk, stat: numbered })
    const [one, other] = [join(folder, 'C'), join(folder, 'D')]
    for (const path of [one, other]) await writeFile(path, 'x')
    const named = (path: string) => ({ what: path, path })
    await refuseSameFiles(adapted, [named(one)], [named(other)])
    // Two fresh drives can have one number too: of the second file, only its times and its drive differ.
    const fresh = platformDisk('win32', { ...realDisk, stat: numberedAlike, realpath: onItsDrive })
    await refuseSameFiles(fresh, [named(one)], [named(other)])
    await expect(refuseSameFiles(fresh, [named(one)], [named(one)])).rejects.toMatchObject({ kind: 'usage' })
    await expect(refuseSameFiles(adapted, [named(one)], [named(one)])).rejects.toMatchObject({
      kind: 'usage',
    })
  }))

posixTest(
  'a file is the same by path and by descriptor, although their device numbers differ (libuv 4698)',
  () =>
    withFolder(async (folder) => {
      const otherDevice: Disk = {
        ...realDisk,
        lstat: (async (path: string, options?: { bigint: true }) => {
          const facts = await lstat(path, options)
          return Object.assign(facts, { dev: options?.bigint === true ? 7n : 7 })
        }) as Disk['lstat'],
      }
      const adapted = platformDisk('win32', otherDevice)
      const path = join(folder, '.draft')
      await using draft = await openDraft(adapted, path)
      await draft.write(Buffer.from('abc'))
      await draft.flush()
      expect(await draft.isInPlace()).toBe(true)
      expect(isSameFile(await draft.identity(), await identityAt(adapted, path))).toBe(true)
      await writeFile(join(folder, 'other'), 'abc')
      await rename(join(folder, 'other'), path)
      expect(await draft.isInPlace()).toBe(false)
      await draft.keep()
    }),
)

test('a descriptor has no device number, as a number or a bigint', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await writeFile(path, 'x')
    await using file = await platformDisk('win32', realDisk).open(path, 'r')
    expect((await file.stat()).dev).toBe(0)
    expect((await file.stat({ bigint: true })).dev).toBe(0n)
  }))

test('directories are not synced', () =>
  withFolder(async (folder) => {
    const watched = platformDisk(
      'win32',
      failingDisk(() => 'EPERM'),
    )
    await syncDirectory(watched, folder)
    const { syncDisk } = windowsWorld({ syncDisk: watchedSyncDisk((call) => expect.unreachable(call)) })
    syncDirectorySync(syncDisk, folder)
  }))

test('nothing below /proc is believed, because anybody could have created it', async () => {
  const planted = platformDisk('win32', {
    ...realDisk,
    readFile: (async () => 'planted') as unknown as Disk['readFile'],
  })
  const own = { pid: process.pid, host: 'a', system: 'windows' } as const
  expect(await ownIdentity(planted, { pid: process.pid, name: 'a' })).toEqual(own)
  expect(await hasEnded(planted, own, own)).toBe(false)
})

test('a file gets its name where hard links fail with EISDIR (exFAT), and never that of another', () =>
  withFolder(async (folder) => {
    const withoutLinks = platformDisk(
      'win32',
      failingDisk((call) => (call === 'link' ? 'EISDIR' : undefined)),
    )
    const [draft, final] = [join(folder, '.draft'), join(folder, 'a.zip')]
    await writeFile(draft, 'new')
    await publishDraft(withoutLinks, draft, final, { overwrite: false })
    expect(await readFile(final, 'utf8')).toBe('new')
    await writeFile(draft, 'newer')
    await expect(publishDraft(withoutLinks, draft, final, { overwrite: false })).rejects.toMatchObject({
      message: `${final} exists`,
    })
    expect(await readFile(final, 'utf8')).toBe('new')
    expect((await readdir(folder)).toSorted()).toEqual(['.draft', 'a.zip'])
  }))

function failingRename(code: () => string | undefined): SyncDisk {
  const renameSync: SyncDisk['renameSync'] = (from, to) => {
    const found = code()
    if (found !== undefined) throw Object.assign(new Error(found), { code: found })
    realSyncDisk.renameSync(from, to)
  }
  return { ...realSyncDisk, renameSync }
}
