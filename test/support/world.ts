import * as realSyncDisk from 'node:fs'
import * as realDisk from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Clock, OutputStream, WorkerName, World } from '../../src/base/world.ts'
import { builtPath } from './built.ts'

/** A stream that keeps everything written to it. */
export interface Captured {
  readonly stream: OutputStream
  readonly text: () => string
  readonly bytes: () => Buffer
}

/** A clock whose waits end immediately and advance it; `slept` lists them in milliseconds. */
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

type Overrides = Partial<Omit<World, 'stdout' | 'stderr' | 'clock' | 'interrupt' | 'cwd'>> & {
  readonly cwd?: string
  readonly isTTY?: boolean
  readonly columns?: number
  readonly nowMs?: number
  readonly clock?: Clock
  readonly stdinText?: string | Buffer
}

/** A World for tests: real disk and worker threads, captured streams, a fake clock. */
export function testWorld(overrides: Overrides = {}): TestWorld {
  const { cwd = process.cwd(), isTTY = false, columns, nowMs, clock, stdinText, ...rest } = overrides
  const out = capture(isTTY, columns)
  const err = capture(isTTY, columns)
  const fakeClock = createFakeClock(nowMs)
  const controller = new AbortController()
  const stdin = new PassThrough()
  stdin.end(stdinText ?? '')
  return {
    argv: [],
    env: {},
    forgetEnv: () => undefined,
    cwd: () => cwd,
    stdin,
    stdout: out.stream,
    stderr: err.stream,
    clock: clock ?? fakeClock,
    random: () => 0.5,
    disk: realDisk,
    syncDisk: realSyncDisk,
    interrupt: controller.signal,
    startWorker,
    runProgram: () => Promise.reject(new Error('this test runs no program')),
    host: {
      pid: process.pid,
      name: 'test-host',
      platform: process.platform,
      homeDir: '',
      nodeVersion: process.versions.node,
      cores: 2,
      umask: 0o022,
      tempDir: tmpdir(),
    },
    ...rest,
    out,
    err,
    fakeClock,
    stop: (reason) => controller.abort(reason),
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

function startWorker(name: WorkerName, workerData: unknown): Worker {
  return new Worker(builtPath('dist', 'workers', `${name}.js`), { workerData })
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

/** A clock that starts at `nowMs` and advances only when it sleeps. */
export function createFakeClock(nowMs = Date.parse('2026-03-04T05:06:07Z')): FakeClock {
  let wall = nowMs
  let mono = 1_000
  const slept: number[] = []
  const advance = (ms: number): void => {
    wall += ms
    mono += ms
  }
  return {
    slept,
    advance,
    nowMs: () => wall,
    monotonicMs: () => mono,
    every: (ms, tick) => {
      const timer = setInterval(tick, ms).unref()
      return () => clearInterval(timer)
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      advance(ms)
      await Promise.resolve()
    },
  }
}
