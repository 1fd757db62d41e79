import { Worker } from 'node:worker_threads'
import { start } from './start.ts'

await start(
  (name, workerData) => new Worker(new URL(`./workers/${name}.js`, import.meta.url), { workerData, env: {} }),
)
