import * as disk from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { serveTasks } from '../../fs/worker-thread.ts'
import { unpackTask } from '../unpack-task.ts'

serveTasks(parentPort!, (task: Parameters<typeof unpackTask>[1], note: (bytes: number) => void) =>
  unpackTask(disk, task, note),
)
