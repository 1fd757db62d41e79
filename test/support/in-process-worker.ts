import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { unpackTask } from '../../src/archive/unpack-entries.ts'
import type { SyncDisk } from '../../src/base/world.ts'
import { serveTasks } from '../../src/fs/worker-thread.ts'

/** Replaces a thread: does its work in this thread, and copies what is sent as a real one does. */
export function inProcessWorker<Task, Note, Answer>(
  work: (task: Task, note: (note: Note) => void) => Promise<Answer>,
  onTerminate: () => void = () => undefined,
  onIdle: (keepsAlive: boolean) => void = () => undefined,
): Worker {
  const worker = new EventEmitter()
  const port = new EventEmitter()
  const send = (to: EventEmitter, message: unknown): void => {
    setImmediate(() => to.emit('message', structuredClone(message)))
  }
  const exit = (code: number): void => {
    port.removeAllListeners()
    setImmediate(() => worker.emit('exit', code))
  }
  serveTasks<Task, Note, Answer>(
    Object.assign(port, {
      postMessage: (message: unknown) => send(worker, message),
      close: () => exit(0),
      ref: () => onIdle(true),
      unref: () => onIdle(false),
    }) as never,
    work,
  )
  return Object.assign(worker, {
    postMessage: (message: unknown) => send(port, message),
    terminate: async () => {
      onTerminate()
      exit(1)
      return 1
    },
  }) as unknown as Worker
}

/** Replaces the thread of `inflate-worker` by one on a disk of the test. */
export function inProcessInflater(disk: SyncDisk): Worker {
  return inProcessWorker((task: Parameters<typeof unpackTask>[1], note: (bytes: number) => void) =>
    unpackTask(disk, task, note),
  )
}
