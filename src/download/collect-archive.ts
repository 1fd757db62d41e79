import { dirname } from 'node:path'
import type { ArchiveEntry } from '../archive/entry.ts'
import { verifyArchive } from '../archive/verify-archive.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ignoreUnsupported } from '../fs/disk-failure.ts'
import { draftBeside, type FileIdentity, identityAt, identityOf, isSameFile } from '../fs/draft.ts'
import { hashFile } from '../fs/file-hash.ts'
import { publishDraft, syncDirectory } from '../fs/publish.ts'
import { declaredNumbers, type Library } from '../library/library.ts'
import type { RunContext } from './run-context.ts'
import type { Responses } from './send-requests.ts'

/** A verified archive: in the job directory, or under its final name. */
export interface CollectedArchive {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly ArchiveEntry[]
  /** The part numbers that it declares, when they were looked for. */
  readonly declared: ReadonlySet<string>
  /** The file that was verified. */
  readonly identity: FileIdentity
}

/** Merges the archives of all answers into one in the job directory, and verifies it; undefined when none has an entry. */
export async function collectArchive(
  context: RunContext,
  library: Library,
  { requests, verified, declared }: Pick<Responses, 'requests' | 'verified' | 'declared'>,
): Promise<CollectedArchive | undefined> {
  const names = requests.flatMap(({ answer }) => answer?.archive ?? [])
  const [first] = names
  if (first === undefined) return undefined
  if (names.length > 1) {
    const path = library.mergedPath
    const sources = {
      length: names.length,
      at: (index: number) => ({ path: library.archivePath(names.at(index)!) }),
    }
    const { world, reporter, signal } = context
    const { mergeArchives } = await import('../archive/merge-archives.ts')
    await mergeArchives(world, sources, path, { reporter, signal })
    const merged = await readArchive(context, path)
    return merged.entries.length === 0 ? undefined : { declared, ...merged }
  }
  const path = library.archivePath(first)
  const { sha256 } = requests.find(({ answer }) => answer?.archive === first)!
  if (verified !== undefined) {
    const { bytes, entries, identity } = verified
    return { path, bytes, entries, declared, sha256: sha256!, identity }
  }
  // An earlier run received it.
  const checked = await readArchive(context, path)
  if (checked.sha256 !== sha256) throw changed(path)
  return { declared, ...checked }
}

/** Verifies an archive that an earlier run published before it was stopped. */
export async function rereadArchive(context: RunContext, path: string): Promise<CollectedArchive> {
  const { products, ...archive } = await readArchive(context, path, context.reconcile)
  const declared = new Set<string>()
  for (const ids of products.values()) for (const number of declaredNumbers(ids)) declared.add(number)
  return { declared, ...archive }
}

// The file at the path must not change while it is verified and hashed.
async function readArchive({ world, limits, signal, reporter }: RunContext, path: string, isScanned = false) {
  const identity = await identityAt(world.disk, path)
  const hash = hashFile(world, path, Number(identity.bytes))
  hash.catch(() => undefined)
  const scanned = isScanned ? { scan: 'product-ids' as const } : {}
  const options = { limits, reporter, signal, ...scanned }
  const { entries, bytes, products } = await verifyArchive(world, path, options)
  const sha256 = await hash
  if (!isSameFile(identity, await identityAt(world.disk, path))) throw changed(path)
  return { path, bytes, entries, products, sha256, identity }
}

/** The failure for an archive that is not the one that was verified. */
export function changed(path: string): Failure {
  return new Failure('io', `${path} was replaced after it was verified`, {
    file: path,
    hint: 'another program changes files there; run the command again, or choose another output path',
    options: ['output'],
  })
}

/**
 * Gives a verified archive its final path, with the mode of a new file. Only the file that was verified is published: it is linked to
 * a hidden name beside the final one and compared there, so that what replaces it in the job directory takes no name. Throws `io`
 * otherwise, and leaves the final path as it was.
 */
export async function publishArchive(
  world: World,
  library: Pick<Library, 'willPublish'>,
  archive: CollectedArchive,
  finalPath: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<CollectedArchive> {
  const { disk } = world
  const { path } = archive
  const held = await disk.open(path, 'r').catch((error: unknown) => {
    throw diskFailure(error, 'publish', path)
  })
  try {
    if (!isSameFile(identityOf(await held.stat({ bigint: true })), archive.identity)) throw changed(path)
    await library.willPublish({ bytes: archive.bytes, sha256: archive.sha256 })
    // Files of a job are private (0600).
    await held.chmod((0o666 & ~world.host.umask) | 0o600).catch(ignoreUnsupported)
    const hidden = await draftBeside(world, finalPath)
    const isLinked = await link(disk, path, hidden)
    try {
      const taken = isLinked ? hidden : path
      if (!isSameFile(await identityAt(disk, taken), archive.identity)) throw changed(path)
      await publishDraft(disk, taken, finalPath, { overwrite })
    } catch (error) {
      if (isLinked) await disk.unlink(hidden).catch(() => undefined)
      throw error
    }
    if (isLinked) await removeName(disk, path)
  } catch (error) {
    throw diskFailure(error, 'publish', path)
  } finally {
    await held.close().catch(() => undefined)
  }
  return { ...archive, path: finalPath }
}

// False on file systems without hard links.
async function link(disk: Disk, path: string, name: string): Promise<boolean> {
  await disk.rm(name, { force: true })
  return disk.link(path, name).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') throw error
      return false
    },
  )
}

// The job directory is removed anyway; a name that is left there does no harm.
async function removeName(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch(() => undefined)
  await syncDirectory(disk, dirname(path)).catch(() => undefined)
}
