import type { EntryTable } from '../archive/entry-table.ts'
import { entryAt, nameAt, recordAt } from '../archive/entry-table.ts'
import { fileOrder } from '../archive/local-headers.ts'
import { createMergeNames } from '../archive/merge-names.ts'
import { archiveFailure, createProblemList } from '../archive/problem.ts'
import { readTable } from '../archive/read-archive.ts'
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
    for (let index = 0; index < source.table.count; index += 1)
      names.reserve(nameAt(source.table, index).name)
    sources.push(source)
  }
  const folders = new Set<string>()
  // Files so far, by the one spelling that all file systems give their name.
  const files = new Map<string, Content[]>()
  const inputs: MergeInput[] = []
  for (const { path, bytes, table, order } of sources) {
    const kept: Placed[] = []
    for (let place = 0; place < table.count; place += 1) {
      const index = order?.[place] ?? place
      const entry = entryAt(table, index)
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
        endOffset:
          place + 1 < table.count
            ? table.headerOffset[order?.[place + 1] ?? place + 1]!
            : table.directoryOffset,
        bytes: entry.bytes,
        packedBytes: entry.packedBytes,
        record: recordAt(table, index),
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
  readonly table: EntryTable
  /** The entries' numbers in the order of the file. */
  readonly order: Uint32Array | undefined
}

async function readSource(world: World, path: string): Promise<Source> {
  await using file = await openArchiveFile(world, path)
  const problems = createProblemList()
  const table = await readTable(file, NO_ARCHIVE_LIMITS, problems)
  if (table === undefined || problems.count > 0) throw archiveFailure(path, problems)
  return { path, bytes: file.size, table, order: fileOrder(table) }
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
