import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { converse } from '../../src/terminal/prompts.ts'
import { testWorld } from '../support/world.ts'

describe('converse', () => {
  test('returns the typed lines, trimmed, and nothing after the end of input', async () => {
    const world = testWorld({ stdinText: '  one \ntwo' })
    const answers = await converse(world, async (ask) => [await ask('a?'), await ask('b?'), await ask('c?')])
    expect(answers).toEqual(['one', 'two', ''])
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
})
