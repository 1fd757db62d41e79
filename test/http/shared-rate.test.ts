import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import type { Clock } from '../../src/base/world.ts'
import { RateLimiter, type Turn } from '../../src/http/rate-limiter.ts'
import { createSharedRateStore, sharedRateKey } from '../../src/http/shared-rate.ts'
import { watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { posixTest } from '../support/programs.ts'
import { createFakeClock, type TestWorld, testWorld, withFolder } from '../support/world.ts'

const TOKEN = 'tok-c2hhcmVk'
const KEY = sharedRateKey('https://api.example.com', TOKEN)
const OK = { limit: undefined, isSuccess: true }

interface Run {
  readonly world: TestWorld
  /** The waits for a turn, without those for the lock of the file. */
  readonly waits: number[]
  /** Resolves when everything so far is in the file. */
  readonly saved: () => Promise<void>
  readonly turn: () => Promise<Turn>
}

/** A run with the state directory `home`, at a rate of 60 a minute: two requests at once, then one a second. */
function run(
  home: string,
  world: TestWorld = testWorld({ env: { XDG_STATE_HOME: home } }),
  maxWaitMs = 300_000,
): Run {
  const store = createSharedRateStore(world, KEY)
  const limiter = new RateLimiter(world, { ratePerMinute: 60, maxWaitMs, store })
  const signal = new AbortController().signal
  const waits: number[] = []
  const turn = (): Promise<Turn> =>
    limiter.turn({ signal, isRetry: false, onWait: (waitMs) => waits.push(waitMs!) })
  return { world, turn, waits, saved: () => store.change((state) => [state, undefined]) }
}

const file = (home: string): string => join(home, 'matdecl', 'rates', `${KEY}.json`)

posixTest('the file is replaced, never written through a link', () =>
  withFolder(async (home) => {
    await mkdir(dirname(file(home)), { recursive: true, mode: 0o700 })
    const aside = join(home, 'aside')
    await writeFile(aside, 'precious')
    await symlink(aside, file(home))
    const one = run(home)
    ;(await one.turn()).accepted(OK)
    await one.saved()
    expect(await readFile(aside, 'utf8')).toBe('precious')
    expect((await lstat(file(home))).isFile()).toBe(true)
    expect(await readdir(dirname(file(home)))).toEqual([basename(file(home))])
  }),
)

posixTest('a directory that another user can change is not used', () =>
  withFolder(async (home) => {
    await mkdir(dirname(file(home)), { recursive: true, mode: 0o700 })
    await chmod(dirname(dirname(file(home))), 0o777)
    const one = run(home)
    ;(await one.turn()).accepted(OK)
    await one.saved()
    expect(await readdir(dirname(file(home)))).toEqual([])
  }),
)

describe('runs that share a token', () => {
  test('share one rate', () =>
    withFolder(async (home) => {
      const world = testWorld({ env: { XDG_STATE_HOME: home } })
      const [first, second] = [run(home, world), run(home, world)]
      for (const one of [first, second, first, second, first, second]) {
        ;(await one.turn()).accepted(OK)
        await one.saved()
      }
      expect([...first.waits, ...second.waits]).toEqual([1_000, 1_000, 1_000, 1_000])
    }))

  test('share a refusal and what was learned from it, on clocks of their own', () =>
    withFolder(async (home) => {
      const first = run(home)
      await (await first.turn()).refused({ limit: undefined, requestedMs: 30_000 })
      const second = run(home)
      second.world.fakeClock.advance(10_000)
      const probe = await second.turn()
      probe.accepted(OK)
      await second.turn()
      expect(second.waits).toEqual([20_000, 2_000])
    }))

  test('end at once where another was told to wait for longer than the maximum', () =>
    withFolder(async (home) => {
      const first = run(home)
      await (await first.turn()).refused({ limit: undefined, requestedMs: 9_999_000 })
      const second = run(home)
      second.world.fakeClock.advance(10_000)
      const error: unknown = await second.turn().catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        kind: 'limited',
        hint: expect.stringContaining('raise the maximum wait'),
      })
      expect(error).toMatchObject({ message: expect.stringContaining('2 h 46 min are left, longer than') })
      expect((error as Failure).details.retryAtMs).toBe(second.world.clock.nowMs() + 9_989_000)
      expect(second.waits).toEqual([])
    }))

  test('end at once then also after a refusal of their own', () =>
    withFolder(async (home) => {
      const world = testWorld({ env: { XDG_STATE_HOME: home } })
      const [first, second] = [run(home, world), run(home, world)]
      await (await second.turn()).refused({ limit: undefined, requestedMs: 2_000 })
      await (await first.turn()).refused({ limit: undefined, requestedMs: 9_999_000 })
      await expect(second.turn()).rejects.toMatchObject({ kind: 'limited' })
    }))

  test('end at once where another used up what is left until a later reset', () =>
    withFolder(async (home) => {
      const limit = { limit: 100, remaining: 0, resetMs: 250_000 }
      const first = run(home)
      ;(await first.turn()).accepted({ limit, isSuccess: true })
      await first.saved()
      await expect(run(home, undefined, 5_000).turn()).rejects.toMatchObject({ kind: 'limited' })
    }))

  test('leave no secret, in a file for the user only', () =>
    withFolder(async (home) => {
      const { turn, saved } = run(home)
      ;(await turn()).accepted(OK)
      await saved()
      expect(await readdir(join(home, 'matdecl', 'rates'))).toEqual([`${KEY}.json`])
      expect(await readFile(file(home), 'utf8')).not.toContain(TOKEN)
      expect((await stat(file(home))).mode & 0o077).toBe(0)
    }))

  test('share nothing with another token or service', () => {
    const keys = [
      KEY,
      sharedRateKey('https://api.example.com', 'other'),
      sharedRateKey('https://b.example', TOKEN),
    ]
    expect(new Set(keys).size).toBe(3)
    expect(keys.join()).not.toContain(TOKEN)
  })

  test('write nothing when nothing has changed', () =>
    withFolder(async (home) => {
      const { turn, saved, world } = run(home)
      const started = await turn()
      const before = await readFile(file(home), 'utf8')
      world.fakeClock.advance(5_000)
      started.accepted(OK)
      await saved()
      expect(await readFile(file(home), 'utf8')).toBe(before)
    }))

  test('write drafts with new names, of which those of killed runs can be told and removed', () =>
    withFolder(async (home) => {
      const drafts: string[] = []
      const syncDisk = watchedSyncDisk((call, target) => {
        if (call === 'renameSync') drafts.push(basename(String(target)))
      })
      const { turn } = run(home, testWorld({ env: { XDG_STATE_HOME: home }, syncDisk }))
      await turn()
      await turn()
      expect(new Set(drafts).size).toBeGreaterThan(1)
      for (const draft of drafts) expect(draft).toMatch(/^[0-9a-f]{32}\.json\.[0-9a-f]{12}$/)
    }))

  test('remove the files that no run has used for a week', () =>
    withFolder(async (home) => {
      await run(home).turn()
      const [old, recent] = ['0', '1'].map((digit) => join(dirname(file(home)), `${digit.repeat(32)}.json`))
      for (const [path, days] of [
        [old!, 8],
        [recent!, 6],
      ] as const) {
        await writeFile(path, '{}')
        const atMs = testWorld().clock.nowMs() - days * 24 * 3_600_000
        await utimes(path, new Date(atMs), new Date(atMs))
      }
      await run(home).turn()
      expect((await readdir(dirname(file(home)))).sort()).toEqual([basename(recent!), `${KEY}.json`].sort())
    }))

  test('lose no start when many are requested at once', () =>
    withFolder(async (home) => {
      const fake = createFakeClock()
      // The lock is held for as long as the disk takes.
      const sleep: Clock['sleep'] = (ms, signal) => (ms === 10 ? wait(ms) : fake.sleep(ms, signal))
      const world = testWorld({ env: { XDG_STATE_HOME: home }, clock: { ...fake, sleep } })
      const runs = Array.from({ length: 5 }, () => run(home, world))
      const turns = await Promise.all(runs.flatMap(({ turn }) => [turn(), turn(), turn(), turn()]))
      expect(turns).toHaveLength(20)
      const { state } = JSON.parse(await readFile(file(home), 'utf8'))
      expect(state.starts).toHaveLength(20)
    }))
})

describe('a shared file that is no use', () => {
  async function startsAtOnce(home: string, world?: TestWorld): Promise<void> {
    const one = run(home, world)
    ;(await one.turn()).accepted(OK)
    ;(await one.turn()).accepted(OK)
    await one.saved()
    expect(one.waits).toEqual([])
  }

  async function paused(home: string): Promise<void> {
    await (await run(home).turn()).refused({ limit: undefined, requestedMs: 200_000 })
  }

  test.each([
    ['not JSON', 'oops'],
    ['another schema', '{"schema":"matdecl.rate/9"}'],
    ['broken values', '{"schema":"matdecl.rate/1","savedMs":1772600767000,"state":{"starts":["x"]}}'],
    ['nothing', ''],
  ])('because it holds %s counts as missing', (_, text) =>
    withFolder(async (home) => {
      await paused(home)
      await writeFile(file(home), text)
      await startsAtOnce(home)
    }),
  )

  test('because it is old, or the clock was set back, counts as missing', () =>
    withFolder(async (home) => {
      for (const movedMs of [11 * 60_000, -60_000]) {
        await paused(home)
        const nowMs = testWorld().clock.nowMs() + movedMs
        await startsAtOnce(home, testWorld({ env: { XDG_STATE_HOME: home }, nowMs }))
      }
    }))

  test('because it is a directory, is missing or has no directory leaves the run alone', () =>
    withFolder(async (home) => {
      await mkdir(file(home), { recursive: true })
      await startsAtOnce(home)
      await writeFile(join(home, 'plain'), '')
      await startsAtOnce(join(home, 'plain'))
      await startsAtOnce('', testWorld())
    }))

  test.skipIf(process.getuid?.() === 0)('because it may not be written leaves the run alone', () =>
    withFolder(async (home) => {
      await mkdir(join(home, 'matdecl', 'rates'), { recursive: true })
      await chmod(join(home, 'matdecl', 'rates'), 0o500)
      await startsAtOnce(home)
      await chmod(join(home, 'matdecl', 'rates'), 0o700)
    }),
  )

  test('because a killed run left it locked is unlocked', () =>
    withFolder(async (home) => {
      await paused(home)
      await writeFile(`${file(home)}.lock`, '')
      const one = run(home)
      await one.turn()
      await one.saved()
      expect(one.waits.length).toBe(1)
      expect(await readdir(join(home, 'matdecl', 'rates'))).toEqual([`${KEY}.json`])
    }))

  test('because it cannot be unlocked leaves the run alone', () =>
    withFolder(async (home) => {
      await paused(home)
      await mkdir(`${file(home)}.lock`)
      await startsAtOnce(home)
    }))
})
