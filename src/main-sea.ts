import { start } from './start.ts'

// In the standalone executable there are no files beside the program: the workers' code is carried inside it.
void start((name, workerData) => {
  const { getAsset } = process.getBuiltinModule('node:sea')
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(getAsset(`workers/${name}.js`, 'utf8'), { eval: true, workerData, env: {} })
})
