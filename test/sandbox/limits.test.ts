import { expect, test } from 'vitest'
import { createLimits } from '../../src/sandbox/limits.ts'
import { createFakeClock } from '../support/world.ts'

test('the rate counts from the first request of a minute, refusals apart', () => {
  const clock = createFakeClock(0)
  const limits = createLimits(2, 100, clock)
  clock.advance(30_000)
  const asked = (): (string | undefined)[] => [limits.admit(), limits.admit(), limits.admit()]
  const refused = 'rate limit exceeded, try again later'
  expect(asked()).toEqual([undefined, undefined, refused])
  expect(limits.headers()).toEqual({
    'X-RateLimit-Limit': '2',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1970-01-01T00:01:30.000Z',
  })
  clock.advance(59_999)
  expect(limits.admit()).toBe(refused)
  clock.advance(1)
  expect(limits.headers()['X-RateLimit-Remaining']).toBe('2')
  expect(asked()).toEqual([undefined, undefined, refused])
})

test('a clock that was set back starts a new minute', () => {
  const clock = createFakeClock(1_000_000)
  const limits = createLimits(1, 100, clock)
  expect(limits.admit()).toBeUndefined()
  clock.advance(-500_000)
  expect(limits.admit()).toBeUndefined()
})

test('the quota counts responses, not requests', () => {
  const limits = createLimits(100, 1, createFakeClock())
  expect([limits.admit(), limits.admit(), limits.used()]).toEqual([undefined, undefined, 0])
  limits.use()
  expect([limits.admit(), limits.used()]).toEqual(['yearly limit of requests reached', 1])
})
