import type { ArchiveDifference } from '../archive/archive-results.ts'
import { MAX_SHOWN } from '../archive/problem.ts'
import type { VerifiedArchive } from '../archive/verify-archive.ts'
import { archiveDifferences, describeDifference } from '../archive/verify-archive.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { hashFile } from '../fs/file-hash.ts'
import { absolutePath } from '../fs/output-target.ts'
import type { ReadManifest } from './read-manifest.ts'

/** What differs, and the `archive` Failure that says so. */
export interface ManifestMismatch {
  readonly differences: readonly ArchiveDifference[]
  readonly failure: Failure
}

/** Compares a verified archive with its manifest: size, SHA-256, each entry's name, size and CRC-32. Undefined when they agree. */
export async function compareManifest(
  world: World,
  { path: manifestPath, manifest: { archive: recorded } }: ReadManifest,
  { path, bytes, entries }: VerifiedArchive,
): Promise<ManifestMismatch | undefined> {
  const failed = (problem: string, problems: readonly string[]): Failure =>
    new Failure(
      'archive',
      `${escapeUnsafe(path)}: does not match ${escapeUnsafe(manifestPath)}: ${problem}`,
      {
        hint: 'make sure that this is the manifest of the archive; restore a matching copy, or download it again',
        file: path,
        problems,
      },
    )
  if (recorded === null) {
    return { differences: [], failure: failed('it describes a download without an archive', []) }
  }
  const sha256 = await hashFile(world, absolutePath(world.cwd, path), bytes)
  const differences = archiveDifferences(recorded, { bytes, sha256, entries })
  if (differences.length === 0) return undefined
  const problems = differences.slice(0, MAX_SHOWN).map(describeDifference)
  const rest = differences.length - problems.length
  if (rest > 0) problems.push(`and ${plural(rest, 'more difference')}`)
  const summary = differences.length === 1 ? problems[0]! : plural(differences.length, 'difference')
  return { differences, failure: failed(summary, problems) }
}
