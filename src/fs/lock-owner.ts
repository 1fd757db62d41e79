import * as z from 'zod/mini'
import { parseJson } from '../base/json-text.ts'
import type { OwnFacts, ProcessFacts } from './process-facts.ts'

/** Content of a lock file. */
const LOCK_OWNER = z.object({
  pid: z.int().check(z.positive()),
  host: z.string(),
  /** RFC 3339, UTC. */
  startedAt: z.string(),
  /** Unique for each run, also within a process. */
  run: z.string(),
  boot: z.optional(z.string()),
  namespace: z.optional(z.string()),
  startTick: z.optional(z.string()),
})

/** The process that holds a lock. */
export type LockOwner = Readonly<z.infer<typeof LOCK_OWNER>>

export function ownerText(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`
}

/** The owner in a lock file; undefined when the file is empty, truncated or invalid. */
export function parseOwner(text: string): LockOwner | undefined {
  const json = parseJson(text)
  return 'value' in json ? LOCK_OWNER.safeParse(json.value).data : undefined
}

/** True when `here` can see the processes of the owner's system. */
export function isSameSystem(owner: LockOwner, here: LockOwner): boolean {
  return owner.host === here.host && agree(owner, here, 'namespace')
}

/**
 * True when the owner of a lock has certainly ended: the machine was rebooted, the process does not run, or another process has its
 * id. Never for an owner on another machine or in another process namespace.
 */
export function isGone(owner: LockOwner, here: LockOwner, process: ProcessFacts): boolean {
  if (owner.host !== here.host) return false
  if (!agree(owner, here, 'boot')) return true
  if (!isSameSystem(owner, here)) return false
  return !process.isAlive || !agree(owner, process, 'startTick')
}

// A missing fact matches any.
function agree(one: OwnFacts, other: OwnFacts, fact: keyof OwnFacts): boolean {
  return one[fact] === undefined || other[fact] === undefined || one[fact] === other[fact]
}
