import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { type Entry, type ExtraField, type LocalFileHeader, parseExtraFields } from 'yauzl'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { type ArchiveFile, changedFailure, openArchiveFile } from './archive-file.ts'
import { Blocks } from './blocks.ts'
import { type ArchiveEntry, CENTRAL_RECORD_BYTES, FIELD, FLAG, LOCAL_HEADER_BYTES, MAX_32 } from './entry.ts'
import { EntryDataError, inflateChunks, type ReadPacked } from './entry-data.ts'
import { collisionKey, MAX_COMPONENT_BYTES } from './entry-name.ts'
import { archiveFailure, archiveProblem, NO_ARCHIVE_LIMITS, ProblemList } from './problem.ts'
import { listArchive, readDirectoryRecords, readEnd, readEntries } from './read-archive.ts'

interface MergeOptions {
  readonly reporter: Reporter
  readonly signal?: AbortSignal
}

/**
 * Merges archives in the given order without recompression: headers are written from what was read, packed bytes are copied. Files
 * of the same name and content are merged into one; with other content the later one gets ` (2)` before its extension. Entries that
 * an input is to be `without` are left out. The same inputs give the same bytes. The inputs must have been verified; verify the
 * result before it is used. The draft is synced, and removed after a failure.
 */
export async function mergeArchives(
  world: World,
  sources: MergeSources,
  draftPath: string,
  options: MergeOptions,
): Promise<void> {
  const signal = options.signal ?? world.interrupt
  const plan = await planMerge(world, sources, signal)
  let copied = 0
  await using draft = await openDraft(world.disk, draftPath)
  const directory = new Blocks()
  let count = 0
  const output = createBlockWriter(draft)
  for (const [number, length] of plan.counts.entries()) {
    await turn()
    const names = plan.names.slice(copied, copied + length)
    count += await copyEntries(world, sources.at(number)!.path, names, output, directory, signal)
    copied += names.length
    options.reporter.progress({ phase: 'merging', bytes: output.bytes(), totalBytes: plan.bytes })
  }
  await output.finish()
  const directoryOffset = draft.bytes()
  for (const records of [...directory.take(), directory.rest()]) await draft.write(records)
  await draft.write(endRecords(count, directoryOffset, draft.bytes() - directoryOffset))
  await draft.sync()
  signal.throwIfAborted()
  await draft.keep()
}

/** Fills blocks with what many entries consist of; one is written while the next is filled. */
function createBlockWriter(draft: Draft) {
  let [block, next] = [Buffer.allocUnsafeSlow(COPY_BYTES), Buffer.allocUnsafeSlow(COPY_BYTES)]
  let used = 0

  /** Hands the last block to the draft. */
  async function finish(): Promise<void> {
    // The other block may still be in use.
    await draft.flush()
    await draft.write(block.subarray(0, used))
    ;[block, next] = [next, block]
    used = 0
  }

  return {
    bytes: () => draft.bytes() + used,
    /** Appends this many bytes: `fill` is called with a piece of a block and where it is in them, until there are none left. */
    async append(bytes: number, fill: (piece: Buffer, at: number) => void): Promise<void> {
      for (let at = 0; at < bytes; ) {
        if (used === block.length) await finish()
        const piece = block.subarray(used, used + bytes - at)
        fill(piece, at)
        used += piece.length
        at += piece.length
      }
    },
    finish,
  }
}

/** Copies the entries that are kept, adds their central records to the directory, and resolves with their number. */
async function copyEntries(
  world: World,
  path: string,
  names: readonly (string | undefined)[],
  output: ReturnType<typeof createBlockWriter>,
  directory: Blocks,
  signal: AbortSignal,
): Promise<number> {
  await using file = openArchiveFile(world, path)
  const end = readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) throw archiveProblem(path, end)
  const problems = new ProblemList()
  let index = 0
  let count = 0
  for await (const { entry, record, local, fill } of readEntries(file, end, problems)) {
    signal.throwIfAborted()
    if (local === undefined) break
    const name = names[index]
    index += 1
    if (name === undefined) continue
    count += 1
    const moved = { entry, record, local, name }
    directory.add(centralRecord(moved, output.bytes()))
    const header = localHeader(moved)
    await output.append(header.length, (piece, at) => header.copy(piece, 0, at))
    await output.append(entry.packedBytes, (piece, at) => fill(piece, entry.dataOffset + at))
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
  file.assertUnchanged()
  if (index !== names.length) throw changedFailure(path)
  return count
}

const COPY_BYTES = 1024 ** 2

/** An entry for a merged archive: as it was read, and its new name. */
interface MovedEntry {
  readonly entry: ArchiveEntry
  readonly record: Entry
  readonly local: LocalFileHeader
  readonly name: string
}

/** A new local header, with sizes and CRC-32 instead of a data descriptor. */
function localHeader(moved: MovedEntry): Buffer {
  const { bytes, packedBytes } = moved.entry
  const isLarge = Math.max(bytes, packedBytes) >= MAX_32
  const name = Buffer.from(moved.name)
  const extra = extraOf(isLarge ? [bytes, packedBytes] : [], parseExtraFields(moved.local.extraField))
  const head = Buffer.alloc(LOCAL_HEADER_BYTES)
  head.writeUInt32LE(0x04034b50, 0)
  writeFacts(head, 4, moved, isLarge ? [MAX_32, MAX_32] : [bytes, packedBytes], isLarge)
  head.writeUInt16LE(name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, name, extra])
}

/** A new central record for an entry whose local header is at `headerOffset`. */
function centralRecord(moved: MovedEntry, headerOffset: number): Buffer {
  const { entry, record } = moved
  const values = [entry.bytes, entry.packedBytes, headerOffset]
  const large = values.filter((value) => value >= MAX_32)
  const [bytes, packedBytes, offset] = values.map((value) => Math.min(value, MAX_32)) as [
    number,
    number,
    number,
  ]
  const name = Buffer.from(moved.name)
  const extra = extraOf(large, record.extraFields)
  const head = Buffer.alloc(CENTRAL_RECORD_BYTES)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(record.versionMadeBy, 4)
  writeFacts(head, 6, moved, [bytes, packedBytes], large.length > 0)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt16LE(record.fileCommentLength, 32)
  head.writeUInt16LE(record.internalFileAttributes, 36)
  head.writeUInt32LE(record.externalFileAttributes, 38)
  head.writeUInt32LE(offset, 42)
  return Buffer.concat([head, name, extra, record.fileCommentRaw])
}

/** Fields in the same order in both headers: version, flags, method, time, CRC-32, sizes. */
function writeFacts(
  head: Buffer,
  at: number,
  { record, name }: MovedEntry,
  [bytes, packedBytes]: readonly [number, number],
  isLarge: boolean,
): void {
  const flags = record.generalPurposeBitFlag & (FLAG.levels | FLAG.utf8)
  head.writeUInt16LE(isLarge ? 45 : 20, at)
  head.writeUInt16LE(/^[\0-\x7f]*$/.test(name) ? flags : flags | FLAG.utf8, at + 2)
  head.writeUInt16LE(record.compressionMethod, at + 4)
  head.writeUInt16LE(record.lastModFileTime, at + 6)
  head.writeUInt16LE(record.lastModFileDate, at + 8)
  head.writeUInt32LE(record.crc32, at + 10)
  head.writeUInt32LE(packedBytes, at + 14)
  head.writeUInt32LE(bytes, at + 18)
}

/** A ZIP64 field for these numbers, and the old fields except those with the old numbers and name. */
function extraOf(numbers: readonly number[], fields: readonly ExtraField[]): Buffer {
  const kept = fields.filter(({ id }) => id !== FIELD.zip64 && id !== FIELD.unicodePath)
  const zip64 = Buffer.alloc(numbers.length * 8)
  for (const [index, value] of numbers.entries()) zip64.writeBigUInt64LE(BigInt(value), index * 8)
  const all = numbers.length === 0 ? kept : [{ id: FIELD.zip64, data: zip64 }, ...kept]
  return Buffer.concat(
    all.flatMap(({ id, data }) => [Buffer.from(Uint16Array.of(id, data.length).buffer), data]),
  )
}

/** The records that end an archive, with those of ZIP64 where a number needs them. */
function endRecords(count: number, directoryOffset: number, directoryBytes: number): Buffer {
  const isLarge = count >= 0xffff || directoryOffset >= MAX_32 || directoryBytes >= MAX_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12)
  end.writeUInt32LE(Math.min(directoryOffset, MAX_32), 16)
  if (!isLarge) return end
  const large = Buffer.alloc(76)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(45, 12)
  large.writeUInt16LE(45, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(directoryBytes), 40)
  large.writeBigUInt64LE(BigInt(directoryOffset), 48)
  large.writeUInt32LE(0x07064b50, 56)
  large.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, end])
}

/** An archive to merge, and the names of its entries that are left out. */
export interface MergeSource {
  readonly path: string
  readonly without?: ReadonlySet<string> | undefined
}

/** The archives to merge, in their order; an array, or what makes them when they are needed. */
type MergeSources = Pick<readonly MergeSource[], 'length' | 'at'>

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
interface ListedEntry extends Pick<ArchiveEntry, 'name' | 'isDirectory' | 'bytes' | 'crc32'> {
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
  for (const [at, { name, isDirectory, source, index }] of entries.entries()) {
    signal.throwIfAborted()
    if (index === 0) without = sources.at(source)!.without
    if (without?.has(name)) newNames.push(undefined)
    else if (isDirectory) newNames.push(names.directoryOnce(name))
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
  for await (const { record, name } of readDirectoryRecords(file, end, problems)) {
    const { uncompressedSize: bytes, crc32 } = record
    all.push({ name: name.name, isDirectory: name.isDirectory, bytes, crc32, source, index })
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
  /** By the place of a file: the place of the previous file with the same name, if there is one. */
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
    const { entries: structure } = await listArchive(world, path, { limits: NO_ARCHIVE_LIMITS })
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
