import { basename } from 'node:path'
import { Failure, scarceResource, systemCode } from './base/failure.ts'
import { withOptions } from './base/notice.ts'
import { run } from './cli/run.ts'
import { realWorld } from './real-world.ts'

// Windows has SIGBREAK for Ctrl-Break, and SIGHUP for a closed window.
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGBREAK: 130 } as const
const KEYS: Readonly<Record<string, string>> = { SIGINT: 'Ctrl-C', SIGBREAK: 'Ctrl-Break' }

process.exitCode = 1
// Whatever the umask, the user can read and change what is written.
process.umask(process.umask() & 0o077)
const interrupt = new AbortController()
const stalled = new AbortController()
let isOver = false
let received: NodeJS.Signals | undefined
listenForSignals()
// The event loop is empty before there is a result: what is awaited would never come.
process.on('beforeExit', () => {
  if (isOver || stalled.signal.aborted) return
  const failure = new Failure('internal', 'the run ended without a result', {
    hint: 'this is a bug: please report it with the output of the same command and -vv',
  })
  // What waits with the signal ends in order, and says what is kept. If nothing does, the loop is empty once more.
  if (interrupt.signal.aborted) stalled.abort(failure)
  else interrupt.abort(failure)
  setImmediate(() => undefined)
})
process.on('uncaughtException', (error) => {
  crash(error)
  process.exit(process.exitCode)
})
try {
  const world = realWorld(process.argv.slice(2), interrupt.signal, import.meta.dirname)
  process.exitCode = await run(world, stalled.signal)
} catch (error) {
  crash(error)
}
isOver = true
if (received !== undefined && isResolving()) {
  for (const stream of [process.stdout, process.stderr]) await flushed(stream)
  endBy(received)
} else if (process.stdout.writableLength > 0) {
  // What nobody reads would keep the process of a run that was stopped.
  await flushed(process.stderr)
  process.exit()
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

// Secrets are not known here: only the kind of the error and the stack frames are printed.
function crash(error: unknown): void {
  const code = systemCode(error)
  const scarce = scarceResource(error)
  process.exitCode = scarce?.exitCode ?? 1
  const name = error instanceof Error ? error.name : typeof error
  const frames =
    error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : []
  const lines = scarce
    ? [
        `matdecl: error: ${scarce.message}`,
        `  hint: ${withOptions(scarce.hint ?? '', scarce.details.options)}`,
      ]
    : [
        `matdecl: error: internal error: ${name}${code === undefined ? '' : ` (${code})`}`,
        ...frames.slice(0, 8),
        '  hint: this is a bug: please report it with these lines',
      ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

// The first signal asks the run to stop and clean up; a second one ends the process at once.
function listenForSignals(): void {
  for (const [name, exitCode] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    process.on(name, () => {
      if (name === 'SIGHUP' && isUnderNohup()) return
      if (interrupt.signal.aborted) {
        if (process.stderr.isTTY) process.stderr.write('\u001b[?25h')
        if (isResolving()) endBy(name)
        process.exit(exitCode)
      }
      received = name
      interrupt.abort(
        new Failure('interrupted', `stopped by ${KEYS[name] ?? name}`, {
          exitCode,
          again: {},
        }),
      )
    })
  }
}

// Node resets a SIGHUP that is ignored, and no system tells that it was; shells name the program that they have started.
function isUnderNohup(): boolean {
  return basename(process.env._ ?? '') === 'nohup'
}

// The system's resolver cannot be stopped, and Node ends no process before it returns, which may take a minute.
function isResolving(): boolean {
  return process.platform !== 'win32' && process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
}

// As the first process of a container has no default action, this may return.
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
