import { createHash } from 'node:crypto'
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
  const names = new MergeNames()
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
  const hasSameContent = createComparison(world, sources, entries, signal)
  const newNames: (string | undefined)[] = []
  let without: MergeSource['without']
  for (const [at, { name, isFolder, source, index }] of entries.entries()) {
    signal.throwIfAborted()
    if (index === 0) without = sources.at(source)!.without
    if (without?.has(name)) newNames.push(undefined)
    else if (isFolder) newNames.push(names.directoryOnce(name))
    else newNames.push(await nameFile(at, entries, names, hasSameContent))
  }
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

/** The new name of the file at a place of the list; undefined when an equal file is already included. Call it in their order. */
async function nameFile(
  at: number,
  entries: readonly ListedEntry[],
  names: MergeNames,
  hasSameContent: Comparison,
): Promise<string | undefined> {
  const { name } = entries[at]!
  const spelled = names.spelled(name)
  for (const other of names.placesOf(spelled)) {
    if (names.spelled(entries[other]!.name) === spelled && (await hasSameContent(other, at))) return undefined
  }
  return names.add(name, at)
}

/** Gives every entry of a merged archive a name that collides with no other, on any file system. */
export class MergeNames {
  /** By the key of each file's name: its last place in the list, once it has one. */
  readonly #files = new Map<string, number | undefined>()
  /** For a file whose name was there before: the place of the one before it. */
  readonly #before = new Map<number, number>()
  /** By key, the first spelling of each directory. */
  readonly #directories = new Map<string, string>()
  readonly #given = new Set<string>()
  #last = { name: '', spelling: '' }

  /** Reserves a name that an input uses; call it for all inputs first. */
  reserve(name: string): void {
    if (name.endsWith('/')) this.#directory(name)
    else this.#files.set(collisionKey(this.spelled(name)), undefined)
  }

  /** The first spelling of a directory's name, the first time; undefined afterwards. */
  directoryOnce(name: string): string | undefined {
    const spelling = this.#directory(name)
    if (this.#given.has(spelling)) return undefined
    this.#given.add(spelling)
    return spelling
  }

  /** A file's name with the first spelling of its directories. */
  spelled(name: string): string {
    const slash = name.lastIndexOf('/') + 1
    if (slash === 0) return name
    const own = name.slice(0, slash)
    const spelling = this.#directory(own)
    return spelling === own ? name : spelling + name.slice(slash)
  }

  /** The places of the files that have this spelled name, the last one first. */
  *placesOf(spelled: string): Generator<number> {
    let place = this.#files.get(collisionKey(spelled))
    for (; place !== undefined; place = this.#before.get(place)) yield place
  }

  /**
   * The name of the file at this place: the first of its name keeps it, unless it collides with a directory; a later one is numbered.
   */
  add(name: string, place: number): string {
    const spelled = this.spelled(name)
    const key = collisionKey(spelled)
    const last = this.#files.get(key)
    this.#files.set(key, place)
    if (last !== undefined) this.#before.set(place, last)
    return last === undefined && !this.#directories.has(key) ? spelled : this.#numbered(spelled)
  }

  /** ` (2)` before the extension, or the next number that is free. */
  #numbered(spelled: string): string {
    const slash = spelled.lastIndexOf('/') + 1
    const dot = spelled.lastIndexOf('.')
    const end = dot > slash ? dot : spelled.length
    for (let number = 2; ; number += 1) {
      const suffix = ` (${number})${spelled.slice(end)}`
      const candidate = spelled.slice(0, slash) + shortened(spelled.slice(slash, end), suffix) + suffix
      const key = collisionKey(candidate)
      if (this.#files.has(key) || this.#directories.has(key)) continue
      this.#files.set(key, undefined)
      return candidate
    }
  }

  #directory(name: string): string {
    if (name === this.#last.name) return this.#last.spelling
    let spelling = ''
    for (let start = 0; start < name.length; ) {
      const end = name.indexOf('/', start) + 1
      const own = spelling + name.slice(start, end)
      const key = collisionKey(own)
      spelling = this.#directories.get(key) ?? own
      this.#directories.set(key, spelling)
      start = end
    }
    this.#last = { name, spelling }
    return spelling
  }
}

/** The stem, shortened where the name would be too long for a file system. */
function shortened(stem: string, suffix: string): string {
  const characters = [...stem]
  while (Buffer.byteLength(characters.join('') + suffix) > MAX_COMPONENT_BYTES && characters.length > 1)
    characters.pop()
  return characters.join('')
}

/** Whether the files at two places of the list have the same content. */
type Comparison = (one: number, other: number) => Promise<boolean>

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

interface Content {
  readonly path: string
  readonly entry: ArchiveEntry
}

const CHUNK_BYTES = 256 * 1024

/** Compares the content of two entries of the same size: packed if the packed sizes are equal, else unpacked. */
async function isSameContent(
  world: World,
  one: Content,
  other: Content,
  signal: AbortSignal,
): Promise<boolean> {
  await using oneFile = openArchiveFile(world, one.path)
  await using otherFile = openArchiveFile(world, other.path)
  const [onePacked, otherPacked] = [packedOf(oneFile, one.entry), packedOf(otherFile, other.entry)]
  const { method, packedBytes } = one.entry
  const isPackedAlike = method === other.entry.method && packedBytes === other.entry.packedBytes
  if (isPackedAlike && (await isSamePacked(onePacked, otherPacked, packedBytes, signal))) return true
  return (await unpackedHash(one, onePacked, signal)) === (await unpackedHash(other, otherPacked, signal))
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

async function unpackedHash(
  { path, entry }: Content,
  read: ReadPacked,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of inflateChunks(read, entry)) {
      signal.throwIfAborted()
      hash.update(chunk)
    }
    return hash.digest('hex')
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    const { name, headerOffset: offset } = entry
    throw archiveProblem(path, { rule: 'data', entry: name, offset, text: error.message })
  }
}
