import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Failure } from '../src/base/failure.ts'
import { endedBy } from '../src/real-world.ts'

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
