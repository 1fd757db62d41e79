import { addAbortSignal } from 'node:stream'
import { Failure } from '../../base/failure.ts'
import { formatBytes } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import { openPrivateFile, type PrivateFile } from '../../fs/private-file.ts'

/**
 * Keeps standard input in a private file, so that it can be read like any other source. More than `maxBytes` is a Failure of kind
 * `archive`, nothing at all one of kind `usage`.
 */
export async function spoolStdin(world: World, maxBytes: number): Promise<PrivateFile> {
  const file = await openPrivateFile(world)
  try {
    for await (const piece of addAbortSignal(world.interrupt, world.stdin)) {
      const chunk = Buffer.from(piece as Uint8Array | string)
      if (file.bytes() + chunk.length > maxBytes) throw tooLarge(maxBytes)
      await file.append(chunk)
    }
    if (file.bytes() === 0) throw empty()
    return file
  } catch (error) {
    await file[Symbol.asyncDispose]()
    world.interrupt.throwIfAborted()
    throw error
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('archive', `standard input is larger than the maximum of ${formatBytes(maxBytes)}`, {
    hint: 'if it is what you expect, raise the maximum size',
    options: ['max-size'],
    rule: 'limit',
  })
}

function empty(): Failure {
  return new Failure('usage', 'standard input is empty', {
    hint: 'check the command before the pipe: it wrote nothing',
  })
}
