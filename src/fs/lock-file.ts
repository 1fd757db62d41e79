import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { type LockOwner, ownerText, parseOwner } from './lock-owner.ts'

/** A run writes its lock anew this often, so that other machines see that it lives. */
const BEAT_MS = 60_000

/** Where the lock of an output stands. */
export function lockPath(outputPath: string): string {
  const name = `.${basename(outputPath)}.lock`
  // Room is needed for the longest name that is made from this one.
  if (Buffer.byteLength(name) <= 230) return join(dirname(outputPath), name)
  const short = createHash('sha256').update(basename(outputPath)).digest('hex').slice(0, 32)
  return join(dirname(outputPath), `.matdecl-${short}.lock`)
}

/** Whether a name was free and is ours now. */
export interface Put {
  readonly isOurs: boolean
  /** What the clock of the file system says now. */
  readonly atMs: number
}

/** Puts a lock in place when the name is free: link() gives it to a file that is already written. */
export async function putInPlace(disk: Disk, path: string, us: LockOwner): Promise<Put> {
  const draft = `${path}.${us.run}`
  let atMs = 0
  try {
    await writeNew(disk, draft, us)
    atMs = (await disk.lstat(draft)).mtimeMs
    await disk.link(draft, path)
    return { isOurs: true, atMs }
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') return { isOurs: false, atMs }
    if (code === undefined || !NO_LINKS.includes(code)) throw diskFailure(error, 'create', path)
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

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

async function writeNew(disk: Disk, path: string, us: LockOwner): Promise<void> {
  const handle = await disk.open(path, 'wx', 0o644)
  try {
    await handle.writeFile(ownerText(us))
  } finally {
    await handle.close()
  }
}

/** A lock as it is on disk; undefined when there is none. A link is not followed (`io`). */
export async function readLock(
  disk: Disk,
  path: string,
): Promise<
  { readonly text: string; readonly owner: LockOwner | undefined; readonly modifiedMs: number } | undefined
> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const handle = await disk.open(path, flags)
    try {
      const { mtimeMs } = await handle.stat()
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0)
      const text = buffer.toString('utf8', 0, bytesRead)
      return { text, owner: parseOwner(text), modifiedMs: mtimeMs }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'read', path)
  }
}

/** Writes the lock anew from time to time, by the file system's own clock, until it is disposed of and removed. */
export function keepAlive(disk: Disk, path: string, us: LockOwner): AsyncDisposable {
  const beat = async (): Promise<void> => {
    const handle = await disk.open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    try {
      const text = await handle.readFile('utf8')
      if (parseOwner(text)?.run === us.run) await handle.write(text, 0)
    } finally {
      await handle.close()
    }
  }
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      const found = await readLock(disk, path).catch(() => undefined)
      if (found?.owner?.run === us.run) await disk.rm(path, { force: true }).catch(() => undefined)
    },
  }
}
