import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'

const LARGEST_BYTES = 1024 * 1024

/** A small file that a person wrote. */
export interface SmallFile {
  readonly text: string
  /** True when group or others may read it (never on Windows, where mode bits say nothing). */
  readonly isExposed: boolean
}

/** Reads the settings file. Undefined when it is not there and need not be; else a Failure of kind `config` says why not. */
export async function readSettingsFile(
  disk: Disk,
  path: string,
  mustExist: boolean,
): Promise<SmallFile | undefined> {
  try {
    return await readSmallFile(disk, path)
  } catch (error) {
    const code = systemCode(error)
    if (!mustExist && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined
    if (error instanceof Failure) throw error
    const reason =
      code === 'ENOENT' ? 'is not there' : code === 'EISDIR' ? 'is a folder' : `can not be read (${code})`
    throw new Failure('config', `the settings file ${path} ${reason}`, {
      cause: error,
      file: path,
      hint:
        code === 'ENOENT'
          ? 'name another with --config, or write one with: matdecl config init'
          : code === 'EISDIR'
            ? 'name the file in it'
            : 'check its mode and owner',
    })
  }
}

/** Reads a regular UTF-8 file of at most 1 MiB, a byte order mark dropped. Throws the system's error, or `config` for a wrong kind. */
export async function readSmallFile(disk: Disk, path: string): Promise<SmallFile> {
  const facts = await disk.stat(path)
  if (!facts.isFile()) {
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    throw new Failure('config', `${path} is no regular file`, { hint: 'name a plain file', file: path })
  }
  if (facts.size > LARGEST_BYTES) {
    throw new Failure('config', `${path} is too large for what it should be (over 1 MiB)`, {
      hint: 'check the path',
      file: path,
    })
  }
  const bytes = await disk.readFile(path)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Failure('config', `${path} is not UTF-8 text`, {
      cause: error,
      hint: 'save it as UTF-8',
      file: path,
    })
  }
  return { text, isExposed: process.platform !== 'win32' && (facts.mode & 0o044) !== 0 }
}

/** Whether others than its owner can get at a file that holds a secret (never so on Windows, where mode bits say nothing). */
export async function secretFileExposure(
  disk: Disk,
  path: string,
): Promise<'none' | 'exposed' | 'not there'> {
  const facts = await disk.stat(path).catch(() => undefined)
  if (facts === undefined) return 'not there'
  return process.platform === 'win32' || (facts.mode & 0o077) === 0 ? 'none' : 'exposed'
}
