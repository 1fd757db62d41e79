import * as realDisk from 'node:fs/promises'
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import {
  listState,
  proveStateWritable,
  readState,
  resetState,
  saveState,
  stateDirectoryOf,
} from '../../src/download/state.ts'
import { posixTest } from '../support/programs.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'

const ID = 'ab'.repeat(32)
const SERVER_DATE = Date.parse('2026-03-04T05:00:00Z')
const REQUEST = { baseUrl: 'https://api.example.com', api: 'v2', format: '1752A', supplier: '123456789' }
const RUN = { identity: ID, request: REQUEST, serverDateMs: SERVER_DATE, parts: ['A', 'B', 'Ü'] }

const worldOf = (folder: string, disk: Disk = realDisk): TestWorld =>
  testWorld({ env: { XDG_STATE_HOME: folder }, disk })

const never = (message: string): void => expect.unreachable(message)

describe('the state of a request', () => {
  test('is nothing before the first run', () =>
    withFolder(async (folder) => {
      expect(await readState(worldOf(folder), ID, never)).toBeUndefined()
      expect(await readdir(folder)).toEqual([])
    }))

  test('keeps the date and every part, compact and private', () =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      await saveState(world, RUN)
      const last = await readState(world, ID, never)
      expect(last!.serverDateMs).toBe(SERVER_DATE)
      expect(['A', 'B', 'Ü', 'C', ''].map(last!.hasPart)).toEqual([true, true, true, false, false])
      const file = join(folder, 'matdecl', `${ID}.json`)
      expect((await lstat(file)).mode & 0o777).toBe(0o600)
      expect((await lstat(join(folder, 'matdecl'))).mode & 0o777).toBe(0o700)
      expect(await readdir(join(folder, 'matdecl'))).toEqual([`${ID}.json`])
    }))

  posixTest('in a directory that another user can change is not believed or written', () =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      await saveState(world, RUN)
      await realDisk.chmod(folder, 0o777)
      const refused = { kind: 'io', message: expect.stringContaining('another user can change it') }
      await expect(readState(world, ID, never)).rejects.toMatchObject(refused)
      await expect(proveStateWritable(world)).rejects.toMatchObject(refused)
      await expect(listState(world)).rejects.toMatchObject(refused)
      await expect(resetState(world)).rejects.toMatchObject(refused)
      expect(await readdir(join(folder, 'matdecl'))).toEqual([`${ID}.json`])
    }),
  )

  test('is not probed through a link', () =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      await saveState(world, RUN)
      const aside = join(folder, 'aside')
      await writeFile(aside, 'precious')
      const disk = {
        ...realDisk,
        // A link that comes back when it is removed.
        rm: async () => undefined,
      }
      await realDisk.symlink(aside, join(folder, 'matdecl', `.probe-${world.host.pid}`))
      await expect(proveStateWritable(worldOf(folder, disk))).rejects.toMatchObject({ kind: 'io' })
      expect(await readFile(aside, 'utf8')).toBe('precious')
    }))

  test('of a hundred thousand parts is small and exact', () =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      const parts = Array.from({ length: 100_000 }, (_, index) => `PN-${index}`)
      await saveState(world, { ...RUN, parts })
      expect((await lstat(join(folder, 'matdecl', `${ID}.json`))).size).toBeLessThan(1_200_000)
      const last = await readState(world, ID, never)
      expect(parts.every(last!.hasPart)).toBe(true)
      expect(parts.some((part) => last!.hasPart(`${part}x`))).toBe(false)
    }))

  test.each([
    ['garbage', () => 'garbage'],
    ['cut short', (text: string) => text.slice(0, -10)],
    ['of another request', (text: string) => text.replace(ID, 'cd'.repeat(32))],
    ['of another time', (text: string) => text.replace('2026-03-04', '2026-99-04')],
    ['in the future', (text: string) => text.replace('2026-03-04', '2036-03-04')],
  ])('that is %s is reported and ignored', (_, edit) =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      await saveState(world, RUN)
      const file = join(folder, 'matdecl', `${ID}.json`)
      await writeFile(file, edit(await readFile(file, 'utf8')))
      const told: string[] = []
      expect(await readState(world, ID, (message) => told.push(message))).toBeUndefined()
      expect(told).toHaveLength(1)
    }),
  )

  test.each(['open', 'rename', 'mkdir'] as const)('a failing %s leaves the old one whole', (call) =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      await saveState(world, RUN)
      const before = await readFile(join(folder, 'matdecl', `${ID}.json`), 'utf8')
      const disk = {
        ...realDisk,
        [call]: () => Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' })),
      }
      const later = { ...RUN, serverDateMs: SERVER_DATE + 86_400_000 }
      await expect(saveState(worldOf(folder, disk), later)).rejects.toMatchObject({ kind: 'io' })
      expect(await readFile(join(folder, 'matdecl', `${ID}.json`), 'utf8')).toBe(before)
      expect(await readdir(join(folder, 'matdecl'))).toEqual([`${ID}.json`])
    }),
  )
})

describe('the directory of the state', () => {
  test.each([
    [{ XDG_STATE_HOME: '/s' }, '/h', '/s/matdecl'],
    [{ XDG_STATE_HOME: 'relative' }, '/h', '/h/.local/state/matdecl'],
    [{ XDG_STATE_HOME: '' }, '/h', '/h/.local/state/matdecl'],
    [{}, '/h', '/h/.local/state/matdecl'],
  ])('with %j and home %j is %s', (env, homeDir, expected) => {
    const { host } = testWorld()
    expect(stateDirectoryOf({ env, host: { ...host, platform: 'linux', homeDir } })).toBe(expected)
  })

  test('without a home names the variable that is missing', () => {
    const { host } = testWorld()
    expect(() => stateDirectoryOf({ env: {}, host: { ...host, homeDir: '' } })).toThrow(
      expect.objectContaining({ kind: 'config', message: expect.stringContaining('HOME is not set') }),
    )
  })

  test('is proven to be writable without leaving anything', () =>
    withFolder(async (folder) => {
      await proveStateWritable(worldOf(folder))
      expect(await readdir(join(folder, 'matdecl'))).toEqual([])
      for (const name of ['.probe-1', '.probe-99999999', '.probe-of-mine'])
        await writeFile(join(folder, 'matdecl', name), '')
      await proveStateWritable(worldOf(folder))
      expect(await readdir(join(folder, 'matdecl'))).toEqual(['.probe-of-mine'])
      await writeFile(join(folder, 'file'), '')
      await expect(proveStateWritable(worldOf(join(folder, 'file')))).rejects.toMatchObject({ kind: 'io' })
    }))
})

describe('what is remembered', () => {
  test('can be listed, the latest first, and forgotten', () =>
    withFolder(async (folder) => {
      const world = worldOf(folder)
      const other = 'cd'.repeat(32)
      expect([await listState(world), await resetState(world)]).toEqual([[], 0])
      await saveState(world, RUN)
      await saveState(world, { ...RUN, identity: other, serverDateMs: SERVER_DATE + 1000, parts: [] })
      await mkdir(join(folder, 'matdecl', 'aside'))
      await writeFile(join(folder, 'matdecl', `${'ef'.repeat(32)}.json`), 'garbage')
      expect(await listState(world)).toMatchObject([
        { identity: other, partCount: 0, lastRun: '2026-03-04T05:00:01.000Z', request: REQUEST },
        { identity: ID, partCount: 3 },
      ])
      expect(await resetState(world, ({ identity }) => identity === other)).toBe(1)
      expect(await listState(world)).toMatchObject([{ identity: ID }])
      expect(await resetState(world)).toBe(2)
      expect(await readdir(join(folder, 'matdecl'))).toEqual(['aside'])
    }))
})
