import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { unreadableInput } from '../../fs/disk-failure.ts'
import { bounded, readInputFile } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'

const LARGEST_BYTES = 32 * 1024 ** 2
/** More than any system allows. */
const LONGEST_PATH = 32 * 1024
/** Looking at as many takes seconds; with directories there is no limit. */
const MOST_PATHS = 100_000
const OPTIONS = ['sources-from']

/**
 * The paths in a list, from a file, a pipe or with `-` from standard input: separated by NUL, as `find -print0` writes them, or by line
 * breaks. Empty ones are skipped, and each is given once. A list without paths, or with more than 100,000, is a Failure of kind `usage`.
 */
export async function readSourceList(world: World, from: string): Promise<readonly string[]> {
  const name = from === '-' ? 'the list of sources on standard input' : `the list of sources ${from}`
  try {
    const paths = splitPaths(decode(await readBytes(world, from)), name)
    if (paths.size > 0) return [...paths]
  } catch (error) {
    world.interrupt.throwIfAborted()
    throw unreadableInput(error, name, { options: OPTIONS, file: from === '-' ? undefined : from })
  }
  throw new Failure('usage', `${name} is empty`, { hint: 'list one path per line', options: OPTIONS })
}

async function readBytes(world: World, from: string): Promise<Buffer> {
  if (from !== '-') return (await readInputFile(world, absolutePath(world.cwd, from), LARGEST_BYTES)).bytes
  return buffer(bounded(addAbortSignal(world.interrupt, world.stdin), LARGEST_BYTES))
}

// PowerShell writes UTF-16.
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

/** One by one: a list may have millions of lines. */
function splitPaths(text: string, name: string): ReadonlySet<string> {
  const separator = text.includes('\0') ? '\0' : '\n'
  const paths = new Set<string>()
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
    if (path !== '') paths.add(path === '-' ? './-' : path)
    if (paths.size > MOST_PATHS) {
      throw new Failure('usage', `${name} has more than ${MOST_PATHS} paths`, {
        hint: 'list directories instead: all XML files and archives in them are read',
        options: OPTIONS,
      })
    }
  }
  return paths
}
