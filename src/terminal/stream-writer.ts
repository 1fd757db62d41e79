import { orAborted } from '../base/aborted.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { OutputStream } from '../base/world.ts'

/** The reader of standard output closed it (`| head`): the run ends quietly. */
export class ReaderGone extends Error {}

/** For a run whose outcome is more than what it prints: it goes on when nobody reads that. */
export function unlessReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error
}

/**
 * Writes to a stream; resolves when it took the chunk, rejects with `ReaderGone`, or with `io` when it cannot be written. `stop` ends the
 * wait for a reader that does not read. The listener is needed: Node dies with a stack trace on an `error` event that nobody listens to.
 */
export function streamWriter(
  stream: OutputStream,
  stop: AbortSignal,
): (chunk: string | Uint8Array) => Promise<void> {
  let isGone = false
  let waiting = 0
  stream.on('error', (error) => {
    isGone ||= systemCode(error) === 'EPIPE'
  })
  const write = (chunk: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting += 1
      stream.write(chunk, (error) => {
        waiting -= 1
        if (error === null || error === undefined) resolve()
        else reject(isReaderGone(error) ? new ReaderGone() : cannotWrite(error))
      })
    })
  return async (chunk) => {
    if (isGone) throw new ReaderGone()
    if (!stop.aborted) return orAborted(write(chunk), stop)
    // What a stopped run prints does not arrive behind what nobody takes.
    if (waiting > 0) throw stop.reason
    return write(chunk)
  }
}

function isReaderGone(error: Error): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '')
}

function cannotWrite(error: Error): Failure {
  const code = systemCode(error)
  return new Failure('io', `cannot write to standard output (${code ?? 'unknown'})`, {
    cause: error,
    hint: code === 'ENOSPC' ? 'its disk is full' : 'check where standard output goes',
  })
}
