import { describe, expect, test } from 'vitest'
import { isGone, type LockOwner, ownerText, parseOwner } from '../../src/fs/lock.ts'
import { parseProcStat } from '../../src/fs/process-identity.ts'

const HERE: LockOwner = {
  pid: 10,
  host: 'a',
  startedAt: '2026-03-04T05:06:07.000Z',
  run: 'x',
  boot: 'b1',
  namespace: '4026531836',
  startTick: '500',
}
const OTHER: LockOwner = { ...HERE, pid: 20, run: 'y', startTick: '900' }

describe('whether the owner of a lock has ended', () => {
  test.each([
    ['no such process', OTHER, { isAlive: false }, true],
    ['the process runs', OTHER, { isAlive: true, startTick: '900' }, false],
    ['another process has its id', OTHER, { isAlive: true, startTick: '1000' }, true],
    ['the system does not say when it started', OTHER, { isAlive: true }, false],
    ['the machine was rebooted', { ...OTHER, boot: 'b0' }, { isAlive: true, startTick: '900' }, true],
    ['another machine', { ...OTHER, host: 'b', boot: 'b0' }, { isAlive: false }, false],
    ['another container of the same name', { ...OTHER, namespace: '1' }, { isAlive: false }, false],
    ['a lock without details', { pid: 20, host: 'a', startedAt: '', run: 'y' }, { isAlive: true }, false],
  ] as const)('%s', (_, owner, process, expected) => {
    expect(isGone(owner, HERE, process)).toBe(expected)
  })
})

test('an owner is read back from its file', () => expect(parseOwner(ownerText(HERE))).toEqual(HERE))

test.each(['', '{', 'null', '[]', '{"pid":"1"}', '{"pid":-1,"host":"a","startedAt":"","run":""}', '7'])(
  '%j names no owner',
  (text) => expect(parseOwner(text)).toBeUndefined(),
)

test('/proc/PID/stat is parsed whatever the command name', () => {
  const rest = `S 1 1 1 0 -1 4194560 ${Array.from({ length: 12 }, (_, index) => index).join(' ')} 12345 0`
  expect(parseProcStat(`42 (a) Z b) ${rest}`)).toEqual({ isAlive: true, startTick: '12345' })
  expect(parseProcStat(`42 (a) ${rest.replace('S', 'Z')}`)).toMatchObject({ isAlive: false })
  expect(parseProcStat('')).toBeUndefined()
})
