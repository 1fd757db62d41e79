import { constants } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { EXIT_CODES, scarceResource, systemCode } from '../../src/base/failure.ts'
import { posixTest } from '../support/programs.ts'

test.each([
  ['its code', { code: 'ENOSPC', errno: -28 }, 'ENOSPC'],
  ['nothing else', new Error('no system error'), undefined],
  ['nothing of a code that is a number', { code: 7 }, undefined],
  ['UNKNOWN for an unknown number', { code: 'UNKNOWN', errno: -4094 }, 'UNKNOWN'],
])('the code of a system error is %s', (_title, error, code) => {
  expect(systemCode(error)).toBe(code)
})

// Node has no name for these two, and reports that in two ways.
posixTest.each(['EDQUOT', 'ESTALE'] as const)('%s is recognized by its number', (name) => {
  const errno = -constants.errno[name]
  expect(systemCode({ code: 'UNKNOWN', errno })).toBe(name)
  expect(systemCode({ code: `Unknown system error ${errno}`, errno })).toBe(name)
})

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code })

describe('an error about a limit of the environment', () => {
  test.each([
    [coded('EMFILE'), 'too many open files', /ulimit -n/],
    [coded('ENFILE'), 'too many open files', /ulimit -n/],
    [
      coded('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: EMFILE'),
      'too many open files',
      /ulimit -n/,
    ],
    [
      coded('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: EAGAIN'),
      'no more threads can be started',
      /-u/,
    ],
    [coded('ERR_WORKER_OUT_OF_MEMORY'), /^out of memory: a thread/, /--max-old-space-size/],
    [coded('ENOMEM'), 'out of memory', /ulimit -v/],
    [coded('ERR_MEMORY_ALLOCATION_FAILED'), 'out of memory', /ulimit -v/],
    [new RangeError('Array buffer allocation failed'), 'out of memory', /container/],
    [
      new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'),
      /^out of address space/,
      /ulimit -v unlimited/,
    ],
  ])('%s', (error, message, hint) => {
    expect(scarceResource(error)).toMatchObject({
      kind: 'io',
      exitCode: 9,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
      cause: error,
    })
  })

  test.each([new RangeError('Invalid array length'), new TypeError('x'), coded('ENOENT'), 'text', undefined])(
    'is not %s',
    (error) => {
      expect(scarceResource(error)).toBeUndefined()
    },
  )

  test('is what a thread with a small heap ends with', async () => {
    const code = 'const all = []; for (;;) all.push(new Array(100_000).fill(String(all.length)))'
    const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } })
    const error = await new Promise<unknown>((resolve) => worker.once('error', resolve))
    expect(scarceResource(error)?.message).toBe('out of memory: a thread reached the limit of its heap')
  })
})

test('exit codes never change', () => {
  expect(EXIT_CODES).toEqual({
    internal: 1,
    usage: 2,
    config: 3,
    auth: 4,
    rejected: 5,
    limited: 6,
    unavailable: 7,
    archive: 8,
    io: 9,
    partial: 10,
    locked: 11,
    missing: 12,
    policy: 13,
    interrupted: 130,
  })
})
