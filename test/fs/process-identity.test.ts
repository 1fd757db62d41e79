import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import {
  hasEnded,
  hasMarkEnded,
  markOf,
  ownIdentity,
  type ProcessIdentity,
} from '../../src/fs/process-identity.ts'
import { testWorld, windowsWorld } from '../support/world.ts'

const HERE: ProcessIdentity = { pid: 10, host: 'a', boot: 'b1', namespace: '4026531836', startTick: '500' }
const OTHER: ProcessIdentity = { ...HERE, pid: 2 ** 30, startTick: '900' }
const UNKNOWN: ProcessIdentity = { pid: process.pid, host: 'a' }

/** A disk with this `/proc/PID/stat` for every process. */
function diskWith(stat: string): Disk {
  const { disk } = testWorld()
  return { ...disk, isWindows: false, readFile: (async () => stat) as unknown as Disk['readFile'] }
}

/** The text of `/proc/PID/stat` of a process with this state and start. */
function stat(state: string, startTick: string, command = 'a'): string {
  const rest = Array.from({ length: 18 }, (_, index) => index).join(' ')
  return `42 (${command}) ${state} ${rest} ${startTick} 0`
}

describe('whether a process has ended, by its facts and by a mark', () => {
  test.each([
    ['no such process', OTHER, '', true],
    ['the process runs', OTHER, stat('S', '900'), false],
    ['the process runs, with any name', OTHER, stat('S', '900', 'a) Z b'), false],
    ['a zombie', OTHER, stat('Z', '900'), true],
    ['another process has its id', OTHER, stat('S', '1000'), true],
    ['the system does not say when it started', { ...OTHER, pid: process.pid }, '', false],
    ['the machine was rebooted', { ...OTHER, boot: 'b0' }, stat('S', '900'), true],
    ['another machine', { ...OTHER, host: 'b', boot: 'b0' }, '', false],
    ['another container of the same name', { ...OTHER, namespace: '1' }, '', false],
    ['a process without details', UNKNOWN, stat('S', '900'), false],
  ] as const)('%s', async (_, owner, text, expected) => {
    expect(await hasEnded(diskWith(text), owner, HERE)).toBe(expected)
    expect(await hasMarkEnded(diskWith(text), markOf(owner), markOf(HERE))).toBe(expected)
  })
})

test('on Windows nothing below \\proc is read, and a process is known by its number alone', async () => {
  const { disk } = windowsWorld()
  const readFile = (() => expect.unreachable()) as unknown as Disk['readFile']
  const windows: Disk = { ...disk, readFile, stat: readFile as unknown as Disk['stat'] }
  const own = await ownIdentity(windows, { pid: process.pid, name: 'a' })
  expect(own).toEqual({ pid: process.pid, host: 'a', system: 'windows' })
  expect(await hasEnded(windows, own, own)).toBe(false)
  expect(await hasEnded(windows, { ...own, pid: 2 ** 30 }, own)).toBe(true)
  expect(await hasEnded(windows, { ...own, pid: 2 ** 30, host: 'b' }, own)).toBe(false)
})

test('the Linux in a Windows of the same name says nothing about its processes', async () => {
  const inWindows: ProcessIdentity = { pid: 2 ** 30, host: 'a', system: 'windows' }
  expect(await hasEnded(diskWith(''), inWindows, HERE)).toBe(false)
  expect(await hasMarkEnded(diskWith(''), markOf(inWindows), markOf(HERE))).toBe(false)
})

test('this process runs', async () => {
  const { disk, host } = testWorld()
  const own = await ownIdentity(disk, host)
  expect(await hasEnded(disk, own, own)).toBe(false)
  expect(await hasMarkEnded(disk, markOf(own), markOf(own))).toBe(false)
})

test('a mark is short, and safe in a file name', () => {
  const mark = markOf({ ...HERE, pid: 4_294_967_295, host: 'h/'.repeat(200), boot: 'x'.repeat(99) })
  expect(mark).toMatch(/^4294967295-[0-9a-f]{8}-4026531836-[0-9a-f]{8}-500$/)
  expect(markOf(UNKNOWN)).toMatch(/^\d+-[0-9a-f]{8}$/)
})

test.each(['', 'x', '0-00000000', '1', '1-00000000-x', '1-00000000-1-2', '-1-00000000'])(
  '%j is no mark',
  async (mark) => expect(await hasMarkEnded(diskWith(''), mark, markOf(HERE))).toBe(false),
)
