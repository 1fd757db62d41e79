import { Failure, systemCode } from './base/failure.ts'
import type { Clock, World } from './base/world.ts'

// Help and version must cost no more than Node itself: its modules are opened when they are first wanted.
const os = () => process.getBuiltinModule('node:os')

// A timer can't hold more; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The real world of one run. `interrupt` gives the signal that aborts when the run is to stop; quick answers never ask for it. */
export function realWorld(
  argv: readonly string[],
  interrupt: () => AbortSignal,
  startWorker: World['startWorker'],
): World {
  return {
    argv,
    env: process.env,
    forgetEnv: (name) => {
      delete process.env[name]
    },
    cwd: currentFolder,
    // Opened only by those who read it; a stop by signal ends the reading too.
    get stdin() {
      return process.getBuiltinModule('node:stream').addAbortSignal(interrupt(), process.stdin)
    },
    get stdout() {
      return process.stdout
    },
    get writePlain() {
      return plainWriter()
    },
    get stderr() {
      return process.stderr
    },
    clock: realClock(),
    random: Math.random,
    get disk() {
      return process.getBuiltinModule('node:fs/promises')
    },
    get syncDisk() {
      return process.getBuiltinModule('node:fs')
    },
    get interrupt() {
      return interrupt()
    },
    startWorker,
    runProgram,
    host: {
      pid: process.pid,
      get name() {
        return os().hostname()
      },
      platform: process.platform,
      get homeDir() {
        return homeDir()
      },
      nodeVersion: process.versions.node,
      get cores() {
        return os().availableParallelism()
      },
      umask: process.umask(),
      get tempDir() {
        return os().tmpdir()
      },
    },
  }
}

// Making the stream of `process.stdout` takes a tenth of what Node itself takes to start.
function plainWriter(): World['writePlain'] {
  const { writeSync } = process.getBuiltinModule('node:fs')
  if (!isPlainOutput()) return undefined
  return (text, done) => {
    const bytes = Buffer.from(text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(1, bytes, written)
    } catch (error) {
      // A pipe that takes no more at the moment: the stream waits until it does.
      if (systemCode(error) === 'EAGAIN') process.stdout.write(bytes.subarray(written), done)
      else done(error as Error)
      return
    }
    done()
  }
}

// A file, a pipe or the null device; what can not be looked at, such as the console of Windows, is none of them.
function isPlainOutput(): boolean {
  try {
    const facts = process.getBuiltinModule('node:fs').fstatSync(1)
    return facts.isFile() || facts.isFIFO() || facts.rdev === NULL_DEVICE
  } catch {
    return false
  }
}

// Major 1, minor 3, as Linux has it.
const NULL_DEVICE = 0x103

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
    return process.env.HOME === '' ? '' : os().homedir()
  } catch {
    return ''
  }
}

function runProgram(
  program: string,
  args: readonly string[],
): Promise<{ exitCode: number | null; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: false,
      windowsHide: true,
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, stdout: Buffer.concat(chunks).toString('utf8') }))
  })
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    const hint = 'change into one that does'
    throw new Failure('io', 'the current folder no longer exists', { cause, hint })
  }
}
