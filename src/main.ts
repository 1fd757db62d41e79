import { start } from './start.ts'

// Not awaited: the build makes this a script, which Node starts sooner than a module.
void start((name, workerData) => {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(new URL(`./workers/${name}.cjs`, import.meta.url), { workerData, env: {} })
})
