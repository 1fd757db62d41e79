import { workerData } from 'node:worker_threads'

export const placeholder: unknown = workerData
