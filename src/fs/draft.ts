import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ignoreUnsupported } from './disk-failure.ts'
import { ownFacts, processFacts } from './process-identity.ts'

/** A file that is being written under a temporary name. Disposing removes it unless `keep` was called. */
export interface Draft extends AsyncDisposable {
  readonly path: string
  /** Bytes written or buffered so far. */
  readonly bytes: () => number
  /** Writes or buffers a chunk; wait for the promise, if there is one, before the next chunk. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  /** Resolves when all bytes are written (not yet synced). */
  readonly flush: () => Promise<void>
  /** Truncates the file to its first `bytes` bytes. */
  readonly cut: (bytes: number) => Promise<void>
  /** Resolves when all bytes are written and synced. */
  readonly sync: () => Promise<void>
  /** Writes and syncs what was taken so far, while more may follow; resolves with the number of bytes that are safe on disk. */
  readonly secure: () => Promise<number>
  /** True while the path still names this file, with the size written. */
  readonly isInPlace: () => Promise<boolean>
  /** Which file this is. */
  readonly identity: () => Promise<FileIdentity>
  /** Closes the file without removing it. */
  readonly keep: () => Promise<void>
}

interface DraftOptions {
  /** Continues the file at the path after its first bytes, this many, and drops the rest. */
  readonly continueAfter?: number | undefined
  /** The path in errors, usually that of the final file. */
  readonly named?: string
  /** Permissions; by default what the umask leaves. */
  readonly mode?: number | undefined
  /** Called after each write with the number of bytes that can be read back. */
  readonly onWritten?: (bytes: number) => void
}

const WRITE_BYTES = 512 * 1024
const MOST_WAITING_BYTES = 2 * 1024 * 1024

/**
 * Creates a draft. A regular file at its path, left by a killed run, is replaced; a link, a directory or a hard-linked file is an `io`
 * failure, and so is every write error.
 */
export async function openDraft(
  disk: Disk,
  path: string,
  { named = path, mode, onWritten, continueAfter = 0 }: DraftOptions = {},
): Promise<Draft> {
  const file =
    continueAfter > 0
      ? await reopenDraftFile(disk, path, continueAfter)
      : await createDraftFile(disk, path, named, mode)
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let taken = continueAfter
  let written = continueAfter
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
    await attempt('truncate', () => file.truncate(bytes))
    taken = bytes
    written = bytes
  }

  async function sync(): Promise<void> {
    await flush()
    await attempt('save', () => file.sync().catch(ignoreUnsupported))
  }

  async function secure(): Promise<number> {
    const goal = taken
    while (broken === undefined && written < goal) {
      if (busy === undefined) startWriting()
      await busy
    }
    if (broken !== undefined) throw broken
    const bytes = written
    await attempt('save', () => file.datasync().catch(ignoreUnsupported))
    return bytes
  }

  async function identity(): Promise<FileIdentity> {
    return attempt('read', async () => identityOf(await file.stat({ bigint: true })))
  }

  async function isInPlace(): Promise<boolean> {
    try {
      const [there, ours] = await Promise.all([
        disk.lstat(path, { bigint: true }),
        file.stat({ bigint: true }),
      ])
      return there.ino === ours.ino && there.dev === ours.dev && there.size === BigInt(written)
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
    secure,
    isInPlace,
    identity,
    keep,
    [Symbol.asyncDispose]: discard,
  }
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

/** Creates the file of a draft. A regular file at its path is replaced; anything else is an `io` failure, with `named` as the path. */
async function createDraftFile(
  disk: Disk,
  path: string,
  named: string,
  mode: number | undefined,
): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  try {
    const file = await disk.open(path, flags, mode ?? 0o666).catch(async (error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
      await removeLeftover(disk, path)
      return disk.open(path, flags, mode ?? 0o666)
    })
    // The umask may have removed the owner's permissions.
    if (mode !== undefined) {
      await file.chmod(mode).catch(async (error: unknown) => {
        await file.close().catch(() => undefined)
        await disk.unlink(path).catch(() => undefined)
        throw error
      })
    }
    return file
  } catch (error) {
    throw diskFailure(error, 'create', named)
  }
}

/** Opens the file of a draft with its first bytes, this many, and drops the rest. */
async function reopenDraftFile(disk: Disk, path: string, bytes: number): Promise<FileHandle> {
  try {
    const file = await disk.open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    try {
      const facts = await file.stat()
      if (!facts.isFile() || facts.nlink > 1 || facts.size < bytes) {
        throw new Failure('io', `cannot continue ${path}: it has changed`, {
          file: path,
          hint: 'check and remove it, then run the command again',
        })
      }
      await file.truncate(bytes)
      return file
    } catch (error) {
      await file.close().catch(() => undefined)
      throw error
    }
  } catch (error) {
    throw diskFailure(error, 'continue', path)
  }
}

async function removeLeftover(disk: Disk, path: string): Promise<void> {
  const there = await disk.lstat(path)
  if (!there.isFile() || there.nlink > 1) {
    const kind = there.isSymbolicLink()
      ? 'a link'
      : there.isDirectory()
        ? 'a directory'
        : 'a hard-linked file'
    throw new Failure('io', `cannot create ${path}: there is ${kind}`, {
      file: path,
      hint: 'check and remove it, then run the command again',
    })
  }
  await disk.unlink(path).catch((error: unknown) => {
    throw diskFailure(error, 'replace', path)
  })
}

const DRAFT = '.draft'

/** The hidden path of this process's draft beside `path`. Removes the drafts of killed runs. */
export async function draftBeside(world: Pick<World, 'disk' | 'host'>, path: string): Promise<string> {
  await removeStaleDrafts(world, path)
  return join(dirname(path), `${draftStart(path)}${await processMark(world)}${DRAFT}`)
}

/** Removes the drafts of killed runs beside `path`. */
export async function removeStaleDrafts(world: Pick<World, 'disk' | 'host'>, path: string): Promise<void> {
  const { disk } = world
  const folder = dirname(path)
  const ours = await processMark(world)
  const start = draftStart(path)
  for (const name of await disk.readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(DRAFT)) continue
    const isStale = await isOfGoneProcess(disk, name.slice(start.length, -DRAFT.length), ours)
    if (isStale) await disk.rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function draftStart(path: string): string {
  return `.${basename(path).slice(0, 60)}.`
}

/** Identifies this process in hidden names: its id, and a hash of machine and process namespace. */
export async function processMark({ disk, host }: Pick<World, 'disk' | 'host'>): Promise<string> {
  const { namespace = '' } = await ownFacts(disk, host.pid)
  const system = createHash('sha256').update(`${host.name} ${namespace}`).digest('hex').slice(0, 8)
  return `${host.pid}.${system}`
}

/** True when `mark` is of a process on the same system as `ours` that has ended. */
export async function isOfGoneProcess(disk: Disk, mark: string, ours: string): Promise<boolean> {
  const [pid = '', ...system] = mark.split('.')
  if (system.join('.') !== ours.slice(ours.indexOf('.') + 1) || !/^[1-9]\d{0,9}$/.test(pid)) return false
  return !(await processFacts(disk, Number(pid))).isAlive
}

/** Which file a name stands for, and with which content: device, number, size and time of the last write. */
export interface FileIdentity {
  readonly device: bigint
  readonly number: bigint
  readonly bytes: bigint
  readonly writtenNs: bigint
}

/** The identity by the facts of an open file. */
export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): FileIdentity {
  return { device: dev, number: ino, bytes: size, writtenNs: mtimeNs }
}

/** The identity of what is at a path now, links not followed; an `io` failure when nothing is there. */
export async function identityAt(disk: Disk, path: string): Promise<FileIdentity> {
  try {
    return identityOf(await disk.lstat(path, { bigint: true }))
  } catch (error) {
    throw diskFailure(error, 'read', path)
  }
}

/** True for the same file with unchanged content. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.device === other.device &&
    one.number === other.number &&
    one.bytes === other.bytes &&
    one.writtenNs === other.writtenNs
  )
}
