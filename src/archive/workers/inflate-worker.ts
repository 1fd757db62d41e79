import * as realDisk from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { platformSyncDisk } from '../../fs/platform-disk.ts'
import { serveTasks } from '../../fs/worker-thread.ts'
import { type UnpackResult, type UnpackTask, unpackTask } from '../unpack-entries.ts'

const disk = platformSyncDisk(process.platform, realDisk)

/** One message for many small entries. */
const NOTE_BYTES = 1024 ** 2

serveTasks(parentPort!, async (task: UnpackTask, note: (bytes: number) => void): Promise<UnpackResult> => {
  let bytes = 0
  const result = await unpackTask(disk, task, (count) => {
    bytes += count
    if (bytes < NOTE_BYTES) return
    note(bytes)
    bytes = 0
  })
  note(bytes)
  return result
})
