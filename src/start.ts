import { Failure, systemCode } from './base/failure.ts'
import type { World } from './base/world.ts'
import { realWorld } from './real-world.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Runs the tool in this process, to its exit code: signals, faults of the tool itself, and nothing else. */
export async function start(startWorker: World['startWorker']): Promise<void> {
  // A promise that never settles would otherwise end the process with 0 and no word.
  process.exitCode = 1
  process.on('uncaughtException', (error) => {
    crash(error)
    process.exit(process.exitCode)
  })
  try {
    const { run } = await import('./cli/run.ts')
    let interrupt: AbortSignal | undefined
    const listen = (): AbortSignal => (interrupt ??= listenForSignals())
    process.exitCode = await run(realWorld(process.argv.slice(2), listen, startWorker))
  } catch (error) {
    crash(error)
  }
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

// The first signal asks the run to stop and clean up; the second ends the process at once.
function listenForSignals(): AbortSignal {
  const controller = new AbortController()
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (process.stderr.isTTY) process.stderr.write('\u001b[?25h')
        process.exit(exitCode)
      }
      controller.abort(
        new Failure('interrupted', `stopped by ${name}`, {
          exitCode,
          hint: 'run the same command again; a download goes on where it was',
        }),
      )
    })
  }
  return controller.signal
}
