import { describe, expect, test } from 'vitest'
import { LengthBound, planJob } from '../../src/download/job-plan.ts'
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

  test('begins with what an earlier run learned', () => {
    expect(new LengthBound(8000, { accepted: 3000, refused: 4000 }).current).toBe(3000)
    expect(new LengthBound(2000, { accepted: 3000, refused: 4000 }).current).toBe(2000)
    const unknown = new LengthBound(8000, { accepted: 0, refused: 4000 })
    expect([unknown.current, unknown.isTesting]).toEqual([2000, true])
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
    preparing: [],
    kept: [],
    learned: undefined,
    withoutResponse: [sent('1', ['D']), sent('2', ['B', 'D']), sent('3', undefined)],
    publishing: undefined,
    damagedLines: 0,
  })
  expect([lostCount, begun]).toEqual([2, []])
})
