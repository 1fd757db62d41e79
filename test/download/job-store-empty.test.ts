import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeEmptyJobs } from '../../src/download/job-store.ts'
import { lockPath } from '../../src/fs/lock.ts'
import { testWorld, withFolder } from '../support/world.ts'

test('empty job directories of killed runs are removed with their locks, and nothing else', () =>
  withFolder(async (folder) => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    const job = async (output: string, pid: number | undefined, file?: string): Promise<void> => {
      await mkdir(join(folder, `${output}.parts`))
      if (file !== undefined) await writeFile(join(folder, `${output}.parts`, file), '')
      if (pid === undefined) return
      const owner = { pid, host: 'test-host', startedAt: '2026-03-04T05:06:07.000Z', run: 'earlier' }
      await writeFile(lockPath(join(folder, output)), JSON.stringify(owner))
    }
    await job('killed.zip', gone)
    await job('running.zip', process.ppid)
    await job('stopped.zip', gone, 'journal')
    await job('of-the-user', undefined)
    await writeFile(join(folder, 'file.parts'), '')
    await removeEmptyJobs(testWorld(), folder)
    expect((await readdir(folder)).toSorted()).toEqual(
      [
        '.running.zip.lock',
        '.stopped.zip.lock',
        'file.parts',
        'of-the-user.parts',
        'running.zip.parts',
        'stopped.zip.parts',
      ].toSorted(),
    )
    await removeEmptyJobs(testWorld(), join(folder, 'none'))
  }))
