import { describe, expect, test } from 'vitest'
import { isMostlyWanted, LengthBound, planJob } from '../../src/download/job-plan.ts'
import { Plan } from '../../src/download/plan.ts'

/** Sends to a service that accepts `limit`, always as long as allowed; the lengths sent until the bound stands. */
function search(most: number, limit: number, step = 1): { sent: number[]; bound: number } {
  const bound = new LengthBound(most)
  const sent: number[] = []
  for (let count = 0; count < 50; count += 1) {
    const length = Math.floor(bound.current / step) * step
    sent.push(length)
    if (length <= limit) bound.accepted(length)
    else bound.refused(length, Math.ceil(length / 2))
    if (length <= limit && !bound.isTesting) break
  }
  return { sent, bound: bound.current }
}

describe('the bound of the length of requests', () => {
  test('is the maximum until a request is refused', () => {
    expect(search(8000, 8000)).toEqual({ sent: [8000], bound: 8000 })
    expect(new LengthBound(8000).learned).toBeUndefined()
  })

  test.each([
    [8000, 7999],
    [8000, 4096],
    [8000, 2048],
    [8000, 990],
    [1_000_000, 8190],
  ])(
    'of %i comes close to a limit of %i, and no length is sent that is as long as a refused one',
    (most, limit) => {
      const { sent, bound } = search(most, limit)
      expect(bound).toBeLessThanOrEqual(limit)
      expect(bound).toBeGreaterThan(limit * 0.85)
      let refused = Number.POSITIVE_INFINITY
      for (const length of sent) {
        expect(length).toBeLessThan(refused)
        if (length > limit) refused = length
      }
      expect(sent.length).toBeLessThanOrEqual(14)
    },
  )

  test('ends its tests where no request fits in between', () => {
    expect(search(100, 70, 30).sent.slice(-2)).toEqual([60, 60])
  })

  test('tests one request at a time after a refusal, until one is accepted', () => {
    const bound = new LengthBound(1000)
    expect(bound.isTesting).toBe(false)
    bound.refused(1000, 520)
    expect([bound.current, bound.isTesting]).toEqual([520, true])
    bound.refused(900, 460)
    expect([bound.current, bound.learned]).toEqual([460, { accepted: 0, refused: 900 }])
  })
})

test('only requests with parts of the plan are lost; earlier versions did not record parts', () => {
  const plan = new Plan('https://a.example', { api: 'v2', format: '1752A' }, [{ parts: ['A', 'B'] }], {
    maxUrlLength: 8000,
  })
  const sent = (id: string, parts: string[] | undefined) => ({ id, parts, startDate: undefined })
  const { lostCount, begun } = planJob(plan, {
    archives: [],
    empty: [],
    kept: [],
    withoutResponse: [sent('1', ['D']), sent('2', ['B', 'D']), sent('3', undefined)],
    publishing: undefined,
    damagedLines: 0,
  })
  expect([lostCount, begun]).toEqual([2, []])
})

describe('responses of earlier runs', () => {
  const ANSWER = { status: 200, attempts: 2, seconds: 1.5 }
  const archiveOf = (...parts: string[]) => ({
    ...ANSWER,
    parts,
    file: `${parts.join('')}.zip`,
    bytes: 10,
    sha256: 'cd'.repeat(32),
  })
  const planOf = (parts: readonly string[], format: '1752A' | 'CSV' = '1752A') =>
    new Plan('https://a.example', { api: format === 'CSV' ? 'v1' : 'v2', format }, [{ parts }], {
      maxUrlLength: 8000,
      batchSize: 2,
    })
  const plannedOf = (plan: Plan, change: Partial<Parameters<typeof planJob>[1]> = {}) =>
    planJob(plan, {
      archives: [],
      empty: [],
      kept: [],
      withoutResponse: [],
      publishing: undefined,
      damagedLines: 0,
      ...change,
    })
  const takenFrom = ({ queue }: ReturnType<typeof planJob>) => {
    const lists: (readonly string[])[] = []
    for (let next = queue.take(); next !== undefined; next = queue.take()) lists.push(next.parts)
    return lists
  }

  test('are used for their parts in the order of the plan, and the rest is requested', () => {
    const archive = archiveOf('D', 'A')
    const empty = { ...ANSWER, parts: ['E'], status: 204 }
    const planned = plannedOf(planOf(['A', 'B', 'C', 'D', 'E']), { archives: [archive], empty: [empty] })
    expect(planned.reused).toEqual([
      {
        response: archive,
        result: {
          at: 0,
          parts: ['A', 'D'],
          ...ANSWER,
          bytes: 10,
          sha256: archive.sha256,
          file: 'DA.zip',
          isResumed: true,
        },
        unwanted: [],
      },
      {
        response: empty,
        result: expect.objectContaining({ at: 4, parts: ['E'], bytes: 0, file: undefined, isResumed: true }),
        unwanted: [],
      },
    ])
    expect(planned).toMatchObject({ unusedFiles: [], unusedEmptyParts: 0 })
    expect(planned.queue.count()).toBe(1)
    expect(takenFrom(planned)).toEqual([['B', 'C']])
  })

  test('with parts that are no longer requested are used without them, and their files named', () => {
    const mixed = archiveOf('A', 'X', 'Y')
    const planned = plannedOf(planOf(['A', 'B', 'C']), {
      archives: [mixed, archiveOf('Z')],
      empty: [{ ...ANSWER, parts: ['C', 'V', 'W'] }],
    })
    expect(planned.reused).toMatchObject([
      { unwanted: ['X', 'Y'], result: { parts: ['A'] } },
      { unwanted: ['V', 'W'], result: { parts: ['C'] } },
    ])
    expect(planned).toMatchObject({ unusedFiles: ['AXY.zip', 'Z.zip'], unusedEmptyParts: 2 })
    expect(takenFrom(planned)).toEqual([['B']])
  })

  test('of CSV with other parts are not used, because their rows cannot be told apart', () => {
    const planned = plannedOf(planOf(['A', 'B'], 'CSV'), {
      archives: [archiveOf('A', 'X')],
      empty: [{ ...ANSWER, parts: ['B', 'Y'] }],
    })
    expect(planned.reused).toMatchObject([{ result: { parts: ['B'] }, unwanted: ['Y'] }])
    expect(takenFrom(planned)).toEqual([['A']])
    expect(plannedOf(planOf(['A'], 'CSV'), { archives: [archiveOf('A')] }).reused).toHaveLength(1)
  })

  test('of the same part count once, the first one', () => {
    const planned = plannedOf(planOf(['A', 'B']), {
      archives: [archiveOf('A'), archiveOf('A', 'B'), archiveOf('B')],
    })
    expect(planned.reused.map(({ result }) => result.parts)).toEqual([['A'], ['B']])
    expect(planned.unusedFiles).toEqual(['B.zip'])
    expect(takenFrom(planned)).toEqual([])
  })

  test.each([
    [['A', 'B'], true],
    [['A', 'X'], true],
    [['A', 'X', 'Y'], false],
    [['X'], false],
  ])('of %j are mostly wanted for A and B: %s', (parts, isWanted) => {
    expect(isMostlyWanted(planOf(['A', 'B']), { archives: [archiveOf(...parts)], empty: [] })).toBe(isWanted)
    expect(isMostlyWanted(planOf(['A', 'B']), { archives: [], empty: [{ ...ANSWER, parts }] })).toBe(isWanted)
  })

  test('a request that is too long is divided, its parts are taken again in order, and nothing is lost', () => {
    const plan = new Plan('https://a.example', { api: 'v2', format: '1752A' }, [{ parts: [...'ABCDE'] }], {
      maxUrlLength: 8000,
    })
    const { queue } = plannedOf(plan)
    const whole = queue.take()!
    expect([whole.parts, queue.count()]).toEqual([[...'ABCDE'], 0])
    expect(queue.divide(whole)).toBe(true)
    // One request at a time tests the length, while one is in flight.
    expect(queue.take()).toBeUndefined()
    queue.settled()
    const seen: string[] = []
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      seen.push(...next.parts)
      expect(next.parts.length).toBeLessThan(5)
      queue.accepted(next)
      queue.settled()
    }
    expect(seen).toEqual([...'ABCDE'])
    const one = { id: 'x', parts: ['A'], positions: [0] }
    expect(queue.divide(one)).toBe(false)
  })
})
