import { Failure, isFailure, systemCode } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'

/**
 * A file-system error as exit 9 that names the path and the cure; anything else comes back as it is. `elsewhere` is the option or
 * variable that chooses another place.
 */
export function diskFailure(error: unknown, action: string, path: string, elsewhere = '--output'): unknown {
  const code = systemCode(error)
  if (isFailure(error) || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error
  const { why, hint } = CURES[code] ?? { why: code, hint: 'check the disk and the path' }
  return new Failure('io', `can not ${action} ${path}: ${why}`, {
    cause: error,
    file: path,
    hint: hint.replace('--output', elsewhere),
  })
}

/** The Failure for a disk that has no room, found out before or during the write. */
export function noRoom(path: string, neededBytes: number, freeBytes: number): Failure {
  return new Failure(
    'io',
    `no room for ${path}: needs ${formatBytes(neededBytes)}, ${formatBytes(freeBytes)} free`,
    { file: path, hint: 'free some space, or choose another place with --output' },
  )
}

const PERMISSION = 'choose another place with --output, or change the permissions'

const CURES: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  ENOSPC: { why: 'the disk is full', hint: 'free some space, or choose another place with --output' },
  EDQUOT: { why: 'the disk quota is used up', hint: 'free some space, or have the quota raised' },
  EFBIG: {
    why: 'the file is too large for this file system or the limit of this process',
    hint: 'choose another place with --output, or raise the limit (ulimit -f); FAT32 holds 4 GiB a file',
  },
  EROFS: { why: 'the file system is read-only', hint: 'choose another place with --output' },
  EACCES: { why: 'permission denied', hint: PERMISSION },
  EPERM: { why: 'not permitted', hint: PERMISSION },
  ENAMETOOLONG: { why: 'the name is too long', hint: 'choose a shorter name with --output' },
  EXDEV: { why: 'it would cross file systems', hint: 'choose a path on one file system with --output' },
  ESTALE: {
    why: 'the network file system lost the file (ESTALE)',
    hint: 'check the mount, then run the command again',
  },
  EIO: { why: 'the disk reports an error (EIO)', hint: 'check the disk before trusting anything on it' },
  ENOENT: { why: 'it is gone', hint: 'something removed it or its folder meanwhile; run the command again' },
  ENOTDIR: { why: 'a part of the path is not a folder', hint: 'choose another place with --output' },
  EISDIR: { why: 'it is a folder', hint: 'choose another name with --output' },
  ELOOP: { why: 'it is a link', hint: 'remove the link, or choose another name with --output' },
  EMFILE: {
    why: 'too many open files',
    hint: 'raise the limit (ulimit -n) or lower --concurrency',
  },
  ENFILE: { why: 'the system has too many open files', hint: 'close other programs, or lower --concurrency' },
  EBUSY: {
    why: 'another program holds it',
    hint: 'close the program that uses it, then run the command again',
  },
}
