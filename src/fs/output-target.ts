import { constants, type Stats } from 'node:fs'
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import { windowsNameProblem } from '../base/windows-names.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

const LONGEST_NAME_BYTES = 255

/** An absolute path, from the working directory; on Windows `C:name` is in the working directory of that drive. */
export function absolutePath(cwd: () => string, path: string): string {
  if (isAbsolute(path)) return path
  return sep === '\\' && /^[a-z]:/i.test(path) ? resolve(path) : join(cwd(), path)
}

/** The directory that an archive is extracted to by default: its path without `.zip`; a name without it gets a suffix. */
export function extractTarget(archivePath: string): string {
  const name = basename(archivePath)
  const stem = name.replace(/(?<=.)\.zip$/i, '')
  return `${archivePath.slice(0, -name.length)}${stem === name ? `${name}.extracted` : stem}`
}

/** Throws `usage` when Windows would take a path to be created for something else: a device, a stream, a name without its last dot. */
export function requireName(disk: Disk, path: string, what: string): void {
  if (disk.isWindows !== true) return
  for (const name of path.slice(parse(path).root.length).split(/[\\/]/)) {
    const problem = windowsNameProblem(name)
    if (problem === undefined) continue
    throw new Failure('usage', `${what}: the name '${name}' ${problem}`, { hint: 'choose another name' })
  }
}

/** True when the path is an existing directory, or ends in a slash. */
export async function isFolder(disk: Disk, path: string): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true
  return disk.stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
}

/** True when the path exists, even as a broken link. */
export async function isTaken(disk: Disk, path: string): Promise<boolean> {
  return (await checkPath(disk, path)) !== undefined
}

/**
 * Checks that a file can be written to a path: a valid name, not in use unless `overwrite`, in a directory that is writable or can be
 * created. `what` names the file in messages.
 */
export async function checkFileTarget(
  disk: Disk,
  path: string,
  what: string,
  overwrite: boolean,
): Promise<void> {
  const name = basename(path)
  if (path.includes('\0') || name === '' || name === '.' || name === '..') {
    throw new Failure('usage', `${what}: '${name}' is not a file name`, { hint: 'name a file' })
  }
  const bytes = Buffer.byteLength(name)
  if (bytes > LONGEST_NAME_BYTES) {
    const message = `${what}: the name is too long (${bytes} bytes, at most ${LONGEST_NAME_BYTES})`
    throw new Failure('usage', message, { hint: 'choose a shorter name' })
  }
  requireName(disk, path, what)
  const facts = await checkPath(disk, path)
  if (facts?.isDirectory() === true) throw wrongKind(path, what, 'is a directory')
  if (facts !== undefined && !facts.isFile() && !facts.isSymbolicLink()) {
    throw wrongKind(path, what, 'is not a regular file')
  }
  if (facts !== undefined && !overwrite) throw exists(path, what, 'overwrite it')
  if (facts?.isFile() === true) await requireUnheld(disk, path, what)
  await requireWritableFolder(disk, dirname(resolve(path)))
}

/** Checks that a directory can be created at a path, or exists and `overwrite` is set. */
export async function checkFolderTarget(
  disk: Disk,
  path: string,
  what: string,
  overwrite: boolean,
): Promise<void> {
  requireName(disk, path, what)
  const facts = await checkPath(disk, path)
  if (facts !== undefined && !overwrite) throw exists(path, what, 'extract into it')
  if (facts !== undefined && !facts.isDirectory()) throw wrongKind(path, what, 'is not a directory')
  await requireWritableFolder(disk, facts === undefined ? dirname(resolve(path)) : path)
}

/** Throws `io` unless a directory is writable, or can be created in the nearest existing one. `alternative` is as in `diskFailure`. */
export async function requireWritableFolder(disk: Disk, folder: string, alternative?: string): Promise<void> {
  try {
    const facts = await disk.stat(folder)
    if (!facts.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
    await disk.access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const parent = dirname(folder)
    if (systemCode(error) !== 'ENOENT' || parent === folder) {
      throw diskFailure(error, 'write to', folder, alternative)
    }
    await requireWritableFolder(disk, parent, alternative)
  }
}

/** Throws `io` when another program has a file open so that it cannot be replaced, as Excel does with a workbook. */
async function requireUnheld(disk: Disk, path: string, what: string): Promise<void> {
  if (disk.isWindows !== true) return
  try {
    await (await disk.open(path, 'r+')).close()
  } catch (error) {
    if (systemCode(error) !== 'EBUSY') return
    throw new Failure('io', `${what}: ${path} is open in another program`, {
      cause: error,
      file: path,
      hint: 'close it there, or choose another path',
    })
  }
}

/** The facts of what is at a path, links not followed; undefined when nothing is there. */
export async function lstatIfThere(disk: Disk, path: string): Promise<Stats | undefined> {
  return await disk.lstat(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return undefined
  })
}

async function checkPath(disk: Disk, path: string): Promise<Stats | undefined> {
  return await lstatIfThere(disk, path).catch((error: unknown) => {
    throw diskFailure(error, 'check', path)
  })
}

function exists(path: string, what: string, alternative: string): Failure {
  return new Failure('io', `${what}: ${path} exists`, {
    file: path,
    hint: `choose another path, or ${alternative}`,
    options: ['overwrite'],
  })
}

function wrongKind(path: string, what: string, problem: string): Failure {
  return new Failure('io', `${what}: ${path} ${problem}`, { file: path, hint: 'choose another path' })
}
