import { Failure } from '../base/failure.ts'
import { type FileFormat, findSignature } from '../base/file-signatures.ts'
import type { InputStream } from '../base/world.ts'
import { InputProblem, isWrongPath, unreadable, unreadableHint } from '../fs/disk-failure.ts'
import { bounded, type InputFile, type InputWorld, openInputFile } from '../fs/input-file.ts'

/** A list on disk: the path in messages, and the absolute path. */
export interface ListFile {
  readonly path: string
  readonly absolute: string
}

/** Where a list comes from. */
export type ListSource = ListFile | { readonly stdin: InputStream }

/** The name of a list in messages. */
export function nameOf(source: ListSource): string {
  return 'path' in source ? source.path : 'standard input'
}

/** A list with more bytes is not one of part numbers. */
const LARGEST_BYTES = 1024 ** 3

/** The bytes of a text list in chunks. Files that are not text by their first bytes are a `usage` failure. */
export async function* listChunks(world: InputWorld, source: ListSource): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of 'path' in source ? fileChunks(world, source) : stdinChunks(source.stdin)) {
    if (isFirst) refuseBinary(chunk, nameOf(source))
    isFirst = false
    yield chunk
  }
}

async function* fileChunks(world: InputWorld, file: ListFile): AsyncGenerator<Buffer> {
  await using input = await openList(world, file)
  try {
    yield* input.chunks()
  } catch (error) {
    world.interrupt.throwIfAborted()
    throw listFailure(file, error)
  }
}

async function* stdinChunks(stdin: InputStream): AsyncGenerator<Buffer> {
  try {
    yield* bounded(stdin, LARGEST_BYTES)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    throw new Failure('usage', `the parts list in standard input ${error.message}`, { hint: error.hint })
  }
}

/** Opens a list for reading. A wrong path or kind of file is a `usage` failure, anything else `io`. */
export async function openList(world: InputWorld, file: ListFile): Promise<InputFile> {
  try {
    return await openInputFile(world, file.absolute, LARGEST_BYTES)
  } catch (error) {
    throw listFailure(file, error)
  }
}

/** The failure of a list that cannot be opened or read. */
function listFailure({ path }: ListFile, cause: unknown): Failure {
  const isWrong = isWrongPath(cause)
  return new Failure(isWrong ? 'usage' : 'io', `the parts list ${path} ${unreadable(cause)}`, {
    cause,
    file: path,
    hint: unreadableHint(cause),
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
