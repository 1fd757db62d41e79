import { parentPort } from 'node:worker_threads'
import type { InflateWork } from '../inflate-protocol.ts'
import { inflateShare } from '../inflate-share.ts'

// One piece of work, then the thread ends: nothing listens any more.
parentPort!.once('message', (work: InflateWork) => {
  void inflateShare(work, (message) => parentPort!.postMessage(message))
})
