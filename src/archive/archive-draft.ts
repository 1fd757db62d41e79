import type { FileHandle } from 'node:fs/promises'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskCode } from './archive-fault.ts'
import { NEW_FILE_FLAGS } from './folder-writer.ts'

/** A new file, written from start to end. Disposing it before `finish` removes it. */
export interface ArchiveDraft extends AsyncDisposable {
  /** Bytes given so far. */
  readonly bytes: () => number
  /** Appends bytes. Resolves when the bytes before are written: the buffer must not change until the next call resolves. */
  readonly write: (bytes: Buffer) => Promise<void>
  /** Writes what is left, syncs and closes. */
  readonly finish: () => Promise<void>
}

/** Opens a draft at `path`; a file there (the draft of a killed run) is removed, a link is never followed. */
export async function openArchiveDraft(disk: Disk, path: string): Promise<ArchiveDraft> {
  let handle: FileHandle
  try {
    await disk.rm(path, { force: true })
    handle = await disk.open(path, NEW_FILE_FLAGS, 0o666)
  } catch (error) {
    throw draftFault(error, path)
  }
  let bytes = 0
  let pending: Promise<unknown> = Promise.resolve()
  let isOpen = true
  const settle = async (): Promise<void> => {
    try {
      await pending
    } catch (error) {
      throw draftFault(error, path)
    }
  }
  return {
    bytes: () => bytes,
    write: async (chunk) => {
      await settle()
      pending = writeAll(handle, chunk, bytes)
      // Reported by the next call.
      pending.catch(() => undefined)
      bytes += chunk.length
    },
    finish: async () => {
      await settle()
      try {
        await handle.sync()
        isOpen = false
        await handle.close()
      } catch (error) {
        isOpen = false
        await handle.close().catch(() => undefined)
        await disk.rm(path, { force: true }).catch(() => undefined)
        throw draftFault(error, path)
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (!isOpen) return
      isOpen = false
      await pending.catch(() => undefined)
      await handle.close().catch(() => undefined)
      await disk.rm(path, { force: true }).catch(() => undefined)
    },
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

function draftFault(error: unknown, path: string): unknown {
  const code = diskCode(error)
  if (isFailure(error) || code === undefined) return error
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new Failure('io', `${escapeUnsafe(path)}: cannot be written (${code})`, {
    hint: isFull
      ? 'make room, then run the command again'
      : 'check that the folder exists and that you may write to it',
    file: path,
    cause: error,
  })
}
