import { spawn } from 'node:child_process'
import * as disk from 'node:fs/promises'
import { availableParallelism, homedir, hostname, tmpdir } from 'node:os'
import { addAbortSignal } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { Failure, systemCode } from './failure.ts'
import type { Clock, World } from './world.ts'

// A timer can't hold more; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

// A promise that never settles would otherwise end the process with 0 and no word.
process.exitCode = 1
process.on('uncaughtException', (error) => {
  crash(error)
  process.exit(process.exitCode)
})
const interrupt = listenForSignals()
try {
  const { run } = await import('./cli/run.ts')
  process.exitCode = await run(realWorld(interrupt))
} catch (error) {
  crash(error)
}

// Nothing is known here of secrets, so nothing is said but the kind of error and where in the program it came from.
function crash(error: unknown): void {
  const code = systemCode(error)
  const isTooManyFiles = code === 'EMFILE' || code === 'ENFILE'
  process.exitCode = isTooManyFiles ? 9 : 1
  const name = error instanceof Error ? error.name : typeof error
  const places =
    error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : []
  const lines = isTooManyFiles
    ? [
        'matdecl: error: too many files are open for this system or this process',
        '  hint: raise the limit (ulimit -n)',
      ]
    : [
        `matdecl: error: a fault of the tool itself: ${name}${code === undefined ? '' : ` (${code})`}`,
        ...places.slice(0, 8),
        '  hint: please report it, with these lines',
      ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

function realWorld(signal: AbortSignal): World {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    forgetEnv: (name) => {
      delete process.env[name]
    },
    cwd: () => process.cwd(),
    // Opened only by those who read it; a stop by signal ends the reading too.
    get stdin() {
      return addAbortSignal(signal, process.stdin)
    },
    stdout: process.stdout,
    stderr: process.stderr,
    clock: realClock(),
    random: Math.random,
    disk,
    interrupt: signal,
    startWorker: (name, workerData) =>
      new Worker(new URL(`./workers/${name}.js`, import.meta.url), { workerData, env: {} }),
    runProgram,
    host: {
      pid: process.pid,
      name: hostname(),
      platform: process.platform,
      homeDir: homeDir(),
      nodeVersion: process.versions.node,
      cores: availableParallelism(),
      umask: process.umask(),
      tempDir: tmpdir(),
    },
  }
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

// The first signal asks the run to stop and clean up; the second ends the process at once.
function listenForSignals(): AbortSignal {
  const controller = new AbortController()
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (process.stderr.isTTY) process.stderr.write('\u001b[?25h')
        process.exit(exitCode)
      }
      controller.abort(new Failure('interrupted', `stopped by ${name}`, { exitCode }))
    })
  }
  return controller.signal
}

function homeDir(): string {
  try {
    return process.env.HOME === '' ? '' : homedir()
  } catch {
    return ''
  }
}

function runProgram(
  program: string,
  args: readonly string[],
): Promise<{ exitCode: number | null; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
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
