import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { type FileFeed, followFile } from '../follow-file.ts'

export interface HashTask {
  readonly path: string
  readonly feed: FileFeed
}

/** The SHA-256 in lower-case hexadecimal, or the error of the file system. Sent once. */
export type HashResult = { readonly sha256: string } | { readonly code: string; readonly message: string }

const { path, feed } = workerData as HashTask
const hash = createHash('sha256')
try {
  if (followFile(path, feed, (piece) => hash.update(piece))) send({ sha256: hash.digest('hex') })
} catch (error) {
  const { code = 'EIO', message } = error as NodeJS.ErrnoException
  send({ code, message })
}

function send(result: HashResult): void {
  parentPort!.postMessage(result)
}
