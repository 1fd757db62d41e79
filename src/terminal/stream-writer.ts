import { Failure, systemCode } from '../base/failure.ts'
import type { OutputStream } from '../base/world.ts'

/** The reader of standard output closed it (`| head`): the run ends quietly. */
export class ReaderGone extends Error {}

/** For a run whose outcome is more than what it prints: it goes on when nobody reads that. */
export function unlessReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error
}

/**
 * Writes to a stream; resolves when it took the chunk, rejects with `ReaderGone`, or with `io` when it cannot be written.
 * The listener is needed: Node dies with a stack trace on an `error` event that nobody listens to.
 */
export function streamWriter(stream: OutputStream): (chunk: string | Uint8Array) => Promise<void> {
  let isGone = false
  stream.on('error', (error) => {
    isGone ||= systemCode(error) === 'EPIPE'
  })
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (isGone) reject(new ReaderGone())
      else
        stream.write(chunk, (error) => {
          if (error === null || error === undefined) resolve()
          else reject(isReaderGone(error) ? new ReaderGone() : cannotWrite(error))
        })
    })
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
