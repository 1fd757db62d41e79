import { parentPort, workerData } from 'node:worker_threads'
import type { InflateWork } from '../inflate-protocol.ts'
import { inflateShare } from '../inflate-share.ts'

// Not awaited: inside the standalone executable a worker is a script, which has no await at its top level.
void inflateShare(workerData as InflateWork, (message) => parentPort!.postMessage(message))
