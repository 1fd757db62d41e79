import { describe, expect, test } from 'vitest'
import { watch } from '../../src/http/watchdog.ts'
import { ARCHIVE, fetching } from '../support/fetching.ts'
import { head, rawServer } from '../support/raw-server.ts'

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('silence is counted', () => {
  test('and told once when it has lasted', async () => {
    let told = 0
    watch({ idleMs: 50, onIdle: () => (told += 1) })
    await wait(150)
    expect(told).toBe(1)
  })

  test('anew after every sign of life', async () => {
    let told = 0
    const watchdog = watch({ idleMs: 80, onIdle: () => (told += 1) })
    for (let times = 0; times < 6; times += 1) {
      await wait(30)
      watchdog.touch(1)
    }
    expect(told).toBe(0)
    watchdog.stop()
  })

  test('not while we do not listen, and not after the end', async () => {
    let told = 0
    const watchdog = watch({ idleMs: 40, onIdle: () => (told += 1) })
    watchdog.pause()
    await wait(100)
    watchdog.resume()
    expect(told).toBe(0)
    watchdog.stop()
    await wait(100)
    expect(told).toBe(0)
  })

  test('not while the process itself was suspended', async () => {
    let told = 0
    const watchdog = watch({ idleMs: 200, onIdle: () => (told += 1) })
    await wait(20)
    suspend(600)
    await wait(30)
    expect(told).toBe(0)
    watchdog.stop()
  })
})

describe('slowness is counted', () => {
  test.each([
    [500, 1],
    [50_000, 0],
  ])('over a window of listening: %s bytes a tick, told %s times', async (bytes, expected) => {
    let told = 0
    const watchdog = watch({
      idleMs: 1_000,
      onIdle: () => undefined,
      slow: { windowMs: 200, leastBytes: 20_000, onSlow: () => (told += 1) },
    })
    for (let times = 0; times < 20; times += 1) {
      await wait(20)
      watchdog.touch(bytes)
    }
    expect(told).toBe(expected)
    watchdog.stop()
  })
})

test('a process suspended in the middle of a body goes on with it: the server did not stall', async () => {
  const server = await rawServer((_, socket) => {
    socket.write(
      Buffer.concat([
        Buffer.from(head(200, [`Content-Length: ${ARCHIVE.length}`])),
        ARCHIVE.subarray(0, 500),
      ]),
    )
    setTimeout(() => suspend(500), 30)
    setTimeout(() => socket.write(ARCHIVE.subarray(500)), 60)
  })
  const run = await fetching(server.url, { stallTimeoutMs: 200, retries: 0 })
  expect(run.failure).toBeUndefined()
  expect(run.bytes?.equals(ARCHIVE)).toBe(true)
  expect(server.requests.length).toBe(1)
  await server.close()
})

/** What a closed laptop or SIGSTOP does to the event loop. */
function suspend(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
