import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { type LockOwner, ownerText, parseOwner } from './lock-owner.ts'
import { isWithoutLinks } from './unsupported.ts'

/** How often a run rewrites its lock, to show other machines that it is alive. */
const HEARTBEAT_MS = 60_000

/** The path of the lock of an output. */
export function lockPath(outputPath: string): string {
  const name = `.${basename(outputPath)}.lock`
  // Names derived from this one must fit into 255 bytes.
  if (Buffer.byteLength(name) <= 230) return join(dirname(outputPath), name)
  const short = createHash('sha256').update(basename(outputPath)).digest('hex').slice(0, 32)
  return join(dirname(outputPath), `.matdecl-${short}.lock`)
}

/** An attempt to create a lock. */
export interface LockAttempt {
  readonly isOurs: boolean
  /** The current time of the file system. */
  readonly atMs: number
}

/** Creates a lock unless it exists, with link() to a complete file. */
export async function createLock(disk: Disk, path: string, us: LockOwner): Promise<LockAttempt> {
  const draft = `${path}.${us.run}`
  let atMs = 0
  try {
    await writeNew(disk, draft, us)
    atMs = (await disk.lstat(draft)).mtimeMs
    await disk.link(draft, path)
    return { isOurs: true, atMs }
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return { isOurs: false, atMs }
    if (!isWithoutLinks(error)) throw diskFailure(error, 'create', path)
  } finally {
    await disk.rm(draft, { force: true }).catch(() => undefined)
  }
  try {
    await writeNew(disk, path, us)
    return { isOurs: true, atMs }
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return { isOurs: false, atMs }
    throw diskFailure(error, 'create', path)
  }
}

async function writeNew(disk: Disk, path: string, us: LockOwner): Promise<void> {
  await using file = await disk.open(path, 'wx', 0o644)
  await file.writeFile(ownerText(us))
}

/** Reads a lock; undefined when there is none. A symbolic link is an `io` failure. */
export async function readLock(
  disk: Disk,
  path: string,
): Promise<
  { readonly text: string; readonly owner: LockOwner | undefined; readonly modifiedMs: number } | undefined
> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    await using file = await disk.open(path, flags)
    const { mtimeMs } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return { text, owner: parseOwner(text), modifiedMs: mtimeMs }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'read', path)
  }
}

/** Rewrites the lock every minute until it is disposed, which removes it. */
export function keepAlive(disk: Disk, path: string, us: LockOwner): AsyncDisposable {
  const heartbeat = async (): Promise<void> => {
    await using file = await disk.open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    const text = await file.readFile('utf8')
    if (parseOwner(text)?.run === us.run) await file.write(text, 0)
  }
  const timer = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      const found = await readLock(disk, path).catch(() => undefined)
      if (found?.owner?.run === us.run) await disk.rm(path, { force: true }).catch(() => undefined)
    },
  }
}
