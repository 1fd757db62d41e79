import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'

/** State of a process. */
export interface ProcessFacts {
  readonly isAlive: boolean
  /** Start time in clock ticks, Linux only. */
  readonly startTick?: string | undefined
}

/** Distinguishes this process from others with its id: boot, process namespace and start tick, Linux only. */
export interface OwnFacts {
  readonly boot?: string | undefined
  readonly namespace?: string | undefined
  readonly startTick?: string | undefined
}

export async function ownFacts(disk: Disk, pid: number): Promise<OwnFacts> {
  // Anybody can create a directory \\proc on a drive of Windows.
  if (disk.isWindows === true) return {}
  const boot = await disk.readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
  const namespace = await disk.stat('/proc/self/ns/pid').catch(() => undefined)
  const own = await readProcStat(disk, pid)
  return { boot: boot?.trim(), namespace: namespace && String(namespace.ino), startTick: own?.startTick }
}

/** Whether a process runs (zombies do not), and since when. */
export async function processFacts(disk: Disk, pid: number): Promise<ProcessFacts> {
  return (await readProcStat(disk, pid)) ?? { isAlive: isSignalable(pid) }
}

/** State and start tick from `/proc/PID/stat` (proc(5)); the command name in it may contain anything. */
export function parseProcStat(text: string): ProcessFacts | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTick] = [fields[0], fields[19]]
  if (state === undefined || startTick === undefined || !/^\d+$/.test(startTick)) return undefined
  return { isAlive: !/^[ZXx]$/.test(state), startTick }
}

async function readProcStat(disk: Disk, pid: number): Promise<ProcessFacts | undefined> {
  if (disk.isWindows === true) return undefined
  const text = await disk.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseProcStat(text)
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    return systemCode(error) === 'EPERM'
  }
}
