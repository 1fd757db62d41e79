import { join } from 'node:path'
import { start } from './start.ts'

// Not awaited: the build makes this a script, which Node starts sooner than a module.
void start((name, workerData) => {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(join(import.meta.dirname, 'workers', `${name}.cjs`), { workerData, env: {} })
})
