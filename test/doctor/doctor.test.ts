import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { type Check, check, type Found, pass, skip } from '../../src/doctor/doctor.ts'
import { testWorld } from '../support/world.ts'

async function results<T>(
  run: () => Found<T> | Promise<Found<T>>,
  world = testWorld(),
): Promise<{ readonly checks: readonly Check[]; readonly value: T | undefined }> {
  const checks: Check[] = []
  const running = check(world, 'dns', run)
  for (;;) {
    const next = await running.next()
    if (next.done === true) return { checks, value: next.value }
    checks.push(next.value)
  }
}

describe('a check', () => {
  test('that passes returns a value for later checks', async () => {
    expect(await results(() => pass('fine', 7))).toEqual({
      checks: [{ name: 'dns', status: 'pass', message: 'fine', seconds: 0 }],
      value: 7,
    })
  })

  test('that is skipped returns none', async () => {
    expect(await results(() => skip('no connection'))).toMatchObject({
      checks: [{ status: 'skip', message: 'no connection' }],
      value: undefined,
    })
  })

  test('that fails has the fix and the kind of its failure', async () => {
    const failure = new Failure('config', '2 problems', {
      hint: 'fix them',
      problems: ['a', 'b'],
      options: ['proxy'],
    })
    expect(await results(() => Promise.reject(failure))).toMatchObject({
      checks: [
        { status: 'fail', message: '2 problems; a; b', fix: 'fix them', options: ['proxy'], kind: 'config' },
      ],
      value: undefined,
    })
  })

  test('does not hide bugs and signals', async () => {
    await expect(results(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug')
    const interrupted = new Failure('interrupted', 'stopped by SIGTERM')
    await expect(results(() => Promise.reject(interrupted))).rejects.toBe(interrupted)
    const world = testWorld()
    world.stop(interrupted)
    await expect(results(() => pass('fine'), world)).rejects.toBe(interrupted)
  })
})
