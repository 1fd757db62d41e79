import { execFileSync } from 'node:child_process'
import {
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join, parse } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk, World } from '../../src/base/world.ts'
import {
  absolutePath,
  checkDirectoryTarget,
  checkFileTarget,
  fitDescriptors,
  followLink,
  freeBytes,
  isDirectory,
  isTaken,
  makeDirectories,
  removeEmptyDirectories,
  reportMadeDirectories,
  requireRoom,
  requireWritableDirectory,
} from '../../src/fs/output-target.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixDescribe, posixTest } from '../support/programs.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()

async function withTargets(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '')
    await mkdir(join(folder, 'folder'))
    await symlink('file', join(folder, 'link'))
    await body(folder)
    expect((await readdir(folder)).toSorted()).toEqual(['file', 'folder', 'link'])
  })
}

posixDescribe('a path for a file', () => {
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

  test('names the option of the file whose directory is not writable', async () => {
    const readOnly = failingDisk((call) => (call === 'open' ? 'EACCES' : undefined))
    for (const [what, option] of [
      ['output', 'output'],
      ['--report', 'report'],
    ] as const) {
      await expect(checkFileTarget(readOnly, '/tmp/no-such-file', what, false)).rejects.toMatchObject({
        kind: 'io',
        message: 'cannot write to /tmp: permission denied (EACCES)',
        details: { options: [option] },
      })
    }
  })

  test('that is no regular file is refused', async () => {
    await expect(checkFileTarget(disk, '/dev/null', 'output', true)).rejects.toMatchObject({
      kind: 'io',
      message: 'output: /dev/null is not a regular file',
    })
  })
})

posixTest('a file that only another user can replace is refused before the work', () =>
  withTargets(async (folder) => {
    const path = join(folder, 'file')
    const facts = async (mode: number, owner: number): Promise<Disk> => {
      const [file, directory] = [await lstat(path), await stat(folder)]
      Object.assign(file, { uid: 4_242 })
      Object.assign(directory, { mode, uid: owner })
      return {
        ...disk,
        lstat: (async () => file) as unknown as Disk['lstat'],
        stat: (async () => directory) as unknown as Disk['stat'],
      }
    }
    const geteuid = process.geteuid
    try {
      process.geteuid = () => 1_000
      await expect(checkFileTarget(await facts(0o41777, 0), path, 'output', true)).rejects.toMatchObject({
        kind: 'io',
        message: `output: ${path} belongs to another user (uid 4242), who alone can replace it`,
      })
      await checkFileTarget(await facts(0o40777, 0), path, 'output', true)
      await checkFileTarget(await facts(0o41777, 1_000), path, 'output', true)
      process.geteuid = () => 4_242
      await checkFileTarget(await facts(0o41777, 0), path, 'output', true)
      process.geteuid = () => 0
      await checkFileTarget(await facts(0o41777, 0), path, 'output', true)
    } finally {
      process.geteuid = geteuid!
    }
  }),
)

posixDescribe('a path for a directory', () => {
  test.each([
    ['free', false],
    ['folder', true],
  ])('%s is accepted (overwrite: %s)', (name, overwrite) =>
    withTargets((folder) => checkDirectoryTarget(disk, join(folder, name), 'extract', overwrite)),
  )

  test.each([
    ['folder', false, /folder exists$/],
    ['file', true, /is not a directory/],
  ])('%s is refused (overwrite: %s)', (name, overwrite, message) =>
    withTargets(async (folder) => {
      await expect(
        checkDirectoryTarget(disk, join(folder, name), 'extract', overwrite),
      ).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(message),
      })
    }),
  )
})

posixDescribe('a directory to write to', () => {
  test('is writable when its nearest existing directory is, in which nothing is left', () =>
    withFolder(async (folder) => {
      await requireWritableDirectory(disk, join(folder, 'a', 'b'))
      expect(await readdir(folder)).toEqual([])
    }))

  test('on a read-only file system is refused with the variable that chooses another', () =>
    withFolder(async (folder) => {
      const readOnly = failingDisk((call, _, path) =>
        call === 'open' && !path.includes('/a/') ? 'EROFS' : undefined,
      )
      await expect(
        requireWritableDirectory(readOnly, join(folder, 'a'), 'choose another path with XDG_STATE_HOME'),
      ).rejects.toMatchObject({
        message: `cannot create ${folder}/a: the file system is read-only (EROFS)`,
        hint: 'choose another path with XDG_STATE_HOME',
      })
    }))
})

posixTest('a path is taken by anything, and a directory by its slash', () =>
  withTargets(async (folder) => {
    for (const name of ['file', 'folder', 'link']) expect(await isTaken(disk, join(folder, name))).toBe(true)
    expect(await isTaken(disk, join(folder, 'free'))).toBe(false)
    expect(await isDirectory(disk, join(folder, 'folder'))).toBe(true)
    expect(await isDirectory(disk, join(folder, 'file'))).toBe(false)
    expect(await isDirectory(disk, `${folder}/free/`)).toBe(true)
  }),
)

posixDescribe('on Windows', () => {
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
      for (const check of [checkFileTarget, checkDirectoryTarget]) {
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
        message: `report: ${join(folder, 'file')} cannot be replaced: another program is using it (EBUSY)`,
      })
      await checkFileTarget(windowsWorld().disk, join(folder, 'file'), 'report', true)
    }))

  test('a name may have 255 characters, however many bytes they are', () =>
    withTargets(async (folder) => {
      const windows = windowsWorld({
        disk: failingDisk((call) => (call === 'lstat' ? 'ENOENT' : undefined)),
      }).disk
      await checkFileTarget(windows, join(folder, `${'部'.repeat(90)}.zip`), 'output', false)
      await expect(
        checkFileTarget(windows, join(folder, `${'部'.repeat(252)}.zip`), 'output', false),
      ).rejects.toMatchObject({ message: 'output: the name is too long (256 characters, at most 255)' })
    }))

  test('a read-only file is found before the work', () =>
    withTargets(async (folder) => {
      for (const refused of ['access', 'open']) {
        const readOnly = windowsWorld({
          disk: failingDisk((call) => (call === refused ? 'EPERM' : undefined)),
        })
        await expect(
          checkFileTarget(readOnly.disk, join(folder, 'file'), 'report', true),
        ).rejects.toMatchObject({
          kind: 'io',
          message: `report: ${join(folder, 'file')} is read-only`,
          hint: expect.stringContaining('attrib -r'),
        })
      }
    }))
})

posixTest('a path is made absolute with the working directory', () => {
  const cwd = (): string => '/work'
  expect([absolutePath(cwd, 'a'), absolutePath(cwd, '/b'), absolutePath(cwd, 'c:d')]).toEqual([
    '/work/a',
    '/b',
    '/work/c:d',
  ])
})

const world = testWorld()

describe('missing directories', () => {
  test('are created, and removed again while they are empty', () =>
    withFolder(async (folder) => {
      const made = await makeDirectories(world, join(folder, 'a', 'b', 'c'))
      expect(made.map(({ path }) => path)).toEqual(['a', 'a/b', 'a/b/c'].map((path) => join(folder, path)))
      expect(await makeDirectories(world, join(folder, 'a'))).toEqual([])
      await writeFile(join(folder, 'a', 'file'), '')
      removeEmptyDirectories(world, made)
      expect(await readdir(join(folder, 'a'))).toEqual(['file'])
    }))

  posixTest('are not open to everybody, whatever the umask', () =>
    withFolder(async (folder) => {
      const umask = process.umask(0)
      try {
        await makeDirectories(world, join(folder, 'a', 'b'))
      } finally {
        process.umask(umask)
      }
      const modes = ['a', 'a/b'].map(async (path) => (await stat(join(folder, path))).mode & 0o777)
      expect(await Promise.all(modes)).toEqual([0o775, 0o775])
    }),
  )

  test('are reported without their parents', () => {
    const messages: string[] = []
    const made = ['/a', '/a/b', '/a/c', '/d'].map((path) => ({ path, dev: 1n, ino: 1n }))
    reportMadeDirectories(made, { notice: ({ message }) => messages.push(message) })
    expect(messages).toEqual(['/a/b', '/a/c', '/d'].map((path) => `created directory ${path}`))
  })

  test('are an io failure where even the root is missing, as on a drive that is not connected', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call) => (call === 'lstat' ? 'ENOENT' : undefined))
      await expect(makeDirectories({ ...world, disk }, join(folder, 'a', 'b'))).rejects.toMatchObject({
        kind: 'io',
        message: `there is no drive or share ${parse(folder).root}`,
      })
      expect(await readdir(folder)).toEqual([])
    }))

  test('are not left when one cannot be created', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call, count) => (call === 'mkdir' && count === 3 ? 'EACCES' : undefined))
      await expect(makeDirectories({ ...world, disk }, join(folder, 'a', 'b', 'c'))).rejects.toMatchObject({
        kind: 'io',
      })
      expect(await readdir(folder)).toEqual([])
    }))

  test('are removed only themselves, not what has taken the place of one', () =>
    withFolder(async (folder) => {
      const made = await makeDirectories(world, join(folder, 'a', 'b'))
      await mkdir(join(folder, 'other', 'b'), { recursive: true })
      await rename(join(folder, 'a'), join(folder, 'moved'))
      await symlink('other', join(folder, 'a'))
      removeEmptyDirectories(world, made)
      expect(await readdir(join(folder, 'other'))).toEqual(['b'])
      expect(await readdir(join(folder, 'moved'))).toEqual(['b'])
    }))
})

const diskWith = (statfs: () => Promise<unknown>): Disk =>
  ({ ...testWorld().disk, statfs }) as unknown as Disk
const small = diskWith(async () => ({ bavail: 3, bsize: 512, bfree: 1_000_000 }))

test.each([
  [0, true],
  [1536, true],
  [1537, false],
])('room for %d of 1536 bytes: %s', async (needed, fits) => {
  const check = requireRoom(small, '/a', needed)
  if (fits) await expect(check).resolves.toBeUndefined()
  else
    await expect(check).rejects.toMatchObject({
      kind: 'io',
      message: 'not enough space in /a: needs 1.5 KiB, 1.5 KiB free',
    })
})

test('a system that does not say how much is free is no reason to refuse', async () => {
  const silent = diskWith(() => Promise.reject(Object.assign(new Error(), { code: 'ENOSYS' })))
  expect(await freeBytes(silent, '/a')).toBeUndefined()
  await expect(requireRoom(silent, '/a', Number.MAX_SAFE_INTEGER)).resolves.toBeUndefined()
})

/** A disk on which at most `limit` files can be open; `openNow` counts them. */
function limitedDisk(limit: number): {
  readonly disk: Pick<Disk, 'open'>
  readonly openNow: () => number
  most: number
} {
  let openNow = 0
  const state = { disk: { open: opened as Disk['open'] }, openNow: () => openNow, most: 0 }
  async function opened(...args: Parameters<Disk['open']>): ReturnType<Disk['open']> {
    if (openNow >= limit) throw Object.assign(new Error(), { code: 'EMFILE' })
    openNow += 1
    state.most = Math.max(state.most, openNow)
    const file = await open(...args)
    const close = file.close.bind(file)
    file.close = async () => {
      openNow -= 1
      await close()
    }
    return file
  }
  return state
}

function limitedWorld({ disk }: Pick<ReturnType<typeof limitedDisk>, 'disk'>, cores = 2): World {
  const world = testWorld()
  return { ...world, disk: { ...world.disk, ...disk }, host: { ...world.host, cores } }
}

test('a run that can open all its files keeps its threads, and leaves none open', async () => {
  const limited = limitedDisk(58)
  const world = limitedWorld(limited)
  expect(await fitDescriptors(world, 4)).toMatchObject({ world: { host: world.host }, connections: 4 })
  expect(limited).toMatchObject({ most: 58 })
  expect(limited.openNow()).toBe(0)
})

test('a file that cannot be opened now is opened when another is closed', async () => {
  const limited = limitedDisk(12)
  const { world } = await fitDescriptors(limitedWorld(limited), 1)
  const files = await Promise.all(Array.from({ length: 12 }, () => world.disk.open('/dev/null', 'r')))
  const late = world.disk.open('/dev/null', 'r')
  await files[0]!.close()
  await (await late).close()
  await expect(world.disk.open('/not/there', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
  const last = world.disk.open('/dev/null', 'r')
  await Promise.all(files.slice(1).map((file) => file.close()))
  await (await last).close()
})

test.each([
  [57, 4, 4],
  [33, 4, 3],
  [22, 4, 2],
  [21, 4, 1],
  [12, 4, 1],
  [12, 1, 1],
])('with %i files, a run for %i connections has %i and no threads', async (limit, wanted, connections) => {
  const limited = limitedDisk(limit)
  const fit = await fitDescriptors(limitedWorld(limited), wanted)
  expect(fit).toMatchObject({ connections, world: { host: { cores: 1 } } })
  expect(limited.openNow()).toBe(0)
})

test('a run that cannot have one connection is refused, and leaves no file open', async () => {
  const limited = limitedDisk(11)
  await expect(fitDescriptors(limitedWorld(limited), 4)).rejects.toMatchObject({
    kind: 'io',
    message: 'too many open files',
    hint: 'raise the limit (ulimit -n); a download can use fewer connections',
    details: { options: ['concurrency'] },
  })
  expect(limited.openNow()).toBe(0)
})

test('a disk whose files cannot be opened for another reason does not stop a run', async () => {
  const open = (): Promise<never> => Promise.reject(Object.assign(new Error(), { code: 'EACCES' }))
  const world = limitedWorld({ disk: { open } })
  expect(await fitDescriptors(world, 1)).toMatchObject({ world: { host: world.host }, connections: 1 })
})

posixDescribe('a link to a file', () => {
  test('stands for that file', () =>
    withFolder(async (folder) => {
      const [file, link, second] = ['file', 'link', 'second'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      await writeFile(file, '')
      await symlink('file', link)
      await symlink('link', second)
      for (const path of [file, link, second]) expect(await followLink(disk, path)).toBe(await realpath(file))
      expect(await followLink(disk, join(folder, 'free'))).toBe(join(folder, 'free'))
    }))

  test('of another user is refused, of root it is not', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'link')
      await writeFile(join(folder, 'file'), '')
      await symlink('file', path)
      const ofUser = (uid: number): Disk => ({
        ...disk,
        lstat: (async (name: string) =>
          Object.assign(await lstat(name), { uid })) as unknown as Disk['lstat'],
      })
      await expect(followLink(ofUser(4_242), path)).rejects.toMatchObject({
        kind: 'io',
        message: `${path} is a link of another user (uid 4242)`,
      })
      expect(await followLink(ofUser(0), path)).toBe(await realpath(join(folder, 'file')))
    }))
})

test.each(['/dev/stdout', '/dev/stderr', '/dev/fd/1', '/proc/self/fd/1', '/proc/17/task/18/fd/255'])(
  '%s is an open file, which is not replaced',
  async (path) => {
    await expect(checkFileTarget(disk, path, '--output', true)).rejects.toMatchObject({
      kind: 'io',
      message: `--output: ${path} is an open file of this process, and no path to replace`,
      hint: expect.stringContaining('standard output is -'),
    })
  },
)

posixTest.each([
  ['/dev/null', /is a link to what is no regular file/],
  ['.', /is a link to a directory/],
  ['nothing', /is a link to nothing/],
  ['pipe', /is a link to what is no regular file/],
])('a link to %s is no place for a file, and stays', (target, message) =>
  withFolder(async (folder) => {
    const path = join(folder, 'link')
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await symlink(target, path)
    for (const overwrite of [false, true]) {
      await expect(checkFileTarget(disk, path, '--output', overwrite)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(message),
      })
    }
    expect(await readlink(path)).toBe(target)
  }),
)
