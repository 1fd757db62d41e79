import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { Admission, type AdmittedRequest, sharedRateKey } from '../../src/http/admission.ts'
import { posixTest } from '../support/programs.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'

const OK = { limit: undefined, isSuccess: true }
const SILENT = { limit: undefined, requestedMs: undefined }

interface Setting {
  readonly world: TestWorld
  readonly admission: Admission
  readonly stop: AbortController
  /** Admits a new request, or the retry of one. */
  readonly admit: (retried?: AdmittedRequest) => Promise<AdmittedRequest>
}

function setting(ratePerMinute = 100, maxWaitMs = 300_000): Setting {
  const world = testWorld()
  const admission = new Admission(world, { ratePerMinute, concurrency: 4, maxWaitMs })
  const stop = new AbortController()
  const admit = async (retried?: AdmittedRequest): Promise<AdmittedRequest> => {
    const request = retried ?? admission.begin()
    await request.admit({ signal: stop.signal, onWait: () => undefined })
    return request
  }
  return { world, admission, stop, admit }
}

function done(request: AdmittedRequest): void {
  request.accepted(OK)
  request.over()
}

const settle = async (): Promise<void> => {
  for (let count = 0; count < 50; count += 1) await Promise.resolve()
}

describe('the rate of an admission', () => {
  test('opens turns in order, evenly spaced after the first', async () => {
    const { world, admit } = setting(60)
    for (let count = 0; count < 4; count += 1) done(await admit())
    expect(world.fakeClock.slept).toEqual([1_000, 1_000])
  })

  test('sends one request after a refusal, and the others when it was accepted', async () => {
    const { admit } = setting()
    const refused = await admit()
    refused.refused(SILENT)
    const probe = await admit(refused)
    const opened: AdmittedRequest[] = []
    const others = [admit(), admit()].map((each) => each.then((one) => opened.push(one)))
    await settle()
    expect(opened).toEqual([])
    probe.accepted(OK)
    await Promise.all(others)
    expect(opened).toHaveLength(2)
  })

  test('sends the next probe when one got no response', async () => {
    const { admit } = setting()
    const refused = await admit()
    refused.refused(SILENT)
    const probe = await admit()
    const next = admit()
    probe.leave()
    await expect(next).resolves.toBeDefined()
  })

  test('gives a retry precedence over waiting requests', async () => {
    const { admit } = setting()
    const refused = await admit()
    refused.refused(SILENT)
    const probe = await admit()
    const order: string[] = []
    const waits = [
      admit().then((one) => done(one) ?? order.push('first')),
      admit().then((one) => done(one) ?? order.push('second')),
      admit(refused).then((one) => done(one) ?? order.push('retry')),
    ]
    await settle()
    probe.accepted(OK)
    await Promise.all(waits)
    expect(order).toEqual(['retry', 'first', 'second'])
  })

  test('stops every wait at once when the run is stopped', async () => {
    const { admit, stop } = setting()
    const refused = await admit()
    refused.refused(SILENT)
    await admit()
    const waits = [admit(), admit(), admit(refused)]
    await settle()
    const reason = new Failure('interrupted', 'stopped by SIGINT')
    stop.abort(reason)
    const results = await Promise.allSettled(waits)
    expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
      reason,
      reason,
      reason,
    ])
    await expect(admit()).rejects.toBe(reason)
  })

  test('measures refusals that say nothing over the whole wait', async () => {
    const { world, admit } = setting(100, 20_000)
    const waits: number[] = []
    for (;;) {
      const { waitMs, isOver } = (await admit()).refused(SILENT)
      if (isOver) break
      waits.push(waitMs!)
    }
    expect(waits.reduce((sum, waitMs) => sum + waitMs)).toBe(20_000)
    expect(world.fakeClock.slept).toEqual(waits)
    expect(waits).toHaveLength(3)
  })

  test('knows whether a 503 may be about the rate', async () => {
    const { admit } = setting()
    const alone = await admit()
    expect(alone.isOneOfMany()).toBe(false)
    const other = await admit()
    expect(alone.isOneOfMany()).toBe(true)
    other.leave()
    expect(alone.isOneOfMany()).toBe(false)
    const failed = await admit()
    failed.accepted({ limit: undefined, isSuccess: false })
    failed.leave()
    expect(alone.isOneOfMany()).toBe(false)
    done(await admit())
    expect(alone.isOneOfMany()).toBe(true)
  })

  test('leaves a wait that its own run was told to that run, however long it is', async () => {
    const { world, admit } = setting(100, 10_000)
    ;(await admit()).refused({ limit: undefined, requestedMs: 60_000 })
    await expect(admit()).resolves.toBeDefined()
    expect(world.fakeClock.slept).toEqual([60_500])
  })

  test('counts the requests in flight against what the service says is left', async () => {
    const { world, admit } = setting(6_000)
    const turns = [await admit(), await admit(), await admit()]
    turns[0]!.accepted({ limit: { remaining: 3, resetMs: 20_000 }, isSuccess: true })
    turns[0]!.leave()
    await admit()
    expect(world.fakeClock.slept).toEqual([])
    await admit()
    expect(world.fakeClock.slept).toEqual([21_000])
  })
})

const KEY = sharedRateKey('https://api.example.com', 'tok-c2hhcmVk')
const file = (home: string): string => join(home, 'matdecl', 'rates', `${KEY}.json`)

interface Run {
  readonly world: TestWorld
  readonly waits: number[]
  readonly admit: () => Promise<AdmittedRequest>
}

/** A run with the state directory `home`. */
function run(
  home: string,
  more: { readonly nowMs?: number | undefined; readonly maxWaitMs?: number } = {},
): Run {
  const { nowMs, maxWaitMs = 300_000 } = more
  const world = testWorld({ env: { XDG_STATE_HOME: home }, ...(nowMs !== undefined && { nowMs }) })
  const options = { ratePerMinute: 60, concurrency: 4, maxWaitMs, sharedKey: KEY }
  const admission = new Admission(world, options)
  const waits: number[] = []
  const { signal } = new AbortController()
  const admit = async (): Promise<AdmittedRequest> => {
    const request = admission.begin()
    await request.admit({ signal, onWait: (waitMs) => waits.push(waitMs!) })
    return request
  }
  return { world, waits, admit }
}

/** A run that the service has told to wait; resolves when it has saved that. */
async function told(home: string, requestedMs: number): Promise<void> {
  await rm(file(home), { recursive: true, force: true })
  ;(await run(home).admit()).refused({ limit: undefined, requestedMs })
  await expect.poll(() => readFile(file(home), 'utf8').catch(() => '')).toContain('closedUntilMs')
}

describe('runs that share a token', () => {
  test('share what headers say of a refusal, on clocks of their own', () =>
    withFolder(async (home) => {
      await told(home, 30_000)
      const second = run(home)
      second.world.fakeClock.advance(10_000)
      done(await second.admit())
      expect(second.waits).toEqual([20_500])
    }))

  test('share what is left until a reset', () =>
    withFolder(async (home) => {
      const limit = { limit: 100, remaining: 0, resetMs: 40_000 }
      ;(await run(home).admit()).accepted({ limit, isSuccess: true })
      await expect.poll(() => readFile(file(home), 'utf8').catch(() => '')).toContain('budget')
      const second = run(home)
      await second.admit()
      expect(second.waits).toEqual([41_000])
    }))

  test('notice it while they run', () =>
    withFolder(async (home) => {
      const first = run(home)
      done(await first.admit())
      await told(home, 20_000)
      await first.admit()
      expect(first.waits).toEqual([20_500])
    }))

  test.each([
    [11_000, true],
    [10_000_000_000, false],
  ])('wait %i ms with a maximum of 11 s: %s', (requestedMs, isAwaited) =>
    withFolder(async (home) => {
      await told(home, requestedMs)
      const second = run(home, { maxWaitMs: 11_000 })
      if (isAwaited) await expect(second.admit()).resolves.toBeDefined()
      else {
        await expect(second.admit()).rejects.toMatchObject({
          kind: 'limited',
          message: expect.stringMatching(
            /^the service told an earlier run with this token to wait: .* longer/,
          ),
          hint: expect.stringMatching(new RegExp(`^retry at 2.* remove ${file(home)}$`)),
          details: { options: ['max-wait'] },
        })
      }
      expect(second.waits.length).toBe(isAwaited ? 1 : 0)
    }),
  )

  test('share nothing that was learned: a refusal that says nothing is not saved', () =>
    withFolder(async (home) => {
      const first = run(home)
      for (let times = 0; times < 4; times += 1) (await first.admit()).refused(SILENT)
      const second = run(home)
      done(await second.admit())
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

  test('remove what no run has used for a week', () =>
    withFolder(async (home) => {
      await told(home, 1_000)
      const other = (name: string): string => join(dirname(file(home)), `${name}.json`)
      for (const [name, day] of Object.entries({ old: '2026-02-24', used: '2026-02-27' })) {
        await writeFile(other(name), '{}')
        await utimes(other(name), new Date(day), new Date(day))
      }
      done(await run(home, { nowMs: Date.parse('2026-03-04T05:06:07Z') }).admit())
      expect((await readdir(dirname(file(home)))).toSorted()).toEqual([`${KEY}.json`, 'used.json'].toSorted())
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
    done(await one.admit())
    done(await one.admit())
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
      ;(await one.admit()).refused({ limit: undefined, requestedMs: 1_000 })
      await one.admit()
      expect(await readdir(dirname(file(home)))).toEqual([])
    }),
  )
})

/** Promises that a test settles one by one. */
function gates(): {
  readonly of: (name: string) => Promise<void>
  readonly open: (name: string) => Promise<void>
} {
  const resolvers = new Map<string, () => void>()
  const promises = new Map<string, Promise<void>>()
  const of = (name: string): Promise<void> => {
    const known = promises.get(name)
    if (known !== undefined) return known
    const made = new Promise<void>((resolve) => resolvers.set(name, resolve))
    promises.set(name, made)
    return made
  }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  return {
    of,
    async open(name) {
      void of(name)
      resolvers.get(name)!()
      await settle()
    },
  }
}

/** Takes the items of a list in turn. */
function list<T>(...items: T[]): () => T | undefined {
  return () => items.shift()
}

const waiting = { signal: new AbortController().signal, onWait: () => undefined }

function inRun(concurrency: number): Admission {
  return new Admission(testWorld(), { ratePerMinute: 6_000, concurrency, maxWaitMs: 300_000 })
}

describe('the requests of a run', () => {
  test('begins items in order, as many as there are slots', async () => {
    const begun: number[] = []
    const gate = gates()
    const done = inRun(2).run(list<number>(1, 2, 3, 4), async (item) => {
      begun.push(item)
      await gate.of(String(item))
    })
    expect(begun).toEqual([1, 2])
    await gate.open('2')
    expect(begun).toEqual([1, 2, 3])
    for (const name of ['1', '3', '4']) await gate.open(name)
    await done
  })

  test('begins the next item when a response is complete, with at most twice as many items as in flight', async () => {
    const begun: number[] = []
    const gate = gates()
    const done = inRun(1).run(list<number>(1, 2, 3), async (item, request) => {
      begun.push(item)
      request.leave()
      await gate.of(String(item))
    })
    expect(begun).toEqual([1, 2])
    await gate.open('1')
    expect(begun).toEqual([1, 2, 3])
    await gate.open('2')
    await gate.open('3')
    await done
  })

  test('admits a retry before another item begins, and nothing is held while it waits', async () => {
    const steps: string[] = []
    const gate = gates()
    const done = inRun(1).run(list<number>(1, 2, 3), async (item, request) => {
      await request.admit(waiting)
      steps.push(`sent ${item}`)
      if (item === 1) {
        request.leave()
        await gate.of('again')
        await request.admit(waiting)
        steps.push('1 again')
      }
      await gate.of(String(item))
    })
    await settle()
    expect(steps).toEqual(['sent 1', 'sent 2'])
    await gate.open('again')
    expect(steps).toHaveLength(2)
    await gate.open('2')
    expect(steps).toEqual(['sent 1', 'sent 2', '1 again'])
    await gate.open('1')
    expect(steps.at(-1)).toBe('sent 3')
    await gate.open('3')
    await done
  })

  test.each([1, 2, 3, 4])('never has more than %i in flight, with retries of all of them', async (most) => {
    let inFlight = 0
    const counts: number[] = []
    const items = Array.from({ length: 12 }, (_, index) => index)
    await inRun(most).run(
      () => items.shift(),
      async (_, request) => {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          await request.admit(waiting)
          inFlight += 1
          counts.push(inFlight)
          await settle()
          inFlight -= 1
          request.leave()
          await settle()
        }
      },
    )
    expect(counts).toHaveLength(36)
    expect(Math.max(...counts)).toBe(most)
  })

  test('has one less in flight after each time that the machine could not take as many', async () => {
    let inFlight = 0
    const counts: number[] = []
    await inRun(3).run(list<number>(1, 2, 3, 4, 5, 6), async (item, request) => {
      await request.admit(waiting)
      inFlight += 1
      counts.push(inFlight)
      if (item < 3) request.lower()
      await settle()
      inFlight -= 1
    })
    expect(counts).toEqual([1, 2, 1, 1, 1, 1])
  })

  test('lets a complete response be verified once the next request is sent', async () => {
    const gate = gates()
    const verified: number[] = []
    const done = inRun(1).run(list<number>(1, 2), async (item, request) => {
      await gate.of(`prepared ${item}`)
      await request.admit(waiting)
      await gate.of(`sent ${item}`)
      request.sent()
      await gate.of(`answered ${item}`)
      request.leave()
      await request.othersSent(waiting.signal)
      verified.push(item)
    })
    for (const step of ['prepared 1', 'sent 1', 'answered 1', 'prepared 2']) await gate.open(step)
    expect(verified).toEqual([])
    await gate.open('sent 2')
    expect(verified).toEqual([1])
    await gate.open('answered 2')
    await done
    expect(verified).toEqual([1, 2])
  })

  test('lets a complete response be verified once the request that waited for its place is sent', async () => {
    const admission = inRun(1)
    const [complete, next] = [admission.begin(), admission.begin()]
    await complete.admit(waiting)
    complete.sent()
    const admitted = next.admit(waiting)
    await settle()
    complete.leave()
    let isVerified = false
    const verified = complete.othersSent(waiting.signal).then(() => {
      isVerified = true
    })
    await admitted
    await settle()
    expect(isVerified).toBe(false)
    next.sent()
    await verified
  })

  test('lets a complete response be verified while the next request waits for another answer', async () => {
    const gate = gates()
    const admission = inRun(1)
    const [complete, other, next] = [admission.begin(), admission.begin(), admission.begin()]
    complete.leave()
    await other.admit(waiting)
    other.sent()
    const admitted = next.admit(waiting).then(() => gate.open('admitted'))
    await complete.othersSent(waiting.signal)
    other.over()
    await admitted
  })

  test('lets a complete response be verified when the run is stopped', async () => {
    const admission = inRun(2)
    const [complete] = [admission.begin(), admission.begin()]
    complete.leave()
    const stop = new AbortController()
    const quiet = complete.othersSent(stop.signal)
    stop.abort()
    await quiet
  })

  test('asks again for an item when one is done', async () => {
    const begun: number[] = []
    const items = [1, 2, 3]
    let isBusy = false
    const takeAlone = (): number | undefined => (isBusy ? undefined : items.shift())
    await inRun(3).run(takeAlone, async (item) => {
      isBusy = true
      begun.push(item)
      await Promise.resolve()
      isBusy = false
    })
    expect(begun).toEqual([1, 2, 3])
  })

  test('after a failure begins nothing, waits for what is under way, and rejects with the first', async () => {
    const begun: number[] = []
    const gate = gates()
    let isSettled = false
    const done = inRun(2)
      .run(list<number>(1, 2, 3), async (item) => {
        begun.push(item)
        await gate.of(String(item))
        throw new Error(`failed ${item}`)
      })
      .finally(() => {
        isSettled = true
      })
    done.catch(() => undefined)
    await gate.open('2')
    expect(isSettled).toBe(false)
    await gate.open('1')
    await expect(done).rejects.toThrow('failed 2')
    expect(begun).toEqual([1, 2])
  })

  test('of nothing is done', async () => {
    await expect(inRun(4).run(list<number>(), async () => undefined)).resolves.toBeUndefined()
  })
})
