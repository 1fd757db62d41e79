import { Failure, systemCode } from '../base/failure.ts'
import type { OutputStream, WriteDone } from '../base/world.ts'

/** Thrown when the reader of standard output went away (`| head`): the run ends quietly. */
export class ReaderGone extends Error {}

/**
 * Writes to a stream and resolves when it took the chunk; rejects with `ReaderGone`, or with `io` when the disk behind it is
 * full. A stream that fails emits `error`: without the listener set here Node would die with a stack trace.
 */
export function streamWriter(stream: OutputStream): (chunk: string | Uint8Array) => Promise<void> {
  let isGone = false
  stream.on('error', (error) => {
    isGone ||= systemCode(error) === 'EPIPE'
  })
  const write = promiseWriter((chunk: string | Uint8Array, done) => stream.write(chunk, done))
  return (chunk) => (isGone ? Promise.reject(new ReaderGone()) : write(chunk))
}

/** The same for a function that tells `done` how it went. */
export function promiseWriter<T>(write: (chunk: T, done: WriteDone) => void): (chunk: T) => Promise<void> {
  return (chunk) =>
    new Promise((resolve, reject) => {
      write(chunk, (error) => {
        if (error === null || error === undefined) resolve()
        else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '')) reject(new ReaderGone())
        else reject(cannotWrite(error))
      })
    })
}

function cannotWrite(error: Error): Failure {
  const code = systemCode(error)
  return new Failure('io', `standard output can not be written (${code ?? 'unknown'})`, {
    cause: error,
    hint: code === 'ENOSPC' ? 'the disk behind it is full' : 'look at what standard output is connected to',
  })
}
