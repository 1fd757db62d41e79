import { dirname } from 'node:path'
import type { SyncDisk } from '../base/world.ts'

/**
 * True when no other user (root aside) can rename what this user has in a directory: it belongs to this user or root, and only its
 * owner can write to it, or it is sticky. Always on Windows, which has no such bits.
 */
export function isTrustedFolder({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = process.geteuid?.()
  if (own === undefined) return true
  return (uid === own || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)
}

/** True when this holds for the directory at `path` (absolute, without links) and all above it. */
export function isTrustedPath(disk: SyncDisk, path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const facts = disk.lstatSync(folder)
    if (!facts.isDirectory() || !isTrustedFolder(facts)) return false
    if (folder === dirname(folder)) return true
  }
}
