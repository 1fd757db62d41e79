import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const REAPER = resolve('test/support/reaper.mjs')
const ASLEEP = 'setInterval(() => undefined, 1000)'

describe.skipIf(process.platform !== 'linux')('processes that tests have started', () => {
  test.each([
    ['ends', 'done'],
    ['is killed', ''],
  ])('end when their run %s, and nothing is left of its directory', async (_, lastWords) => {
    const folder = await mkdtemp(join(tmpdir(), 'run-'))
    const inside = spawn(process.execPath, ['-e', ASLEEP], { cwd: folder })
    const named = spawn(process.execPath, ['-e', ASLEEP, join(folder, 'server.conf')])
    const worker = spawn(process.execPath, ['-e', ASLEEP], { env: { MATDECL_TEST_BUILD: folder } })
    const other = spawn(process.execPath, ['-e', ASLEEP])
    try {
      const reaper = spawn(process.execPath, [REAPER, folder], { stdio: ['pipe', 'ignore', 'inherit'] })
      const workerEnded = once(worker, 'exit')
      const ended = [inside, named, reaper].map((each) => once(each, 'exit'))
      reaper.stdin.end(lastWords)
      const [insideEnd, namedEnd, reaperEnd] = await Promise.all(ended)
      expect([insideEnd?.[1], namedEnd?.[1], reaperEnd?.[0]]).toEqual(['SIGKILL', 'SIGKILL', 0])
      // A run that ends by itself ends its workers, too.
      if (lastWords === '') await workerEnded
      else expect([worker.exitCode, worker.signalCode]).toEqual([null, null])
      expect([other.exitCode, other.signalCode]).toEqual([null, null])
      expect(existsSync(folder)).toBe(false)
    } finally {
      for (const each of [inside, named, worker, other]) each.kill('SIGKILL')
    }
  })
})
