import type { BigIntStats, Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../base/failure.ts'
import type { Disk, SyncDisk } from '../base/world.ts'

/**
 * The calls of a platform: those of Node, on Windows with what the rest of the program expects of them.
 * - Windows has no permission bits. Files appear as those of their owner alone, and changing the bits does nothing.
 * - The device number of a path can differ from that of the open file (libuv 4698). It is 0 for both: file numbers are compared alone.
 * - Virus scanners, indexers and synchronization hold files for moments. A rename is tried again for three seconds; `pause` waits
 *   between the attempts.
 */
export function platformDisk(
  platform: NodeJS.Platform,
  disk: Disk,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
): Disk {
  if (platform !== 'win32') return disk
  return {
    ...disk,
    isWindows: true,
    chmod: async () => undefined,
    lstat: plainResult(disk.lstat) as Disk['lstat'],
    stat: plainResult(disk.stat) as Disk['stat'],
    open: async (...args) => plainHandle(await disk.open(...args)),
    rename: async (from, to) => {
      for (const waitMs of RETRY_WAITS_MS) {
        try {
          return await disk.rename(from, to)
        } catch (error) {
          if (!isHeld(error) || (await disk.lstat(to).catch(() => undefined))?.isDirectory() === true)
            throw error
        }
        await pause(waitMs)
      }
      await disk.rename(from, to)
    },
  }
}

/** The synchronous calls, in the same way as `platformDisk`. */
export function platformSyncDisk(
  platform: NodeJS.Platform,
  disk: SyncDisk,
  pause: (ms: number) => void = pauseSync,
): SyncDisk {
  if (platform !== 'win32') return disk
  return {
    ...disk,
    isWindows: true,
    chmodSync: () => undefined,
    fchmodSync: () => undefined,
    lstatSync: plainResult(disk.lstatSync) as SyncDisk['lstatSync'],
    statSync: plainResult(disk.statSync) as SyncDisk['statSync'],
    fstatSync: plainResult(disk.fstatSync) as SyncDisk['fstatSync'],
    renameSync: (from, to) => {
      for (const waitMs of RETRY_WAITS_MS) {
        try {
          return disk.renameSync(from, to)
        } catch (error) {
          if (!isHeld(error) || disk.lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === true)
            throw error
        }
        pause(waitMs)
      }
      disk.renameSync(from, to)
    },
  }
}

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** The waits between the attempts of a rename, three seconds in all. */
const RETRY_WAITS_MS: readonly number[] = [10, 20, 50, 100, 200, 400, 700, 700, 820]

/** True for the errors of a file or directory that another program has open. */
export function isHeld(error: unknown): boolean {
  return ['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')
}

type Facts = Stats | BigIntStats | undefined

function plainResult<Result extends Facts | Promise<Facts>>(
  call: (...args: never[]) => Result,
): (...args: never[]) => Result {
  return (...args) => {
    const facts = call(...args)
    return (facts instanceof Promise ? facts.then(plain) : plain(facts as Facts)) as Result
  }
}

function plainHandle(handle: FileHandle): FileHandle {
  const stat = handle.stat.bind(handle) as (...args: never[]) => Promise<Stats | BigIntStats>
  const adapted = { stat: plainResult(stat), chmod: async () => undefined }
  return Object.assign(handle, adapted)
}

function plain(facts: Facts): Facts {
  if (facts === undefined) return undefined
  if (typeof facts.mode === 'bigint') {
    const { mode } = facts
    return Object.assign(facts, { dev: 0n, mode: BigInt(ownerOnly(Number(mode), facts)) })
  }
  return Object.assign(facts, { dev: 0, mode: ownerOnly(facts.mode, facts) })
}

function ownerOnly(mode: number, facts: Stats | BigIntStats): number {
  return (mode & ~0o7777) | (facts.isDirectory() ? 0o700 : 0o600)
}

// Microsoft, "Naming Files, Paths, and Namespaces": devices, with any extension.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** Why a file cannot have this name (one component of a path) where Windows rules apply, as a predicate; undefined when it can. */
export function portableNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'contains ":", which means a drive or a stream on Windows'
  if (name.endsWith('.') || name.endsWith(' ')) return 'ends with a dot or a space'
  return DEVICE.test(name) ? 'is reserved for a device on Windows' : undefined
}

/** The same for a name on Windows itself, which also has no `? * < > " |`; these are ordinary elsewhere. */
export function windowsNameProblem(name: string): string | undefined {
  const character = /[?*<>"|]/.exec(name)?.[0]
  if (character !== undefined) return `contains ${character}, which Windows does not allow in names`
  return portableNameProblem(name)
}
