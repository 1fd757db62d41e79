import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { changedFailure, type FileFacts, openArchiveFile, readAt } from '../archive/archive-file.ts'
import { EntryDataError, fitsWhole, inflateChunks, inflateWhole, WHOLE_BYTES } from '../archive/entry-data.ts'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { createXmlDecoder, XmlProblem } from '../base/xml.ts'
import { type Article, type DeclarationHeader, isRequest } from '../compliance/declaration.ts'
import { type SubstanceTables, screeningTables } from '../compliance/indications.ts'
import { createDeclarationReader, NotADeclaration } from '../declaration/read-declaration.ts'
import { append, batchOf, isFull, packBatch, type ReadBatch } from './report-batch.ts'
import {
  type PartDeclaration,
  partDeclaration,
  partFacts,
  type ReadPart,
  type SubstanceRow,
  substancesOf,
  type UnreadableFile,
} from './rows/part-declaration.ts'
import { filePieces } from './sources/declaration-files.ts'

/** An entry of an archive whose structure was verified. */
export interface JobEntry {
  readonly name: string
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  readonly dataOffset: number
}

/** A file on its own, and how the user names it: at a path, or open already. */
export type JobFile = { readonly label: string } & (
  | { readonly path: string }
  | { readonly fd: number; readonly bytes: number }
)

/** What is read of declarations. */
export interface Reading {
  /** The flat table of class D substances too. */
  readonly substances: boolean
  /** The substance tables as `screeningText` writes them; empty without. */
  readonly screening: string
}

/** A few declarations to read, small enough to be sent to a worker thread. Their sources are named without their archive. */
export type ReportJob =
  | ({
      readonly kind: 'entries'
      /** The archive as the user named it. */
      readonly archive: string
      /** Where it is, and what it was when its structure was verified; or its descriptor, which stays open. */
      readonly place: { readonly path: string; readonly facts: FileFacts } | { readonly fd: number }
      readonly entries: readonly JobEntry[]
    } & Reading)
  | ({ readonly kind: 'files'; readonly files: readonly JobFile[] } & Reading)

/**
 * Reads the declarations of a job in order, as packed batches; the last one is returned. A file that is broken or foreign is a row with
 * the reason; an archive whose data is not what its directory declares, or that has changed, is a Failure of kind `archive`.
 */
export async function* readReportJob(job: ReportJob): AsyncGenerator<Buffer, Buffer, void> {
  let batch = batchOf({})
  const options = { substances: job.substances, tables: screeningTables(job.screening) }
  for await (const file of filesOf(job)) {
    for await (const read of readReportFile(file, options)) {
      append(batch, read)
      if (!isFull(batch)) continue
      yield packBatch(batch)
      batch = batchOf({})
    }
  }
  return packBatch(batch)
}

/** How the sources of an archive's rows begin; the name of the entry follows. */
export function sourcePrefix(archive: string): string {
  return `${escapeUnsafe(archive)}!`
}

async function* filesOf(job: ReportJob): AsyncGenerator<FileToRead> {
  if (job.kind === 'files') {
    for (const file of job.files) {
      const open = (): Generator<Buffer> => ('path' in file ? filePieces(file.path) : openPieces(file))
      yield { open, source: escapeUnsafe(file.label), mustBeXml: true, readAll: false }
    }
    return
  }
  if ('fd' in job.place) return yield* entriesOf(job, job.place.fd)
  const { path, facts } = job.place
  await using file = openArchiveFile({ syncDisk: DISK, cwd: () => '' }, path)
  if (!isSame(file.facts, facts)) throw changedFailure(path)
  yield* entriesOf(job, file.fd)
  file.assertUnchanged()
}

function isSame(a: FileFacts, b: FileFacts): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
}

type EntriesJob = ReportJob & { kind: 'entries' }

function* entriesOf(job: EntriesJob, fd: number): Generator<FileToRead> {
  for (const entry of job.entries) {
    yield {
      open: () => entryPieces(job, fd, entry),
      source: escapeUnsafe(entry.name),
      mustBeXml: entry.name.toLowerCase().endsWith('.xml'),
      // The size and the CRC-32 of an entry must be right whatever is in it: otherwise the archive is damaged.
      readAll: true,
    }
  }
}

const PIECE_BYTES = 256 * 1024

function* openPieces({ fd, bytes, label }: Extract<JobFile, { fd: number }>): Generator<Buffer> {
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    yield readAt(DISK, { fd, path: label }, at, Math.min(PIECE_BYTES, bytes - at))
  }
}

const DISK = { openSync, closeSync, fstatSync, readSync } as SyncDisk

// Small entries are read one after the other, so one buffer is enough.
const packedWhole = Buffer.allocUnsafeSlow(WHOLE_BYTES)

async function* entryPieces(job: EntriesJob, fd: number, entry: JobEntry): AsyncGenerator<Buffer> {
  const { packedBytes, dataOffset } = entry
  const file = { fd, path: job.archive }
  try {
    if (fitsWhole(entry)) {
      yield inflateWhole(readAt(DISK, file, dataOffset, packedBytes, packedWhole), entry)
    } else {
      yield* inflateChunks((position, length) => readAt(DISK, file, dataOffset + position, length), entry)
    }
  } catch (error) {
    throw error instanceof EntryDataError ? damaged(job.archive, entry, error) : error
  }
}

function damaged(archive: string, entry: JobEntry, error: EntryDataError): Failure {
  const name = escapeUnsafe(entry.name)
  const where = `${escapeUnsafe(archive)}: "${name}" at offset ${entry.dataOffset}`
  return new Failure('archive', `${where}: ${error.message}`, {
    hint: 'the archive is damaged: download it again',
    file: archive,
    entry: name,
    rule: 'data',
  })
}

/** The bytes of a file, in pieces. */
type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>

/** A file to read, which may have to be opened twice. */
interface FileToRead {
  readonly open: () => Pieces
  /** How the rows name the file. */
  readonly source: string
  /** False for a file that may be anything: it is left out when it does not look like XML. */
  readonly mustBeXml: boolean
  /** Read every piece, even after the file turned out to be broken. */
  readonly readAll: boolean
}

/** What is read of a file. */
interface FileOptions {
  /** The flat table of class D substances too. */
  readonly substances: boolean
  /** What class D is screened with; undefined for nothing. */
  readonly tables: SubstanceTables | undefined
}

function unreadable(source: string, reason: string): UnreadableFile {
  return { kind: 'unreadable', source, reason }
}

/** About what a declaration takes, beside its record. */
const KEPT_OF_PART = 500

/** The rows of a file are held until its end shows it complete, up to these bounds; a larger file is read twice. */
const HELD_ROWS = 2_000
const HELD_CHARACTERS = 8 * 1024 ** 2

/** Reads one file into rows; a broken or foreign one is a single row with the reason. Memory grows with its largest product. */
async function* readReportFile(
  file: FileToRead,
  options: FileOptions,
): AsyncGenerator<ReadBatch, void, void> {
  const { source } = file
  const held = holdRows(source, options)
  const reader = createDeclarationReader(held.take)
  try {
    const isXml = await readOnce(file, (text) => reader.write(text))
    if (!isXml) {
      yield batchOf({ skipped: [source] })
      return
    }
    reader.end()
  } catch (error) {
    if (!isAboutTheFile(error)) throw error
    yield batchOf({ starts: [0], rows: [unreadable(source, cleanText(error.message))] })
    return
  }
  const header = reader.header()
  if (held.isTooMuch()) {
    yield batchOf({ starts: [0] })
    yield* readAgain(file, header, options)
    return
  }
  yield batchOf({ starts: [0], ...declaredRows(held, header, source) })
}

/** The rows of a file that was read whole: without the parts that it only asks for. */
function declaredRows(held: HeldRows, header: DeclarationHeader, source: string): Partial<ReadBatch> {
  const rows: PartDeclaration[] = []
  const places = held.parts.map((facts) => {
    const row = partDeclaration(facts, header, source)
    return row === undefined ? undefined : rows.push(row) - 1
  })
  if (rows.length === 0) {
    if (isRequest(header)) return { requests: [source] }
    return { rows: [unreadable(source, 'an IPC-1752 file without a product')] }
  }
  const isDeclared = (index: number): boolean => places[held.owners[index]!] !== undefined
  return {
    rows,
    substances: held.substances.filter((_, index) => isDeclared(index)),
    owners: held.owners.flatMap((owner) => places[owner] ?? []),
  }
}

interface HeldRows {
  readonly take: (product: Article) => void
  readonly parts: readonly ReadPart[]
  readonly substances: readonly SubstanceRow[]
  /** The index of the part of each substance. */
  readonly owners: readonly number[]
  readonly isTooMuch: () => boolean
}

function holdRows(source: string, { substances: withSubstances, tables }: FileOptions): HeldRows {
  const parts: ReadPart[] = []
  const substances: SubstanceRow[] = []
  const owners: number[] = []
  let characters = 0
  const isTooMuch = (): boolean =>
    characters > HELD_CHARACTERS || parts.length + substances.length > HELD_ROWS
  return {
    parts,
    substances,
    owners,
    isTooMuch,
    take(product) {
      if (isTooMuch()) return
      const substancesOfId = substancesOf(product, source)
      const first = parts.length
      for (const part of partFacts(product, tables)) {
        parts.push(part)
        characters += KEPT_OF_PART + part.recordCharacters
      }
      for (let owner = first; withSubstances && owner < parts.length; owner += 1) {
        for (const row of substancesOfId(owner - first)) {
          substances.push(row)
          owners.push(owner)
          characters += row.material.length + row.substance.length
          if (isTooMuch()) return
        }
      }
    },
  }
}

/** Reads a file known to be complete a second time and yields its rows as they are read, the substances of a part right after it. */
async function* readAgain(
  { open, source }: FileToRead,
  header: DeclarationHeader,
  { substances: withSubstances, tables }: FileOptions,
): AsyncGenerator<ReadBatch, void, void> {
  const products: Article[] = []
  const reader = createDeclarationReader((product) => void products.push(product))
  let hasRows = false
  const rows: PartDeclaration[] = []
  const substances: SubstanceRow[] = []
  const owners: number[] = []
  const take = (): ReadBatch =>
    batchOf({ rows: rows.splice(0), substances: substances.splice(0), owners: owners.splice(0) })
  for await (const text of decoded(open())) {
    reader.write(text)
    for (const product of products.splice(0)) {
      const substancesOfId = substancesOf(product, source)
      for (const [id, facts] of partFacts(product, tables).entries()) {
        const row = partDeclaration(facts, header, source)
        if (row === undefined) continue
        hasRows = true
        rows.push(row)
        if (isFull({ rows, substances })) yield take()
        if (!withSubstances) continue
        for (const row of substancesOfId(id)) {
          substances.push(row)
          owners.push(rows.length - 1)
          if (isFull({ rows, substances })) yield take()
        }
      }
    }
  }
  reader.end()
  yield hasRows ? take() : batchOf({ requests: [source] })
}

/** Reads a file to its end or its first error; false when it is not XML and need not be. */
async function readOnce(
  { open, mustBeXml, readAll }: FileToRead,
  write: (text: string) => void,
): Promise<boolean> {
  const decoder = createXmlDecoder()
  let isXml: boolean | undefined
  let problem: unknown
  for await (const piece of open()) {
    if (piece.length > 0) isXml ??= mustBeXml || startsLikeXml(piece)
    if (isXml !== true || problem !== undefined) continue
    try {
      for (const block of blocks(piece)) write(decoder.write(block))
    } catch (error) {
      if (!readAll || !isAboutTheFile(error)) throw error
      problem = error
    }
  }
  if (problem !== undefined) throw problem
  if (!(isXml ?? mustBeXml)) return false
  write(decoder.end())
  return true
}

async function* decoded(pieces: Pieces): AsyncGenerator<string, void, void> {
  const decoder = createXmlDecoder()
  for await (const piece of pieces) for (const block of blocks(piece)) yield decoder.write(block)
  yield decoder.end()
}

/** Small enough that one letter beyond ASCII does not make the text of a whole file twice as large and slow. */
const BLOCK_BYTES = 16 * 1024

function* blocks(piece: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < piece.length; at += BLOCK_BYTES) yield piece.subarray(at, at + BLOCK_BYTES)
}

function isAboutTheFile(error: unknown): error is XmlProblem | NotADeclaration {
  return error instanceof XmlProblem || error instanceof NotADeclaration
}

/** True when the first visible byte is `<`, after any byte order mark or zero byte of UTF-16. */
function startsLikeXml(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).find((byte) => !BLANK.has(byte)) === 0x3c
}

const BLANK = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xbb, 0xbf, 0xef, 0xfe, 0xff])
