import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { errorObject } from '../../src/cli/explain.ts'

describe('errorObject', () => {
  test('writes the options that help as they are typed', () => {
    const failure = new Failure('unavailable', 'no answer', {
      hint: 'raise the timeout',
      options: ['connect-timeout', 'timeout'],
    })
    expect(errorObject(failure)).toEqual({
      code: 'unavailable',
      exitCode: 7,
      message: 'no answer',
      hint: 'raise the timeout: --connect-timeout, --timeout',
      options: ['connect-timeout', 'timeout'],
    })
  })
})
