import * as syncDisk from 'node:fs'
import * as disk from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Worker } from 'node:worker_threads'
import { Failure } from './base/failure.ts'
import type { Clock, WorkerName, World } from './base/world.ts'
import { platformDisk, platformSyncDisk } from './fs/platform-disk.ts'

// The longest delay of a timer; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The world of this process. `interrupt` aborts when the run is to stop; `directory` has the directory of the worker threads. */
export function realWorld(argv: readonly string[], interrupt: AbortSignal, directory: string): World {
  let hasOwnResolverOptions = false
  return {
    argv,
    env: process.env,
    forgetEnv: (name) => {
      delete process.env[name]
    },
    limitLookups: (limitMs) => {
      if (process.platform !== 'linux' || process.env.RES_OPTIONS !== undefined) return
      const options = resolverOptions(
        limitMs / 1000,
        process.getBuiltinModule('node:dns').getServers().length,
      )
      if (options === undefined) return
      hasOwnResolverOptions = true
      process.env.RES_OPTIONS = options
    },
    cwd: workingDirectory,
    // Opened only by its readers.
    get stdin() {
      return endedBy(interrupt, process.stdin)
    },
    stdout: process.stdout,
    stderr: process.stderr,
    clock: realClock(),
    random: Math.random,
    disk: platformDisk(process.platform, disk),
    syncDisk: platformSyncDisk(process.platform, syncDisk),
    interrupt,
    startWorker: (name) => startWorker(directory, name),
    runProgram: async (program, args, limits) => {
      const { runProgram } = await import('./run-program.ts')
      const env = hasOwnResolverOptions ? { ...process.env, RES_OPTIONS: undefined } : process.env
      return runProgram(program, args, limits, interrupt, env)
    },
    host: {
      pid: process.pid,
      uid: process.geteuid?.(),
      name: os.hostname(),
      platform: process.platform,
      homeDir: homeDir(),
      nodeVersion: process.versions.node,
      cores: os.availableParallelism(),
      umask: process.umask(),
      tempDir: os.tmpdir(),
    },
  }
}

// Of resolv.conf(5). Each attempt of a resolver asks all name servers.
const DEFAULT_ATTEMPT_SECONDS = 5
const DEFAULT_ATTEMPTS = 2
const MOST_ATTEMPTS = 5

/**
 * Options of resolv.conf(5) with which a name that no name server answers for is given up after about `limitSeconds`; undefined where
 * the resolver gives up earlier by itself. A slow response counts until then: each attempt takes those of all others.
 */
export function resolverOptions(limitSeconds: number, servers: number): string | undefined {
  const roundSeconds = Math.max(servers, 1)
  if (limitSeconds >= DEFAULT_ATTEMPT_SECONDS * DEFAULT_ATTEMPTS * roundSeconds) return undefined
  const timeout = Math.max(1, Math.ceil(limitSeconds / (MOST_ATTEMPTS * roundSeconds)))
  const attempts = Math.max(1, Math.floor(limitSeconds / (timeout * roundSeconds)))
  return `timeout:${timeout} attempts:${attempts}`
}

/**
 * Megabytes for the short-lived objects of a thread, for which V8 would take 48 without being faster. Buffers are not among them, so
 * inflating and hashing need few. Reading a declaration makes many; with less space, V8 would keep them as long-lived ones.
 */
const YOUNG_MEGABYTES: Readonly<Record<WorkerName, number>> = {
  'hash-worker': 3,
  'inflate-worker': 3,
  'declarations-worker': 12,
}

/** A stream that a signal ends, for its readers; where nobody reads it, nothing happens. */
export function endedBy<T extends Readable>(interrupt: AbortSignal, stream: T): T {
  return addAbortSignal(
    interrupt,
    stream.on('error', () => undefined),
  )
}

// Nothing is imported: most commands start no worker thread.
function startWorker(directory: string, name: WorkerName): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES[name] }
  return new Worker(join(directory, 'workers', `${name}.js`), { env: {}, resourceLimits })
}

function realClock(): Clock {
  return {
    nowMs: Date.now,
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const stop = (): void => {
          clearTimeout(timer)
          reject(signal?.reason)
        }
        const wait = Math.min(Math.max(0, Number.isFinite(ms) ? ms : LONGEST_TIMER_MS), LONGEST_TIMER_MS)
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }, wait)
        signal?.addEventListener('abort', stop, { once: true })
      }),
    every: (ms, tick) => {
      const timer = setInterval(tick, ms).unref()
      return () => clearInterval(timer)
    },
  }
}

function homeDir(): string {
  try {
    return process.env.HOME === '' ? '' : os.homedir()
  } catch {
    return ''
  }
}

function workingDirectory(): string {
  try {
    const path = process.cwd()
    if (!path.includes('\ufffd') || isHere(path)) return path
  } catch (cause) {
    const hint = 'change to a directory that exists'
    throw new Failure('io', 'the working directory no longer exists', { cause, hint })
  }
  // By the text that Node makes of it, files would be written elsewhere.
  throw new Failure('io', 'the path of the working directory is not UTF-8', {
    hint: 'rename the directory, or run the command in another one',
  })
}

function isHere(path: string): boolean {
  const [named, here] = [path, '.'].map((each) => syncDisk.statSync(each, { throwIfNoEntry: false }))
  return named !== undefined && named.ino === here?.ino && named.dev === here.dev
}
