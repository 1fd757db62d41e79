import { Failure, isFailure } from '../base/failure.ts'
import type { InputStream } from '../base/world.ts'
import { InputProblem, isWrongPath, unreadable, unreadableHint } from './disk-failure.ts'
import { bounded, type InputWorld, readInputFile } from './input-file.ts'
import { decodeUtf8, isReadableByOthers, type SmallFile } from './small-file.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/**
 * Reads UTF-8 text of at most `largestBytes` (16 MiB) from a file, a pipe or standard input. Throws `usage` for a wrong path or content, and
 * `io` for other errors of the file system.
 */
export async function readSmallText(
  world: InputWorld,
  source: { readonly path: string; readonly absolute: string } | { readonly stdin: InputStream },
  largestBytes = LARGEST_BYTES,
): Promise<SmallFile> {
  const name = 'stdin' in source ? 'standard input' : source.path
  try {
    if ('stdin' in source) {
      const chunks: Buffer[] = []
      for await (const chunk of bounded(source.stdin, largestBytes)) chunks.push(chunk)
      return { text: decodeUtf8(Buffer.concat(chunks), name, 'usage'), isExposed: false }
    }
    const { bytes, facts } = await readInputFile(world, source.absolute, largestBytes)
    const isExposed = facts.isFile() && isReadableByOthers(facts)
    return { text: decodeUtf8(bytes, name, 'usage'), isExposed }
  } catch (error) {
    if (isFailure(error) || ('stdin' in source && !(error instanceof InputProblem))) throw error
    throw new Failure(isWrongPath(error) ? 'usage' : 'io', `${name} ${unreadable(error)}`, {
      hint: unreadableHint(error),
      cause: error,
      ...('path' in source ? { file: source.path } : {}),
    })
  }
}
