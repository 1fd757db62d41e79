import type { World } from '../base/world.ts'
import { openArchiveFile } from './archive-file.ts'
import { NO_ARCHIVE_LIMITS } from './archive-limits.ts'
import { collisionKey } from './entry-collisions.ts'
import type { EntryTable } from './entry-table.ts'
import { entryAt, nameAt } from './entry-table.ts'
import { fileOrder } from './local-headers.ts'
import type { MergeNames } from './merge-names.ts'
import { createMergeNames } from './merge-names.ts'
import { archiveFailure, createProblemList } from './problem.ts'
import { readTable } from './read-archive.ts'
import type { Content } from './same-content.ts'
import { isSameContent } from './same-content.ts'

/** One archive that is merged, and what becomes of its entries. */
export interface MergeInput {
  readonly path: string
  readonly bytes: number
  readonly table: EntryTable
  /** The rows of the table in the order of the file; undefined when that is the table's own. */
  readonly order: Uint32Array | undefined
  /** For each row, whether its entry is kept. */
  readonly isKept: Uint8Array
  /** Rows whose entries get another name. */
  readonly newNames: Map<number, string>
}

/**
 * Reads every input's directory and decides which entries are kept under which name. Only where two files have the same
 * name, size and CRC-32 is their content read. What is held grows with the directories alone.
 */
export async function planMerge(
  world: World,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly MergeInput[]> {
  const inputs: MergeInput[] = []
  const names = createMergeNames()
  for (const path of paths) {
    signal.throwIfAborted()
    const input = await readInput(world, path)
    for (let row = 0; row < input.table.count; row += 1) names.reserve(nameAt(input.table, row).name)
    inputs.push(input)
  }
  const folders = new Set<string>()
  for (const [number, { table, order, isKept, newNames }] of inputs.entries()) {
    signal.throwIfAborted()
    for (let place = 0; place < table.count; place += 1) {
      const row = order?.[place] ?? place
      const { name, isFolder } = nameAt(table, row)
      const newName = isFolder
        ? placeFolder(folders, names.folder(name))
        : await placeFile(world, inputs, names, { number, row, name }, signal)
      if (newName === undefined) continue
      isKept[row] = 1
      if (newName !== name) newNames.set(row, newName)
    }
  }
  return inputs
}

async function readInput(world: World, path: string): Promise<MergeInput> {
  await using file = await openArchiveFile(world, path)
  const problems = createProblemList()
  const table = await readTable(file, NO_ARCHIVE_LIMITS, problems)
  if (table === undefined || problems.count > 0) throw archiveFailure(path, problems)
  return {
    path,
    bytes: file.size,
    table,
    order: fileOrder(table),
    isKept: new Uint8Array(table.count),
    newNames: new Map(),
  }
}

/** The folder's name, the first time; undefined when it is there already. */
function placeFolder(folders: Set<string>, name: string): string | undefined {
  if (folders.has(name)) return undefined
  folders.add(name)
  return name
}

/** Which entry a file is: the number of its input, its row there, its name there. */
interface FileEntry {
  readonly number: number
  readonly row: number
  readonly name: string
}

/** The name a file gets; undefined when the same file is there already. */
async function placeFile(
  world: World,
  inputs: readonly MergeInput[],
  names: MergeNames,
  file: FileEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = collisionKey(names.spelled(file.name))
  const before = names.notes.get(key)
  // Two numbers for each file of this name so far.
  names.notes.set(key, [...(before ?? []), file.number, file.row])
  if (before === undefined) return names.first(file.name)
  for (let at = 0; at < before.length; at += 2) {
    const [number, row] = [before[at]!, before[at + 1]!]
    const other = { number, row, name: nameAt(inputs[number]!.table, row).name }
    if (!(await isSameFile(world, inputs, names, other, file, signal))) continue
    names.notes.set(key, before)
    return undefined
  }
  return names.numbered(file.name)
}

/** The same name, size, CRC-32, and then, which alone is proof, the same bytes. */
async function isSameFile(
  world: World,
  inputs: readonly MergeInput[],
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

function contentOf(inputs: readonly MergeInput[], { number, row }: FileEntry): Content {
  const { path, table } = inputs[number]!
  return { path, entry: entryAt(table, row) }
}
