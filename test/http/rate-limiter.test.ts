import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { createRateStore, RateLimiter, type Turn } from '../../src/http/rate-limiter.ts'
import { type TestWorld, testWorld } from '../support/world.ts'

const OK = { limit: undefined, isSuccess: true }
const SILENT = { limit: undefined, requestedMs: undefined }

interface Setting {
  readonly world: TestWorld
  readonly limiter: RateLimiter
  readonly stop: AbortController
  readonly turn: (isRetry?: boolean) => Promise<Turn>
}

function setting(ratePerMinute = 100, maxWaitMs = 300_000): Setting {
  const world = testWorld()
  const limiter = new RateLimiter(world, { ratePerMinute, maxWaitMs })
  const stop = new AbortController()
  const turn = (isRetry = false): Promise<Turn> =>
    limiter.turn({ signal: stop.signal, isRetry, onWait: () => undefined })
  return { world, limiter, stop, turn }
}

const settle = async (): Promise<void> => {
  for (let count = 0; count < 50; count += 1) await Promise.resolve()
}

describe('a rate limiter', () => {
  test('opens turns in order, evenly spaced after the first', async () => {
    const { world, turn } = setting(60)
    for (let count = 0; count < 4; count += 1) (await turn()).accepted(OK)
    expect(world.fakeClock.slept).toEqual([1_000, 1_000])
  })

  test('sends one request after a refusal, and the others when it was accepted', async () => {
    const { turn } = setting()
    const refused = await turn()
    await refused.refused(SILENT)
    const probe = await turn(true)
    const opened: Turn[] = []
    const others = [turn(), turn()].map((each) => each.then((one) => opened.push(one)))
    await settle()
    expect(opened).toEqual([])
    probe.accepted(OK)
    await Promise.all(others)
    expect(opened).toHaveLength(2)
  })

  test('sends the next probe when one got no response', async () => {
    const { turn } = setting()
    await (await turn()).refused(SILENT)
    const probe = await turn()
    const next = turn()
    probe.noResponse()
    await expect(next).resolves.toBeDefined()
  })

  test('gives a retry precedence over waiting requests', async () => {
    const { turn } = setting()
    await (await turn()).refused(SILENT)
    const probe = await turn()
    const order: string[] = []
    const waits = [
      turn().then((one) => one.accepted(OK) ?? order.push('first')),
      turn().then((one) => one.accepted(OK) ?? order.push('second')),
      turn(true).then((one) => one.accepted(OK) ?? order.push('retry')),
    ]
    await settle()
    probe.accepted(OK)
    await Promise.all(waits)
    expect(order).toEqual(['first', 'retry', 'second'])
  })

  test('stops every wait at once when the run is stopped', async () => {
    const { turn, stop } = setting()
    await (await turn()).refused(SILENT)
    await turn()
    const waits = [turn(), turn(), turn(true)]
    await settle()
    const reason = new Failure('interrupted', 'stopped by SIGINT')
    stop.abort(reason)
    const results = await Promise.allSettled(waits)
    expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
      reason,
      reason,
      reason,
    ])
    await expect(turn()).rejects.toBe(reason)
  })

  test('measures refusals that say nothing over the whole wait', async () => {
    const { world, turn } = setting(100, 20_000)
    const waits: number[] = []
    for (;;) {
      const { waitMs, isOver } = await (await turn()).refused(SILENT)
      if (isOver) break
      waits.push(waitMs)
    }
    expect(waits.reduce((sum, waitMs) => sum + waitMs)).toBe(20_000)
    expect(world.fakeClock.slept).toEqual(waits)
    expect(waits).toHaveLength(3)
  })

  test('measures them again after a success', async () => {
    const { world, turn } = setting(100, 30_000)
    for (let times = 0; times < 12; times += 1) {
      expect((await (await turn()).refused(SILENT)).isOver).toBe(false)
      const probe = await turn()
      probe.accepted(OK)
      await settle()
    }
    expect(world.fakeClock.slept.reduce((sum, waitMs) => sum + waitMs)).toBeGreaterThan(60_000)
  })

  test('knows whether a 503 may be about the rate', async () => {
    const { turn } = setting()
    const alone = await turn()
    expect(alone.isOneOfMany()).toBe(false)
    const other = await turn()
    expect(alone.isOneOfMany()).toBe(true)
    other.noResponse()
    expect(alone.isOneOfMany()).toBe(false)
    ;(await turn()).accepted({ limit: undefined, isSuccess: false })
    await settle()
    expect(alone.isOneOfMany()).toBe(false)
    ;(await turn()).accepted(OK)
    await settle()
    expect(alone.isOneOfMany()).toBe(true)
  })

  test.each([
    [11_000, true],
    [11_001, false],
  ])('of another run waits %i ms with a maximum of 10 s: %s', async (requestedMs, isAwaited) => {
    const world = testWorld()
    const store = createRateStore(world.clock)
    const turnOf = (maxWaitMs: number): Promise<Turn> =>
      new RateLimiter(world, { ratePerMinute: 100, maxWaitMs, store }).turn({
        signal: new AbortController().signal,
        isRetry: false,
        onWait: () => undefined,
      })
    await (await turnOf(60_000)).refused({ limit: undefined, requestedMs })
    const next = turnOf(10_000)
    if (isAwaited) await expect(next).resolves.toBeDefined()
    else {
      await expect(next).rejects.toMatchObject({
        kind: 'limited',
        message:
          'the service told an earlier run with this token to wait: 11 s are left, longer than the maximum of 10 s',
        details: { retryAtMs: world.clock.nowMs() + requestedMs, options: ['max-wait'] },
      })
    }
    expect(world.fakeClock.slept).toEqual(isAwaited ? [requestedMs] : [])
  })

  test('leaves a wait that its own run was told to that run, however long it is', async () => {
    const { world, turn } = setting(100, 10_000)
    await (await turn()).refused({ limit: undefined, requestedMs: 60_000 })
    await expect(turn()).resolves.toBeDefined()
    expect(world.fakeClock.slept).toEqual([60_000])
  })

  test('counts the requests in flight against what the service says is left', async () => {
    const { world, turn } = setting(6_000)
    const turns = [await turn(), await turn(), await turn()]
    turns[0]!.accepted({ limit: { remaining: 3, resetMs: 20_000 }, isSuccess: true })
    await settle()
    await turn()
    expect(world.fakeClock.slept).toEqual([])
    await turn()
    expect(world.fakeClock.slept).toEqual([21_000])
  })
})
