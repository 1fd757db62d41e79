import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import * as realDisk from 'node:fs/promises'
import { readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Notice, SILENT } from '../../src/base/notice.ts'
import type { Disk } from '../../src/base/world.ts'
import { acquireLock, lockPath } from '../../src/fs/lock.ts'
import { markOf, ownIdentity } from '../../src/fs/process-identity.ts'
import { posixTest } from '../support/programs.ts'
import { soakTest } from '../support/soak.ts'
import { createFakeClock, testWorld, withFolder } from '../support/world.ts'

const AT = '2026-03-04T05:06:07.000Z'
const SYSTEM = process.platform === 'win32' ? ({ system: 'windows' } as const) : {}

/** The id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid!
}

async function writeLock(output: string, owner: object): Promise<void> {
  await writeFile(
    lockPath(output),
    JSON.stringify({ host: 'test-host', ...SYSTEM, startedAt: AT, run: 'earlier', ...owner }),
  )
}

async function silentFor(path: string, seconds: number): Promise<void> {
  const at = Date.now() / 1000 - seconds
  await utimes(path, at, at)
}

const EXCLUSIVE = 0x10000000

/** A system without /proc. */
const withoutProcesses: Disk = {
  ...realDisk,
  isWindows: process.platform === 'win32',
  readFile: (async () => {
    throw Object.assign(new Error(), { code: 'ENOENT' })
  }) as unknown as Disk['readFile'],
}

/** A file system without locks. */
const refuseExclusive: Disk['open'] = async (path, flags, mode) => {
  if ((Number(flags) & EXCLUSIVE) !== 0) throw Object.assign(new Error(), { code: 'ENOTSUP' })
  return realDisk.open(path, flags, mode)
}

/** A disk of Windows or macOS, on which a lock that is held open cannot be opened for exclusive use. */
function holdingDisk(isWindows: boolean, note: (call: string) => void = () => undefined): Disk {
  const holders = new Map<string, number>()
  const open: Disk['open'] = async (path, flags = 'r', mode) => {
    const bits = Number(flags)
    const isExclusive = (bits & EXCLUSIVE) !== 0
    const name = String(path)
    const isHolding = isWindows ? bits === constants.O_RDWR : isExclusive
    if (isExclusive && (holders.get(name) ?? 0) > 0)
      throw Object.assign(new Error(), { code: isWindows ? 'EBUSY' : 'EAGAIN' })
    const file = await realDisk.open(path, isExclusive ? bits & ~EXCLUSIVE : flags, mode)
    if (!isHolding) return file
    holders.set(name, (holders.get(name) ?? 0) + 1)
    const close = file.close.bind(file)
    return Object.assign(file, {
      close: async () => {
        note('close')
        holders.set(name, (holders.get(name) ?? 0) - 1)
        await close()
      },
    })
  }
  const unlink: Disk['unlink'] = async (path) => {
    note('unlink')
    await realDisk.unlink(path)
  }
  return { ...withoutProcesses, isWindows, exclusiveFlags: EXCLUSIVE, open, unlink }
}

describe('the lock of an output', () => {
  test('names its holder while it is held, and is removed afterwards', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      expect(await readdir(folder)).toEqual(['.out.zip.lock'])
      expect(JSON.parse(await readFile(lockPath(output), 'utf8'))).toMatchObject({
        pid: process.pid,
        host: 'test-host',
        startedAt: AT,
      })
      await lock![Symbol.asyncDispose]()
      expect(await readdir(folder)).toEqual([])
    }))

  test('what killed runs left beside it is removed by the next run, and nothing else', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const gone = { host: 'test-host', ...SYSTEM, pid: await endedProcess() }
      const owner = JSON.stringify({ ...gone, startedAt: AT, run: 'earlier' })
      await writeFile(`${lockPath(output)}.guard`, owner)
      // A kill between its creation and its content leaves an empty file.
      for (const name of [markOf(gone), `guard.${markOf(gone)}`]) {
        await writeFile(`${lockPath(output)}.${name}.0123456789abcdef`, '')
      }
      const alive = markOf({ host: 'test-host', ...SYSTEM, pid: process.pid })
      const stay = [
        `.out.zip.lock.${alive}.fedcba9876543210`,
        `.out.zip.lock.guard.${alive}.fedcba9876543210`,
      ]
      for (const name of stay) await writeFile(join(folder, name), owner)
      await writeFile(join(folder, '.out.zip.lock.mine'), owner)
      await using _ = await acquireLock(testWorld(), output, 'fail', SILENT)
      expect((await readdir(folder)).toSorted()).toEqual(
        ['.out.zip.lock', '.out.zip.lock.mine', ...stay].toSorted(),
      )
    }))

  test('the guard of a killed run is removed when it is older than ten seconds, and not before', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const guard = `${lockPath(output)}.guard`
      const stale = async (seconds: number): Promise<void> => {
        await writeLock(output, { pid: await endedProcess() })
        // By another system, so that nothing but its age tells.
        await writeFile(guard, JSON.stringify({ host: 'elsewhere', pid: 1, startedAt: AT, run: 'other' }))
        await silentFor(guard, seconds)
      }
      await stale(60)
      const lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      expect(await readdir(folder)).toEqual(['.out.zip.lock'])
      await lock![Symbol.asyncDispose]()

      await stale(0)
      const stop = new AbortController()
      let attempts = 0
      const clock = {
        ...createFakeClock(),
        sleep: async () => {
          attempts += 1
          if (attempts === 3) stop.abort(new Error('stopped'))
        },
      }
      const world = { ...testWorld(), clock, interrupt: stop.signal }
      await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toThrow('stopped')
      expect((await readdir(folder)).toSorted()).toEqual(['.out.zip.lock', '.out.zip.lock.guard'])
    }))

  test('a second run fails with its holder', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await using _ = await acquireLock(testWorld(), output, 'fail', SILENT)
      await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({
        kind: 'locked',
        exitCode: 11,
        message: `${output} is in use by process ${process.pid} on test-host since ${AT}`,
      })
      expect(await readdir(folder)).toEqual(['.out.zip.lock'])
    }))

  test('another output in the directory is free', () =>
    withFolder(async (folder) => {
      await using _ = await acquireLock(testWorld(), join(folder, 'a.zip'), 'fail', SILENT)
      await using other = await acquireLock(testWorld(), join(folder, 'b.zip'), 'fail', SILENT)
      expect(other).toBeDefined()
    }))

  test('skip does nothing and reports why', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await using _ = await acquireLock(testWorld(), output, 'fail', SILENT)
      const events: string[] = []
      const reporter = { ...SILENT, notice: ({ event }: { event: string }) => events.push(event) }
      expect(await acquireLock(testWorld(), output, 'skip', reporter)).toBeUndefined()
      expect(events).toEqual(['lock.skipped'])
    }))

  test('wait retries every second, reports once, and gets it', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const held = await acquireLock(testWorld(), output, 'fail', SILENT)
      const fake = createFakeClock()
      const clock = {
        ...fake,
        sleep: async (ms: number, signal?: AbortSignal) => {
          await fake.sleep(ms, signal)
          if (fake.slept.length === 3) await held![Symbol.asyncDispose]()
        },
      }
      const notices: Notice[] = []
      const reporter = { ...SILENT, notice: (notice: Notice) => void notices.push(notice) }
      await using lock = await acquireLock(testWorld({ clock }), output, 'wait', reporter, {
        afterwards: '; then it asks',
      })
      expect(lock).toBeDefined()
      expect(fake.slept).toEqual([1000, 1000, 1000])
      expect(notices.map(({ event }) => event)).toEqual(['lock.waiting'])
      expect(notices[0]!.message).toMatch(/in use by process \d+ .*; waiting; then it asks$/)
    }))

  test('waiting ends when the run is stopped', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await using _ = await acquireLock(testWorld(), output, 'fail', SILENT)
      const world = testWorld()
      world.stop(new Error('stopped'))
      await expect(acquireLock(world, output, 'wait', SILENT)).rejects.toThrow('stopped')
    }))
})

describe('a lock whose process has ended', () => {
  test('is taken over', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await writeLock(output, { pid: await endedProcess() })
      await using lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      expect(lock).toBeDefined()
      expect(JSON.parse(await readFile(lockPath(output), 'utf8'))).toMatchObject({ pid: process.pid })
      expect(await readdir(folder)).toEqual(['.out.zip.lock'])
    }))

  test('is taken over by one run of many', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const pid = await endedProcess()
      for (let round = 0; round < 20; round += 1) {
        await writeLock(output, { pid })
        const got = await Promise.allSettled(
          Array.from({ length: 12 }, () => acquireLock(testWorld(), output, 'fail', SILENT)),
        )
        const winners = got.flatMap((result) => (result.status === 'fulfilled' ? [result.value!] : []))
        const reasons = got.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
        expect(winners).toHaveLength(1)
        for (const reason of reasons) expect(reason).toMatchObject({ kind: 'locked' })
        await winners[0]![Symbol.asyncDispose]()
        expect(await readdir(folder)).toEqual([])
      }
    }))

  posixTest('is detected although another process has its id', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await writeLock(output, { pid: process.pid, startTick: '1' })
      await using lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      expect(lock).toBeDefined()
    }),
  )

  test('of another machine is not taken over: the hint names the file to remove', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await writeLock(output, { pid: await endedProcess(), host: 'elsewhere' })
      await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({
        kind: 'locked',
        hint: expect.stringContaining(`remove ${lockPath(output)}`),
      })
    }))

  test('of another machine is taken over, with a warning, when it has been silent for a quarter of an hour', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await writeLock(output, { pid: process.pid, host: 'elsewhere' })
      await silentFor(lockPath(output), 14 * 60)
      await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
      await silentFor(lockPath(output), 16 * 60)
      const notices: Notice[] = []
      const reporter = { ...SILENT, notice: (notice: Notice) => void notices.push(notice) }
      await using lock = await acquireLock(testWorld(), output, 'fail', reporter)
      expect(lock).toBeDefined()
      expect(notices).toMatchObject([
        {
          level: 'warning',
          event: 'lock.taken-over',
          message: expect.stringMatching(/^took over the lock of out\.zip: /),
        },
      ])
    }))

  test('whose process number another one has is known by whether it is held open (Windows, macOS)', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      for (const isWindows of [true, false]) {
        const world = testWorld({ disk: holdingDisk(isWindows) })
        const { host, system } = await ownIdentity(world.disk, world.host)
        const held = await acquireLock(world, output, 'fail', SILENT)
        await silentFor(lockPath(output), 16 * 60)
        await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
        await held![Symbol.asyncDispose]()
        await writeLock(output, { pid: process.ppid, host, system })
        // A run that has just created its lock may not hold it yet.
        await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
        await silentFor(lockPath(output), 11)
        const lock = await acquireLock(world, output, 'fail', SILENT)
        await lock![Symbol.asyncDispose]()
        expect(await readdir(folder)).toEqual([])
      }
    }))

  test('with the number of this process is of an earlier one, held open by whom it may (Windows)', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const world = testWorld({ disk: holdingDisk(true) })
      const { pid, host, system } = await ownIdentity(world.disk, world.host)
      const take = () => acquireLock(world, output, 'fail', SILENT)
      await writeLock(output, { pid, host, system })
      await (await take())![Symbol.asyncDispose]()
      await writeLock(output, { pid, host, system })
      const held = await world.disk.open(lockPath(output), constants.O_RDWR)
      // A machine of the same name rewrites its lock every minute.
      await expect(take()).rejects.toMatchObject({ kind: 'locked' })
      await silentFor(lockPath(output), 3 * 60)
      await (await take())![Symbol.asyncDispose]()
      await held.close()
    }))

  test('is released while it is still held open', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const calls: string[] = []
      const disk = holdingDisk(true, (call) => calls.push(call))
      const lock = await acquireLock(testWorld({ disk }), output, 'fail', SILENT)
      calls.length = 0
      await lock![Symbol.asyncDispose]()
      expect(calls).toEqual(['unlink', 'close'])
    }))

  test('with the number of this process is of an earlier one, where files cannot be held open', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const disk: Disk = { ...withoutProcesses, exclusiveFlags: EXCLUSIVE, open: refuseExclusive }
      for (const world of [testWorld({ disk: withoutProcesses }), testWorld({ disk })]) {
        const held = await acquireLock(world, output, 'fail', SILENT)
        await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
        await held![Symbol.asyncDispose]()
        await writeLock(output, { pid: process.pid })
        const lock = await acquireLock(world, output, 'fail', SILENT)
        await lock![Symbol.asyncDispose]()
      }
    }))

  posixTest(
    'that runs by its number alone is taken over by its silence, and never where its start is known',
    () =>
      withFolder(async (folder) => {
        const output = join(folder, 'out.zip')
        const world = testWorld({ disk: withoutProcesses })
        await writeLock(output, { pid: process.ppid })
        await silentFor(lockPath(output), 14 * 60)
        await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
        await silentFor(lockPath(output), 16 * 60)
        const lock = await acquireLock(world, output, 'fail', SILENT)
        await lock![Symbol.asyncDispose]()
        const { disk, host } = testWorld()
        const known = await ownIdentity(disk, host)
        if (known.startTick === undefined) return
        await writeLock(output, known)
        await silentFor(lockPath(output), 16 * 60)
        await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({
          kind: 'locked',
        })
      }),
  )

  posixTest.each(['fail', 'wait'] as const)(
    'of an ended run of another user in a sticky directory is theirs to remove (%s)',
    (ifLocked) =>
      withFolder(async (folder) => {
        const output = join(folder, 'out.zip')
        await writeLock(output, { pid: await endedProcess() })
        const forbidden = Object.assign(new Error('EPERM'), { code: 'EPERM' })
        const disk: Disk = {
          ...realDisk,
          unlink: async (path) =>
            String(path) === lockPath(output) ? Promise.reject(forbidden) : realDisk.unlink(path),
        }
        const world = testWorld({ disk })
        const other = { ...world, host: { ...world.host, uid: (world.host.uid ?? 0) + 1 } }
        await expect(acquireLock(other, output, ifLocked, SILENT)).rejects.toMatchObject({
          kind: 'locked',
          exitCode: 11,
          message: `${output} is locked by a run of another user (uid ${world.host.uid}) that has ended`,
          hint: `ask that user or root to remove ${lockPath(output)}, or choose another path`,
        })
        expect(await acquireLock(other, output, 'skip', SILENT)).toBeUndefined()
        expect(await readdir(folder)).toEqual(['.out.zip.lock'])
      }),
  )

  test('leaves nothing of an interrupted takeover', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const pid = await endedProcess()
      await writeLock(output, { pid })
      await writeFile(
        `${lockPath(output)}.${markOf({ pid, host: 'test-host', ...SYSTEM })}.0123456789abcdef`,
        '',
      )
      const lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      await lock![Symbol.asyncDispose]()
      expect(await readdir(folder)).toEqual([])
    }))
})

describe('a lock file', () => {
  posixTest('that is a symbolic link is not followed', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      await writeFile(join(folder, 'aside'), 'mine')
      await symlink(join(folder, 'aside'), lockPath(output))
      await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'io' })
      expect(await readFile(join(folder, 'aside'), 'utf8')).toBe('mine')
    }),
  )

  test.each(['', '{', 'null', '[]', '{"pid":"1"}', '{"pid":-1,"host":"a","startedAt":"","run":""}', '7'])(
    'without an owner is stale after ten seconds: %j',
    (text) =>
      withFolder(async (folder) => {
        const output = join(folder, 'out.zip')
        await writeFile(lockPath(output), text)
        await expect(acquireLock(testWorld(), output, 'fail', SILENT)).rejects.toMatchObject({
          kind: 'locked',
          hint: expect.stringContaining('expires 10 seconds after'),
        })
        await silentFor(lockPath(output), 11)
        await using lock = await acquireLock(testWorld(), output, 'fail', SILENT)
        expect(lock).toBeDefined()
      }),
  )

  test('works on file systems without hard links', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const disk: Disk = {
        ...realDisk,
        link: () => Promise.reject(Object.assign(new Error(), { code: 'EPERM' })),
      }
      const lock = await acquireLock(testWorld({ disk }), output, 'fail', SILENT)
      await expect(acquireLock(testWorld({ disk }), output, 'fail', SILENT)).rejects.toMatchObject({
        kind: 'locked',
      })
      await lock![Symbol.asyncDispose]()
      expect(await readdir(folder)).toEqual([])
    }))

  soakTest('that neither goes nor can be taken over is locked after a while', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      // As of a file that was removed while another program has it open.
      await writeLock(output, { pid: await endedProcess() })
      const isWindows = process.platform === 'win32'
      const disk: Disk = { ...realDisk, isWindows, unlink: async () => undefined }
      const world = testWorld({ disk })
      await expect(acquireLock(world, output, 'fail', SILENT)).rejects.toMatchObject({ kind: 'locked' })
      expect(world.fakeClock.slept.length).toBe(1_000)
    }),
  )

  test('in a directory that is not writable is an io failure', () =>
    withFolder(async (folder) => {
      await expect(
        acquireLock(testWorld(), join(folder, 'gone', 'out.zip'), 'fail', SILENT),
      ).rejects.toMatchObject({
        kind: 'io',
      })
    }))

  test('has a short name for the longest output', () =>
    withFolder(async (folder) => {
      await using lock = await acquireLock(
        testWorld(),
        join(folder, `${'ä'.repeat(120)}.zip`),
        'fail',
        SILENT,
      )
      expect(lock).toBeDefined()
    }))

  test('of a run that lost it is left to the new holder', () =>
    withFolder(async (folder) => {
      const output = join(folder, 'out.zip')
      const lock = await acquireLock(testWorld(), output, 'fail', SILENT)
      await writeLock(output, { pid: 1 })
      await lock![Symbol.asyncDispose]()
      expect(await readdir(folder)).toEqual(['.out.zip.lock'])
    }))
})
