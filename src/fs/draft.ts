import { type BigIntStats, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ignoreUnsupported, isUnsupported } from './disk-failure.ts'
import { isSameNumber } from './platform-disk.ts'
import { hasMarkEnded, ownMark } from './process-identity.ts'

/** A file that is being written under a temporary name. Disposing removes it unless `keep` was called. */
export class Draft implements AsyncDisposable {
  readonly path: string
  readonly #disk: Disk
  readonly #file: FileHandle
  readonly #named: string
  readonly #onWritten: ((bytes: number) => void) | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #taken: number
  #written: number
  #busy: Promise<void> | undefined
  #broken: unknown
  #isKept = false
  #isClosed = false

  /** Use `openDraft`. */
  constructor(disk: Disk, path: string, file: FileHandle, { named = path, ...options }: DraftOptions) {
    this.path = path
    this.#disk = disk
    this.#file = file
    this.#named = named
    this.#onWritten = options.onWritten
    this.#taken = options.continueAfter ?? 0
    this.#written = this.#taken
  }

  /** Bytes written or buffered so far. */
  bytes(): number {
    return this.#taken
  }

  /** Writes or buffers a chunk; wait for the promise, if there is one, before the next chunk. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    if (chunk.length > 0) {
      this.#waiting.push(chunk)
      this.#waitingBytes += chunk.length
      this.#taken += chunk.length
    }
    if (this.#waitingBytes >= WRITE_BYTES && this.#busy === undefined) this.#startWriting()
    return this.#waitingBytes >= MOST_WAITING_BYTES ? this.#busy : undefined
  }

  /** Resolves when all bytes are written (not yet synced). */
  async flush(): Promise<void> {
    await this.#writeUntil(() => this.#busy === undefined && this.#waitingBytes === 0)
  }

  /** Truncates the file to its first `bytes` bytes. */
  async cut(bytes: number): Promise<void> {
    await this.flush()
    await this.#attempt('truncate', () => this.#file.truncate(bytes))
    this.#taken = bytes
    this.#written = bytes
  }

  /** Resolves when all bytes are written and synced. */
  async sync(): Promise<void> {
    await this.flush()
    await this.#attempt('save', () => this.#file.sync().catch(ignoreUnsupported))
  }

  /** Writes and syncs what was taken so far, while more may follow; resolves with the number of bytes that are safe on disk. */
  async secure(): Promise<number> {
    const goal = this.#taken
    await this.#writeUntil(() => this.#written >= goal)
    const bytes = this.#written
    await this.#attempt('save', () => this.#file.datasync().catch(ignoreUnsupported))
    return bytes
  }

  /** True while the path still names this file, with the size written. */
  async isInPlace(): Promise<boolean> {
    try {
      const there = await this.#disk.lstat(this.path, { bigint: true })
      const ours = await this.#file.stat({ bigint: true })
      return isSameNumber(there, ours) && there.size === BigInt(this.#written)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw diskFailure(error, 'read', this.#named)
    }
  }

  /** Which file this is. */
  async identity(): Promise<FileIdentity> {
    return await this.#attempt('read', async () => identityOf(await this.#file.stat({ bigint: true })))
  }

  /** Closes the file without removing it. */
  async keep(): Promise<void> {
    await this.#close()
    this.#isKept = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept) return
    await this.#busy?.catch(() => undefined)
    await this.#close().catch(() => undefined)
    await this.#disk.unlink(this.path).catch(() => undefined)
  }

  #startWriting(): void {
    const batch = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    this.#busy = this.#writeAll(batch)
      .catch((error: unknown) => {
        this.#broken ??= diskFailure(error, 'write', this.#named)
        throw this.#broken
      })
      .finally(() => {
        this.#busy = undefined
      })
    this.#busy.catch(() => undefined)
  }

  async #writeAll(batch: readonly Uint8Array[]): Promise<void> {
    let rest = batch
    while (rest.length > 0) {
      const { bytesWritten } = await this.#file.writev(rest, this.#written)
      if (bytesWritten === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
      this.#written += bytesWritten
      rest = after(rest, bytesWritten)
    }
    this.#onWritten?.(this.#written)
  }

  async #writeUntil(isDone: () => boolean): Promise<void> {
    while (this.#broken === undefined && !isDone()) {
      if (this.#busy === undefined) this.#startWriting()
      await this.#busy
    }
    if (this.#broken !== undefined) throw this.#broken
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#attempt('close', () => this.#file.close())
  }

  async #attempt<T>(action: string, body: () => Promise<T>): Promise<T> {
    try {
      return await body()
    } catch (error) {
      throw diskFailure(error, action, this.#named)
    }
  }
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
export async function openDraft(disk: Disk, path: string, options: DraftOptions = {}): Promise<Draft> {
  const { named = path, mode, continueAfter = 0 } = options
  const file =
    continueAfter > 0
      ? await reopenDraftFile(disk, path, continueAfter)
      : await createDraftFile(disk, path, named, mode)
  return new Draft(disk, path, file, options)
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
        if (isUnsupported(error)) return
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
  return join(dirname(path), `${draftStart(path)}${await ownMark(world)}${DRAFT}`)
}

/** Removes the drafts of killed runs beside `path`. */
export async function removeStaleDrafts(world: Pick<World, 'disk' | 'host'>, path: string): Promise<void> {
  const { disk } = world
  const directory = dirname(path)
  const ours = await ownMark(world)
  const start = draftStart(path)
  for (const name of await disk.readdir(directory).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(DRAFT)) continue
    if (await hasMarkEnded(disk, name.slice(start.length, -DRAFT.length), ours)) {
      await disk.rm(join(directory, name), { force: true }).catch(() => undefined)
    }
  }
}

function draftStart(path: string): string {
  return `.${basename(path).slice(0, 60)}.`
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
    isSameNumber({ dev: one.device, ino: one.number }, { dev: other.device, ino: other.number }) &&
    one.bytes === other.bytes &&
    one.writtenNs === other.writtenNs
  )
}
