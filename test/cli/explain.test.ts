import { describe, expect, test } from 'vitest'
import { Failure, type FailureKind, type FailureOptions } from '../../src/base/failure.ts'
import { errorObject, explain } from '../../src/cli/explain.ts'
import { createTerminal } from '../../src/terminal/terminal.ts'
import { cli } from '../support/cli.ts'
import { testWorld, withFolder } from '../support/world.ts'

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

test.each<[string, FailureKind, FailureOptions, string | undefined]>([
  ['says to run again', 'interrupted', { again: {} }, 'run the same command again'],
  [
    'what that resumes and costs',
    'interrupted',
    { again: { kept: '3 of 7 requests', notes: ['1 request will be sent again'] } },
    'run the same command again to resume: 3 of 7 requests kept; 1 request will be sent again',
  ],
  [
    'what to do if it persists',
    'unavailable',
    { again: {}, fewerParts: true },
    'run the same command again; if it persists, request fewer parts at once: --batch-size',
  ],
  [
    'what else helps',
    'unavailable',
    { again: { kept: '1 MB' }, hint: 'try again later', options: ['stall-timeout'] },
    'run the same command again to resume: 1 MB kept; try again later: --stall-timeout',
  ],
  [
    'what has to be done before',
    'io',
    { again: { kept: '1 MB' }, hint: 'choose another path', options: ['output'] },
    'choose another path: --output; then run the same command again to resume: 1 MB kept',
  ],
  [
    'that fewer parts are one way',
    'unavailable',
    { fewerParts: true, hint: 'raise the response timeout', options: ['response-timeout'] },
    'request fewer parts at once, or raise the response timeout: --batch-size, --response-timeout',
  ],
  ['nothing of fewer parts where there is one', 'archive', { fewerParts: false }, undefined],
])('a hint says %s', (_title, kind, facts, expected) => {
  const { hint, ...others } = errorObject(new Failure(kind, 'failed', facts), { hasOption: () => true })
  expect(hint).toBe(expected)
  expect(others).not.toHaveProperty('again')
  expect(others).not.toHaveProperty('fewerParts')
})

test('a command that sends no parts says nothing of fewer', () => {
  const failure = new Failure('unavailable', 'slow', { fewerParts: true, hint: 'raise the timeout' })
  expect(errorObject(failure, { hasOption: () => false }).hint).toBe('raise the timeout')
})

test('-vv prints the causes of a failure, and no stack', async () => {
  await withFolder(async (cwd) => {
    const argv = ['download', '--part', 'A', '--retries', '0', '-o', 'a.zip', '-vv', '--base-url']
    const { stderr } = await cli([...argv, 'http://localhost:1'], { cwd })
    expect(stderr).toMatch(/caused by: .*\(E[A-Z]+\)/)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
  const { stderr: refused } = await cli(['download', '--start-date', '2026-02-30', '-vv'])
  expect(refused).not.toMatch(/^\s+at |caused by/m)
})

/** What is printed of a failure with these problems. */
function explained(message: string, problems: readonly string[]): string {
  const world = testWorld()
  const choice = {
    ...({ json: false, quiet: false, verbose: 0, logFormat: 'text', noProgress: true } as const),
    ...({ color: 'never', noColor: false, noInput: false } as const),
  }
  const failure = new Failure('usage', message, { problems, hint: 'try again' })
  explain(createTerminal(world, choice), failure)
  return world.err.text()
}

test('a failure is printed without control characters', () => {
  expect(explained('a\nb.zip exists', ['\u001b[31mred', 'two\rthree'])).toBe(
    'matdecl: error: a\\u000ab.zip exists\n  \\u001b[31mred\n  two\\u000dthree\n  hint: try again\n',
  )
})

describe('the problems of a failure', () => {
  const PROBLEMS = Array.from({ length: 23 }, (_, index) => `problem ${index + 1}`)

  test.each([
    [21, []],
    [22, ['  … and 1 more']],
    [23, ['  … and 2 more']],
  ])('of %i, at most 21 are printed', (count, more) => {
    expect(explained('wrong', PROBLEMS.slice(0, count)).trimEnd().split('\n')).toEqual([
      'matdecl: error: wrong',
      ...PROBLEMS.slice(0, 21).map((problem) => `  ${problem}`),
      ...more,
      '  hint: try again',
    ])
  })

  test('is not repeated where the message has the only one', () => {
    expect(explained('a.zip: is cut', ['is cut'])).toBe('matdecl: error: a.zip: is cut\n  hint: try again\n')
    expect(explained('a.zip', ['is cut'])).toContain('\n  is cut\n')
    expect(explained('1 2', ['1', '2'])).toContain('\n  1\n  2\n')
  })
})
