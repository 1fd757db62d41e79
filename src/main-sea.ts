import { start } from './start.ts'

// The standalone executable has the code of the worker threads as assets.
void start((name, workerData) => {
  const { getAsset } = process.getBuiltinModule('node:sea')
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(getAsset(`workers/${name}.js`, 'utf8'), { eval: true, workerData, env: {} })
})
