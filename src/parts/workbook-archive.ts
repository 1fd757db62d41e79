import { openArchiveFile } from '../archive/archive-file.ts'
import { NO_ARCHIVE_LIMITS } from '../archive/archive-limits.ts'
import { inflateChunks } from '../archive/entry-data.ts'
import { readArchive } from '../archive/read-archive.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { findSignature } from '../base/file-signatures.ts'
import { formatBytes } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { createXmlDecoder } from '../base/xml-decoder.ts'
import { type ListFile, nameBinary, openList } from './list-source.ts'

/** A workbook that unpacks to more is refused before anything is unpacked. */
const LARGEST_BYTES = 1024 ** 3

/** Objects from a small piece are garbage before the collector has to move them. */
const PIECE_BYTES = 64 * 1024

/** The XML files of which a workbook consists. */
export interface WorkbookArchive extends AsyncDisposable {
  readonly path: string
  readonly has: (name: string) => boolean
  /** The text of a file, in pieces; empty when there is no such file. Damaged data is a `usage` failure. */
  readonly text: (name: string) => AsyncGenerator<string>
}

/** Opens a workbook as the ZIP archive it is. A file that is none, or too large, is a `usage` failure. */
export async function openWorkbookArchive(world: World, list: ListFile): Promise<WorkbookArchive> {
  const { path } = list
  await refuseOtherFiles(world, list)
  const file = openArchiveFile(world, path)
  try {
    const { entries: found, unpackedBytes, isReadable } = await readArchive(file, NO_ARCHIVE_LIMITS)
    if (!isReadable) throw notAWorkbook(path)
    if (unpackedBytes > LARGEST_BYTES) throw tooLarge(path, `unpacks to ${formatBytes(unpackedBytes)}`)
    const entries = new Map(found.map((entry) => [entry.name.toLowerCase(), entry]))
    return {
      path,
      has: (name) => entries.has(name.toLowerCase()),
      async *text(name) {
        const entry = entries.get(name.toLowerCase())
        if (entry === undefined) return
        const read = (position: number, length: number): Buffer =>
          file.read(entry.dataOffset + position, length)
        yield* decoded(inflateChunks(read, entry), path)
      },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}

async function refuseOtherFiles(world: World, list: ListFile): Promise<void> {
  const { path } = list
  const head = await headOf(world, list)
  if (findSignature(head)?.format === 'zip') return
  const kind = nameBinary(head)
  throw new Failure('usage', `${path} is ${kind?.what ?? 'not an Excel workbook'}`, {
    file: path,
    hint: kind?.hint ?? 'if it is text, rename it so that its name ends in .csv, .tsv or .txt',
  })
}

/** The first bytes of a regular file. */
async function headOf(world: World, list: ListFile): Promise<Buffer> {
  await using input = await openList(world, list)
  if (!input.facts.isFile()) {
    throw new Failure('usage', `${list.path} is a pipe, and a workbook is read in several passes`, {
      file: list.path,
      hint: 'save it to a file first',
    })
  }
  for await (const chunk of input.chunks()) return chunk.subarray(0, 4096)
  return Buffer.alloc(0)
}

async function* decoded(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  const decoder = createXmlDecoder()
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        yield decoder.write(chunk.subarray(at, at + PIECE_BYTES))
      }
    }
    yield decoder.end()
  } catch (error) {
    throw isFailure(error) ? error : notAWorkbook(path, error)
  }
}

/** The failure of a file that has the ending of a workbook and is not one, or a damaged one. */
export function notAWorkbook(path: string, cause?: unknown): Failure {
  return new Failure('usage', `${path} cannot be read as an Excel workbook`, {
    cause,
    file: path,
    hint: 'open it and save it again as .xlsx without a password, or as CSV',
  })
}

/** The failure of a workbook that would take too much memory. */
export function tooLarge(path: string, what: string): Failure {
  return new Failure('usage', `${path} ${what}, too much for a workbook`, {
    file: path,
    hint: 'save the sheet as CSV, which can have any size',
  })
}
