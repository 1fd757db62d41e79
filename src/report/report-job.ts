import { readAt } from '../archive/archive-file.ts'
import { EntryDataError, fitsWhole, inflateChunks, inflateWhole, WHOLE_BYTES } from '../archive/entry-data.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { filePieces } from './declaration-files.ts'
import { type Pieces, readReportFile } from './report-file.ts'
import { createGathering, type EmitBatch } from './report-gathering.ts'

/** An entry of an archive whose structure was found good. */
export interface JobEntry {
  readonly name: string
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  readonly dataOffset: number
}

/** A file of its own: where it is, and what the user calls it. */
export interface JobFile {
  readonly path: string
  readonly label: string
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

/**
 * Reads the declarations of a job in order. A file that is broken or foreign is a row that says so; an archive whose data is not
 * what its directory declares is a Failure of kind `archive`.
 */
export async function runReportJob(job: ReportJob, emit: EmitBatch): Promise<void> {
  const gathered = createGathering(emit)
  const { substances } = job
  if (job.kind === 'files') {
    for (const { path, label } of job.files) {
      const source = escapeUnsafe(label)
      const open = (): Pieces => filePieces(path)
      await readReportFile(open, { source, mustBeXml: true, toTheEnd: false, substances }, gathered)
    }
  } else {
    for (const entry of job.entries) {
      const source = `${escapeUnsafe(job.archive)}!${escapeUnsafe(entry.name)}`
      const mustBeXml = entry.name.toLowerCase().endsWith('.xml')
      const open = (): Pieces => entryPieces(job, entry)
      try {
        // Whatever is in it, its size and CRC-32 must be right: only then is it a file that is broken, not an archive.
        await readReportFile(open, { source, mustBeXml, toTheEnd: true, substances }, gathered)
      } catch (error) {
        throw error instanceof EntryDataError ? damaged(job.archive, entry, error) : error
      }
    }
  }
  await gathered.flush(true)
}

// Small entries are read and used one after the other: one buffer does for all of them.
const packedWhole = Buffer.allocUnsafeSlow(WHOLE_BYTES)

function entryPieces(job: ReportJob & { kind: 'entries' }, entry: JobEntry): Pieces {
  const { packedBytes, dataOffset } = entry
  if (fitsWhole(entry)) {
    return [inflateWhole(readAt(job.fd, job.archive, dataOffset, packedBytes, packedWhole), entry)]
  }
  return inflateChunks(
    (position, length) => readAt(job.fd, job.archive, dataOffset + position, length),
    entry,
  )
}

function damaged(archive: string, entry: JobEntry, error: EntryDataError): Failure {
  const name = escapeUnsafe(entry.name)
  const where = `${escapeUnsafe(archive)}: "${name}" at offset ${entry.dataOffset}`
  return new Failure('archive', `${where}: ${error.message}`, {
    hint: 'the archive is damaged; fetch it again',
    file: archive,
    entry: name,
    rule: 'data',
  })
}
