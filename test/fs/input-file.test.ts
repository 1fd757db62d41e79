import { execFileSync, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { isWrongPath, unreadable } from '../../src/fs/disk-failure.ts'
import { openInputFile, readInputFile } from '../../src/fs/input-file.ts'
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
