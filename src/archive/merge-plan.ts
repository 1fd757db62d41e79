import { setImmediate as turn } from 'node:timers/promises'
import type { World } from '../base/world.ts'
import { type ArchiveFile, changedFailure, openArchiveFile } from './archive-file.ts'
import type { ArchiveEntry } from './entry.ts'
import { EntryDataError, inflateChunks, type ReadPacked } from './entry-data.ts'
import { collisionKey, MAX_COMPONENT_BYTES } from './entry-name.ts'
import { archiveFailure, archiveProblem, NO_ARCHIVE_LIMITS, ProblemList } from './problem.ts'
import { readArchive, readEnd, readRecords } from './read-archive.ts'

/** An archive to merge, and the names of its entries that are left out. */
export interface MergeSource {
  readonly path: string
  readonly without?: ReadonlySet<string> | undefined
}

/** The archives to merge, in their order; an array, or what makes them when they are needed. */
export type MergeSources = Pick<readonly MergeSource[], 'length' | 'at'>

/** What becomes of the entries of all archives. */
interface MergePlan {
  /** The length of all archives. */
  readonly bytes: number
  /** How many entries each archive has. */
  readonly counts: readonly number[]
  /** The new name of each entry, of one archive after the other, in the order of their directories; undefined when it is left out. */
  readonly names: readonly (string | undefined)[]
}

/** What the directory says of an entry, the number of its archive, and its own there. */
interface ListedEntry extends Pick<ArchiveEntry, 'name' | 'isFolder' | 'bytes' | 'crc32'> {
  readonly source: number
  readonly index: number
}

/**
 * Reads the directory of every archive and decides which entries are kept under which name. Content is read only where two files have
 * the same name, size and CRC-32.
 */
export async function planMerge(
  world: World,
  sources: MergeSources,
  signal: AbortSignal,
): Promise<MergePlan> {
  // One list for all: there may be tens of thousands of archives with one entry each.
  const entries: ListedEntry[] = []
  const counts: number[] = []
  const names = createMergeNames()
  let bytes = 0
  for (let number = 0; number < sources.length; number += 1) {
    await turn()
    signal.throwIfAborted()
    const { path, without } = sources.at(number)!
    const first = entries.length
    bytes += await listEntries(world, path, number, entries)
    counts.push(entries.length - first)
    for (let at = first; at < entries.length; at += 1) {
      const { name } = entries[at]!
      if (!without?.has(name)) names.reserve(name)
    }
  }
  const newNames = await nameEntries(world, sources, entries, names, signal)
  return { bytes, counts, names: newNames }
}

/** Appends the entries of an archive to `all`, and resolves with its length. */
async function listEntries(world: World, path: string, source: number, all: ListedEntry[]): Promise<number> {
  await using file = openArchiveFile(world, path)
  const end = readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) throw archiveProblem(path, end)
  const problems = new ProblemList()
  let index = 0
  for await (const { record, name, found } of readRecords(file, end, problems)) {
    for (const problem of found) problems.add(problem)
    const { uncompressedSize: bytes, crc32 } = record
    all.push({ name: name.name, isFolder: name.isFolder, bytes, crc32, source, index })
    index += 1
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
  return file.size
}

async function nameEntries(
  world: World,
  sources: MergeSources,
  entries: readonly ListedEntry[],
  names: MergeNames,
  signal: AbortSignal,
): Promise<readonly (string | undefined)[]> {
  const folders = new Set<string>()
  const nameFile = createFileNames(entries, names, createComparison(world, sources, entries, signal))
  const newNames: (string | undefined)[] = []
  let current = -1
  let without: MergeSource['without']
  for (const { name, isFolder, source } of entries) {
    signal.throwIfAborted()
    if (source !== current) {
      without = sources.at(source)!.without
      current = source
    }
    if (without?.has(name)) newNames.push(undefined)
    else if (isFolder) newNames.push(nameFolder(folders, names.folder(name)))
    else newNames.push(await nameFile(newNames.length))
  }
  return newNames
}

/** The directory's name the first time, undefined afterwards. */
function nameFolder(folders: Set<string>, name: string): string | undefined {
  if (folders.has(name)) return undefined
  folders.add(name)
  return name
}

/** Whether the files at two places of the list have the same content. */
type Comparison = (one: number, other: number) => Promise<boolean>

/** Gives the file at a place its new name; undefined when an equal file is already included. Call it in the order of the list. */
function createFileNames(
  entries: readonly ListedEntry[],
  names: MergeNames,
  hasSameContent: Comparison,
): (at: number) => Promise<string | undefined> {
  // For a file whose name was there before: the place of the one before it.
  const before = new Map<number, number>()

  return async (at) => {
    const { name } = entries[at]!
    const spelled = names.spelled(name)
    const key = collisionKey(spelled)
    const last = names.places.get(key)
    if (last === undefined) {
      names.places.set(key, at)
      return names.first(name)
    }
    for (let other: number | undefined = last; other !== undefined; other = before.get(other)) {
      if (names.spelled(entries[other]!.name) === spelled && (await hasSameContent(other, at)))
        return undefined
    }
    names.places.set(key, at)
    before.set(at, last)
    return names.numbered(name)
  }
}

/** Compares size, CRC-32 and then the bytes. Keeps the structure of archives that it had to read, up to a limit. */
function createComparison(
  world: World,
  sources: MergeSources,
  entries: readonly ListedEntry[],
  signal: AbortSignal,
): Comparison {
  const structures = new Map<number, readonly ArchiveEntry[]>()
  let keptCount = 0

  async function structureOf(source: number, path: string): Promise<readonly ArchiveEntry[]> {
    const known = structures.get(source)
    if (known !== undefined) return known
    if (keptCount > MOST_KEPT) {
      structures.clear()
      keptCount = 0
    }
    const structure = await readStructure(world, path)
    structures.set(source, structure)
    keptCount += structure.length
    return structure
  }

  async function contentOf(at: number): Promise<Content> {
    const { source, index } = entries[at]!
    const { path } = sources.at(source)!
    const entry = (await structureOf(source, path))[index]
    if (entry === undefined) throw changedFailure(path)
    return { path, entry }
  }

  return async (one, other) => {
    const [first, second] = [entries[one]!, entries[other]!]
    if (first.crc32 !== second.crc32 || first.bytes !== second.bytes) return false
    return await isSameContent(world, await contentOf(one), await contentOf(other), signal)
  }
}

/** Entries in structures that are kept for more comparisons. */
const MOST_KEPT = 100_000

async function readStructure(world: World, path: string): Promise<readonly ArchiveEntry[]> {
  await using file = openArchiveFile(world, path)
  const { entries, problems } = await readArchive(file, NO_ARCHIVE_LIMITS)
  if (problems.count > 0) throw archiveFailure(path, problems)
  return entries
}

/** Gives every entry of a merged archive a name that collides with no other, on any file system. */
interface MergeNames {
  /** Reserves a name that an input uses; call it for all inputs first. */
  readonly reserve: (name: string) => void
  /** A file's name with the first spelling of its directories. */
  readonly spelled: (name: string) => string
  /** The name for the first file of this name: its own, or a numbered one if it collides with a directory. */
  readonly first: (name: string) => string
  /** A numbered name for a later file of this name: ` (2)` before its extension, or the next number that is free. */
  readonly numbered: (name: string) => string
  /** The first spelling of a directory's name. */
  readonly folder: (name: string) => string
  /** What the caller knows of each file, by its `collisionKey`: its place in a list. */
  readonly places: Map<string, number | undefined>
}

export function createMergeNames(): MergeNames {
  // By the key of each file's name.
  const files: MergeNames['places'] = new Map()
  // By key, the first spelling of each directory.
  const folders = new Map<string, string>()
  let [lastFolder, lastSpelling] = ['', '']

  const folder = (name: string): string => {
    if (name === lastFolder) return lastSpelling
    let spelling = ''
    for (let start = 0; start < name.length; ) {
      const end = name.indexOf('/', start) + 1
      const own = spelling + name.slice(start, end)
      const key = collisionKey(own)
      const first = folders.get(key)
      if (first === undefined) folders.set(key, own)
      spelling = first ?? own
      start = end
    }
    lastFolder = name
    lastSpelling = spelling
    return spelling
  }
  const inFolder = (name: string): string => {
    const slash = name.lastIndexOf('/') + 1
    if (slash === 0) return name
    const own = name.slice(0, slash)
    const spelling = folder(own)
    return spelling === own ? name : spelling + name.slice(slash)
  }
  const numbered = (name: string): string => {
    const own = inFolder(name)
    const slash = own.lastIndexOf('/') + 1
    const dot = own.lastIndexOf('.')
    const [stem, extension] = dot > slash ? [own.slice(slash, dot), own.slice(dot)] : [own.slice(slash), '']
    for (let number = 2; ; number += 1) {
      const candidate = withSuffix(own.slice(0, slash), stem, ` (${number})${extension}`)
      const key = collisionKey(candidate)
      if (files.has(key) || folders.has(key)) continue
      files.set(key, undefined)
      return candidate
    }
  }
  return {
    reserve: (name) => {
      if (name.endsWith('/')) folder(name)
      else files.set(collisionKey(inFolder(name)), undefined)
    },
    first: (name) => {
      const own = inFolder(name)
      return folders.has(collisionKey(own)) ? numbered(name) : own
    },
    spelled: inFolder,
    numbered,
    folder,
    places: files,
  }
}

/** Shortens the stem when the name would be too long for a file system. */
function withSuffix(folder: string, stem: string, suffix: string): string {
  const characters = [...stem]
  while (Buffer.byteLength(characters.join('') + suffix) > MAX_COMPONENT_BYTES && characters.length > 1)
    characters.pop()
  return folder + characters.join('') + suffix
}

interface Content {
  readonly path: string
  readonly entry: ArchiveEntry
}

const CHUNK_BYTES = 256 * 1024

/** Compares the content of two entries: packed if the packed sizes are equal, else unpacked. */
async function isSameContent(
  world: World,
  one: Content,
  other: Content,
  signal: AbortSignal,
): Promise<boolean> {
  await using oneFile = openArchiveFile(world, one.path)
  await using otherFile = openArchiveFile(world, other.path)
  const [onePacked, otherPacked] = [packedOf(oneFile, one.entry), packedOf(otherFile, other.entry)]
  const isPackedAlike =
    one.entry.method === other.entry.method && one.entry.packedBytes === other.entry.packedBytes
  if (isPackedAlike && (await isSamePacked(onePacked, otherPacked, one.entry.packedBytes, signal)))
    return true
  return await isSameUnpacked(unpacked(one, onePacked), unpacked(other, otherPacked), signal)
}

function packedOf(file: ArchiveFile, { dataOffset }: ArchiveEntry): ReadPacked {
  return (position, length) => file.read(dataOffset + position, length)
}

async function isSamePacked(
  one: ReadPacked,
  other: ReadPacked,
  bytes: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let position = 0; position < bytes; position += CHUNK_BYTES) {
    if (position > 0) await turn()
    signal.throwIfAborted()
    const length = Math.min(CHUNK_BYTES, bytes - position)
    if (!one(position, length).equals(other(position, length))) return false
  }
  return true
}

async function* unpacked({ path, entry }: Content, read: ReadPacked): AsyncGenerator<Buffer, void, void> {
  try {
    yield* inflateChunks(read, entry)
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    throw archiveProblem(path, {
      rule: 'data',
      entry: entry.name,
      offset: entry.headerOffset,
      text: error.message,
    })
  }
}

/** Compares two streams of pieces. */
async function isSameUnpacked(
  one: AsyncGenerator<Buffer, void, void>,
  other: AsyncGenerator<Buffer, void, void>,
  signal: AbortSignal,
): Promise<boolean> {
  let [left, right]: (Buffer | undefined)[] = [Buffer.alloc(0), Buffer.alloc(0)]
  try {
    for (;;) {
      signal.throwIfAborted()
      if (left?.length === 0) left = (await one.next()).value ?? undefined
      if (right?.length === 0) right = (await other.next()).value ?? undefined
      if (left === undefined || right === undefined) return left === right
      const length = Math.min(left.length, right.length)
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false
      left = left.subarray(length)
      right = right.subarray(length)
    }
  } finally {
    await one.return()
    await other.return()
  }
}
