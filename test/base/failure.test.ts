import { constants } from 'node:os'
import { expect, test } from 'vitest'
import { systemCode } from '../../src/base/failure.ts'
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
