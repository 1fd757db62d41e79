import { systemCode } from '../base/failure.ts'

/** Rethrows errors of fsync, except those of file systems without it (network, FUSE). */
export function ignoreUnsupported(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'ENOTSUP' && code !== 'EINVAL' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error
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
