import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { RateLimiter, sharedRateKey, type Turn } from '../../src/http/rate-limiter.ts'
import { posixTest } from '../support/programs.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'

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
  const limiter = new RateLimiter(world, { ratePerMinute, concurrency: 4, maxWaitMs })
  const stop = new AbortController()
  const turn = (isRetry = false): Promise<Turn> =>
    limiter.turn({ signal: stop.signal, isRetry, onWait: () => undefined })
  return { world, limiter, stop, turn }
}

function done(turn: Turn): void {
  turn.accepted(OK)
  turn.end()
}

const settle = async (): Promise<void> => {
  for (let count = 0; count < 50; count += 1) await Promise.resolve()
}

describe('a rate limiter', () => {
  test('opens turns in order, evenly spaced after the first', async () => {
    const { world, turn } = setting(60)
    for (let count = 0; count < 4; count += 1) done(await turn())
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
    probe.end()
    await expect(next).resolves.toBeDefined()
  })

  test('gives a retry precedence over waiting requests', async () => {
    const { turn } = setting()
    await (await turn()).refused(SILENT)
    const probe = await turn()
    const order: string[] = []
    const waits = [
      turn().then((one) => done(one) ?? order.push('first')),
      turn().then((one) => done(one) ?? order.push('second')),
      turn(true).then((one) => done(one) ?? order.push('retry')),
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
      waits.push(waitMs!)
    }
    expect(waits.reduce((sum, waitMs) => sum + waitMs)).toBe(20_000)
    expect(world.fakeClock.slept).toEqual(waits)
    expect(waits).toHaveLength(3)
  })

  test('knows whether a 503 may be about the rate', async () => {
    const { turn } = setting()
    const alone = await turn()
    expect(alone.isOneOfMany()).toBe(false)
    const other = await turn()
    expect(alone.isOneOfMany()).toBe(true)
    other.end()
    expect(alone.isOneOfMany()).toBe(false)
    const failed = await turn()
    failed.accepted({ limit: undefined, isSuccess: false })
    failed.end()
    expect(alone.isOneOfMany()).toBe(false)
    done(await turn())
    expect(alone.isOneOfMany()).toBe(true)
  })

  test('leaves a wait that its own run was told to that run, however long it is', async () => {
    const { world, turn } = setting(100, 10_000)
    await (await turn()).refused({ limit: undefined, requestedMs: 60_000 })
    await expect(turn()).resolves.toBeDefined()
    expect(world.fakeClock.slept).toEqual([60_500])
  })

  test('counts the requests in flight against what the service says is left', async () => {
    const { world, turn } = setting(6_000)
    const turns = [await turn(), await turn(), await turn()]
    turns[0]!.accepted({ limit: { remaining: 3, resetMs: 20_000 }, isSuccess: true })
    turns[0]!.end()
    await turn()
    expect(world.fakeClock.slept).toEqual([])
    await turn()
    expect(world.fakeClock.slept).toEqual([21_000])
  })
})

const KEY = sharedRateKey('https://api.example.com', 'tok-c2hhcmVk')
const file = (home: string): string => join(home, 'matdecl', 'rates', `${KEY}.json`)

interface Run {
  readonly world: TestWorld
  readonly waits: number[]
  readonly turn: () => Promise<Turn>
}

/** A run with the state directory `home`. */
function run(
  home: string,
  more: { readonly nowMs?: number | undefined; readonly maxWaitMs?: number } = {},
): Run {
  const { nowMs, maxWaitMs = 300_000 } = more
  const world = testWorld({ env: { XDG_STATE_HOME: home }, ...(nowMs !== undefined && { nowMs }) })
  const options = { ratePerMinute: 60, concurrency: 4, maxWaitMs, sharedKey: KEY }
  const limiter = new RateLimiter(world, options)
  const waits: number[] = []
  const { signal } = new AbortController()
  return {
    world,
    waits,
    turn: () => limiter.turn({ signal, isRetry: false, onWait: (waitMs) => waits.push(waitMs!) }),
  }
}

/** A run that the service has told to wait; resolves when it has saved that. */
async function told(home: string, requestedMs: number): Promise<void> {
  await rm(file(home), { recursive: true, force: true })
  ;(await run(home).turn()).refused({ limit: undefined, requestedMs })
  await expect.poll(() => readFile(file(home), 'utf8').catch(() => '')).toContain('closedUntilMs')
}

describe('runs that share a token', () => {
  test('share what headers say of a refusal, on clocks of their own', () =>
    withFolder(async (home) => {
      await told(home, 30_000)
      const second = run(home)
      second.world.fakeClock.advance(10_000)
      done(await second.turn())
      expect(second.waits).toEqual([20_500])
    }))

  test('share what is left until a reset', () =>
    withFolder(async (home) => {
      const limit = { limit: 100, remaining: 0, resetMs: 40_000 }
      ;(await run(home).turn()).accepted({ limit, isSuccess: true })
      await expect.poll(() => readFile(file(home), 'utf8').catch(() => '')).toContain('budget')
      const second = run(home)
      await second.turn()
      expect(second.waits).toEqual([41_000])
    }))

  test('notice it while they run', () =>
    withFolder(async (home) => {
      const first = run(home)
      done(await first.turn())
      await told(home, 20_000)
      await first.turn()
      expect(first.waits).toEqual([20_500])
    }))

  test.each([
    [11_000, true],
    [10_000_000_000, false],
  ])('wait %i ms with a maximum of 11 s: %s', (requestedMs, isAwaited) =>
    withFolder(async (home) => {
      await told(home, requestedMs)
      const second = run(home, { maxWaitMs: 11_000 })
      if (isAwaited) await expect(second.turn()).resolves.toBeDefined()
      else {
        await expect(second.turn()).rejects.toMatchObject({
          kind: 'limited',
          message: expect.stringMatching(
            /^the service told an earlier run with this token to wait: .* longer/,
          ),
          details: { options: ['max-wait'] },
        })
      }
      expect(second.waits.length).toBe(isAwaited ? 1 : 0)
    }),
  )

  test('share nothing that was learned: a refusal that says nothing is not saved', () =>
    withFolder(async (home) => {
      const first = run(home)
      for (let times = 0; times < 4; times += 1) (await first.turn()).refused(SILENT)
      const second = run(home)
      done(await second.turn())
      expect([first.waits.length, second.waits.length]).toEqual([3, 0])
      expect(await readdir(dirname(file(home)))).toEqual([])
    }))

  test('leave no secret, in a file for the user only', () =>
    withFolder(async (home) => {
      await told(home, 1_000)
      expect(await readdir(dirname(file(home)))).toEqual([`${KEY}.json`])
      expect(await readFile(file(home), 'utf8')).not.toContain('tok-')
      expect((await stat(file(home))).mode & 0o077).toBe(0)
    }))

  test('share nothing with another token or service', () => {
    const keys = [
      KEY,
      sharedRateKey('https://api.example.com', 'other'),
      sharedRateKey('https://b.example', 'tok-c2hhcmVk'),
    ]
    expect(new Set(keys).size).toBe(3)
  })
})

describe('a shared file that is no use', () => {
  const startsAtOnce = async (home: string, nowMs?: number): Promise<void> => {
    const one = run(home, { nowMs })
    done(await one.turn())
    done(await one.turn())
    expect(one.waits).toEqual([])
  }

  test.each([
    ['not JSON', 'oops'],
    ['another schema', '{"schema":"matdecl.rate/9"}'],
    ['broken values', '{"schema":"matdecl.rate/2","savedMs":1772600767000,"perMinute":-1}'],
    ['deep JSON', '['.repeat(100_000)],
    ['nothing', ''],
  ])('because it holds %s counts as missing', (_, text) =>
    withFolder(async (home) => {
      await told(home, 200_000)
      await writeFile(file(home), text)
      await startsAtOnce(home)
    }),
  )

  test.each([11 * 60_000, -60_000])('because the clock has moved by %i ms counts as missing', (movedMs) =>
    withFolder(async (home) => {
      await told(home, 200_000)
      await startsAtOnce(home, testWorld().clock.nowMs() + movedMs)
    }),
  )

  test('because it is a directory or has no directory leaves the run alone', () =>
    withFolder(async (home) => {
      await mkdir(file(home), { recursive: true })
      await startsAtOnce(home)
      await writeFile(join(home, 'plain'), '')
      await startsAtOnce(join(home, 'plain'))
    }))

  posixTest('because another user can change its directory is not written', () =>
    withFolder(async (home) => {
      await mkdir(dirname(file(home)), { recursive: true, mode: 0o700 })
      await chmod(dirname(dirname(file(home))), 0o777)
      const one = run(home)
      ;(await one.turn()).refused({ limit: undefined, requestedMs: 1_000 })
      await one.turn()
      expect(await readdir(dirname(file(home)))).toEqual([])
    }),
  )
})
