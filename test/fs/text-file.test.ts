import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readSettingsFile, readSmallFile, secretFileExposure } from '../../src/fs/small-file.ts'
import { readSmallText } from '../../src/fs/text-file.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { testWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()

describe('the config file', () => {
  test('is UTF-8 text, without its byte order mark', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'c.toml')
      await writeFile(path, '\ufeffa = "ä"', { mode: 0o640 })
      expect(await readSettingsFile(disk, path, true)).toEqual({ text: 'a = "ä"', isExposed: true })
    }))

  test('may be missing unless it was named', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'none.toml')
      expect(await readSettingsFile(disk, path, false)).toBeUndefined()
      await expect(readSettingsFile(disk, path, true)).rejects.toMatchObject({
        kind: 'config',
        message: `the config file ${path} does not exist`,
        details: { options: ['config'] },
      })
    }))

  test('that cannot be read is a failure even if it may be missing', async () => {
    const bad = failingDisk((call) => (call === 'stat' ? 'EACCES' : undefined))
    await expect(readSettingsFile(bad, '/c.toml', false)).rejects.toMatchObject({
      message: 'the config file /c.toml cannot be read: permission denied (EACCES)',
    })
  })

  test.each([
    ['latin', Buffer.from('é', 'latin1'), /is not UTF-8 text/],
    ['large', Buffer.alloc(1024 * 1024 + 1), /is larger than 1 MiB/],
  ])('that is %s is refused', (name, content, message) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, name), content)
      await expect(readSmallFile(disk, join(folder, name))).rejects.toMatchObject({
        kind: 'config',
        message: expect.stringMatching(message),
      })
    }),
  )

  test('that is a device is refused', () =>
    expect(readSmallFile(disk, '/dev/null')).rejects.toMatchObject({ kind: 'config' }))
})

test('a secret file is exposed when others can read or change it', () =>
  withFolder(async (folder) => {
    for (const [mode, exposure] of [
      [0o600, 'none'],
      [0o620, 'exposed'],
      [0o604, 'exposed'],
    ] as const) {
      const path = join(folder, mode.toString(8))
      await writeFile(path, '')
      await disk.chmod(path, mode)
      expect(await secretFileExposure(disk, path)).toBe(exposure)
    }
    expect(await secretFileExposure(disk, join(folder, 'none'))).toBe('not there')
  }))

describe('a request text', () => {
  test('is read from standard input', async () => {
    const stdin = Readable.from([Buffer.from('a'), 'b'])
    expect(await readSmallText(disk, { stdin })).toEqual({ text: 'ab', isExposed: false })
  })

  test.each([
    ['none', 'none does not exist'],
    ['folder', 'folder is a directory'],
  ])('of a wrong path is a usage failure: %s', (name, message) =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await expect(readSmallText(disk, { path: name, absolute: join(folder, name) })).rejects.toMatchObject(
        { kind: 'usage', message },
      )
    }),
  )
})
