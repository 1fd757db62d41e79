import { readSync } from 'node:fs'
import { readAt } from '../archive/archive-file.ts'
import { EntryDataError, fitsWhole, inflateChunks, inflateWhole, WHOLE_BYTES } from '../archive/entry-data.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { screeningTables } from './regulations/screening.ts'
import { batchOf, isFull, joinBatches, type ReadBatch } from './report-batch.ts'
import { type FileToRead, readReportFile } from './report-file.ts'
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

/** A few declarations to read, small enough to be sent to a worker thread. */
export type ReportJob =
  | ({
      readonly kind: 'entries'
      /** The archive as the user named it, and its descriptor, open until the job is done. */
      readonly archive: string
      readonly fd: number
      readonly entries: readonly JobEntry[]
    } & Reading)
  | ({ readonly kind: 'files'; readonly files: readonly JobFile[] } & Reading)

/**
 * Reads the declarations of a job in order; the last batch is returned. A file that is broken or foreign is a row with the reason; an
 * archive whose data is not what its directory declares is a Failure of kind `archive`.
 */
export async function* readReportJob(job: ReportJob): AsyncGenerator<ReadBatch, ReadBatch, void> {
  let batch = batchOf({})
  const options = { substances: job.substances, tables: screeningTables(job.screening) }
  for (const file of filesOf(job)) {
    for await (const read of readReportFile(file, options)) {
      batch = joinBatches([batch, read])
      if (!isFull(batch)) continue
      yield batch
      batch = batchOf({})
    }
  }
  return batch
}

/** How the sources of an archive's rows begin; the name of the entry follows. */
export function sourcePrefix(archive: string): string {
  return `${escapeUnsafe(archive)}!`
}

function* filesOf(job: ReportJob): Generator<FileToRead> {
  if (job.kind === 'files') {
    for (const file of job.files) {
      const open = (): Generator<Buffer> => ('path' in file ? filePieces(file.path) : openPieces(file))
      yield { open, source: escapeUnsafe(file.label), mustBeXml: true, readAll: false }
    }
    return
  }
  for (const entry of job.entries) {
    yield {
      open: () => entryPieces(job, entry),
      source: sourcePrefix(job.archive) + escapeUnsafe(entry.name),
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

const DISK = { readSync }

// Small entries are read one after the other, so one buffer is enough.
const packedWhole = Buffer.allocUnsafeSlow(WHOLE_BYTES)

async function* entryPieces(job: ReportJob & { kind: 'entries' }, entry: JobEntry): AsyncGenerator<Buffer> {
  const { packedBytes, dataOffset } = entry
  const file = { fd: job.fd, path: job.archive }
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
