import { start } from './start.ts'

// The standalone executable has no files beside it: the code of the worker threads is carried inside.
void start((name, workerData) => {
  const { getAsset } = process.getBuiltinModule('node:sea')
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(getAsset(`workers/${name}.js`, 'utf8'), { eval: true, workerData, env: {} })
})
