import { createHash } from 'node:crypto'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { createFileHash } from './file-hash.ts'

const SMALL_BYTES = 8 * 1024 * 1024

/** The SHA-256 of a finished file, in lower-case hexadecimal; a large one is hashed on a thread of its own. */
export async function hashFile(world: World, path: string, bytes: number): Promise<string> {
  if (bytes <= SMALL_BYTES) {
    const content = await world.disk.readFile(path).catch((error: unknown) => {
      throw diskFailure(error, 'read', path)
    })
    return createHash('sha256').update(content).digest('hex')
  }
  const hash = createFileHash(world, path)
  hash.expect(bytes)
  hash.written(bytes)
  try {
    return await hash.finish()
  } catch (error) {
    hash.abandon()
    throw error
  }
}
