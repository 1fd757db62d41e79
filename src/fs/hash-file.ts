import { createHash } from 'node:crypto'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { createFileHash, WORTH_A_THREAD_BYTES } from './file-hash.ts'

/** The SHA-256 of a finished file in lower-case hexadecimal; a large one is hashed in a worker thread. */
export async function hashFile(world: World, path: string, bytes: number): Promise<string> {
  if (bytes <= WORTH_A_THREAD_BYTES) {
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
