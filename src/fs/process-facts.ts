import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { type ProcessFacts, parseProcStat } from './lock-owner.ts'

/** What this machine says about itself and the current process, as far as it does (Linux); empty elsewhere. */
export async function placeFacts(
  disk: Disk,
  pid: number,
): Promise<{ readonly boot?: string; readonly namespace?: string; readonly startTick?: string }> {
  const boot = await disk.readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
  const namespace = await disk.stat('/proc/self/ns/pid').catch(() => undefined)
  const own = await procFacts(disk, pid)
  return {
    ...(boot === undefined ? {} : { boot: boot.trim() }),
    ...(namespace === undefined ? {} : { namespace: String(namespace.ino) }),
    ...(own?.startTick === undefined ? {} : { startTick: own.startTick }),
  }
}

/** Whether a process is there, zombies not counted, and when it began. */
export async function processFacts(disk: Disk, pid: number): Promise<ProcessFacts> {
  return (await procFacts(disk, pid)) ?? { isAlive: isSignalable(pid) }
}

async function procFacts(disk: Disk, pid: number): Promise<ProcessFacts | undefined> {
  const text = await disk.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseProcStat(text)
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return systemCode(error) === 'EPERM'
  }
}
