import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { type FileFeed, followFile } from '../follow-file.ts'
import { serveTasks } from '../worker-thread.ts'

export interface HashTask {
  readonly path: string
  readonly feed: FileFeed
}

serveTasks(parentPort!, async ({ path, feed }: HashTask) => {
  const hash = createHash('sha256')
  followFile(path, feed, (piece) => hash.update(piece))
  return hash.digest('hex')
})
