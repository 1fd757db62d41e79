import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { followFile, type HashTask } from '../file-hash.ts'
import { serveTasks } from '../worker-thread.ts'

serveTasks(parentPort!, async (task: HashTask) => {
  const hash = createHash('sha256')
  followFile(task, (piece) => hash.update(piece))
  return hash.digest('hex')
})
