import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

/** A temporary file that only this process can read. It has no name once it is open, so nothing of it stays, however the process ends. */
export type PrivateFile = Awaited<ReturnType<typeof openPrivateFile>>

const ELSEWHERE = 'set TMPDIR to another directory'

/** Opens a private file in the directory for temporary files. Errors of the file system are Failures of kind `io`. */
export async function openPrivateFile({ disk, host }: Pick<World, 'disk' | 'host'>) {
  const path = join(host.tempDir, `matdecl-${randomBytes(12).toString('hex')}`)
  const attempt = async <T>(action: string, body: () => Promise<T>): Promise<T> => {
    try {
      return await body()
    } catch (error) {
      throw diskFailure(error, action, path, ELSEWHERE)
    }
  }
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const handle = await attempt('create', () => disk.open(path, flags, 0o600))
  // Some file systems keep the name while the file is open.
  const hasName = await disk.unlink(path).then(
    () => false,
    () => true,
  )
  let bytes = 0
  return {
    handle,
    /** Bytes written so far. */
    bytes: () => bytes,
    append: (chunk: Uint8Array): Promise<void> =>
      attempt('write', async () => {
        for (let done = 0; done < chunk.length; ) {
          const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, bytes)
          if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' })
          done += bytesWritten
          bytes += bytesWritten
        }
      }),
    read: (position: number, length: number): Promise<Buffer> =>
      attempt('read', async () => {
        const buffer = Buffer.allocUnsafeSlow(length)
        for (let done = 0; done < length; ) {
          const { bytesRead } = await handle.read(buffer, done, length - done, position + done)
          if (bytesRead === 0) throw Object.assign(new Error('the file was truncated'), { code: 'EIO' })
          done += bytesRead
        }
        return buffer
      }),
    [Symbol.asyncDispose]: async () => {
      await handle.close().catch(() => undefined)
      if (hasName) await disk.unlink(path).catch(() => undefined)
    },
  }
}
