import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { unpackTask } from '../../src/archive/unpack-task.ts'
import type { SyncDisk } from '../../src/base/world.ts'
import { serveTasks } from '../../src/fs/worker-thread.ts'

/** Replaces the thread of `inflate-worker`: does its work in this thread, on a disk of the test. */
export function inProcessInflater(disk: SyncDisk): Worker {
  const worker = new EventEmitter()
  const port = new EventEmitter()
  const send = (to: EventEmitter, message: unknown): void => {
    setImmediate(() => to.emit('message', structuredClone(message)))
  }
  serveTasks(
    Object.assign(port, { postMessage: (message: unknown) => send(worker, message) }) as never,
    (task: Parameters<typeof unpackTask>[1], note: (bytes: number) => void) => unpackTask(disk, task, note),
  )
  return Object.assign(worker, {
    postMessage: (message: unknown) => send(port, message),
    terminate: async () => {
      port.removeAllListeners()
      worker.emit('exit', 1)
      return 1
    },
  }) as unknown as Worker
}
