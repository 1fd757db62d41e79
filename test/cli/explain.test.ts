import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { errorObject } from '../../src/cli/explain.ts'
import { cli } from '../support/cli.ts'

describe('errorObject', () => {
  test('writes the options that help as they are typed', () => {
    const failure = new Failure('unavailable', 'no answer', {
      hint: 'raise the timeout',
      options: ['connect-timeout', 'timeout'],
    })
    expect(errorObject(failure, { hasOption: () => true })).toEqual({
      code: 'unavailable',
      exitCode: 7,
      message: 'no answer',
      hint: 'raise the timeout: --connect-timeout, --timeout',
      options: ['connect-timeout', 'timeout'],
    })
    const only = (known: string) => errorObject(failure, { hasOption: (name) => name === known }).hint
    expect(only('timeout')).toBe('raise the timeout: --timeout')
    expect(only('other')).toBe('raise the timeout')
    const choice = new Failure('usage', 'several columns', {
      hint: 'choose',
      options: ['sheet 1', 'sheet 2'],
    })
    expect(errorObject(choice, { hasOption: (name) => name === 'sheet' }).hint).toBe(
      'choose: --sheet 1, --sheet 2',
    )
  })
})

test('-vv prints the causes of a failure, and no stack', async () => {
  const argv = ['download', '--part', 'A', '--retries', '0', '-o', '/nowhere/a.zip', '-vv', '--base-url']
  const { stderr } = await cli([...argv, 'http://localhost:1'])
  expect(stderr).toMatch(/caused by: .*\(E[A-Z]+\)/)
  expect(stderr).not.toMatch(/^\s+at /m)
  const { stderr: refused } = await cli(['download', '--start-date', '2026-02-30', '-vv'])
  expect(refused).not.toMatch(/^\s+at |caused by/m)
})
