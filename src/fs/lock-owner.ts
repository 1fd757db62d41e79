/** Who holds a lock. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  /** RFC 3339, UTC. */
  readonly startedAt: string
  /** Unlike any other run's, also of the same process. */
  readonly run: string
  /** What tells this process from a later one with its number, where the system says: boot, process namespace, start tick. */
  readonly boot?: string | undefined
  readonly namespace?: string | undefined
  readonly startTick?: string | undefined
}

/** What can be seen of the process a lock names, from here. `undefined`: the system does not say. */
export interface ProcessFacts {
  readonly isAlive: boolean
  readonly startTick?: string | undefined
}

/** A lock file's text; `parseOwner` reads it. */
export function ownerText(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`
}

/** The owner a lock file names; undefined when it is empty, torn or something else. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockOwner> | null
    const isOwner =
      typeof value?.pid === 'number' &&
      Number.isSafeInteger(value.pid) &&
      value.pid > 0 &&
      typeof value.host === 'string' &&
      typeof value.startedAt === 'string' &&
      typeof value.run === 'string'
    return isOwner ? (value as LockOwner) : undefined
  } catch {
    return undefined
  }
}

/** True when `here` can see the processes of the place where `owner` runs. */
export function isSamePlace(owner: LockOwner, here: LockOwner): boolean {
  const namespacesDiffer =
    owner.namespace !== undefined && here.namespace !== undefined && owner.namespace !== here.namespace
  return owner.host === here.host && !namespacesDiffer
}

/**
 * True when the lock's owner is certainly gone: the machine was started again since, no such process is there, or
 * another one has its number. Of another machine or process namespace nothing can be known: never gone.
 */
export function isGone(owner: LockOwner, here: LockOwner, process: ProcessFacts): boolean {
  if (owner.host !== here.host) return false
  if (owner.boot !== undefined && here.boot !== undefined && owner.boot !== here.boot) return true
  if (!isSamePlace(owner, here)) return false
  if (!process.isAlive) return true
  return (
    owner.startTick !== undefined && process.startTick !== undefined && owner.startTick !== process.startTick
  )
}

/** State and start tick from the text of `/proc/PID/stat` (proc(5)); the command's name in it may hold anything. */
export function parseProcStat(text: string): ProcessFacts | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTick] = [fields[0], fields[19]]
  if (state === undefined || startTick === undefined || !/^\d+$/.test(startTick)) return undefined
  return { isAlive: !/^[ZXx]$/.test(state), startTick }
}
