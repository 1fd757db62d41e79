import { start } from './start.ts'

await start((name, workerData) => {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(new URL(`./workers/${name}.js`, import.meta.url), { workerData, env: {} })
})
