import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openJournalFile } from '../../src/download/journal.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { testWorld, withFolder } from '../support/world.ts'

describe('openJournalFile', () => {
  test.each([
    ['', false, 'new\n'],
    ['old\n', false, 'old\nnew\n'],
    ['old\ntor', false, 'old\ntor\nnew\n'],
    ['old\n', true, 'new\n'],
  ])('after %j (emptied: %s) holds %j', (before, isAnew, after) =>
    withFolder(async (folder) => {
      const path = join(folder, 'journal')
      await writeFile(path, before)
      const file = await openJournalFile(testWorld().disk, path, isAnew)
      await file.append('new\n')
      await file.close()
      await file.close()
      expect(await readFile(path, 'utf8')).toBe(after)
    }),
  )

  test('writes concurrent lines in order with fewer syncs, for the owner alone', () =>
    withFolder(async (folder) => {
      const disk = failingDisk(() => undefined)
      const path = join(folder, 'journal')
      const file = await openJournalFile(disk, path, false)
      const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`)
      await Promise.all(lines.map((line) => file.append(line)))
      await file.close()
      expect(await readFile(path, 'utf8')).toBe(lines.join(''))
      const syncs = disk.calls.filter((call) => call === 'handle.datasync').length
      expect([1, 2, 3]).toContain(syncs)
      if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    }))

  test('ends the line of a write that failed before the next one', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'journal')
      const disk = failingDisk((call, count) =>
        call === 'handle.appendFile' && count === 1 ? 'ENOSPC' : undefined,
      )
      const file = await openJournalFile(disk, path, false)
      await expect(file.append('one\n')).rejects.toMatchObject({
        kind: 'io',
        message: `cannot write ${path}: the disk is full (ENOSPC)`,
      })
      await file.append('two\n')
      await file.close()
      expect(await readFile(path, 'utf8')).toBe('\ntwo\n')
    }))

  test('follows no link', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'victim'), 'as it was')
      await symlink('victim', join(folder, 'journal'))
      await expect(openJournalFile(testWorld().disk, join(folder, 'journal'), true)).rejects.toMatchObject({
        kind: 'io',
      })
      expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('as it was')
    }))
})
