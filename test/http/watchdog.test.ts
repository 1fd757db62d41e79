import { describe, expect, test } from 'vitest'
import { watch, withDeadline } from '../../src/http/watchdog.ts'
import { ARCHIVE, fetching } from '../support/fetching.ts'
import { head, rawServer } from '../support/raw-server.ts'

describe('silence', () => {
  test('is reported once, when it has lasted', () => {
    const { clock, tick } = handClock()
    let reported = 0
    watch(clock, { idleMs: 1_000, onIdle: () => (reported += 1) })
    tick(9)
    expect(reported).toBe(0)
    tick(20)
    expect(reported).toBe(1)
  })

  test('is counted again after every sign of life', () => {
    const { clock, tick } = handClock()
    let reported = 0
    const watchdog = watch(clock, { idleMs: 1_000, onIdle: () => (reported += 1) })
    for (let times = 0; times < 6; times += 1) {
      tick(9)
      watchdog.touch(1)
    }
    expect(reported).toBe(0)
    tick(10)
    expect(reported).toBe(1)
  })

  test('is not counted while nothing is read, and not after the end', () => {
    const { clock, tick } = handClock()
    let reported = 0
    let isPaused = true
    const onIdle = (): void => {
      reported += 1
    }
    const watchdog = watch(clock, { idleMs: 1_000, isPaused: () => isPaused, onIdle })
    tick(50)
    isPaused = false
    tick(9)
    watchdog.stop()
    tick(50)
    expect(reported).toBe(0)
  })

  test('of a suspended process counts as the one tick that comes late', () => {
    const { clock, tick } = handClock()
    let reported = 0
    watch(clock, { idleMs: 200, onIdle: () => (reported += 1) })
    tick(8)
    // However long the process slept, its interval fires once.
    tick(1)
    expect(reported).toBe(0)
  })
})

describe('slowness', () => {
  test.each([
    [500, 1],
    [1_999, 1],
    [2_000, 0],
    [50_000, 0],
  ])('is counted over a window of reading: %s bytes a tick, reported %s times', (bytes, expected) => {
    const { clock, tick } = handClock()
    let reported = 0
    const watchdog = watch(clock, {
      idleMs: 1_000,
      onIdle: () => undefined,
      slow: { windowMs: 1_000, minBytes: 20_000, onSlow: () => (reported += 1) },
    })
    for (let times = 0; times < 40; times += 1) {
      watchdog.touch(bytes)
      tick(1)
    }
    expect(reported).toBe(expected)
  })
})

describe('a deadline', () => {
  const signal = new AbortController().signal
  const overdue = (): Error => new Error('too late')
  const never = new Promise<string>(() => undefined)

  test('ends work that takes too long, and stops it', async () => {
    const { clock, tick } = handClock()
    let stopped: unknown
    const work = (stop: AbortSignal): Promise<string> => {
      stop.addEventListener('abort', () => (stopped = stop.reason))
      return never
    }
    const pending = withDeadline(clock, 1_000, overdue, signal, work)
    tick(10)
    await expect(pending).rejects.toThrow('too late')
    expect(stopped).toMatchObject({ message: 'too late' })
  })

  test('leaves work alone that is done in time', async () => {
    const { clock, ticking } = handClock()
    expect(await withDeadline(clock, 1_000, overdue, signal, async () => 'done')).toBe('done')
    expect(ticking()).toBe(0)
  })

  test('gives way to the reason of the signal', async () => {
    const stop = new AbortController()
    const pending = withDeadline(handClock().clock, 1_000, overdue, stop.signal, () => never)
    stop.abort(new Error('stopped'))
    await expect(pending).rejects.toThrow('stopped')
  })
})

test('a process suspended in the middle of a body continues with it: the server did not stall', async () => {
  let respond = (): unknown => undefined
  const server = await rawServer((_, socket) => {
    socket.write(
      `${head(200, [`Content-Length: ${ARCHIVE.length}`])}${ARCHIVE.toString('latin1', 0, 500)}`,
      'latin1',
    )
    respond = () => socket.write(ARCHIVE.subarray(500))
  })
  const run = await fetching(server.url, {
    stallTimeoutMs: 100,
    hasSocketTimeouts: true,
    retries: 0,
    onProgress: ({ bytes }) => {
      if (bytes !== 500) return
      suspend(150)
      respond()
    },
  })
  expect(run.failure).toBeUndefined()
  expect(run.bytes?.equals(ARCHIVE)).toBe(true)
  expect(server.requests.length).toBe(1)
  await server.close()
})

/** A clock that ticks by hand. */
function handClock() {
  const ticks = new Set<() => void>()
  return {
    clock: {
      every: (_: number, tick: () => void) => {
        ticks.add(tick)
        return () => void ticks.delete(tick)
      },
    },
    tick: (times: number) => {
      for (let time = 0; time < times; time += 1) for (const tick of ticks) tick()
    },
    ticking: () => ticks.size,
  }
}

/** What a closed laptop or SIGSTOP does to the event loop. */
function suspend(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
