import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure } from '../src/base/failure.ts'
import { endedBy, realWorld, resolverOptions } from '../src/real-world.ts'
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

test.each([
  // With one name server, the resolver gives up after 10 seconds by itself.
  [600, 1, undefined],
  [10, 1, undefined],
  [8, 1, 'timeout:2 attempts:4'],
  [5, 1, 'timeout:1 attempts:5'],
  [2, 1, 'timeout:1 attempts:2'],
  [2.9, 1, 'timeout:1 attempts:2'],
  [0.5, 1, 'timeout:1 attempts:1'],
  // An attempt asks them one after the other.
  [20, 2, undefined],
  [10, 2, 'timeout:1 attempts:5'],
  [2, 3, 'timeout:1 attempts:1'],
  [2, 0, 'timeout:1 attempts:2'],
])('within %d s, %d name servers are asked with %s', (limitSeconds, servers, options) => {
  expect(resolverOptions(limitSeconds, servers)).toBe(options)
})

describe.skipIf(process.platform !== 'linux')('the limit of lookups', () => {
  const printed = async (limitMs: number) => {
    const world = realWorld([], new AbortController().signal, '')
    world.limitLookups(limitMs)
    const script = 'process.stdout.write(String(process.env.RES_OPTIONS))'
    const limits = { timeMs: 60_000, outputBytes: 1000 }
    return [
      process.env.RES_OPTIONS,
      (await world.runProgram(process.execPath, ['-e', script], limits)).stdout,
    ]
  }
  const before = process.env.RES_OPTIONS
  afterEach(() => {
    delete process.env.RES_OPTIONS
    if (before !== undefined) process.env.RES_OPTIONS = before
  })

  test('is not passed on to programs', async () => {
    delete process.env.RES_OPTIONS
    expect(await printed(1000)).toEqual(['timeout:1 attempts:1', 'undefined'])
  })

  test('leaves what the user has set, and what is shorter by itself', async () => {
    process.env.RES_OPTIONS = 'timeout:3'
    expect(await printed(1000)).toEqual(['timeout:3', 'timeout:3'])
    delete process.env.RES_OPTIONS
    expect(await printed(600_000)).toEqual([undefined, 'undefined'])
  })
})
