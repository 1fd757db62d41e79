import type { FileHandle } from 'node:fs/promises'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, InputStream } from '../base/world.ts'
import { nameBinary } from './parts-list-kind.ts'
import type { ListReading, PartsSink } from './parts-list-reading.ts'
import { openList, trimBlanks } from './parts-list-reading.ts'
import { readTable } from './parts-list-table.ts'
import { textBlocks } from './parts-list-text.ts'
import type { WorkbookDetails } from './workbook-details.ts'

const CHUNK_BYTES = 1024 * 1024

/** Where a list comes from: a path, or standard input under the name `-`. */
export type ListSource =
  | { readonly path: string; readonly absolute: string }
  | { readonly stdin: InputStream }

/**
 * Reads one list of parts, streaming: text (a part a line), `.csv` and `.tsv` tables, `.xlsx` workbooks. Values lose the spaces
 * and tabs around them and nothing else; blank ones are skipped. `column` is a heading or a number from 1.
 * `workbookDetails` reads of a workbook what its values do not say.
 * A list that can not be read at all is a Failure of kind `usage` with file and line; a disk that fails is `io`.
 */
export async function readPartsList(
  disk: Disk,
  source: ListSource,
  column: string | undefined,
  sink: PartsSink,
  workbookDetails: (path: string) => Promise<WorkbookDetails | undefined>,
): Promise<ListReading> {
  const name = 'path' in source ? source.path : 'standard input'
  if ('path' in source && hasEnding(name, ['.xlsx', '.xlsm'])) {
    const { readWorkbook } = await import('./parts-list-workbook.ts')
    return readWorkbook(disk, source, column, workbookDetails, sink)
  }
  const isTable = hasEnding(name, ['.csv', '.tsv', '.tab']) || (column !== undefined && !isText(source))
  const chunks = 'path' in source ? fileChunks(disk, source) : refuseBinary(source.stdin, name)
  const blocks = textBlocks(chunks, name)
  if (isTable) return readTable(blocks, { name, column, isTabbed: hasEnding(name, ['.tsv', '.tab']) }, sink)
  await readLines(blocks, sink)
  return { kind: 'text' }
}

/** True for a list that has no columns whatever is asked: a `.txt` file. */
export function isText(source: ListSource): boolean {
  return 'path' in source && hasEnding(source.path, ['.txt', '.lst', '.list'])
}

function hasEnding(name: string, endings: readonly string[]): boolean {
  const lower = name.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}

async function readLines(
  blocks: AsyncIterable<{ readonly text: string; readonly firstLine: number }>,
  sink: PartsSink,
): Promise<void> {
  for await (const { text, firstLine } of blocks) {
    const parts: string[] = []
    const lines: number[] = []
    const all = text.split('\n')
    for (let index = 0; index < all.length; index += 1) {
      const part = trimBlanks(all[index]!)
      if (part === '') continue
      parts.push(part)
      lines.push(firstLine + index)
    }
    sink.parts(parts, lines)
  }
}

async function* fileChunks(
  disk: Disk,
  { path, absolute }: { readonly path: string; readonly absolute: string },
): AsyncGenerator<Buffer> {
  const handle = await openList(disk, path, absolute)
  try {
    let isFirst = true
    for (;;) {
      const chunk = await readChunk(handle, path)
      if (chunk.length === 0) return
      if (isFirst) refuseIfBinary(chunk, path)
      isFirst = false
      yield chunk
    }
  } finally {
    await handle.close()
  }
}

async function readChunk(handle: FileHandle, path: string): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw new Failure('io', `the list of parts ${path} can not be read (${systemCode(error) ?? 'error'})`, {
      cause: error,
      hint: 'check its mode and owner',
      file: path,
    })
  }
}

async function* refuseBinary(stream: InputStream, name: string): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const piece of stream) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer)
    if (isFirst) refuseIfBinary(chunk, name)
    isFirst = false
    yield chunk
  }
}

function refuseIfBinary(head: Buffer, name: string): void {
  const kind = nameBinary(head)
  if (kind === undefined) return
  throw new Failure('usage', `${name} is ${kind.what}, not a list of parts as text`, {
    file: name,
    hint: kind.hint,
  })
}
