import { expect, test } from 'vitest'
import { type PendingRequest, RequestQueue } from '../../src/download/request-queue.ts'

/** A plan of ten parts of ten bytes, in requests of at most 60. */
function queue(): RequestQueue {
  const plan = {
    maxLength: 60,
    partCount: 10,
    positionCount: 10,
    parts: Array.from({ length: 10 }, (_, at) => `P${at}`),
    startDateAt: () => undefined,
    lengthOf: (parts: readonly string[]) => 10 * parts.length,
    countFitting: (all: readonly number[], from: number, most: number) =>
      Math.max(1, Math.min(all.length - from, Math.floor(most / 10))),
  }
  const of = { plan, search: {}, done: new Set<number>(), begun: [], isListed: true }
  return new RequestQueue([of] as unknown as ConstructorParameters<typeof RequestQueue>[0])
}

const partsOf = (pending: PendingRequest | undefined): number | undefined => pending?.parts.length

test('a request that is refused without a reason is divided once', () => {
  const one = queue()
  const first = one.take()!
  expect(partsOf(first)).toBe(6)
  expect(one.isTooLong('divide-once', first)).toBe(true)
  one.divide(first)
  one.settled()
  const half = one.take()!
  expect(partsOf(half)).toBe(3)
  expect(one.isTooLong('divide-once', half)).toBe(false)
})

test('those in flight with it are of the same probe', () => {
  const one = queue()
  const [first, second] = [one.take()!, one.take()!]
  expect([partsOf(first), partsOf(second)]).toEqual([6, 4])
  one.divide(first)
  expect(one.isTooLong('divide-once', { ...second, parts: first.parts })).toBe(true)
})

test.each(['divide-longest', 'divide-once'] as const)(
  'what is as short as an answered one is not too long: %s',
  (scope) => {
    const one = queue()
    const first = one.take()!
    one.accepted(first)
    expect(one.isTooLong(scope, first)).toBe(false)
    expect(one.isTooLong('divide', first)).toBe(true)
  },
)

test('a request that is refused as too long is divided again and again, and other refusals are not', () => {
  const one = queue()
  const first = one.take()!
  for (const parts of [first.parts, first.parts.slice(0, 3), first.parts.slice(0, 2)])
    expect(one.isTooLong('divide-longest', { ...first, parts })).toBe(true)
  expect(one.isTooLong('divide-longest', { ...first, parts: first.parts.slice(0, 1) })).toBe(false)
  expect(one.isTooLong('request', first)).toBe(false)
})
