import { Failure, type FailureKind, type FailureOptions, isFailure, systemCode } from '../base/failure.ts'

const OTHER_PATH = 'choose another path'
const FEWER_FILES = {
  hint: 'raise the limit (ulimit -n); a download can use fewer connections',
  options: ['concurrency'],
}

/** The reason and the hint for each error code; without `options` the hint is about the output path. */
const MEANINGS: Readonly<
  Record<string, { readonly reason: string; readonly hint: string; readonly options?: readonly string[] }>
> = {
  ENOSPC: { reason: 'the disk is full', hint: `free some space, or ${OTHER_PATH}` },
  EDQUOT: {
    reason: 'the disk quota is exceeded',
    hint: `free some space, raise the quota, or ${OTHER_PATH}`,
  },
  EFBIG: {
    reason: 'the file is too large for this file system or the limit of this process',
    hint: `raise the limit (ulimit -f), or ${OTHER_PATH} (FAT32 allows 4 GiB per file)`,
  },
  EROFS: { reason: 'the file system is read-only', hint: OTHER_PATH },
  EACCES: { reason: 'permission denied', hint: `change the permissions, or ${OTHER_PATH}` },
  EPERM: { reason: 'operation not permitted', hint: `change the permissions, or ${OTHER_PATH}` },
  ENAMETOOLONG: { reason: 'the name is too long', hint: 'choose a shorter name' },
  EXDEV: { reason: 'the paths are on different file systems', hint: 'choose a path on one file system' },
  ENOENT: { reason: 'no such file or directory', hint: `check that its directory exists, or ${OTHER_PATH}` },
  ENOTDIR: { reason: 'part of the path is not a directory', hint: OTHER_PATH },
  EEXIST: { reason: 'it exists already', hint: OTHER_PATH },
  EISDIR: { reason: 'it is a directory', hint: OTHER_PATH },
  ELOOP: { reason: 'it is a symbolic link', hint: `remove the link, or ${OTHER_PATH}` },
  ESTALE: {
    reason: 'the network file system lost the file',
    hint: 'check the mount, then run the command again',
    options: [],
  },
  EIO: { reason: 'the disk reports an error', hint: 'check the disk', options: [] },
  EBUSY: {
    reason: 'another program is using it',
    hint: 'close that program, then run the command again',
    options: [],
  },
  ENOMEM: {
    reason: 'out of memory',
    hint: 'raise the memory limit (ulimit -v, or that of the container); a download can use fewer connections',
    options: ['concurrency'],
  },
  // libuv has no name for many errors of Windows.
  UNKNOWN: {
    reason: 'an unexpected error of Windows',
    hint: 'check the network path or drive, make cloud files available offline, and check the log of the virus scanner',
    options: [],
  },
  EMFILE: { reason: 'too many open files', ...FEWER_FILES },
  ENFILE: { reason: 'too many open files on this machine', ...FEWER_FILES },
}

/** The reason of an error code: `permission denied (EACCES)`. */
export function errnoReason(code: string): string {
  const meaning = MEANINGS[code]
  return meaning === undefined ? code : `${meaning.reason} (${code})`
}

/**
 * Translates an error of the file system into an `io` Failure; any other error is returned unchanged. `alternative` is the advice
 * where the path is not that of the output.
 */
export function diskFailure(error: unknown, action: string, path: string, alternative?: string): unknown {
  const code = systemCode(error)
  if (isFailure(error) || code === undefined || !/^(?:E[A-Z0-9]+|UNKNOWN)$/.test(code)) return error
  const { hint, options = ['output'] } = MEANINGS[code] ?? { hint: 'check the disk and the path' }
  return new Failure('io', `cannot ${action} ${path}: ${errnoReason(code)}`, {
    cause: error,
    file: path,
    ...(alternative === undefined || options[0] !== 'output'
      ? { hint, options }
      : { hint: hint.replace(OTHER_PATH, alternative) }),
  })
}

/** The result of a call of the file system; undefined when nothing is at the path. Other errors as by `diskFailure`. */
export async function ifThere<T>(result: Promise<T>, action: string, path: string): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, action, path)
  }
}

/** Why an input is not one to read, as a predicate: `is larger than 16 MiB`. */
export class InputProblem extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'InputProblem'
    this.hint = hint
  }
}

/** Why an input file cannot be read, as a predicate: `does not exist`, `is a directory`, `cannot be read: …`. */
export function unreadable(error: unknown): string {
  if (error instanceof InputProblem) return error.message
  const code = systemCode(error) ?? 'unknown error'
  if (code === 'EISDIR') return 'is a directory'
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read: ${errnoReason(code)}`
}

/**
 * The failure for an input file that cannot be read, which `subject` names; a Failure is returned as it is. Unless a kind is given, a wrong
 * path is `usage`, anything else `io`.
 */
export function unreadableInput(
  error: unknown,
  subject: string,
  { kind, ...more }: FailureOptions & { readonly kind?: FailureKind },
): Failure {
  if (isFailure(error)) return error
  return new Failure(kind ?? (isWrongPath(error) ? 'usage' : 'io'), `${subject} ${unreadable(error)}`, {
    cause: error,
    hint: unreadableHint(error),
    ...more,
  })
}

function unreadableHint(error: unknown): string {
  if (error instanceof InputProblem) return error.hint
  if (isWrongPath(error)) return 'check the path'
  const meaning = MEANINGS[systemCode(error) ?? '']
  return meaning?.options === undefined ? 'check its owner and permissions' : meaning.hint
}

/** True when an input file could not be read because it is not one to read: its path or kind is wrong. */
export function isWrongPath(error: unknown): boolean {
  return error instanceof InputProblem || ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error) ?? '')
}

/**
 * True for the error of a call that a file system does not have (network, FUSE, Linux on Windows): fsync, chmod and utimes of a file of
 * this user. What is not there is not needed.
 */
export function isUnsupported(error: unknown): boolean {
  return ['ENOTSUP', 'EINVAL', 'EOPNOTSUPP', 'ENOSYS', 'EPERM'].includes(systemCode(error) ?? '')
}

/** Rethrows errors except those of `isUnsupported`. */
export function ignoreUnsupported(error: unknown): void {
  if (!isUnsupported(error)) throw error
}

/** True for the error of a lock on a file system without locks. */
export function isWithoutLocks(error: unknown): boolean {
  return ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOLCK', 'EINVAL'].includes(systemCode(error) ?? '')
}

/** True for the error of link() on a file system without hard links (FAT, some network file systems). Windows says EISDIR there. */
export function isWithoutLinks(error: unknown): boolean {
  return NO_LINKS.includes(systemCode(error) ?? '')
}

const NO_LINKS: readonly string[] = [
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EACCES',
  'EXDEV',
  'EISDIR',
]
