import { createHash } from 'node:crypto'
import { systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'

/** Which process something is of. A fact that is missing is not known. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Set on Windows: the Linux in it has the same host name. */
  readonly system?: 'windows' | undefined
  /** Linux only: the boot of the machine, the process namespace, and the start of the process in clock ticks. */
  readonly boot?: string | undefined
  readonly namespace?: string | undefined
  readonly startTick?: string | undefined
}

interface ProcessState {
  readonly isAlive: boolean
  readonly startTick?: string | undefined
}

type Host = Pick<World['host'], 'pid' | 'name'>

/** The identity of this process. */
export async function ownIdentity(disk: Disk, { pid, name: host }: Host): Promise<ProcessIdentity> {
  // Anybody can create a directory \\proc on a drive of Windows.
  if (disk.isWindows === true) return { pid, host, system: 'windows' }
  const boot = await disk.readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
  const namespace = await disk.stat('/proc/self/ns/pid').catch(() => undefined)
  const { startTick } = await processState(disk, pid)
  return { pid, host, boot: boot?.trim(), namespace: namespace && String(namespace.ino), startTick }
}

/** True when the process is on a system whose processes `here` can see. */
export function isSameSystem(one: ProcessIdentity, here: ProcessIdentity): boolean {
  return isSameHost(one, here) && agree(one, here, 'namespace')
}

function isSameHost(one: ProcessIdentity, here: ProcessIdentity): boolean {
  return one.host === here.host && one.system === here.system
}

/**
 * True when a process has certainly ended: the machine was rebooted, the process does not run, or another process has its id. Never
 * for one on another machine or in another process namespace.
 */
export async function hasEnded(disk: Disk, one: ProcessIdentity, here: ProcessIdentity): Promise<boolean> {
  return (await fateOf(disk, one, here)) === 'ended'
}

/** What is certain about a process: it has ended, or it runs. `unknown` where its number could be that of another one by now. */
export async function fateOf(
  disk: Disk,
  one: ProcessIdentity,
  here: ProcessIdentity,
): Promise<'ended' | 'running' | 'unknown'> {
  if (!isSameHost(one, here)) return 'unknown'
  if (!agree(one, here, 'boot')) return 'ended'
  if (!isSameSystem(one, here)) return 'unknown'
  const process = await processState(disk, one.pid)
  if (!process.isAlive || !agree(one, process, 'startTick')) return 'ended'
  return one.startTick !== undefined && process.startTick !== undefined ? 'running' : 'unknown'
}

type Facts = Partial<ProcessIdentity>

function agree(one: Facts, other: Facts, fact: keyof Facts): boolean {
  return one[fact] === undefined || other[fact] === undefined || one[fact] === other[fact]
}

/** The identity in the name of a hidden file, so that a later run can remove what killed runs left: `4242-1a2b3c4d-4026531836-…`. */
export function markOf(process: ProcessIdentity): string {
  const { pid, host, system = '', namespace = '', boot = '', startTick = '' } = process
  return `${pid}-${short(`${host}${system}`)}-${namespace}-${boot && short(boot)}-${startTick}`.replace(
    /-+$/,
    '',
  )
}

/** The mark of this process. */
export async function ownMark({ disk, host }: Pick<World, 'disk' | 'host'>): Promise<string> {
  return markOf(await ownIdentity(disk, host))
}

/** True when the process of a mark has certainly ended; false for what is no mark. */
export async function hasMarkEnded(disk: Disk, mark: string, ours: string): Promise<boolean> {
  const [one, here] = [readMark(mark), readMark(ours)]
  return one !== undefined && here !== undefined && (await hasEnded(disk, one, here))
}

function readMark(mark: string): ProcessIdentity | undefined {
  if (!/^[1-9]\d{0,9}-[0-9a-f]{8}(?:-\d*(?:-(?:[0-9a-f]{8})?(?:-\d+)?)?)?$/.test(mark)) return undefined
  const [pid, host, ...facts] = mark.split('-')
  const [namespace, boot, startTick] = facts.map((fact) => fact || undefined)
  return { pid: Number(pid), host: host!, namespace, boot, startTick }
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Whether a process runs (zombies do not), and since when. */
async function processState(disk: Disk, pid: number): Promise<ProcessState> {
  if (disk.isWindows === true) return { isAlive: isSignalable(pid) }
  const text = await disk.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // See proc(5); the command name in parentheses may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTick] = [fields[0], fields[19]]
  if (state === undefined || startTick === undefined || !/^\d+$/.test(startTick)) {
    return { isAlive: isSignalable(pid) }
  }
  return { isAlive: !/^[ZXx]$/.test(state), startTick }
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    return systemCode(error) === 'EPERM'
  }
}
