import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

/** Creates the file of a draft. A regular file at its path is replaced; anything else is an `io` failure, with `named` as the path. */
export async function createDraftFile(
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
export async function reopenDraftFile(disk: Disk, path: string, bytes: number): Promise<FileHandle> {
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
