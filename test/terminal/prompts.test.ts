import { addAbortSignal, PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { converse } from '../../src/terminal/prompts.ts'
import { testWorld } from '../support/world.ts'

describe('converse', () => {
  test('returns the typed lines, trimmed, and nothing after the end of input', async () => {
    const world = testWorld({ stdinText: '  one \ntwo' })
    const answers = await converse(world, async (ask) => [await ask('a?'), await ask('b?'), await ask('c?')])
    expect(answers).toEqual(['one', 'two', undefined])
    expect(world.err.text()).toContain('a? ')
    expect(world.out.text()).toBe('')
  })

  test('rejects with the reason of an interruption, before and during a question', async () => {
    const reason = new Failure('interrupted', 'stopped by SIGTERM', { exitCode: 143 })
    const world = testWorld({ stdin: new PassThrough() })
    const asked = converse(world, (ask) => {
      const answer = ask('a?')
      world.stop(reason)
      return answer
    })
    await expect(asked).rejects.toBe(reason)
    await expect(converse(world, (ask) => ask('b?'))).rejects.toBe(reason)
  })

  test('rejects with the reason of an interruption that ends the input with an error of its own', async () => {
    const reason = new Failure('interrupted', 'stopped by SIGINT')
    const stdin = new PassThrough()
    const world = testWorld({ stdin })
    addAbortSignal(world.interrupt, stdin)
    const asked = converse(world, (ask) => ask('a?'))
    await expect.poll(() => world.err.text()).toContain('a?')
    world.stop(reason)
    await expect(asked).rejects.toBe(reason)
  })

  test('an answer or an interruption ends a question while the input stays open', async () => {
    const stdin = new PassThrough()
    const world = testWorld({ stdin })
    const reason = new Failure('interrupted', 'stopped by SIGINT')
    let first: string | undefined
    const asked = converse(world, async (ask) => {
      first = await ask('a?')
      return ask('b?', { isSecret: true })
    })
    await expect.poll(() => world.err.text()).toContain('a?')
    stdin.write('one\n')
    await expect.poll(() => world.err.text()).toContain('b?')
    expect(first).toBe('one')
    world.stop(reason)
    await expect(asked).rejects.toBe(reason)
    expect(stdin.readableEnded).toBe(false)
  })

  test('a terminal that is gone is the end of input', async () => {
    const stdin = new PassThrough()
    const world = testWorld({ stdin })
    const asked = converse(world, (ask) => ask('a?'))
    await expect.poll(() => world.err.text()).toContain('a?')
    stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }))
    expect(await asked).toBeUndefined()
  })
})
