import { describe, expect, test } from 'vitest'
import { Plan, planCost } from '../../src/download/plan.ts'
import type { Criteria } from '../../src/request/request.ts'

const BASE = 'https://api.example.com'
const CRITERIA: Criteria = { api: 'v2', format: '1752A', supplier: '123456789' }

function urls(parts: readonly string[], limits = {}, criteria = CRITERIA): string[] {
  const plan = new Plan(BASE, criteria, { parts }, { maxUrlLength: 8000, ...limits })
  return Array.from(plan.requests(), ({ url }) => url)
}

describe('packing parts into requests', () => {
  test('without parts there is one request for everything', () => {
    const criteria = { ...CRITERIA, startDate: '2026-01-02' }
    const plan = new Plan(BASE, criteria, { parts: [] }, { maxUrlLength: 8000 })
    expect([plan.requestCount, plan.partCount]).toEqual([1, 0])
    expect([...plan.requests()][0]!.url).toBe(
      `${BASE}/v2/download?format=1752A&supplier=123456789&startDate=2026-01-02`,
    )
  })

  test('no address is longer than the bound, and none could have taken the next part', () => {
    const parts = Array.from({ length: 500 }, (_, index) =>
      index % 7 === 0 ? `Ü ${index}/ö` : `PN-${index}`,
    )
    const maxUrlLength = 300
    const plan = new Plan(BASE, CRITERIA, { parts }, { maxUrlLength })
    const requests = [...plan.requests()]
    expect(requests.flatMap((request) => request.parts)).toEqual(parts)
    for (const [index, request] of requests.entries()) {
      expect(Buffer.byteLength(request.url)).toBeLessThanOrEqual(maxUrlLength)
      const next = requests[index + 1]?.parts[0]
      if (next === undefined) continue
      const fuller = new Plan(
        BASE,
        CRITERIA,
        { parts: [...request.parts, next] },
        {
          maxUrlLength: 9999,
        },
      )
      expect(Buffer.byteLength([...fuller.requests()][0]!.url)).toBeGreaterThan(maxUrlLength)
    }
  })

  test('a request that just fits is one request', () => {
    const [url] = urls(['A', 'B'])
    const length = Buffer.byteLength(url!)
    expect(urls(['A', 'B'], { maxUrlLength: length })).toHaveLength(1)
    expect(urls(['A', 'B'], { maxUrlLength: length - 1 })).toHaveLength(2)
  })

  test('the batch size bounds the parts in a request', () => {
    expect(
      urls(['A', 'B', 'C', 'D', 'E'], { batchSize: 2 }).map((url) => url.split('[]=').length - 1),
    ).toEqual([2, 2, 1])
  })

  test('parts with start dates of their own are apart from those without, and the earliest of them counts', () => {
    const parts = ['A', 'B', 'C', 'D']
    const starts = [undefined, '2026-01-01', '2026-02-01', '2026-02-01']
    const plan = new Plan(BASE, CRITERIA, { parts, starts }, { maxUrlLength: 8000, batchSize: 2 })
    const requests = [...plan.requests()]
    expect(requests.map(({ parts: some, criteria }) => [some, criteria.startDate])).toEqual([
      [['A'], undefined],
      [['B', 'C'], '2026-01-01'],
      [['D'], '2026-02-01'],
    ])
    expect(requests[0]!.url).not.toContain('startDate')
    expect(requests[1]!.url).toContain('&startDate=2026-01-01')
  })

  test.each([0, 1, 7, 250, 499, 500])(
    'start dates take at most one request more than a plan without them (from part %i on)',
    (firstDated) => {
      const parts = Array.from({ length: 500 }, (_, index) => `PN-${index}`)
      const starts = parts.map((_, index) => (index < firstDated ? undefined : '2026-01-01'))
      for (const maxUrlLength of [120, 160, 300, 2_000]) {
        const limits = { maxUrlLength }
        const dated = new Plan(BASE, CRITERIA, { parts, starts }, limits)
        expect(dated.requestCount).toBeLessThanOrEqual(
          new Plan(BASE, CRITERIA, { parts }, limits).requestCount + 1,
        )
        const requests = [...dated.requests()]
        expect(requests.flatMap((request) => request.parts)).toEqual(parts)
        for (const { url, criteria, parts: some } of requests) {
          expect(Buffer.byteLength(url)).toBeLessThanOrEqual(maxUrlLength)
          // What has no start date is never asked for with one.
          if (criteria.startDate !== undefined)
            expect(parts.indexOf(some[0]!)).toBeGreaterThanOrEqual(firstDated)
        }
      }
    },
  )

  test('where they take more, as few requests as possible are filled up without a start date', () => {
    const parts = Array.from({ length: 3_000 }, (_, index) => `PN-${String(index).padStart(4, '0')}`)
    const starts = parts.map((_, index) => (index < 10 ? undefined : '2026-01-01'))
    const [one, two] = [urls(parts.slice(0, 1))[0]!.length, urls(parts.slice(0, 2))[0]!.length]
    // Thirty parts fit exactly; with a start date, 29.
    const limits = { maxUrlLength: one + 29 * (two - one) }
    const requests = [...new Plan(BASE, CRITERIA, { parts, starts }, limits).requests()]
    expect(requests).toHaveLength(101)
    const undated = requests.filter(({ criteria }) => criteria.startDate === undefined)
    expect(undated.map(({ parts: some }) => some.length)).toEqual(Array(71).fill(30))
  })

  test('another start date is that of every request', () => {
    const plan = new Plan(
      BASE,
      { ...CRITERIA, startDate: '2026-01-02' },
      { parts: ['A', 'B'] },
      {
        maxUrlLength: 8000,
        batchSize: 1,
      },
    ).withStartDate('2025-12-31')
    expect(Array.from(plan.requests(), ({ criteria }) => criteria.startDate)).toEqual([
      '2025-12-31',
      '2025-12-31',
    ])
    expect(plan.criteria.startDate).toBe('2025-12-31')
  })

  test('positions of parts are found, those of others are not', () => {
    const plan = new Plan(BASE, CRITERIA, { parts: ['A', 'B', 'C'] }, { maxUrlLength: 8000 })
    expect([plan.positionsOf(['C', 'X', 'A']), plan.positionsOf([])]).toEqual([[2, 0], []])
    const everything = new Plan(BASE, CRITERIA, { parts: [] }, { maxUrlLength: 8000 })
    expect([everything.positionsOf([]), everything.positionsOf(['A']), everything.positionCount]).toEqual([
      [0],
      [],
      1,
    ])
  })

  test('a part that does not fit alone is reported', () => {
    expect(() => urls(['A', 'x'.repeat(300)], { maxUrlLength: 200 })).toThrow(
      /^the URL for part "x{59}…" alone has 3\d\d bytes, more than the maximum of 200$/,
    )
  })

  test('criteria that do not fit alone are a mistake too', () => {
    expect(() => urls([], { maxUrlLength: 20 })).toThrow('the URL without parts')
  })

  test('v1 is one request however many parts', () => {
    const criteria: Criteria = { api: 'v1', format: 'XML' }
    expect(
      urls(
        Array.from({ length: 5000 }, (_, index) => `PN-${index}`),
        {},
        criteria,
      ),
    ).toHaveLength(1)
  })

  test('v1 is divided by the batch size alone', () => {
    const criteria: Criteria = { api: 'v1', format: 'XML' }
    const limits = { maxUrlLength: 10, batchSize: 2 }
    const plan = new Plan(BASE, criteria, { parts: ['A', 'B', 'C', 'D'] }, limits)
    expect(Array.from(plan.requests(), ({ parts }) => parts)).toEqual([
      ['A', 'B'],
      ['C', 'D'],
    ])
    expect([...new Plan(BASE, criteria, { parts: [] }, limits).requests()]).toHaveLength(1)
  })

  test('the cost is requests at the rate', () => {
    const plan = new Plan(
      BASE,
      CRITERIA,
      { parts: ['A', 'B', 'C'] },
      {
        maxUrlLength: 8000,
        batchSize: 1,
      },
    )
    expect(planCost(plan, 60)).toEqual({ requests: 3, seconds: 3 })
    expect(planCost(plan, Number.POSITIVE_INFINITY)).toEqual({ requests: 3, seconds: 0 })
  })
})
