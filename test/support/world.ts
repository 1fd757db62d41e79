import * as realSyncDisk from 'node:fs'
import * as realDisk from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Clock, OutputStream, WorkerName, World } from '../../src/base/world.ts'
import { platformDisk, platformSyncDisk } from '../../src/fs/platform-disk.ts'
import { builtPath } from './built.ts'

/** A stream that keeps everything written to it. */
export interface Captured {
  readonly stream: OutputStream
  readonly text: () => string
  readonly bytes: () => Buffer
}

/**
 * A clock whose waits end at once and move it forward; `slept` lists them in milliseconds. An interval ticks once for a move that
 * reaches its next tick, as after a suspended process.
 */
export interface FakeClock extends Clock {
  readonly slept: number[]
  advance(ms: number): void
}

export interface TestWorld extends World {
  readonly out: Captured
  readonly err: Captured
  readonly fakeClock: FakeClock
  /** Stops the run, as a signal does. */
  readonly stop: (reason: unknown) => void
}

type Overrides = Partial<Omit<World, 'stderr' | 'clock' | 'cwd'>> & {
  readonly cwd?: string
  readonly isTTY?: boolean
  readonly columns?: number
  readonly nowMs?: number
  readonly clock?: Clock
  /** Intervals take real time: for timeouts of real sockets. */
  readonly hasSocketTimeouts?: boolean
  readonly stdinText?: string | Buffer
}

/** A World for tests: real disk and worker threads, captured streams, a fake clock. */
export function testWorld(overrides: Overrides = {}): TestWorld {
  const {
    cwd = process.cwd(),
    isTTY = false,
    columns,
    nowMs,
    stdinText,
    hasSocketTimeouts,
    ...rest
  } = overrides
  const out = capture(isTTY, columns)
  const err = capture(isTTY, columns)
  const fakeClock = createFakeClock(nowMs)
  const clock = overrides.clock ?? fakeClock
  const controller = new AbortController()
  const stdin = new PassThrough()
  stdin.end(stdinText ?? '')
  return {
    argv: [],
    env: {},
    forgetEnv: () => undefined,
    limitLookups: () => undefined,
    cwd: () => cwd,
    stdin,
    stdout: out.stream,
    stderr: err.stream,
    random: () => 0.5,
    disk: platformDisk(process.platform, realDisk),
    syncDisk: platformSyncDisk(process.platform, realSyncDisk),
    interrupt: controller.signal,
    startWorker,
    runProgram: () => Promise.reject(new Error('this test runs no program')),
    host: {
      pid: process.pid,
      uid: process.geteuid?.(),
      name: 'test-host',
      platform: process.platform,
      homeDir: '',
      nodeVersion: process.versions.node,
      cores: 2,
      umask: 0o022,
      tempDir: tmpdir(),
    },
    ...rest,
    clock: hasSocketTimeouts ? { ...clock, every: realEvery } : clock,
    out,
    err,
    fakeClock,
    stop: (reason) => controller.abort(reason),
  }
}

/** A World of Windows, on the disk of this platform: no rename waits, and the system knows no permission bits. */
export function windowsWorld({
  disk = realDisk,
  syncDisk = realSyncDisk,
  ...rest
}: Overrides = {}): TestWorld {
  const refuse = (): never => {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  }
  const world = testWorld(rest)
  return {
    ...world,
    disk: platformDisk('win32', { ...disk, chmod: async () => refuse() }, async () => undefined),
    syncDisk: platformSyncDisk(
      'win32',
      { ...syncDisk, chmodSync: refuse, fchmodSync: refuse },
      () => undefined,
    ),
    host: { ...world.host, uid: undefined, platform: 'win32' },
  }
}

/** Runs `body` with a new directory, and removes it afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'matdecl-test-'))
  try {
    return await body(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function startWorker(name: WorkerName): Worker {
  return new Worker(builtPath('dist', 'workers', `${name}.js`))
}

/** A captured stream: a pipe, or a terminal with that many columns. */
export function capture(isTTY = false, columns?: number): Captured {
  const chunks: Buffer[] = []
  const writable = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  // The methods of a terminal that a spinner calls.
  const moves = { cursorTo: () => true, moveCursor: () => true, clearLine: () => true }
  const stream = Object.assign(writable, {
    isTTY,
    ...(isTTY ? moves : {}),
    ...(columns === undefined ? {} : { columns }),
  })
  const bytes = (): Buffer => Buffer.concat(chunks)
  return { stream, bytes, text: () => bytes().toString('utf8') }
}

/** Ticks in real time. */
export const realEvery: Clock['every'] = (ms, tick) => {
  const timer = setInterval(tick, ms).unref()
  return () => clearInterval(timer)
}

/** A clock that starts at `nowMs` and moves only when it sleeps. */
export function createFakeClock(nowMs = Date.parse('2026-03-04T05:06:07Z')): FakeClock {
  let wall = nowMs
  let mono = 1_000
  const slept: number[] = []
  const intervals = new Set<{ nextMs: number; readonly ms: number; readonly tick: () => void }>()
  const advance = (ms: number): void => {
    wall += ms
    mono += ms
    for (const interval of [...intervals]) {
      if (mono < interval.nextMs) continue
      interval.nextMs = mono + interval.ms
      interval.tick()
    }
  }
  return {
    slept,
    advance,
    nowMs: () => wall,
    monotonicMs: () => mono,
    every: (ms, tick) => {
      const interval = { nextMs: mono + ms, ms, tick }
      intervals.add(interval)
      return () => void intervals.delete(interval)
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      advance(ms)
      await Promise.resolve()
    },
  }
}
