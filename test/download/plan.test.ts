import { describe, expect, test } from 'vitest'
import { Plan, planCost } from '../../src/download/plan.ts'
import { requestFingerprint, searchFingerprint } from '../../src/request/fingerprints.ts'
import type { Criteria } from '../../src/request/request.ts'

const BASE = 'https://api.example.com'
const CRITERIA: Criteria = { api: 'v2', format: '1752A', supplier: '123456789' }

function urls(parts: readonly string[], limits = {}, criteria = CRITERIA): string[] {
  const plan = new Plan(BASE, criteria, [{ parts }], { maxUrlLength: 8000, ...limits })
  return Array.from(plan.requests(), ({ url }) => url)
}

describe('packing parts into requests', () => {
  test('without parts there is one request for everything', () => {
    const plan = new Plan(BASE, CRITERIA, [{ parts: [], startDate: '2026-01-02' }], {
      maxUrlLength: 8000,
    })
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
    const plan = new Plan(BASE, CRITERIA, [{ parts }], { maxUrlLength })
    const requests = [...plan.requests()]
    expect(requests.flatMap((request) => request.parts)).toEqual(parts)
    for (const [index, request] of requests.entries()) {
      expect(Buffer.byteLength(request.url)).toBeLessThanOrEqual(maxUrlLength)
      const next = requests[index + 1]?.parts[0]
      if (next === undefined) continue
      const fuller = new Plan(BASE, CRITERIA, [{ parts: [...request.parts, next] }], {
        maxUrlLength: 9999,
      })
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

  test('groups keep their own start dates and are never mixed', () => {
    const groups = [{ parts: ['A', 'B'], startDate: '2026-01-01' }, { parts: ['C'] }]
    const plan = new Plan(BASE, { ...CRITERIA, startDate: '2020-01-01' }, groups, { maxUrlLength: 8000 })
    const requests = [...plan.requests()]
    expect(requests.map(({ parts, criteria }) => [parts, criteria.startDate])).toEqual([
      [['A', 'B'], '2026-01-01'],
      [['C'], undefined],
    ])
    expect(requests[1]!.url).not.toContain('startDate')
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
    const plan = new Plan(BASE, criteria, [{ parts: ['A', 'B', 'C', 'D'] }], limits)
    expect(Array.from(plan.requests(), ({ parts }) => parts)).toEqual([
      ['A', 'B'],
      ['C', 'D'],
    ])
    expect([...new Plan(BASE, criteria, [{ parts: [] }], limits).requests()]).toHaveLength(1)
  })

  test('the cost is requests at the rate', () => {
    const plan = new Plan(BASE, CRITERIA, [{ parts: ['A', 'B', 'C'] }], {
      maxUrlLength: 8000,
      batchSize: 1,
    })
    expect(planCost(plan, 60)).toEqual({ requests: 3, seconds: 3 })
    expect(planCost(plan, Number.POSITIVE_INFINITY)).toEqual({ requests: 3, seconds: 0 })
  })
})

describe('the identity of a request', () => {
  const identity = (parts: readonly string[], criteria = CRITERIA, limits = {}, base = BASE): string =>
    requestFingerprint(new Plan(base, criteria, [{ parts }], { maxUrlLength: 8000, ...limits }))

  test('does not depend on how it is packed', () => {
    expect(identity(['A', 'B'], CRITERIA, { batchSize: 1 })).toBe(identity(['A', 'B']))
  })

  test.each([
    ['other parts', identity(['A', 'C'])],
    ['another order', identity(['B', 'A'])],
    ['parts cut otherwise', identity(['A","B'])],
    ['another supplier', identity(['A', 'B'], { ...CRITERIA, supplier: '1' })],
    ['another class', identity(['A', 'B'], { ...CRITERIA, formatClass: 'D' })],
    ['a further parameter', identity(['A', 'B'], { ...CRITERIA, query: [['x', '1']] })],
    ['another service', identity(['A', 'B'], CRITERIA, {}, 'https://other.example.com')],
  ])('changes with %s', (_, other) => expect(other).not.toBe(identity(['A', 'B'])))

  test('of a watched request leaves the parts and the start date out', () => {
    const watched = searchFingerprint(BASE, CRITERIA, true)
    expect(searchFingerprint(BASE, { ...CRITERIA, startDate: '2026-01-01' }, true)).toBe(watched)
    expect(searchFingerprint(BASE, CRITERIA, false)).not.toBe(watched)
    expect(searchFingerprint(BASE, { ...CRITERIA, format: '1752B' }, true)).not.toBe(watched)
  })
})
