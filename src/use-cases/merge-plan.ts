import type { DirectoryEntry } from '../archive/entry.ts'
import { createMergeNames } from '../archive/merge-names.ts'
import { archiveFailure, createProblemList } from '../archive/problem.ts'
import { readEntries } from '../archive/read-archive.ts'
import { NO_ARCHIVE_LIMITS } from '../domain/archive-limits.ts'
import { collisionKey } from '../domain/entry-collisions.ts'
import { openArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'
import type { Content } from './same-content.ts'
import { isSameContent } from './same-content.ts'

/** An entry that goes into the merged archive. */
export interface Placed {
  readonly headerOffset: number
  /** Where the next entry or the directory begins. */
  readonly endOffset: number
  readonly bytes: number
  readonly packedBytes: number
  /** Its central record in the archive it comes from. */
  readonly record: Buffer
  /** Undefined: it keeps its name. */
  readonly newName: string | undefined
}

export interface MergeInput {
  readonly path: string
  readonly bytes: number
  /** In the order of the file. */
  readonly kept: readonly Placed[]
}

/**
 * Reads every input's directory and decides which entries are kept under which name. Only where two files have the same
 * name, size and CRC-32 is their content read.
 */
export async function planMerge(
  world: World,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly MergeInput[]> {
  const sources: Source[] = []
  const names = createMergeNames()
  for (const path of paths) {
    signal.throwIfAborted()
    const source = await readSource(world, path)
    for (const { entry } of source.entries) names.reserve(entry.name)
    sources.push(source)
  }
  const folders = new Set<string>()
  // Files so far, by the one spelling that all file systems give their name.
  const files = new Map<string, Content[]>()
  const inputs: MergeInput[] = []
  for (const { path, bytes, directory, entries } of sources) {
    const kept: Placed[] = []
    for (const { entry, endOffset } of entries) {
      const spelled = entry.isFolder ? names.folder(entry.name) : names.spelled(entry.name)
      let name: string | undefined = spelled
      if (entry.isFolder) {
        if (folders.has(spelled)) continue
        folders.add(spelled)
      } else {
        const key = collisionKey(spelled)
        const others = files.get(key)
        const content: Content = { path, name: spelled, entry }
        if (others === undefined) {
          files.set(key, [content])
          name = names.first(entry.name)
        } else {
          if (await isAmong(world, others, content, signal)) continue
          others.push(content)
          name = names.numbered(entry.name)
        }
      }
      kept.push({
        headerOffset: entry.headerOffset,
        endOffset,
        bytes: entry.bytes,
        packedBytes: entry.packedBytes,
        record: directory.subarray(entry.recordStart, entry.recordEnd),
        newName: name === entry.name ? undefined : name,
      })
    }
    inputs.push({ path, bytes, kept })
  }
  return inputs
}

interface Source {
  readonly path: string
  readonly bytes: number
  readonly directory: Buffer
  /** In the order of the file. */
  readonly entries: readonly { readonly entry: DirectoryEntry; readonly endOffset: number }[]
}

async function readSource(world: World, path: string): Promise<Source> {
  await using file = await openArchiveFile(world.disk, path)
  const problems = createProblemList()
  const found = await readEntries(file, NO_ARCHIVE_LIMITS, problems)
  if (found === undefined || problems.count > 0) throw archiveFailure(path, problems)
  const ordered = found.entries.toSorted((one, other) => one.headerOffset - other.headerOffset)
  const entries = ordered.map((entry, index) => ({
    entry,
    endOffset: ordered[index + 1]?.headerOffset ?? found.directoryOffset,
  }))
  return { path, bytes: file.size, directory: found.directory, entries }
}

async function isAmong(
  world: World,
  others: readonly Content[],
  content: Content,
  signal: AbortSignal,
): Promise<boolean> {
  for (const other of others) {
    const isLike =
      other.name === content.name &&
      other.entry.crc32 === content.entry.crc32 &&
      other.entry.bytes === content.entry.bytes
    if (isLike && (await isSameContent(world, other, content, signal))) return true
  }
  return false
}
