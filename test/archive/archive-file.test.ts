import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openArchiveFile } from '../../src/archive/archive-file.ts'
import { watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { testWorld, withFolder } from '../support/world.ts'

test('an archive is closed once: its descriptor may belong to another file afterwards', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'a.zip')
    await writeFile(path, 'content')
    const closed: unknown[] = []
    const syncDisk = watchedSyncDisk((call, fd) => {
      if (call === 'closeSync') closed.push(fd)
    })
    const file = openArchiveFile(testWorld({ syncDisk }), path)
    expect(file.read(3, 4).toString()).toBe('tent')
    await file[Symbol.asyncDispose]()
    await file[Symbol.asyncDispose]()
    expect(closed).toEqual([file.fd])
  })
})

test('standard input is refused, a file with the name - is not', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, '-'), 'content')
    const world = testWorld({ cwd: folder })
    expect(() => openArchiveFile(world, '-')).toThrow('an archive on standard input (-) is not supported')
    await using file = openArchiveFile(world, './-')
    expect(file.read(0, 7).toString()).toBe('content')
  })
})

test('what is no regular file is closed at once', async () => {
  await withFolder(async (folder) => {
    const calls: string[] = []
    const syncDisk = watchedSyncDisk((call) => calls.push(call))
    expect(() => openArchiveFile(testWorld({ syncDisk }), folder)).toThrow('is a directory, not an archive')
    expect(calls).toEqual(['openSync', 'fstatSync', 'closeSync'])
  })
})
