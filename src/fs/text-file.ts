import { Failure, isFailure } from '../base/failure.ts'
import type { Disk, InputStream } from '../base/world.ts'
import { isWrongPath, unreadable } from './disk-failure.ts'
import { decodeUtf8, isReadableByOthers, type SmallFile } from './small-file.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/**
 * Reads UTF-8 text of at most 16 MiB from a file, a named pipe or standard input. Throws `usage` for a wrong path or content, and
 * `io` for other errors of the file system.
 */
export async function readSmallText(
  disk: Disk,
  source: { readonly path: string; readonly absolute: string } | { readonly stdin: InputStream },
): Promise<SmallFile> {
  if ('stdin' in source) return { text: await textOf(source.stdin, 'standard input'), isExposed: false }
  const { path } = source
  try {
    await using file = await disk.open(source.absolute, 'r')
    const facts = await file.stat()
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    const text = await textOf(file.createReadStream({ autoClose: false }), path)
    return { text, isExposed: facts.isFile() && isReadableByOthers(facts) }
  } catch (error) {
    if (isFailure(error)) throw error
    const isWrong = isWrongPath(error)
    throw new Failure(isWrong ? 'usage' : 'io', `${path} ${unreadable(error)}`, {
      hint: isWrong ? 'check the path' : 'check its owner and permissions',
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
      throw new Failure('usage', `${name} is larger than 16 MiB`, {
        hint: 'check the path: a small text file is expected',
      })
    }
    chunks.push(piece)
  }
  return decodeUtf8(Buffer.concat(chunks), name, 'usage')
}
