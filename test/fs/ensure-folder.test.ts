import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureFolder } from '../../src/fs/ensure-folder.ts'
import { testWorld, withFolder } from '../support/world.ts'

test('creates a private directory with its parents, once and again', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'a', 'b', 'c')
    await ensureFolder(testWorld().disk, path)
    await ensureFolder(testWorld().disk, path)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o700)
  }))

test.skipIf(process.platform !== 'linux')('fails where the file system refuses, and ends', async () => {
  await expect(ensureFolder(testWorld().disk, '/proc/none/a/b')).rejects.toThrow()
})
