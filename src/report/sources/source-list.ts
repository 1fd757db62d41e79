import { addAbortSignal } from 'node:stream'
import { Failure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { isWrongPath, unreadable } from '../../fs/disk-failure.ts'
import { absolutePath } from '../../fs/output-target.ts'

const LARGEST_BYTES = 256 * 1024 ** 2
const OPTIONS = ['sources-from']

/**
 * The paths in a list, from a file or with `-` from standard input: separated by NUL, as `find -print0` writes them, or by line
 * breaks. Empty ones are skipped. A list without paths is a Failure of kind `usage`.
 */
export async function readSourceList(world: World, from: string): Promise<readonly string[]> {
  const name = from === '-' ? 'the list of sources on standard input' : `the list of sources ${from}`
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of from === '-' ? stdinPieces(world) : listFilePieces(world, from, name)) {
    bytes += chunk.length
    if (bytes > LARGEST_BYTES) {
      throw new Failure('usage', `${name} is larger than 256 MiB`, {
        hint: 'name directories instead of files, or split the list',
        options: OPTIONS,
      })
    }
    chunks.push(chunk)
  }
  const paths = splitPaths(decode(Buffer.concat(chunks)))
  if (paths.length > 0) return paths
  throw new Failure('usage', `${name} is empty`, { hint: 'list one path per line', options: OPTIONS })
}

async function* stdinPieces({ stdin, interrupt }: World): AsyncGenerator<Buffer> {
  try {
    for await (const piece of addAbortSignal(interrupt, stdin))
      yield Buffer.from(piece as Uint8Array | string)
  } finally {
    interrupt.throwIfAborted()
  }
}

async function* listFilePieces(world: World, path: string, name: string): AsyncGenerator<Buffer> {
  try {
    await using file = await world.disk.open(absolutePath(world.cwd, path), 'r')
    for await (const piece of file.createReadStream({ autoClose: false })) yield piece as Buffer
  } catch (error) {
    const isWrong = isWrongPath(error)
    throw new Failure(isWrong ? 'usage' : 'io', `${name} ${unreadable(error)}`, {
      hint: isWrong ? 'check the path' : 'check its owner and permissions',
      cause: error,
      file: path,
      options: OPTIONS,
    })
  }
}

// PowerShell writes UTF-16.
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

function splitPaths(text: string): string[] {
  const paths = text.includes('\0') ? text.split('\0') : text.split(/\r?\n/)
  // In a list `-` is a file of that name, not standard input.
  return paths.filter((path) => path !== '').map((path) => (path === '-' ? './-' : path))
}
