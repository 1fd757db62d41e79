import { devNull } from 'node:os'
import { scarceResource } from '../base/resource-limits.ts'
import type { Disk } from '../base/world.ts'

// Each worker thread has its own event loop, of four descriptors.
const OF_THREAD = 4
// The socket, the file that is written, and the same file while it is verified.
const OF_CONNECTION = 3
const OF_RUN = 8

/**
 * Checks that a run with so many connections and threads can open its files, by opening as many for a moment. Throws `io` with the
 * limit to raise.
 */
export async function requireDescriptors(
  disk: Pick<Disk, 'open'>,
  { connections, threads }: { readonly connections: number; readonly threads: number },
): Promise<void> {
  const count = OF_RUN + OF_CONNECTION * connections + OF_THREAD * threads
  const opened = await Promise.allSettled(Array.from({ length: count }, () => disk.open(devNull, 'r')))
  let failure: unknown
  for (const each of opened) {
    if (each.status === 'fulfilled') await each.value.close()
    else failure ??= scarceResource(each.reason)
  }
  if (failure !== undefined) throw failure
}
