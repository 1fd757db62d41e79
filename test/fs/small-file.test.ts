import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettingsFile, readSmallFile, secretFileExposure } from '../../src/fs/small-file.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const world = testWorld()
const { disk } = world

test('the text comes without its byte order mark', () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'a'), '\ufeffübung\n')
    expect((await readSmallFile(world, join(folder, 'a'), 'the file')).text).toBe('übung\n')
  }))

test.each([
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

test('a file that is not UTF-8 text is refused', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'a')
    await writeFile(path, Buffer.from([0x61, 0xff]))
    await expect(readSmallFile(world, path, 'the file')).rejects.toMatchObject({
      kind: 'config',
      message: `${path} is not UTF-8 text`,
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
