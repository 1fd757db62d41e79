import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { start } from './start.ts'

await start((name, workerData) => {
  return new Worker(join(import.meta.dirname, 'workers', `${name}.js`), { workerData, env: {} })
})
