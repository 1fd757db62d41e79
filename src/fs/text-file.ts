import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, InputStream } from '../base/world.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/** A text that a person or a script wrote. */
export interface RequestText {
  readonly text: string
  /** True when it is a file that group or others may read (never on Windows, where mode bits say nothing). */
  readonly isExposed: boolean
}

/**
 * Reads a small UTF-8 text from a file, a named pipe, or standard input: at most 16 MiB. A file that is not there, or is no such
 * text, is a `usage` failure; a disk that fails is `io`.
 */
export async function readRequestText(
  disk: Disk,
  source: { readonly path: string; readonly absolute: string } | { readonly stdin: InputStream },
): Promise<RequestText> {
  if ('stdin' in source) return { text: await textOf(source.stdin, 'standard input'), isExposed: false }
  const { path } = source
  try {
    await using file = await disk.open(source.absolute, 'r')
    const facts = await file.stat()
    if (facts.isDirectory())
      throw new Failure('usage', `${path} is a folder`, { hint: 'name the file in it' })
    const text = await textOf(file.createReadStream({ autoClose: false }), path)
    return { text, isExposed: process.platform !== 'win32' && facts.isFile() && (facts.mode & 0o044) !== 0 }
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Failure('usage', `${path} is not there`, { hint: 'check the name', cause: error, file: path })
    }
    throw new Failure('io', `${path} can not be read (${code ?? 'unknown reason'})`, {
      hint: 'check its mode and owner',
      cause: error,
      file: path,
    })
  }
}

async function textOf(stream: AsyncIterable<unknown>, name: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk as Uint8Array | string)
    bytes += piece.length
    if (bytes > LARGEST_BYTES) {
      throw new Failure('usage', `${name} is too large for a request (over 16 MiB)`, {
        hint: 'give the JSON request, not an archive',
      })
    }
    chunks.push(piece)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Failure('usage', `${name} is not UTF-8 text`, { hint: 'save it as UTF-8', cause })
  }
}
