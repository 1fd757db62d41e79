import type { World } from '../base/world.ts'
import { openArchiveFile } from './archive-file.ts'
import { NO_ARCHIVE_LIMITS } from './archive-limits.ts'
import type { ArchiveEntry } from './entry.ts'
import { collisionKey } from './entry-collisions.ts'
import type { MergeNames } from './merge-names.ts'
import { createMergeNames } from './merge-names.ts'
import { archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { type Content, isSameContent } from './same-content.ts'

/** An archive to merge, and the names of its entries that are left out. */
export interface MergeSource {
  readonly path: string
  readonly without?: ReadonlySet<string> | undefined
}

/** One archive to merge, and the new names of its entries. */
export interface MergeInput {
  readonly path: string
  readonly bytes: number
  /** The new name of each entry, in the directory's order; undefined when it is left out. */
  readonly names: readonly (string | undefined)[]
}

interface OpenInput extends MergeInput {
  readonly entries: readonly ArchiveEntry[]
  readonly names: (string | undefined)[]
}

/**
 * Reads every input's structure and decides which entries are kept under which name. Content is read only where two files have the
 * same name, size and CRC-32.
 */
export async function planMerge(
  world: World,
  sources: readonly MergeSource[],
  signal: AbortSignal,
): Promise<readonly MergeInput[]> {
  const inputs: OpenInput[] = []
  const names = createMergeNames()
  for (const { path, without } of sources) {
    signal.throwIfAborted()
    const input = await readInput(world, path)
    for (const { name } of input.entries) if (!without?.has(name)) names.reserve(name)
    inputs.push(input)
  }
  const folders = new Set<string>()
  for (const [number, input] of inputs.entries()) {
    signal.throwIfAborted()
    const { without } = sources[number]!
    for (const [index, { name, isFolder }] of input.entries.entries()) {
      if (without?.has(name)) {
        input.names.push(undefined)
        continue
      }
      const newName = isFolder
        ? nameFolder(folders, names.folder(name))
        : await nameFile(world, inputs, names, { number, index, name }, signal)
      input.names.push(newName)
    }
  }
  // Without the entries, which there may be very many of.
  return inputs.map(({ path, bytes, names: newNames }) => ({ path, bytes, names: newNames }))
}

async function readInput(world: World, path: string): Promise<OpenInput> {
  await using file = await openArchiveFile(world, path)
  const { entries, problems } = await readArchive(file, NO_ARCHIVE_LIMITS)
  if (problems.count > 0) throw archiveFailure(path, problems)
  return { path, bytes: file.size, entries, names: [] }
}

/** The directory's name the first time, undefined afterwards. */
function nameFolder(folders: Set<string>, name: string): string | undefined {
  if (folders.has(name)) return undefined
  folders.add(name)
  return name
}

/** A file: the number of its input, its index and its name in it. */
interface FileEntry {
  readonly number: number
  readonly index: number
  readonly name: string
}

/** The new name of a file; undefined when an equal file is already included. */
async function nameFile(
  world: World,
  inputs: readonly OpenInput[],
  names: MergeNames,
  file: FileEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = collisionKey(names.spelled(file.name))
  const before = names.notes.get(key)
  // Input and index of each file of this name so far.
  names.notes.set(key, [...(before ?? []), file.number, file.index])
  if (before === undefined) return names.first(file.name)
  for (let at = 0; at < before.length; at += 2) {
    const [number, index] = [before[at]!, before[at + 1]!]
    const other = { number, index, name: inputs[number]!.entries[index]!.name }
    if (!(await isSameFile(world, inputs, names, other, file, signal))) continue
    names.notes.set(key, before)
    return undefined
  }
  return names.numbered(file.name)
}

/** The same name, size and CRC-32, and then the same bytes. */
async function isSameFile(
  world: World,
  inputs: readonly OpenInput[],
  names: MergeNames,
  one: FileEntry,
  other: FileEntry,
  signal: AbortSignal,
): Promise<boolean> {
  if (names.spelled(one.name) !== names.spelled(other.name)) return false
  const [oneContent, otherContent] = [contentOf(inputs, one), contentOf(inputs, other)]
  const isLike =
    oneContent.entry.crc32 === otherContent.entry.crc32 && oneContent.entry.bytes === otherContent.entry.bytes
  return isLike && (await isSameContent(world, oneContent, otherContent, signal))
}

function contentOf(inputs: readonly OpenInput[], { number, index }: FileEntry): Content {
  const { path, entries } = inputs[number]!
  return { path, entry: entries[index]! }
}
