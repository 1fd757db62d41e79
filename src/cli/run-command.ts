import type { World } from '../base/world.ts'
import { isSet } from '../terminal/color.ts'
import type { OutputChoice } from '../terminal/output-choice.ts'
import { ReaderGone } from '../terminal/stream-writer.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import type { CommandRun, Context } from './context.ts'
import { errorObject, explain } from './explain.ts'
import { openContext } from './open-context.ts'
import type { CommandName } from './options/commands.ts'
import { parseArgv, type Typed } from './parse-argv.ts'
import { commandIn } from './scan-argv.ts'

const COMMAND_RUNS: Readonly<Record<CommandName, () => Promise<{ readonly run: CommandRun }>>> = {
  download: () => import('./commands/download-command.ts'),
  list: () => import('./commands/list-command.ts'),
  verify: () => import('./commands/verify-command.ts'),
  extract: () => import('./commands/extract-command.ts'),
  report: () => import('./commands/report-command.ts'),
  diff: () => import('./commands/diff-command.ts'),
  state: () => import('./commands/state-command.ts'),
  migrate: () => import('./commands/migrate-command.ts'),
  doctor: () => import('./commands/doctor-command.ts'),
  config: () => import('./commands/config-command.ts'),
  completion: () => import('./commands/completion-command.ts'),
  sandbox: () => import('./commands/sandbox-command.ts'),
}

/** Runs the command that was typed, to its exit code. Never throws; everything it says went through `world`'s streams. */
export async function runCommand(world: World): Promise<number> {
  const terminal = createTerminal(world, peekChoice(world))
  try {
    return await act(world, terminal, parseArgv(world.argv))
  } catch (error) {
    return await fail(world, terminal, commandIn(world.argv) ?? 'error', {}, error)
  }
}

async function act(world: World, first: Terminal, typed: Typed): Promise<number> {
  const facts: Record<string, unknown> = {}
  let terminal = first
  try {
    const context: Context = await openContext(world, typed, first, facts)
    terminal = context.terminal
    const { run: runOne } = await COMMAND_RUNS[typed.command]()
    const code = await runOne(context)
    terminal.stopProgress()
    return code
  } catch (error) {
    return await fail(world, terminal, typed.command, facts, error)
  }
}

async function fail(
  world: World,
  terminal: Terminal,
  command: string,
  facts: Readonly<Record<string, unknown>>,
  thrown: unknown,
): Promise<number> {
  terminal.stopProgress()
  // Streams that were cut off by the user's signal say so in their own words.
  const isCutOff = world.interrupt.aborted && thrown instanceof Error && thrown.name === 'AbortError'
  const error: unknown = isCutOff ? world.interrupt.reason : thrown
  // The reader of the result went away: nothing is wrong, and nobody is left to tell.
  if (error instanceof ReaderGone) return 0
  const object = errorObject(error)
  explain(world, terminal, error)
  if (terminal.choice.json) {
    const result = { schema: `matdecl.${command}/1`, status: 'failed', error: object, ...facts }
    await terminal.write(`${JSON.stringify(result)}\n`).catch(() => undefined)
  }
  return object.exitCode
}

// Usage errors must come out the way the user asked, so these few are looked for before anything is parsed.
function peekChoice(world: World): OutputChoice {
  const end = world.argv.indexOf('--')
  const words = end === -1 ? world.argv : world.argv.slice(0, end)
  const has = (flag: string): boolean => words.includes(flag)
  const after = (flag: string): string | undefined =>
    words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) ??
    (has(flag) ? words[words.indexOf(flag) + 1] : undefined)
  const color = after('--color') ?? world.env.MATDECL_COLOR
  return {
    json: has('--json') || isSet(world.env.MATDECL_JSON),
    quiet:
      has('--quiet') || words.some((word) => /^-[a-zA-Z]*q/.test(word)) || isSet(world.env.MATDECL_QUIET),
    verbose: words.filter((word) => word === '-vv').length * 2,
    logFormat: (after('--log-format') ?? world.env.MATDECL_LOG_FORMAT) === 'json' ? 'json' : 'text',
    noProgress: true,
    color: color === 'always' || color === 'never' ? color : 'auto',
    noColor: has('--no-color') || isSet(world.env.MATDECL_NO_COLOR),
    noInput: true,
  }
}
