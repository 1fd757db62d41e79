import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Failure } from '../src/base/failure.ts'
import { endedBy, realWorld } from '../src/real-world.ts'
import { withFolder } from './support/world.ts'

test.each([
  ['before', true],
  ['after', false],
])(
  'a signal that comes %s a stream is opened ends it, and nothing else when nobody reads it',
  async (_, isBefore) => {
    const controller = new AbortController()
    const stop = (): void => controller.abort(new Failure('interrupted', 'stopped'))
    if (isBefore) stop()
    const stream = endedBy(controller.signal, new PassThrough())
    stop()
    // An error that nobody listens to would end the process here.
    await turn()
    expect(stream.destroyed).toBe(true)
    await expect(stream.toArray()).rejects.toMatchObject({ name: 'AbortError' })
  },
)

describe.skipIf(process.platform !== 'linux')('a working directory whose name is not UTF-8', () => {
  test('is refused, because files would be written to another one', () =>
    withFolder(async (folder) => {
      const before = process.cwd()
      const bytes = Buffer.from(`${folder}/Erkl\xe4rung`, 'latin1')
      mkdirSync(bytes)
      // chdir takes a text.
      mkdirSync(join(folder, 'Erkl\ufffdrung'))
      const link = join(folder, 'link')
      symlinkSync(bytes, link)
      const world = realWorld([], new AbortController().signal, '')
      try {
        process.chdir(join(folder, 'Erkl\ufffdrung'))
        expect(world.cwd()).toBe(join(folder, 'Erkl\ufffdrung'))
        process.chdir(link)
        expect(world.cwd).toThrow('the path of the working directory is not UTF-8')
      } finally {
        process.chdir(before)
      }
    }))
})
