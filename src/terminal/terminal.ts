import { escapeUnsafe, jsonText, withoutCommands, wrapSummary } from '../base/clean-text.ts'
import { type Reporter, withOptions } from '../base/notice.ts'
import { Secrets } from '../base/redact.ts'
import type { OutputStream, World } from '../base/world.ts'
import { createProgress, type ProgressView, USUAL_COLUMNS } from './progress.ts'
import type { Ask } from './prompts.ts'
import { streamWriter } from './stream-writer.ts'
import { createStyle, isSet, type OutputChoice, type Style, wantsColor, wantsUnicode } from './style.ts'

/** Standard output and standard error. Everything written to them is redacted. */
export interface Terminal {
  readonly choice: OutputChoice
  readonly reporter: Reporter
  /** Whether the command has an option of this long name: hints name no other. */
  readonly hasOption: (name: string) => boolean
  readonly out: Style
  readonly err: Style
  /** The width of standard output; undefined when it is not a terminal. */
  readonly columns: number | undefined
  readonly isOutTTY: boolean
  /** True when both streams are this terminal, where messages need not repeat the result. */
  readonly isOneScreen: boolean
  /** True when prompts are allowed: standard input and standard error are terminals, and no option forbids it. */
  readonly canAsk: boolean
  /** Writes the result. Rejects with `ReaderGone`, or with `io` when it cannot be written. */
  readonly write: (text: string) => Promise<void>
  /** Writes the bytes of an archive or a spreadsheet unchanged. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>
  /** Prints a line to standard error, or a log object with this stable event ID. Not with `--quiet`. */
  readonly say: (event: string, message: string, data?: Readonly<Record<string, unknown>>) => void
  /** The same for the lines of a summary, which are wrapped to the width of the terminal. */
  readonly saySummary: (
    event: string,
    lines: readonly string[],
    data?: Readonly<Record<string, unknown>>,
  ) => void
  /** Prints an error, also with `--quiet`; then, in GitHub Actions, this command. */
  readonly sayError: (
    event: string,
    lines: readonly string[],
    data: Readonly<Record<string, unknown>>,
    command: string,
  ) => void
  /** What is redacted, from when it is added. */
  readonly secrets: Secrets
  /** Asks questions with one line of input each. Only when `canAsk`. */
  readonly converse: <T>(body: (ask: Ask) => Promise<T>) => Promise<T>
  /** Removes the spinner; lines may still be written. */
  readonly stopProgress: () => void
}

const RANK = { warning: 0, info: 0, detail: 1, trace: 2 } as const

/** Builds the terminal of one run. Before the command is known, every option counts as one of its own. */
export function createTerminal(
  world: World,
  choice: OutputChoice,
  hasOption: Terminal['hasOption'] = () => true,
): Terminal {
  const secrets = new Secrets()
  const { redact } = secrets
  const unicode = wantsUnicode(world.env, world.host.platform)
  const styleOf = (stream: OutputStream): Style =>
    createStyle(wantsColor({ ...choice, env: world.env, isTTY: stream.isTTY === true }), unicode)
  const err = styleOf(world.stderr)
  const stdout = streamWriter(world.stdout, world.interrupt)
  streamWriter(world.stderr, world.interrupt)
  const canAsk =
    !choice.noInput &&
    !isSet(world.env.CI) &&
    !choice.json &&
    world.stderr.isTTY === true &&
    world.stdin.isTTY === true

  const print = (line: string): void => {
    progress.around(() => void world.stderr.write(`${redact(line)}\n`))
  }
  const isGitHub = world.env.GITHUB_ACTIONS === 'true'
  const isLogRead = isGitHub || isSet(world.env.TF_BUILD) || isSet(world.env.TEAMCITY_VERSION)
  const harmless = isLogRead ? withoutCommands : String
  const raw = (line: string): void => print(harmless(line))
  const log = (
    level: string,
    event: string,
    message: string,
    data?: Readonly<Record<string, unknown>>,
  ): void => {
    raw(logLine(world.clock.nowMs(), level, event, message, data))
  }
  const progress: ProgressView = createProgress(world, choice, (event, message) => {
    if (choice.logFormat === 'json') log('info', event, message)
    else raw(message)
  })

  const write: Terminal['write'] = (text) => progress.around(() => stdout(harmless(redact(text))))

  const say: Terminal['say'] = (event, message, data) => {
    if (choice.quiet) return
    if (choice.logFormat === 'json') log('info', event, message, data)
    else raw(message)
  }
  /** Lines as wide as the terminal, if there is one. */
  const wrapped = (lines: readonly string[]): string =>
    world.stderr.isTTY === true && choice.logFormat === 'text'
      ? lines.flatMap((line) => wrapSummary(redact(line), world.stderr.columns || USUAL_COLUMNS)).join('\n')
      : lines.join('\n')

  return {
    choice,
    hasOption,
    out: styleOf(world.stdout),
    err,
    canAsk,
    columns: world.stdout.isTTY === true ? world.stdout.columns || USUAL_COLUMNS : undefined,
    isOutTTY: world.stdout.isTTY === true,
    isOneScreen: world.stdout.isTTY === true && world.stderr.isTTY === true && choice.logFormat === 'text',
    reporter: {
      progress: progress.show,
      notice: ({ level, event, message: text, options, needsLook = false, data }) => {
        if ((choice.quiet && !needsLook) || RANK[level] > choice.verbose) return
        const message = escapeUnsafe(withOptions(text, options, hasOption))
        if (choice.logFormat === 'json') log(level === 'detail' ? 'debug' : level, event, message, data)
        else raw(wrapped([level === 'warning' ? `${err.warn('matdecl: warning:')} ${message}` : message]))
      },
    },
    write,
    writeBytes: (bytes) => stdout(bytes),
    say,
    saySummary: (event, lines, data) => say(event, wrapped(lines), data),
    sayError: (event, lines, data, command) => {
      progress.stop()
      if (choice.logFormat === 'json') {
        log('error', event, String(data.message ?? lines[0]), data)
        return
      }
      raw(wrapped(lines))
      if (isGitHub) print(command)
    },
    secrets,
    converse: async (body) => {
      progress.stop()
      return (await import('./prompts.ts')).converse(world, body)
    },
    stopProgress: progress.stop,
  }
}

/** One line of `--log-format json`: `time` (RFC 3339, UTC), `level`, `event`, `message`, then further data. */
export function logLine(
  nowMs: number,
  level: string,
  event: string,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): string {
  const { message: _, ...rest } = data
  return jsonText({
    time: new Date(nowMs).toISOString(),
    level: level === 'warning' ? 'warn' : level,
    event,
    message,
    ...rest,
  })
}
