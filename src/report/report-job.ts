import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { changedFailure, type FileFacts, openArchiveFile, readAt } from '../archive/archive-file.ts'
import { EntryDataError, fitsWhole, inflateChunks, inflateWhole, WHOLE_BYTES } from '../archive/entry-data.ts'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import { startsLikeZip } from '../base/file-signatures.ts'
import type { SyncDisk } from '../base/world.ts'
import { createXmlDecoder, XmlProblem } from '../base/xml.ts'
import { type Article, type DeclarationHeader, isRequest } from '../compliance/declaration.ts'
import { screeningTables } from '../compliance/indications.ts'
import { collectEntries } from '../compliance/part-record.ts'
import type { SubstanceTables } from '../compliance/recognize.ts'
import { createDeclarationReader, NotADeclaration } from '../declaration/read-declaration.ts'
import { append, batchOf, isFull, packBatch, type ReadBatch, type SkippedEntry } from './report-batch.ts'
import {
  partDeclaration,
  partFacts,
  type ReadPart,
  type SubstanceRow,
  substancesOf,
  type UnreadableFile,
} from './rows/part-declaration.ts'
import { type FilePath, filePieces } from './sources/declaration-files.ts'

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
  | { readonly path: FilePath }
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
      readonly place: { readonly path: FilePath; readonly facts: FileFacts } | { readonly fd: number }
      readonly entries: readonly JobEntry[]
      /** Entries that are not read. */
      readonly skipped: readonly SkippedEntry[]
    } & Tolerance &
      Reading)
  | ({ readonly kind: 'files'; readonly files: readonly JobFile[] } & Tolerance & Reading)

/** With what a damaged file is met. */
interface Tolerance {
  /** One file among others, in a directory: what is damaged, or cannot be opened, is a row, and the others are read. */
  readonly isTolerant: boolean
}

/** Entries of a batch: files that state the same are in one, others are no longer than that in memory. */
const MOST_ENTRIES = 3_000

/**
 * Reads the declarations of a job in order, as packed batches; the last one is returned. A file that is broken or foreign is a row with
 * the reason; an archive whose data is not what its directory declares, or that has changed, is a Failure of kind `archive`.
 */
export async function* readReportJob(job: ReportJob): AsyncGenerator<Buffer, Buffer, void> {
  let batch = batchOf(job.kind === 'entries' ? { skipped: [...job.skipped] } : {})
  const entries = new Set<object>()
  const { substances, isTolerant } = job
  const options = { substances, isTolerant, tables: screeningTables(job.screening) }
  for await (const file of filesOf(job)) {
    for await (const read of readReportFile(file, options)) {
      append(batch, read)
      for (const row of read.rows) if (row.kind === 'declared') collectEntries(entries, row.record)
      if (!isFull(batch) && entries.size < MOST_ENTRIES) continue
      yield packBatch(batch)
      batch = batchOf({})
      entries.clear()
    }
  }
  return packBatch(batch)
}

/** How the sources of an archive's rows begin; the name of the entry follows. */
export function sourcePrefix(archive: string): string {
  return `${escapeUnsafe(archive)}!`
}

/** The files of a job, in order. */
export async function* filesOf(job: ReportJob): AsyncGenerator<FileToRead> {
  if (job.kind === 'files') {
    for (const file of job.files) {
      const open = (): Generator<Buffer> =>
        'path' in file ? filePieces(file.path, file.label) : openPieces(file)
      yield { open, source: escapeUnsafe(file.label), mustBeXml: true, readAll: false }
    }
    return
  }
  if ('fd' in job.place) return yield* entriesOf(job, job.place.fd)
  const { path, facts } = job.place
  await using file = openArchiveFile({ syncDisk: DISK, cwd: () => '' }, job.archive, path)
  if (!isSame(file.facts, facts)) throw changedFailure(job.archive)
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
export interface FileToRead {
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
  readonly isTolerant: boolean
}

function unreadable(source: string, reason: string, isDamaged = false): UnreadableFile {
  return { kind: 'unreadable', source, reason, isDamaged }
}

/** About what a row takes, beside its record or texts. */
const KEPT_OF_ROW = 500
/** The rows of a file are held until its end shows it complete, up to this bound; a larger file is read twice. */
const HELD_CHARACTERS = 4 * 1024 ** 2

/** Reads one file into rows; a broken or foreign one is a single row with the reason. Memory grows with its largest product. */
async function* readReportFile(
  file: FileToRead,
  options: FileOptions,
): AsyncGenerator<ReadBatch, void, void> {
  const { source } = file
  const held: DeclaredPart[] = []
  let size = 0
  let isTooMuch = false
  const grow = (characters: number): void => {
    size += characters
    isTooMuch ||= size > HELD_CHARACTERS
  }
  const reader = createDeclarationReader((product) => {
    for (const { part, substances } of isTooMuch ? [] : declaredParts(product, source, options)) {
      const kept: SubstanceRow[] = []
      held.push({ part, substances: kept })
      grow(KEPT_OF_ROW + part.recordBytes)
      for (const row of substances) {
        if (isTooMuch) return
        kept.push(row)
        grow(KEPT_OF_ROW + row.material.length + row.substance.length)
      }
    }
  })
  try {
    const isXml = await readOnce(file, (text) => reader.write(text))
    if (!isXml) {
      yield batchOf({ skipped: [{ source, reason: await whyNotXml(file) }] })
      return
    }
    reader.end()
  } catch (error) {
    const isAbout = isAboutTheFile(error)
    const reason = isAbout
      ? cleanText(error.message)
      : options.isTolerant
        ? damageOf(error, source)
        : undefined
    if (reason === undefined) throw error
    yield batchOf({ files: 1, rows: [unreadable(source, reason, !isAbout)] })
    return
  }
  yield batchOf({ files: 1 })
  yield* declaredRows(isTooMuch ? readAgain(file, options) : held, reader.header(), source)
}

/** What keeps a file from being read, for its row; undefined for what is about the run or the machine. */
export function damageOf(error: unknown, source: string): string | undefined {
  if (!isFailure(error) || !['archive', 'io', 'usage'].includes(error.kind)) return undefined
  // What every file would suffer from.
  if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(systemCode(error.cause) ?? '')) return undefined
  const place = `${source}: `
  const { message } = error
  return cleanText(message.startsWith(place) ? message.slice(place.length) : message)
}

async function whyNotXml({ open }: FileToRead): Promise<string> {
  for await (const piece of open()) return startsLikeZip(piece) ? 'an archive inside an archive' : 'not XML'
  return 'not XML'
}

/** A part of a file, with its rows of the table of substances. */
interface DeclaredPart {
  readonly part: ReadPart
  readonly substances: Iterable<SubstanceRow>
}

function* declaredParts(
  product: Article,
  source: string,
  { substances, tables }: FileOptions,
): Generator<DeclaredPart, void, void> {
  const substancesOfId = substancesOf(product, source)
  for (const [index, part] of partFacts(product, tables).entries()) {
    yield { part, substances: substances ? substancesOfId(index) : [] }
  }
}

/** Reads the parts of a file that is known to be complete once more. */
async function* readAgain(
  { open, source }: FileToRead,
  options: FileOptions,
): AsyncGenerator<DeclaredPart, void, void> {
  const products: Article[] = []
  const reader = createDeclarationReader((product) => void products.push(product))
  for await (const text of decoded(open())) {
    reader.write(text)
    for (const product of products.splice(0)) yield* declaredParts(product, source, options)
  }
}

/** The rows of parts: without those that the file only asks for. */
async function* declaredRows(
  parts: AsyncIterable<DeclaredPart> | Iterable<DeclaredPart>,
  header: DeclarationHeader,
  source: string,
): AsyncGenerator<ReadBatch, void, void> {
  let batch = batchOf({})
  let hasRows = false
  for await (const { part, substances } of parts) {
    const row = partDeclaration(part, header, source)
    if (row === undefined) continue
    hasRows = true
    batch = yield* withRoom(batch)
    batch.rows.push(row)
    for (const substance of substances) {
      batch = yield* withRoom(batch)
      batch.substances.push(substance)
      batch.owners.push(batch.rows.length - 1)
    }
  }
  if (hasRows) yield batch
  else if (isRequest(header)) yield batchOf({ requests: [source] })
  else yield batchOf({ rows: [unreadable(source, 'an IPC-1752 file without a product')] })
}

/** The same batch, or an empty one after a full one. */
function* withRoom(batch: ReadBatch): Generator<ReadBatch, ReadBatch, void> {
  if (!isFull(batch)) return batch
  yield batch
  return batchOf({})
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
