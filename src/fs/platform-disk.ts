import type { BigIntStats, Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../base/failure.ts'
import type { Disk, SyncDisk } from '../base/world.ts'

/**
 * The calls of a platform: those of Node, on Windows with what the rest of the program expects of them.
 * - Virus scanners, indexers and synchronization hold files for moments, and a file that was removed while it is open keeps its name
 *   until it is closed. Each call that opens or changes something is tried again for three seconds; `pause` waits.
 * - Windows has no permission bits. Files appear as those of their owner alone, and changing the bits does nothing.
 * - The device number of an open file can differ from that of its path (libuv 4698): it is 0, "not known", for an open file.
 * - RAM disks and other virtual drives have no real path: the path itself is used.
 * - `exclusiveFlags` open a file only where no other process has it open (Windows) or locked (macOS).
 */
export function platformDisk(
  platform: NodeJS.Platform,
  disk: Disk,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
): Disk {
  if (platform === 'darwin') return { ...disk, exclusiveFlags: MAC_EXCLUSIVE }
  if (platform !== 'win32') return disk
  const look: Look<Promise<boolean>> = {
    isDirectory: (path) => disk.lstat(path).then((facts) => facts.isDirectory(), isNot),
    hasEntries: async (path) => {
      for (const name of await disk.readdir(path).catch(() => [])) {
        const isThere = await disk.lstat(join(path, name)).then(() => true, isNot)
        if (isThere) return true
      }
      return false
    },
  }
  const retried = <Args extends unknown[], Result>(
    name: Retried,
    call: (...args: Args) => Promise<Result>,
  ): ((...args: Args) => Promise<Result>) => {
    return async (...args) => {
      for (const waitMs of RETRY_WAITS_MS) {
        try {
          return await call(...args)
        } catch (error) {
          if (await isFinal(name, error, args, look)) throw error
        }
        await pause(waitMs)
      }
      return await call(...args)
    }
  }
  const open = retried('open', disk.open)
  return {
    ...disk,
    isWindows: true,
    exclusiveFlags: WINDOWS_EXCLUSIVE,
    chmod: async () => undefined,
    link: retried('link', disk.link),
    lstat: plainResult(disk.lstat) as Disk['lstat'],
    mkdir: retried('mkdir', disk.mkdir as (...args: unknown[]) => Promise<undefined>) as Disk['mkdir'],
    open: async (...args) => plainHandle(await open(...args)),
    realpath: (async (path: string) => {
      try {
        return await disk.realpath(path)
      } catch (error) {
        if (systemCode(error) !== 'EISDIR') throw error
        return resolve(path)
      }
    }) as Disk['realpath'],
    rename: retried('rename', disk.rename),
    rm: retried('rm', disk.rm),
    rmdir: retried('rmdir', disk.rmdir),
    stat: plainResult(disk.stat) as Disk['stat'],
    unlink: retried('unlink', disk.unlink),
    utimes: retried('utimes', disk.utimes),
  }
}

/** The synchronous calls, in the same way as `platformDisk`. */
export function platformSyncDisk(
  platform: NodeJS.Platform,
  disk: SyncDisk,
  pause: (ms: number) => void = pauseSync,
): SyncDisk {
  if (platform !== 'win32') return disk
  const isThere = (path: string): boolean => {
    try {
      return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
    } catch {
      return false
    }
  }
  const look: Look<boolean> = {
    isDirectory: (path) => isThere(path) && disk.lstatSync(path).isDirectory(),
    hasEntries: (path) => disk.readdirSync(path).some((name) => isThere(join(path, name))),
  }
  const retried = <Args extends unknown[], Result>(
    name: Retried,
    call: (...args: Args) => Result,
  ): ((...args: Args) => Result) => {
    return (...args) => {
      for (const waitMs of RETRY_WAITS_MS) {
        try {
          return call(...args)
        } catch (error) {
          if (isFinal(name, error, args, look)) throw error
        }
        pause(waitMs)
      }
      return call(...args)
    }
  }
  return {
    ...disk,
    isWindows: true,
    chmodSync: () => undefined,
    fchmodSync: () => undefined,
    fstatSync: plainResult(disk.fstatSync, withoutDevice) as SyncDisk['fstatSync'],
    linkSync: retried('link', disk.linkSync),
    lstatSync: plainResult(disk.lstatSync) as SyncDisk['lstatSync'],
    mkdirSync: retried('mkdir', disk.mkdirSync as (...args: unknown[]) => undefined) as SyncDisk['mkdirSync'],
    openSync: retried('open', disk.openSync),
    renameSync: retried('rename', disk.renameSync),
    rmdirSync: retried('rmdir', disk.rmdirSync),
    statSync: plainResult(disk.statSync) as SyncDisk['statSync'],
    unlinkSync: retried('unlink', disk.unlinkSync),
  }
}

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function isNot(): boolean {
  return false
}

/** UV_FS_O_EXLOCK, which shares nothing. */
const WINDOWS_EXCLUSIVE = 0x10000000
/** O_EXLOCK and O_NONBLOCK. */
const MAC_EXCLUSIVE = 0x20 | 0x4

/** The waits between the attempts of a call, three seconds in all. */
const RETRY_WAITS_MS: readonly number[] = [10, 20, 50, 100, 200, 400, 700, 700, 820]

/**
 * The calls that are tried again, with what makes an error final: a directory at the path of the argument with this index, or entries in
 * the directory at its path.
 */
const RETRIED = {
  link: {},
  mkdir: {},
  open: { directoryAt: 0 },
  rename: { directoryAt: 1 },
  rm: {},
  rmdir: { entriesIn: 0 },
  unlink: { directoryAt: 0 },
  utimes: {},
} satisfies Record<string, Final>

interface Final {
  readonly directoryAt?: number
  readonly entriesIn?: number
}

type Retried = keyof typeof RETRIED

/** Answers about the disk. */
interface Look<Answer> {
  readonly isDirectory: (path: string) => Answer
  /** True when a directory has an entry that is not about to go. */
  readonly hasEntries: (path: string) => Answer
}

/** Whether an error is final; `look` answers what its code does not say. */
function isFinal<Answer>(
  call: Retried,
  error: unknown,
  args: readonly unknown[],
  look: Look<Answer>,
): boolean | Answer {
  const { directoryAt, entriesIn }: Final = RETRIED[call]
  const isLeft = systemCode(error) === 'ENOTEMPTY' && (call === 'rmdir' || call === 'rm')
  if (!isLeft && !isHeld(error)) return true
  // A question for exclusive use wants its answer now.
  if (call === 'open' && (Number(args[1]) & WINDOWS_EXCLUSIVE) !== 0) return true
  if (directoryAt !== undefined) return look.isDirectory(String(args[directoryAt]))
  return entriesIn === undefined ? false : look.hasEntries(String(args[entriesIn]))
}

/** True for the errors of a file or directory that another program has open. */
export function isHeld(error: unknown): boolean {
  return ['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')
}

/** Which file or directory something is: device and number, exactly. A device of 0 is not known, as for an open file on Windows. */
export interface FileNumber {
  readonly dev: bigint
  readonly ino: bigint
}

/** True when both are the same file or directory. */
export function isSameNumber(one: FileNumber | undefined, other: FileNumber): boolean {
  return one?.ino === other.ino && (one.dev === other.dev || one.dev === 0n || other.dev === 0n)
}

type Facts = Stats | BigIntStats | undefined

function plainResult<Result extends Facts | Promise<Facts>>(
  call: (...args: never[]) => Result,
  adapt: (facts: Facts) => Facts = ownerOnly,
): (...args: never[]) => Result {
  return (...args) => {
    const facts = call(...args)
    return (facts instanceof Promise ? facts.then(adapt) : adapt(facts as Facts)) as Result
  }
}

function plainHandle(handle: FileHandle): FileHandle {
  const stat = handle.stat.bind(handle) as (...args: never[]) => Promise<Stats | BigIntStats>
  const adapted = { stat: plainResult(stat, withoutDevice), chmod: async () => undefined }
  return Object.assign(handle, adapted)
}

function ownerOnly(facts: Facts): Facts {
  if (facts === undefined) return undefined
  const mode = (Number(facts.mode) & ~0o7777) | (facts.isDirectory() ? 0o700 : 0o600)
  return Object.assign(facts, { mode: typeof facts.mode === 'bigint' ? BigInt(mode) : mode })
}

function withoutDevice(facts: Facts): Facts {
  const plain = ownerOnly(facts)
  return plain && Object.assign(plain, { dev: typeof plain.dev === 'bigint' ? 0n : 0 })
}
