import { EntryDataError, fitsWhole, inflateChunks, inflateWhole } from '../archive/inflate.ts'
import { createXmlDecoder, decodeXml } from '../declaration/decode.ts'
import { createDeclarationReader, NotADeclaration } from '../declaration/read-declaration.ts'
import { createTagReader } from '../declaration/tag.ts'
import { XmlProblem } from '../declaration/xml-scan.ts'
import { cleanText, escapeUnsafe } from '../domain/clean-text.ts'
import type { Article } from '../domain/declaration.ts'
import { type PartFacts, partFacts, partRow } from '../domain/part-rows.ts'
import { type JudgedRow, type SubstanceRow, unreadableRow } from '../domain/report-row.ts'
import { substanceRows } from '../domain/substance-rows.ts'
import { Failure } from '../failure.ts'
import { readSyncAt } from '../storage/archive-file.ts'
import { filePieces } from '../storage/declaration-files.ts'

/** An entry of an archive whose structure was found good. */
export interface JobEntry {
  readonly name: string
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  readonly dataOffset: number
}

/** A few declarations to read, small enough to travel to a worker thread. */
export type ReportJob =
  | {
      readonly kind: 'entries'
      /** The archive as the user named it, and its descriptor, open until the job is done. */
      readonly archive: string
      readonly fd: number
      readonly entries: readonly JobEntry[]
      readonly substances: boolean
    }
  | { readonly kind: 'files'; readonly files: readonly JobFile[]; readonly substances: boolean }

/** A file of its own: where it is, and what the user calls it. */
export interface JobFile {
  readonly path: string
  readonly label: string
}

/** What came out of (a part of) a job. Part numbers are as written, everything else is cleaned. */
export interface JobBatch {
  readonly rows: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
  /** Files that were read, and entries left out because they are no XML. */
  readonly files: number
  readonly skipped: readonly string[]
}

/** Rows of one file are held back until its end shows it whole, up to this many; beyond, the file is read twice. */
const HELD_ROWS = 5_000
const HELD_SUBSTANCES = 20_000

// One for all files of this thread: they repeat each other's tags.
const tags = createTagReader()

type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>
type Emit = (batch: JobBatch, isLast: boolean) => void | Promise<void>

/**
 * Reads the declarations of a job in order. A file that is broken or foreign is a row that says so; an archive whose data is not
 * what its directory declares is a Failure of kind `archive`.
 */
export async function runReportJob(job: ReportJob, emit: Emit): Promise<void> {
  const gathered = createGathering(emit)
  if (job.kind === 'files') {
    for (const { path, label } of job.files) {
      await readFile(() => filePieces(path), escapeUnsafe(label), true, job.substances, gathered)
    }
  } else {
    for (const entry of job.entries) {
      const source = `${escapeUnsafe(job.archive)}!${escapeUnsafe(entry.name)}`
      const mustBeXml = entry.name.toLowerCase().endsWith('.xml')
      try {
        await readFile(() => entryPieces(job, entry), source, mustBeXml, job.substances, gathered)
      } catch (error) {
        throw error instanceof EntryDataError ? damaged(job.archive, entry, error) : error
      }
    }
  }
  await gathered.flush(true)
}

function entryPieces(job: ReportJob & { kind: 'entries' }, entry: JobEntry): Pieces {
  const read = (offset: number, length: number): Buffer => {
    const packed = Buffer.allocUnsafeSlow(length)
    if (readSyncAt(job.fd, packed, entry.dataOffset + offset, length)) return packed
    throw new Failure('archive', `${escapeUnsafe(job.archive)}: changed while it was read`, {
      hint: 'see that no other program writes to it, then run the same again',
      file: job.archive,
    })
  }
  if (fitsWhole(entry)) return [inflateWhole(read(0, entry.packedBytes), entry)]
  return inflateChunks(async (offset, length) => read(offset, length), entry)
}

async function readFile(
  open: () => Pieces,
  source: string,
  mustBeXml: boolean,
  substances: boolean,
  gathered: Gathering,
): Promise<void> {
  const facts: PartFacts[] = []
  const held: SubstanceRow[] = []
  let isTooMany = false
  try {
    const reader = createDeclarationReader((product) => {
      if (isTooMany) return
      facts.push(...partFacts(product))
      if (substances) held.push(...substanceRows(product, source).map(shown))
      isTooMany = facts.length > HELD_ROWS || held.length > HELD_SUBSTANCES
    }, tags)
    if (!(await feed(reader, open(), mustBeXml))) return gathered.skip(source)
    gathered.file()
    if (isTooMany) return await readAgain(open, reader.header(), source, substances, gathered)
    for (const part of facts) gathered.row(partRow(part, reader.header(), source))
    if (facts.length === 0) gathered.row(unreadableRow(source, 'an IPC-1752 file without a product'))
    for (const row of held) gathered.substance(row)
  } catch (error) {
    if (!(error instanceof XmlProblem || error instanceof NotADeclaration)) throw error
    gathered.file()
    gathered.row(unreadableRow(source, cleanText(error.message)))
  }
  await gathered.flushIfFull()
}

/** The second reading of a file with very many parts: it is known to be whole, so its rows go on as they come. */
async function readAgain(
  open: () => Pieces,
  header: ReturnType<ReturnType<typeof createDeclarationReader>['header']>,
  source: string,
  substances: boolean,
  gathered: Gathering,
): Promise<void> {
  const reader = createDeclarationReader((product: Article) => {
    for (const part of partFacts(product)) gathered.row(partRow(part, header, source))
    if (substances) for (const row of substanceRows(product, source)) gathered.substance(shown(row))
  }, tags)
  await feed(reader, open(), true, () => gathered.flushIfFull())
}

/** Feeds a reader to the end; false when the file is no XML and need not be. */
async function feed(
  reader: { readonly write: (text: string) => void; readonly end: () => void },
  pieces: Pieces,
  mustBeXml: boolean,
  pause?: () => Promise<void>,
): Promise<boolean> {
  if (Array.isArray(pieces)) {
    const [whole] = pieces as Buffer[]
    if (!mustBeXml && !startsLikeXml(whole!)) return false
    reader.write(decodeXml(whole!))
    reader.end()
    return true
  }
  const decoder = createXmlDecoder()
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst && !mustBeXml && !startsLikeXml(piece)) return false
    isFirst = false
    reader.write(decoder.write(piece))
    await pause?.()
  }
  reader.write(decoder.end())
  reader.end()
  return true
}

/** True when the first visible byte is `<`, whatever stands for a byte order mark or the zero half of UTF-16 before it. */
function startsLikeXml(bytes: Buffer): boolean {
  const blank = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xbb, 0xbf, 0xef, 0xfe, 0xff])
  return bytes.subarray(0, 64).find((byte) => !blank.has(byte)) === 0x3c
}

function shown(row: SubstanceRow): SubstanceRow {
  return { ...row, part: escapeUnsafe(row.part) }
}

function damaged(archive: string, entry: JobEntry, error: EntryDataError): Failure {
  const name = escapeUnsafe(entry.name)
  return new Failure(
    'archive',
    `${escapeUnsafe(archive)}: "${name}" at offset ${entry.dataOffset}: ${error.message}`,
    {
      hint: 'the archive is damaged; fetch it again',
      file: archive,
      entry: name,
    },
  )
}

interface Gathering {
  readonly row: (row: JudgedRow) => void
  readonly substance: (row: SubstanceRow) => void
  readonly file: () => void
  readonly skip: (source: string) => void
  readonly flush: (isLast: boolean) => Promise<void>
  readonly flushIfFull: () => Promise<void>
}

const FULL = 2_000

function createGathering(emit: Emit): Gathering {
  let rows: JudgedRow[] = []
  let substances: SubstanceRow[] = []
  let skipped: string[] = []
  let files = 0
  const flush = async (isLast: boolean): Promise<void> => {
    const batch = { rows, substances, files, skipped }
    rows = []
    substances = []
    skipped = []
    files = 0
    await emit(batch, isLast)
  }
  return {
    row: (row) => void rows.push(row),
    substance: (row) => void substances.push(row),
    file: () => {
      files += 1
    },
    skip: (source) => void skipped.push(source),
    flush,
    flushIfFull: async () => {
      if (rows.length + substances.length >= FULL) await flush(false)
    },
  }
}
