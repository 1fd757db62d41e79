import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

/** A file under a hidden name that is being written. Unless `keep` was called it is removed when it is disposed. */
export interface Draft extends AsyncDisposable {
  readonly path: string
  /** Bytes taken so far, on file or on the way there. */
  readonly bytes: () => number
  /** Takes a chunk; a promise means: wait for it before the next one, the disk is behind. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  /** Resolves when every byte taken is in the file (not yet safe from a power cut). */
  readonly flush: () => Promise<void>
  /** Cuts the file back to its first `bytes` bytes. */
  readonly cut: (bytes: number) => Promise<void>
  /** Resolves when the bytes are safe from a power cut. */
  readonly sync: () => Promise<void>
  /** True while the path still names this very file, of the size written. */
  readonly isInPlace: () => Promise<boolean>
  /** Closes the file and leaves it where it is. */
  readonly keep: () => Promise<void>
}

interface DraftOptions {
  /** The path that errors name: that of the file to be; the draft's own unless given. */
  readonly named?: string
  /** Told after each write how many bytes, from the start, can be read back from the file. */
  readonly onWritten?: (bytes: number) => void
}

// One system call for many chunks, yet small enough that several drafts do not fill memory.
const WRITE_BYTES = 512 * 1024
const MOST_WAITING_BYTES = 2 * 1024 * 1024

/**
 * Creates the draft, respecting the umask. A plain file left under this name by a run that was killed is replaced; a
 * link, a folder or a file with a second name is refused (`io`) and not touched. Write errors are `io` and name the cure.
 */
export async function openDraft(
  disk: Disk,
  path: string,
  { named = path, onWritten }: DraftOptions = {},
): Promise<Draft> {
  const file = await create(disk, path, named)
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let taken = 0
  let written = 0
  let busy: Promise<void> | undefined
  let broken: unknown
  let kept = false
  let closed = false

  function write(chunk: Uint8Array): Promise<void> | undefined {
    if (broken !== undefined) return Promise.reject(broken)
    if (chunk.length > 0) {
      waiting.push(chunk)
      waitingBytes += chunk.length
      taken += chunk.length
    }
    if (waitingBytes >= WRITE_BYTES && busy === undefined) startWriting()
    return waitingBytes >= MOST_WAITING_BYTES ? busy : undefined
  }

  function startWriting(): void {
    const batch = waiting
    waiting = []
    waitingBytes = 0
    busy = writeAll(batch)
      .catch((error: unknown) => {
        broken ??= diskFailure(error, 'write', named)
        throw broken
      })
      .finally(() => {
        busy = undefined
      })
    busy.catch(() => undefined)
  }

  async function writeAll(batch: readonly Uint8Array[]): Promise<void> {
    let rest = batch
    while (rest.length > 0) {
      const { bytesWritten } = await file.writev(rest, written)
      if (bytesWritten === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
      written += bytesWritten
      rest = after(rest, bytesWritten)
    }
    onWritten?.(written)
  }

  async function flush(): Promise<void> {
    while (broken === undefined && (busy !== undefined || waitingBytes > 0)) {
      if (busy === undefined) startWriting()
      await busy
    }
    if (broken !== undefined) throw broken
  }

  async function cut(bytes: number): Promise<void> {
    await flush()
    await attempt('cut', () => file.truncate(bytes))
    taken = bytes
    written = bytes
  }

  async function sync(): Promise<void> {
    await flush()
    await attempt('save', () => file.sync().catch(ignoreUnsupported))
  }

  async function isInPlace(): Promise<boolean> {
    try {
      const [there, ours] = await Promise.all([disk.lstat(path), file.stat()])
      return there.ino === ours.ino && there.dev === ours.dev && there.size === written
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw diskFailure(error, 'read', named)
    }
  }

  async function keep(): Promise<void> {
    await close()
    kept = true
  }

  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await attempt('close', () => file.close())
  }

  async function discard(): Promise<void> {
    if (kept) return
    await busy?.catch(() => undefined)
    await close().catch(() => undefined)
    await disk.unlink(path).catch(() => undefined)
  }

  async function attempt<T>(action: string, body: () => Promise<T>): Promise<T> {
    try {
      return await body()
    } catch (error) {
      throw diskFailure(error, action, named)
    }
  }

  return {
    path,
    bytes: () => taken,
    write,
    flush,
    cut,
    sync,
    isInPlace,
    keep,
    [Symbol.asyncDispose]: discard,
  }
}

async function create(disk: Disk, path: string, named: string): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  try {
    return await disk.open(path, flags, 0o666)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw diskFailure(error, 'create', named)
  }
  await removeLeftover(disk, path)
  try {
    return await disk.open(path, flags, 0o666)
  } catch (error) {
    throw diskFailure(error, 'create', named)
  }
}

async function removeLeftover(disk: Disk, path: string): Promise<void> {
  const there = await disk.lstat(path)
  if (!there.isFile() || there.nlink > 1) {
    const what = there.isSymbolicLink()
      ? 'a link'
      : there.isDirectory()
        ? 'a folder'
        : 'not a file of its own'
    throw new Failure('io', `${path} is in the way: it is ${what}`, {
      file: path,
      hint: 'look at it and remove it, then run the command again',
    })
  }
  await disk.unlink(path).catch((error: unknown) => {
    throw diskFailure(error, 'replace', path)
  })
}

function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes
  let at = 0
  while (at < chunks.length && chunks[at]!.length <= skip) {
    skip -= chunks[at]!.length
    at += 1
  }
  const rest = chunks.slice(at)
  return skip === 0 ? rest : [rest[0]!.subarray(skip), ...rest.slice(1)]
}

/** Some file systems (network, FUSE) have no fsync; that is no failure, any other error is. */
export function ignoreUnsupported(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'ENOTSUP' && code !== 'EINVAL' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error
}
