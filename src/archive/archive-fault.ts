import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../base/failure.ts'

/** A system error while unpacking to `target` as an `io` Failure; anything else unchanged. */
export function unpackFault(error: unknown, target: string): unknown {
  const code = diskCode(error)
  if (isFailure(error) || code === undefined) return error
  return new Failure('io', `${escapeUnsafe(target)}: cannot unpack here: ${MEANINGS[code] ?? code}`, {
    hint: HINTS[code] ?? 'nothing was left behind; fix the cause and run the command again',
    file: target,
    cause: error,
  })
}

/** The system's code of a failed disk call, such as `ENOSPC`; undefined for any other error. */
function diskCode(error: unknown): string | undefined {
  // Node's `rm` adds a prefix to EISDIR.
  const code = systemCode(error)?.replace(/^ERR_FS_/, '')
  return code?.startsWith('ERR_') === true ? undefined : code
}

/** The Failure for a target that exists. */
export function targetExists(target: string, what = 'exists'): Failure {
  return new Failure('io', `${escapeUnsafe(target)} ${what}`, {
    hint: 'choose another directory, or replace files in this one',
    options: ['overwrite'],
    file: target,
  })
}

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied (EACCES)',
  EPERM: 'not permitted (EPERM)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'the quota is used up (EDQUOT)',
  EFBIG: 'a file is too large for this file system (EFBIG)',
  EMFILE: 'too many open files (EMFILE)',
  ENFILE: 'too many open files on this machine (ENFILE)',
  ENAMETOOLONG: 'a path is too long for this file system (ENAMETOOLONG)',
  EIO: 'the disk reports an error (EIO)',
  ELOOP: 'a symbolic link is in the way (ELOOP)',
  ENOTDIR: 'a file is where a directory must be (ENOTDIR)',
  EEXIST: 'another program creates files in the same directory (EEXIST)',
  ENOENT: 'the directory was moved or removed (ENOENT)',
}

const HINTS: Readonly<Record<string, string>> = {
  EACCES: 'choose a directory that you may write to',
  EPERM: 'choose a directory that you may write to',
  EROFS: 'choose a directory on another disk',
  ENOSPC: 'make room or choose a directory on another disk; nothing was left behind',
  EDQUOT: 'make room or choose a directory on another disk; nothing was left behind',
  EMFILE: 'raise the limit (ulimit -n) and run the command again',
}
