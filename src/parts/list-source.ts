import type { FileHandle } from 'node:fs/promises'
import { Failure } from '../base/failure.ts'
import { type FileFormat, findSignature } from '../base/file-signatures.ts'
import type { Disk, InputStream } from '../base/world.ts'
import { isWrongPath, unreadable } from '../fs/disk-failure.ts'

/** A list on disk: the path as it was given, and the absolute one. */
export interface ListFile {
  readonly path: string
  readonly absolute: string
}

/** Where a list comes from. */
export type ListSource = ListFile | { readonly stdin: InputStream }

// What is made of a small chunk is garbage before the collector has to move it.
const CHUNK_BYTES = 64 * 1024

/** The name of a list in messages. */
export function nameOf(source: ListSource): string {
  return 'path' in source ? source.path : 'standard input'
}

/** The bytes of a text list in chunks. Files that are not text by their first bytes are a `usage` failure. */
export async function* listChunks(disk: Disk, source: ListSource): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of 'path' in source ? fileChunks(disk, source) : streamChunks(source.stdin)) {
    if (isFirst) refuseBinary(chunk, nameOf(source))
    isFirst = false
    yield chunk
  }
}

async function* fileChunks(disk: Disk, file: ListFile): AsyncGenerator<Buffer> {
  const handle = await openList(disk, file)
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } catch (error) {
    throw listFailure(file, error)
  } finally {
    await handle.close()
  }
}

async function* streamChunks(stream: InputStream): AsyncGenerator<Buffer> {
  for await (const piece of stream) yield typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer)
}

/** Opens a list for reading. A missing file or a directory is a `usage` failure, anything else `io`. */
export async function openList(disk: Disk, file: ListFile): Promise<FileHandle> {
  try {
    const facts = await disk.stat(file.absolute)
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    return await disk.open(file.absolute, 'r')
  } catch (error) {
    throw listFailure(file, error)
  }
}

/** The failure of a list that cannot be opened or read. */
export function listFailure({ path }: ListFile, cause: unknown): Failure {
  const isWrong = isWrongPath(cause)
  return new Failure(isWrong ? 'usage' : 'io', `the parts list ${path} ${unreadable(cause)}`, {
    cause,
    file: path,
    hint: isWrong ? 'check the path' : 'check its owner and permissions',
    ...(isWrong ? { options: ['parts-file'] } : {}),
  })
}

function refuseBinary(head: Buffer, name: string): void {
  const kind = nameBinary(head)
  if (kind === undefined) return
  throw new Failure('usage', `${name} is ${kind.what}, not a text list of parts`, {
    file: name,
    hint: kind.hint,
  })
}

/** What a file is that is not text, and what to do about it. */
export interface BinaryKind {
  readonly what: string
  readonly hint: string
}

// The other signatures are also how a part number may begin.
const HINTS: { readonly [format in FileFormat]?: string } = {
  xls: 'save it as .xlsx or as CSV UTF-8',
  pdf: 'save the list as text, .csv or .xlsx',
  gzip: 'unpack it first, or pipe in the output of zcat',
  zstd: 'unpack it first',
  bzip2: 'unpack it first',
  xz: 'unpack it first',
  '7z': 'unpack it first',
}

/** The kind of a file by its first bytes, when it is one of the usual ones that are not text. */
export function nameBinary(head: Buffer): BinaryKind | undefined {
  const signature = findSignature(head)
  if (signature?.format === 'zip') return nameZip(head)
  const hint = signature && HINTS[signature.format]
  return hint === undefined ? undefined : { what: signature!.what, hint }
}

function nameZip(head: Buffer): BinaryKind {
  const start = head.toString('latin1', 0, 4096)
  if (start.includes('opendocument')) {
    return { what: 'an OpenDocument spreadsheet', hint: 'save it as .xlsx or as CSV' }
  }
  if (start.includes('[Content_Types].xml') || start.includes('xl/') || start.includes('_rels/')) {
    return { what: 'an Excel workbook', hint: 'rename it so that its name ends in .xlsx' }
  }
  return { what: 'a ZIP archive', hint: 'unpack it first' }
}
