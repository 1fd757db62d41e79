import { addAbortSignal } from 'node:stream'
import { Failure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { unreadableInput } from '../../fs/disk-failure.ts'
import { bounded, openInputFile } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'

const LARGEST_BYTES = 256 * 1024 ** 2
/** More than any system allows. */
const LONGEST_PATH = 32 * 1024
const OPTIONS = ['sources-from']

/**
 * The paths in a list, from a file, a pipe or with `-` from standard input: separated by NUL, as `find -print0` writes them, or by line
 * breaks. Empty ones are skipped. A list without paths is a Failure of kind `usage`.
 */
export async function readSourceList(world: World, from: string): Promise<readonly string[]> {
  const name = from === '-' ? 'the list of sources on standard input' : `the list of sources ${from}`
  try {
    const paths = splitPaths(decode(await readBytes(world, from)), name)
    if (paths.length > 0) return paths
  } catch (error) {
    world.interrupt.throwIfAborted()
    throw unreadableInput(error, name, { options: OPTIONS, file: from === '-' ? undefined : from })
  }
  throw new Failure('usage', `${name} is empty`, { hint: 'list one path per line', options: OPTIONS })
}

async function readBytes(world: World, from: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  if (from === '-') {
    const stdin = addAbortSignal(world.interrupt, world.stdin)
    for await (const chunk of bounded(stdin, LARGEST_BYTES)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  await using file = await openInputFile(world, absolutePath(world.cwd, from), LARGEST_BYTES)
  for await (const chunk of file.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

// PowerShell writes UTF-16.
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

/** One by one: a list may have millions. */
function splitPaths(text: string, name: string): string[] {
  const separator = text.includes('\0') ? '\0' : '\n'
  const paths: string[] = []
  let number = 0
  for (let at = 0; at < text.length; number += 1) {
    const next = text.indexOf(separator, at)
    const end = next === -1 ? text.length : next
    const isLine = separator === '\n' && text[end - 1] === '\r'
    const path = text.slice(at, isLine ? end - 1 : end)
    at = end + 1
    if (path.length > LONGEST_PATH) {
      throw new Failure('usage', `${name}:${number + 1}: a path of ${path.length} characters`, {
        hint: 'separate paths with line breaks or NUL',
        options: OPTIONS,
      })
    }
    // In a list `-` is a file of that name, not standard input.
    if (path !== '') paths.push(path === '-' ? './-' : path)
  }
  return paths
}
