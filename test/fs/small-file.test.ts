import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettingsFile, readSmallFile, secretFileExposure } from '../../src/fs/small-file.ts'
import { testWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()
const isWindows = process.platform === 'win32'

test('the text comes without its byte order mark', () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'a'), '\ufeffübung\n')
    expect((await readSmallFile(disk, join(folder, 'a'))).text).toBe('übung\n')
  }))

test.each([
  ['is larger than 1 MiB', (path: string) => writeFile(path, Buffer.alloc(1024 ** 2 + 1))],
  ['is not UTF-8 text', (path: string) => writeFile(path, Buffer.from([0x61, 0xff]))],
  ['is not a regular file', (path: string) => symlink('/dev/null', path)],
])('a file that %s is refused', (problem, make) =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await make(path)
    await expect(readSmallFile(disk, path)).rejects.toMatchObject({
      kind: 'config',
      message: `${path} ${problem}`,
    })
  }),
)

test('a settings file may be missing unless it was named', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'none', 'config.toml')
    expect(await readSettingsFile(disk, path, false)).toBeUndefined()
    await expect(readSettingsFile(disk, path, true)).rejects.toMatchObject({
      kind: 'config',
      message: `the settings file ${path} does not exist`,
      details: { options: ['config'] },
    })
    await mkdir(path, { recursive: true })
    await expect(readSettingsFile(disk, path, false)).rejects.toMatchObject({
      message: `the settings file ${path} is a directory`,
    })
  }))

test.skipIf(isWindows).each([
  [0o600, 'none', false],
  [0o620, 'exposed', false],
  [0o640, 'exposed', true],
  [0o604, 'exposed', true],
] as const)('mode %o: %s', (mode, exposure, isExposed) =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await writeFile(path, 'x')
    await chmod(path, mode)
    expect(await secretFileExposure(disk, path)).toBe(exposure)
    expect((await readSmallFile(disk, path)).isExposed).toBe(isExposed)
  }),
)

test('a secret file that is missing is not there', async () => {
  expect(await secretFileExposure(disk, '/nothing/there')).toBe('not there')
})
