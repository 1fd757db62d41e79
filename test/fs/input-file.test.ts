import { execFileSync, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { isWrongPath, unreadable } from '../../src/fs/disk-failure.ts'
import {
  openInputFile,
  readInputFile,
  readSettingsFile,
  readSmallFile,
  readSmallText,
  secretFileExposure,
} from '../../src/fs/input-file.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const hasPipes = process.platform !== 'win32'

async function problemOf(path: string, mostBytes = 10): Promise<string> {
  const error = await readInputFile(testWorld(), path, mostBytes).catch((thrown: unknown) => thrown)
  expect(isWrongPath(error), String(error)).toBe(true)
  return unreadable(error)
}

describe('an input', () => {
  it('is a regular file up to a size', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'a')
      await writeFile(path, '0123456789')
      expect((await readInputFile(testWorld(), path, 10)).bytes.toString()).toBe('0123456789')
      expect(await problemOf(path, 9)).toBe('is larger than 9 B')
      await truncate(path, 2 ** 40)
      expect(await problemOf(path, 1024 ** 2)).toBe('is larger than 1 MiB')
    }))

  it('is not a directory, and not missing', () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'a'))
      expect(await problemOf(join(folder, 'a'))).toBe('is a directory')
      expect(await problemOf(join(folder, 'b'))).toBe('does not exist')
    }))

  it.skipIf(!hasPipes)('is no device, which may never end', () =>
    withFolder(async (folder) => {
      await symlink('/dev/zero', join(folder, 'zero'))
      expect(await problemOf(join(folder, 'zero'))).toBe('is neither a regular file nor a pipe')
    }),
  )
})

/** A new named pipe. */
async function withPipe(body: (path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await body(join(folder, 'pipe'))
  })
}

describe.skipIf(!hasPipes)('a pipe', () => {
  it('is opened without a writer, and a signal ends the wait for one', () =>
    withPipe(async (path) => {
      const world = testWorld()
      await using input = await openInputFile(world, path, 10)
      const ended = input
        .chunks()
        .next()
        .catch((error: unknown) => error)
      // While another pipe is read to its end, the event loop looks at this one too.
      const other = `${path}-2`
      execFileSync('mkfifo', [other])
      await Promise.all([readInputFile(testWorld(), other, 10), writeFile(other, 'a')])
      world.stop(new Failure('interrupted', 'stopped by SIGTERM'))
      expect(await ended).toMatchObject({ kind: 'interrupted' })
    }))

  it('is read from the writer that comes, to its end', () =>
    withPipe(async (path) => {
      await using input = await openInputFile(testWorld(), path, 100)
      const chunks = input.chunks()
      const first = chunks.next()
      const writer = await open(path, constants.O_WRONLY)
      await writer.write('one')
      expect(String((await first).value)).toBe('one')
      await writer.write('two')
      expect(String((await chunks.next()).value)).toBe('two')
      await writer.close()
      expect(await chunks.next()).toEqual({ done: true, value: undefined })
    }))

  it('is read up to a size, however much its writer has', () =>
    withPipe(async (path) => {
      const writer = spawn('sh', ['-c', 'exec yes > "$0"', path])
      try {
        expect(await problemOf(path, 1024)).toBe('is larger than 1 KiB')
      } finally {
        writer.kill('SIGKILL')
      }
    }))
})

const world = testWorld()
const { disk } = world

test('the text comes without its byte order mark', () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'a'), '\ufeffübung\n')
    expect((await readSmallFile(world, join(folder, 'a'), 'the file')).text).toBe('übung\n')
  }))

posixTest.each([
  ['is larger than 1 MiB', (path: string) => writeFile(path, Buffer.alloc(1024 ** 2 + 1))],
  ['is neither a regular file nor a pipe', (path: string) => symlink('/dev/null', path)],
])('a file that %s is refused', (problem, make) =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await make(path)
    await expect(readSettingsFile(world, path, true)).rejects.toMatchObject({
      kind: 'config',
      message: `the config file ${path} ${problem}`,
    })
  }),
)

test.each([
  ['UTF-16', Buffer.from('\ufeffübung\r\n', 'utf16le')],
  ['Windows-1252', Buffer.from('\xfcbung\r\n', 'latin1')],
])('settings and secrets may be %s', (_, bytes) =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'a'), bytes)
    expect((await readSmallFile(world, join(folder, 'a'), 'the file')).text).toBe('übung\r\n')
  }),
)

test('a file that is not text is refused', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await writeFile(path, Buffer.from([0x61, 0]))
    await expect(readSmallFile(world, path, 'the file')).rejects.toMatchObject({
      kind: 'config',
      message: `${path} is not text`,
    })
  }))

test('a config file that cannot be read is a failure even if it may be missing', async () => {
  const bad = failingDisk((call) => (call === 'stat' ? 'EACCES' : undefined))
  await expect(readSettingsFile({ ...world, disk: bad }, '/c.toml', false)).rejects.toMatchObject({
    message: 'the config file /c.toml cannot be read: permission denied (EACCES)',
  })
})

test('a config file may be missing unless it was named', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'none', 'config.toml')
    expect(await readSettingsFile(world, path, false)).toBeUndefined()
    await expect(readSettingsFile(world, path, true)).rejects.toMatchObject({
      kind: 'config',
      message: `the config file ${path} does not exist`,
      details: { options: ['config'] },
    })
    await mkdir(path, { recursive: true })
    await expect(readSettingsFile(world, path, false)).rejects.toMatchObject({
      message: `the config file ${path} is a directory`,
    })
  }))

posixTest.each([
  [0o600, 'none', false],
  [0o640, 'exposed', true],
  [0o604, 'exposed', true],
] as const)('mode %o: %s', (mode, exposure, isExposed) =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await writeFile(path, 'x')
    await chmod(path, mode)
    expect(await secretFileExposure(disk, path)).toBe(exposure)
    expect((await readSmallFile(world, path, 'the file')).isExposed).toBe(isExposed)
  }),
)

test('a secret file that is missing is not there', async () => {
  expect(await secretFileExposure(disk, '/nothing/there')).toBe('not there')
})

describe('a request text', () => {
  test('is read from standard input', async () => {
    const stdin = Readable.from([Buffer.from('a'), 'b'])
    expect(await readSmallText(world, { stdin })).toEqual({ text: 'ab', isExposed: false })
  })

  test.each([
    ['none', 'none does not exist'],
    ['folder', 'folder is a directory'],
  ])('of a wrong path is a usage failure: %s', (name, message) =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await expect(readSmallText(world, { path: name, absolute: join(folder, name) })).rejects.toMatchObject({
        kind: 'usage',
        message,
      })
    }),
  )
})
