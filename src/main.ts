import { Failure, scarceResource, systemCode } from './base/failure.ts'
import { withOptions } from './base/notice.ts'
import { run } from './cli/run.ts'
import { realWorld } from './real-world.ts'

// Windows has SIGBREAK for Ctrl-Break, and SIGHUP for a closed window.
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGBREAK: 130 } as const
const KEYS: Readonly<Record<string, string>> = { SIGINT: 'Ctrl-C', SIGBREAK: 'Ctrl-Break' }

// A promise that never settles would otherwise end the process with 0 and no output.
process.exitCode = 1
process.on('uncaughtException', (error) => {
  crash(error)
  process.exit(process.exitCode)
})
try {
  process.exitCode = await run(realWorld(process.argv.slice(2), listenForSignals(), import.meta.dirname))
} catch (error) {
  crash(error)
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
function listenForSignals(): AbortSignal {
  const controller = new AbortController()
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (process.stderr.isTTY) process.stderr.write('\u001b[?25h')
        process.exit(exitCode)
      }
      controller.abort(
        new Failure('interrupted', `stopped by ${KEYS[name] ?? name}`, {
          exitCode,
          hint: 'run the same command again',
        }),
      )
    })
  }
  return controller.signal
}
