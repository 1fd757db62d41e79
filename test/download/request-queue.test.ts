import { describe, expect, test } from 'vitest'
import { Plan } from '../../src/download/plan.ts'
import { LengthBound, RequestQueue, type SearchPlan } from '../../src/download/request-queue.ts'
import { IncomingResponse } from '../../src/library/incoming.ts'
import { testWorld } from '../support/world.ts'

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
  test('is not raised by a request sent before that is as long as a refused one', () => {
    for (const length of [900, 950]) {
      const bound = new LengthBound(1_000)
      bound.refused(900, 450)
      const before = [bound.current, bound.isTesting, bound.learned]
      bound.accepted(length, false)
      expect([bound.current, bound.isTesting, bound.learned]).toEqual(before)
    }
  })

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

  test('is halved where only a far shorter request was accepted', () => {
    const bound = new LengthBound(8000)
    bound.accepted(1000)
    bound.refused(8000, 4020)
    // Requests that were in flight test nothing.
    for (const length of [1500, 1200]) bound.accepted(length, false)
    expect([bound.current, bound.isTesting]).toEqual([4020, true])
    bound.accepted(4020)
    expect(bound.current).toBeGreaterThan(4020)
  })

  test.each([
    // Halfway to what was refused.
    [5000, 8000, 4020, 6500, true],
    [4020, 8000, 4020, 6010, true],
    // One is close enough.
    [7000, 8000, 4020, 7000, false],
    // Half of what was refused.
    [4019, 8000, 4020, 4020, true],
  ])(
    'after %i was accepted and %i refused, halves of %i, is %i',
    (accepted, refused, half, bound, isTesting) => {
      const lengths = new LengthBound(10_000)
      lengths.accepted(accepted)
      lengths.refused(refused, half)
      expect([lengths.current, lengths.isTesting]).toEqual([bound, isTesting])
    },
  )

  test('tests one request at a time after a refusal, until one is accepted', () => {
    const bound = new LengthBound(1000)
    expect(bound.isTesting).toBe(false)
    bound.refused(1000, 520)
    expect([bound.current, bound.isTesting]).toEqual([520, true])
    bound.refused(900, 460)
    expect([bound.current, bound.learned]).toEqual([460, { accepted: 0, refused: 900 }])
  })
})

const CRITERIA = { api: 'v2', format: '1752A' } as const
const SEARCH = { ...CRITERIA, baseUrl: 'https://a.example' }

function planOf(parts: readonly string[], more: Partial<SearchPlan> = {}, batchSize = 2): SearchPlan {
  const plan = new Plan(SEARCH.baseUrl, CRITERIA, { parts }, { maxUrlLength: 8000, batchSize })
  return { search: SEARCH, plan, done: new Set(), begun: [], isListed: true, ...more }
}

const begunOf = (...parts: string[]): IncomingResponse =>
  new IncomingResponse(testWorld().disk, '/none', {
    id: parts.join(),
    run: 'run',
    search: SEARCH,
    parts,
    start: '2026-01-02',
    listed: true,
  })

function takenFrom(queue: RequestQueue): readonly string[][] {
  const lists: string[][] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) lists.push([...next.parts])
  return lists
}

describe('the queue of requests', () => {
  test('has what is not answered, in the order of the plan', () => {
    const queue = new RequestQueue([planOf([...'ABCDE'], { done: new Set([0, 3]) })])
    expect(queue.count()).toBe(2)
    expect(takenFrom(queue)).toEqual([['B', 'C'], ['E']])
    expect(queue.count()).toBe(0)
  })

  test('of a plan without parts has one request, unless that is answered', () => {
    const queue = new RequestQueue([planOf([])])
    expect(queue.count()).toBe(1)
    expect(queue.take()).toMatchObject({ parts: [], positions: [0], startDate: undefined })
    expect(new RequestQueue([planOf([], { done: new Set([0]) })]).take()).toBeUndefined()
  })

  test('begins with the responses that were begun, as they were requested', () => {
    const begun = begunOf('D', 'B')
    const queue = new RequestQueue([planOf([...'ABCDE'], { begun: [begun] })])
    expect(queue.count()).toBe(3)
    expect(queue.take()).toMatchObject({
      parts: ['D', 'B'],
      positions: [3, 1],
      startDate: '2026-01-02',
      begun,
    })
    expect(queue.count()).toBe(2)
    expect(takenFrom(queue)).toEqual([['A', 'C'], ['E']])
  })

  test('asks several searches one after the other', () => {
    const [one, two] = [planOf(['A', 'B', 'C']), planOf(['A'])]
    const queue = new RequestQueue([one, two])
    expect([queue.take(), queue.take(), queue.take()].map((next) => [next?.of === one, next?.parts])).toEqual(
      [
        [true, ['A', 'B']],
        [true, ['C']],
        [false, ['A']],
      ],
    )
  })

  test('divides a request that is too long: its parts are taken again in order, and nothing is lost', () => {
    const queue = new RequestQueue([planOf([...'ABCDE'], {}, 100)])
    const whole = queue.take()!
    expect([whole.parts, queue.count()]).toEqual([[...'ABCDE'], 0])
    expect(queue.refused('divide', whole)).toBe('divided')
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
    expect(queue.refused('divide', { ...whole, parts: ['A'], positions: [0] })).toBe('alone')
  })
})

/** Two requests of a plan of parts of 100 bytes: 60 in the first, the rest in the second. */
function twoTaken() {
  const parts = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(82, 'P'))
  const queue = new RequestQueue([planOf(parts, {}, 60)])
  return { queue, first: queue.take()!, second: queue.take()! }
}

describe('a refusal without a reason', () => {
  test('is followed by one short request, which finds out', () => {
    const { queue, first, second } = twoTaken()
    expect(queue.refused('divide-once', first)).toBe('divided')
    queue.settled()
    // What was in flight with it is of the same probe.
    expect(queue.refused('divide-once', second)).toBe('divided')
    queue.settled()
    const probe = queue.take()!
    expect(probe.of.plan.lengthOf(probe.parts, undefined)).toBeLessThanOrEqual(2_000)
    expect(queue.refused('divide-once', probe)).toBeUndefined()
    queue.settled()
    // The length was not the reason: the others are as long as they were.
    const next = queue.take()!
    expect(next.parts).toHaveLength(60)
    expect(queue.refused('divide-once', next)).toBeUndefined()
    expect(queue.learned).toBeUndefined()
  })

  test('counts as too long where a shorter one was answered', () => {
    const { queue, first, second } = twoTaken()
    queue.refused('divide-once', first)
    queue.settled()
    queue.refused('divide-once', second)
    queue.settled()
    queue.accepted(queue.take()!)
    queue.settled()
    const longer = queue.take()!
    expect(longer.parts.length).toBeGreaterThan(20)
    expect(queue.refused('divide-once', longer)).toBe('divided')
  })

  test('of one part has another cause', () => {
    const queue = new RequestQueue([planOf(['A'])])
    expect(queue.refused('divide-once', queue.take()!)).toBeUndefined()
  })
})

describe('a refusal that speaks of the length', () => {
  test.each(['divide-longest', 'divide-once'] as const)(
    'is about something else where one as long was answered: %s',
    (scope) => {
      const { queue, first, second } = twoTaken()
      queue.accepted(first)
      expect(queue.refused(scope, second)).toBeUndefined()
      expect(queue.refused('request', second)).toBeUndefined()
      expect(queue.refused('divide', second)).toBe('divided')
    },
  )

  test('divides again and again, down to one part', () => {
    const queue = new RequestQueue([planOf([...'ABCDEFGH'], {}, 8)])
    const lengths: number[] = []
    for (let next = queue.take()!; ; next = queue.take()!) {
      lengths.push(next.parts.length)
      const what = queue.refused('divide-longest', next)
      queue.settled()
      if (what === 'alone') break
      expect(what).toBe('divided')
    }
    expect(lengths).toEqual([8, 4, 2, 1])
  })
})
