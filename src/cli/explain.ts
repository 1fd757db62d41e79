import { escapeUnsafe } from '../base/clean-text.ts'
import type { ErrorDetails } from '../base/failed-result.ts'
import { type Failure, type FailureKind, isFailure, scarceResource, systemCode } from '../base/failure.ts'
import { withOptions } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { Terminal } from '../terminal/terminal.ts'

// Twenty, and one line that counts the rest.
const MOST_PROBLEMS = 21

/** What to tell users about a thrown value. Anything but a Failure is a bug. */
export function errorObject(error: unknown, terminal: Pick<Terminal, 'hasOption'>): ErrorDetails {
  if (!isFailure(error)) {
    const scarce = scarceResource(error)
    if (scarce !== undefined) return errorObject(scarce, terminal)
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return {
      code: 'internal',
      exitCode: 1,
      message: `internal error: ${message}`,
      hint: 'this is a bug: please report it with the output of the same command and -vv',
    }
  }
  const { exitCode: _, retryAtMs, again, fewerParts, ...details } = error.details
  return {
    code: error.kind,
    exitCode: error.exitCode,
    message: error.message,
    hint: hintOf(error, terminal.hasOption),
    ...details,
    retryAt: retryAtMs === undefined ? undefined : new Date(retryAtMs).toISOString(),
  }
}

/** After these, the command fails in the same way until something was done. */
const FIXED_FIRST: readonly FailureKind[] = ['auth', 'config', 'io', 'limited', 'rejected']

/** What to do about a failure, in words. */
function hintOf(
  { kind, hint, details: { again, fewerParts, options = [] } }: Failure,
  hasOption: Terminal['hasOption'],
): string | undefined {
  const mayRequestFewer = fewerParts === true && hasOption('batch-size')
  const texts = [
    ...(mayRequestFewer ? ['request fewer parts at once'] : []),
    ...(hint === undefined ? [] : [hint]),
  ]
  const names = mayRequestFewer ? ['batch-size', ...options] : options
  const fix = texts.length === 0 ? undefined : withOptions(texts.join(', or '), names, hasOption)
  if (again === undefined) return fix
  const { kept, notes = [] } = again
  const resumed = kept === undefined ? '' : ` to resume: ${kept} kept`
  const run = [`run the same command again${resumed}`, ...notes].join('; ')
  if (fix === undefined) return run
  if (FIXED_FIRST.includes(kind)) return `${fix}; then ${run}`
  return `${run}; ${mayRequestFewer ? 'if it persists, ' : ''}${fix}`
}

/** Prints an error to standard error: what happened, why, what to do. In GitHub Actions also as an annotation. */
export function explain(terminal: Terminal, error: unknown): void {
  const { message, ...rest } = errorObject(error, terminal)
  const style = terminal.err
  const problems = problemsOf(error).map(escapeUnsafe)
  const shown = escapeUnsafe(message)
  const lines = [
    `${style.bad('matdecl: error:')} ${shown}`,
    ...problems.slice(0, MOST_PROBLEMS).map((problem) => `  ${problem}`),
    ...(problems.length > MOST_PROBLEMS ? [`  … and ${problems.length - MOST_PROBLEMS} more`] : []),
    ...(rest.hint === undefined ? [] : [`  ${style.faint('hint:')} ${escapeUnsafe(rest.hint)}`]),
    ...(terminal.choice.verbose >= 2 ? causeLines(error) : []),
  ]
  const command = `::error title=matdecl ${rest.code}::${annotation([shown, ...problems].join('\n'))}`
  terminal.sayError(`error.${rest.code}`, lines, { message, ...rest }, command)
}

// A single problem is usually in the message: it is not printed twice.
function problemsOf(error: unknown): readonly string[] {
  const problems = isFailure(error) ? (error.details.problems ?? []) : []
  const [only] = problems
  return problems.length === 1 && isFailure(error) && error.message.includes(only!) ? [] : problems
}

// A Failure is expected: its causes explain it, a stack does not.
function causeLines(error: unknown): string[] {
  const lines: string[] = []
  for (let one: unknown = error; one instanceof Error && lines.length < 60; one = one.cause) {
    const code = systemCode(one)
    if (!isFailure(error)) for (const line of (one.stack ?? String(one)).split('\n')) lines.push(line)
    else if (!isFailure(one)) lines.push(`caused by: ${one.message}${code === undefined ? '' : ` (${code})`}`)
  }
  return lines.map((line) => `    ${escapeUnsafe(line)}`)
}

// GitHub's workflow commands take one line: percent, CR and LF are escaped.
function annotation(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** The reason for the interruption when a signal ended the streams of `world`; else what was thrown. */
export function interruptionOr(world: World, thrown: unknown): unknown {
  const isInterrupted = world.interrupt.aborted && thrown instanceof Error && thrown.name === 'AbortError'
  return isInterrupted ? world.interrupt.reason : thrown
}

/** True for the Failure of a run that a signal stopped. */
export function isInterruption(error: unknown): error is Failure {
  return isFailure(error) && error.kind === 'interrupted'
}
