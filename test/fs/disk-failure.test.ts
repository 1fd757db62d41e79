import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { diskFailure, errnoReason, isWrongPath, unreadable } from '../../src/fs/disk-failure.ts'

const ELSEWHERE = 'choose another path with XDG_STATE_HOME'
const withCode = (code: string): Error => Object.assign(new Error(code), { code })

describe('diskFailure', () => {
  test.each([
    ['ENOSPC', 'the disk is full (ENOSPC)', 'free some space, or choose another path', ['output']],
    ['EACCES', 'permission denied (EACCES)', 'change the permissions, or choose another path', ['output']],
    ['EIO', 'the disk reports an error (EIO)', 'check the disk', []],
    [
      'EMFILE',
      'too many open files (EMFILE)',
      'raise the limit (ulimit -n); a download can use fewer connections',
      ['concurrency'],
    ],
    [
      'UNKNOWN',
      'an unexpected error of Windows (UNKNOWN)',
      'check the network path or drive, make cloud files available offline, and check the log of the virus scanner',
      [],
    ],
    ['EWEIRD', 'EWEIRD', 'check the disk and the path', ['output']],
  ])('%s is an io failure with its reason and what helps', (code, reason, hint, options) => {
    const failure = diskFailure(withCode(code), 'write', '/a/b.zip') as Failure
    expect(failure).toMatchObject({ kind: 'io', message: `cannot write /a/b.zip: ${reason}`, hint })
    expect(failure.details).toMatchObject({ file: '/a/b.zip', options })
  })

  test('suggests what its caller suggests in place of the option', () => {
    const { hint, details } = diskFailure(withCode('EROFS'), 'write', '/s', ELSEWHERE) as Failure
    expect(hint).toBe(ELSEWHERE)
    expect(details.options).toBeUndefined()
    expect((diskFailure(withCode('EIO'), 'write', '/s', ELSEWHERE) as Failure).hint).toBe('check the disk')
  })

  test.each([
    new Failure('archive', 'damaged'),
    new TypeError('a bug'),
    withCode('ERR_INVALID_ARG_TYPE'),
    'x',
  ])('returns %s unchanged', (error) => {
    expect(diskFailure(error, 'write', '/a')).toBe(error)
  })
})

test.each([
  ['ENOENT', 'does not exist', true],
  ['ENOTDIR', 'does not exist', true],
  ['EISDIR', 'is a directory', true],
  ['EACCES', 'cannot be read: permission denied (EACCES)', false],
])('an input file with %s %s', (code, words, isWrong) => {
  expect([unreadable(withCode(code)), isWrongPath(withCode(code))]).toEqual([words, isWrong])
})

test('an unknown code is its own reason', () => {
  expect(errnoReason('EWEIRD')).toBe('EWEIRD')
})
