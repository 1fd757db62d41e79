import { describe, expect, test } from 'vitest'
import {
  archiveFailure,
  countProblem,
  directoryProblem,
  type Problem,
  ProblemList,
  ratioProblem,
  sizeProblem,
} from '../../src/archive/problem.ts'

const MIB = 1024 ** 2
const LIMITS = { maxEntries: 2_000, maxBytes: 20 * MIB, maxRatio: 10 }

describe('a limit', () => {
  test.each<[string, Problem | undefined, Problem | undefined, string, string]>([
    [
      'of entries',
      countProblem(2_000, LIMITS),
      countProblem(2_001, LIMITS),
      'max-entries',
      'holds 2,001 entries, more than the maximum of 2,000',
    ],
    [
      'of size',
      sizeProblem(20 * MIB, LIMITS),
      sizeProblem(21 * MIB, LIMITS),
      'max-size',
      'unpacks to 21.0 MiB, more than the maximum of 20.0 MiB',
    ],
    [
      'of the ratio, from 10 MiB',
      ratioProblem(10 * MIB, 1, LIMITS),
      ratioProblem(10 * MIB + 1, MIB, LIMITS),
      'max-ratio',
      'unpacks 1.0 MiB to 10.0 MiB (1:10), more than the maximum ratio of 1:10',
    ],
    [
      'of the ratio to nothing',
      ratioProblem(20 * MIB, 2 * MIB, LIMITS),
      ratioProblem(20 * MIB, 0, LIMITS),
      'max-ratio',
      'unpacks 0 B to 20.0 MiB (nothing), more than the maximum ratio of 1:10',
    ],
    [
      'of the directory with few entries',
      directoryProblem(MIB, LIMITS),
      directoryProblem(MIB + 1, LIMITS),
      'max-entries',
      'has a central directory of 1.0 MiB, more than the 1.0 MiB that 2,000 entries may take',
    ],
    [
      'of the directory with many entries',
      directoryProblem(2 * MIB, { ...LIMITS, maxEntries: 4_096 }),
      directoryProblem(3 * MIB, { ...LIMITS, maxEntries: 4_096 }),
      'max-entries',
      'has a central directory of 3.0 MiB, more than the 2.0 MiB that 4,096 entries may take',
    ],
  ])('%s may be reached, not exceeded', (_, reached, exceeded, option, text) => {
    expect(reached).toBeUndefined()
    expect(exceeded).toEqual({ rule: 'limit', option, text })
  })
})

describe('the failure of an archive', () => {
  const failureOf = (...all: readonly Problem[]) => {
    const problems = new ProblemList()
    for (const problem of all) problems.add(problem)
    return archiveFailure('a.zip', problems)
  }
  const LONG = { rule: 'name', text: 'name is bad' } as const

  test.each<[Problem, string]>([
    [{ rule: 'structure', text: 'is no ZIP archive' }, 'a.zip: is no ZIP archive'],
    [{ rule: 'structure', offset: 0, text: 'is cut' }, 'a.zip: at offset 0: is cut'],
    [{ rule: 'data', entry: 'b\u001b', offset: 7, text: 'is bad' }, 'a.zip: "b\\u001b" at offset 7: is bad'],
    [{ ...LONG, entry: 'x'.repeat(200) }, `a.zip: "${'x'.repeat(200)}": name is bad`],
    [{ ...LONG, entry: 'x'.repeat(201) }, `a.zip: "${'x'.repeat(199)}…": name is bad`],
  ])('with %j is one line', (problem, message) => expect(failureOf(problem).message).toBe(message))

  test('names the option that raises a limit, and only counts what follows the first twenty', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ ...LONG, entry: `e${index}` }))
    const limit = { rule: 'limit', option: 'max-entries', text: 'holds too many' } as const
    const { message, details } = failureOf(limit, ...many)
    expect(message).toBe('a.zip: 22 problems; the first: holds too many')
    expect(details).toMatchObject({ rule: 'limit', options: ['max-entries'], file: 'a.zip' })
    expect(details.problems).toHaveLength(21)
    expect(details.problems!.slice(19)).toEqual(['"e18": name is bad', 'and 2 more problems'])
    expect(failureOf(...many.slice(0, 20)).details.problems).toHaveLength(20)
    expect(failureOf(...many).details.problems!.at(-1)).toBe('and 1 more problem')
  })

  test('lets the data of entries be checked while only names are wrong', () => {
    const problems = new ProblemList()
    problems.add(LONG)
    expect(problems.areOnlyNames).toBe(true)
    problems.add({ rule: 'data', text: 'is bad' })
    problems.add(LONG)
    expect([problems.areOnlyNames, problems.count]).toEqual([false, 3])
  })
})
