import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'

/** A path that a result will take, checked before anything is sent. */
export interface OutputTarget {
  readonly path: string
  /** True when something stands there, which `--overwrite` allows to be replaced. */
  readonly isTaken: boolean
}

const LONGEST_NAME_BYTES = 255

/** True when the path is an existing folder, or says so by ending in a slash. */
export async function isFolder(disk: Disk, path: string): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true
  return disk.stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
}

/**
 * Checks that a file can take this name: it is a name, it is free (or a regular file or link that may be replaced), and its
 * nearest existing folder can be written. Nothing is opened and nothing is made. `what` names the file in messages.
 */
export async function checkFileTarget(
  disk: Disk,
  path: string,
  what: string,
  overwrite: boolean,
): Promise<OutputTarget> {
  const name = basename(path)
  if (path.includes('\0') || name === '' || name === '.' || name === '..') {
    throw new Failure('usage', `${what}: '${name}' is no file name`, { hint: 'name a file' })
  }
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
    throw new Failure(
      'usage',
      `${what}: the name is too long (${Buffer.byteLength(name)} bytes, ${LONGEST_NAME_BYTES} at most)`,
      {
        hint: 'choose a shorter name',
      },
    )
  }
  const facts = await lstatIfThere(disk, path)
  if (facts?.isDirectory() === true) throw inTheWay(path, what, 'a folder')
  if (facts !== undefined && !facts.isFile() && !facts.isSymbolicLink())
    throw inTheWay(path, what, 'no regular file')
  if (facts !== undefined && !overwrite) {
    throw new Failure('io', `${what}: ${path} exists`, {
      file: path,
      hint: 'use --overwrite to replace it, or choose another name',
    })
  }
  await checkWritableFolder(disk, dirname(resolve(path)), what)
  return { path, isTaken: facts !== undefined }
}

/** Checks that a folder can be made at this path, or may be filled when it exists and `overwrite` is given. */
export async function checkFolderTarget(
  disk: Disk,
  path: string,
  what: string,
  overwrite: boolean,
): Promise<OutputTarget> {
  const facts = await lstatIfThere(disk, path)
  if (facts !== undefined && !overwrite) {
    throw new Failure('io', `${what}: ${path} exists`, {
      file: path,
      hint: 'use --overwrite to unpack into it, or choose another folder',
    })
  }
  if (facts !== undefined && !facts.isDirectory()) throw inTheWay(path, what, 'no folder')
  await checkWritableFolder(disk, facts === undefined ? dirname(resolve(path)) : path, what)
  return { path, isTaken: facts !== undefined }
}

/** Makes the missing folders of a path, outermost first, and tells which, so that a failed run can take them back. */
export async function makeFolders(disk: Disk, folder: string): Promise<readonly string[]> {
  const missing: string[] = []
  for (let one = resolve(folder); (await lstatIfThere(disk, one)) === undefined; one = dirname(one))
    missing.unshift(one)
  for (const one of missing) {
    try {
      await disk.mkdir(one)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw cannotUse(one, 'the output', error)
    }
  }
  return missing
}

/** Removes folders that `makeFolders` made, innermost first, where they are still empty. */
export async function takeBackFolders(disk: Disk, made: readonly string[]): Promise<void> {
  for (const folder of [...made].reverse()) await disk.rmdir(folder).catch(() => undefined)
}

/** An absolute path, from the working directory. */
export function absolutePath(cwd: () => string, path: string): string {
  return isAbsolute(path) ? path : join(cwd(), path)
}

async function checkWritableFolder(disk: Disk, folder: string, what: string): Promise<void> {
  let nearest = folder
  for (;;) {
    const facts = await statIfThere(disk, nearest, what)
    if (facts !== undefined) {
      if (!facts.isDirectory()) throw inTheWay(nearest, what, 'no folder')
      break
    }
    nearest = dirname(nearest)
  }
  // W_OK | X_OK; root may write to a folder without the bits, a read-only file system refuses everyone.
  await disk.access(nearest, 3).catch((error: unknown) => {
    throw cannotUse(nearest, what, error)
  })
}

async function lstatIfThere(
  disk: Disk,
  path: string,
): Promise<Awaited<ReturnType<Disk['lstat']>> | undefined> {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw cannotUse(path, 'the output', error)
  }
}

async function statIfThere(
  disk: Disk,
  path: string,
  what: string,
): Promise<Awaited<ReturnType<Disk['stat']>> | undefined> {
  try {
    return await disk.stat(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw cannotUse(path, what, error)
  }
}

function inTheWay(path: string, what: string, kind: string): Failure {
  return new Failure('io', `${what}: ${path} is ${kind}`, { file: path, hint: 'choose another name' })
}

function cannotUse(path: string, what: string, error: unknown): Failure {
  const code = systemCode(error) ?? 'unknown'
  const reasons: Record<string, string> = {
    EACCES: 'is not writable for this user',
    EPERM: 'is not writable for this user',
    EROFS: 'is on a read-only file system',
    ENOTDIR: 'goes through a file',
    ENAMETOOLONG: 'is too long for this file system',
    ELOOP: 'goes through a loop of links',
    ENOSPC: 'has no room left',
  }
  return new Failure('io', `${what}: ${path} ${reasons[code] ?? `can not be used (${code})`}`, {
    cause: error,
    file: path,
    hint: 'choose another place, or mend its permissions',
  })
}
