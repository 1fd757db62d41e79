import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { followFile, type Meeting } from '../draft-follow.ts'

/** What the thread that receives hands over. */
export interface HashTask {
  readonly path: string
  readonly meeting: Meeting
}

/** What comes back, once: the SHA-256 in lower-case hexadecimal, or the code of what went wrong. */
export type HashResult = { readonly sha256: string } | { readonly code: string; readonly message: string }

const { path, meeting } = workerData as HashTask
const hash = createHash('sha256')
try {
  if (followFile(path, meeting, (piece) => hash.update(piece))) tell({ sha256: hash.digest('hex') })
} catch (error) {
  const { code = 'EIO', message } = error as NodeJS.ErrnoException
  tell({ code, message })
}

function tell(result: HashResult): void {
  parentPort!.postMessage(result)
}
