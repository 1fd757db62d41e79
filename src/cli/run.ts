import { CommanderError, type OutputConfiguration } from 'commander'
import { orAborted } from '../base/aborted.ts'
import { cleanText, jsonText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { COMMIT, VERSION } from '../base/version.ts'
import type { OutputStream, World } from '../base/world.ts'
import { ReaderGone, streamWriter } from '../terminal/stream-writer.ts'
import { isSet, type OutputChoice, wantsColor } from '../terminal/style.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import { errorObject, explain, interruptionOr } from './explain.ts'
import { FailedRun } from './json.ts'
import {
  commandTyped,
  createProgram,
  givenOptions,
  type Invocation,
  shortHelp,
  type ToolCommand,
} from './program.ts'
import type { CommandLine } from './settings/settings.ts'

/** The first argument of a call from the completion script of a shell. */
const COMPLETE = '__complete'

/**
 * Runs the tool once, from its arguments to the exit code. Never throws; all output goes through `world`'s streams. `stalled` ends a
 * command that nothing else can end.
 */
export async function run(
  world: World,
  stalled: AbortSignal = new AbortController().signal,
): Promise<number> {
  // The rest is another command line, which is not complete yet.
  if (world.argv[0] === COMPLETE) {
    const { completionLines } = await import('./complete.ts')
    await streamWriter(
      world.stdout,
      world.interrupt,
    )(await completionLines(world, world.argv.slice(1))).catch(() => undefined)
    return 0
  }
  const help: string[] = []
  let exitCode = 0
  const act = async (invocation: Invocation): Promise<void> => {
    exitCode = await runCommand(world, program, invocation, stalled)
  }
  const program: ToolCommand = createProgram({
    act,
    output: outputOf(world, () => program, help),
  })
  try {
    if (world.argv.length === 0) {
      await streamWriter(world.stderr, world.interrupt)(shortHelp(program)).catch(() => undefined)
      return 2
    }
    await program.parseAsync([...world.argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return fail(world, await usageTerminal(world, program), commandTyped(program), error)
    }
    const terminal = earlyTerminal(world, program)
    const text = error.code === 'commander.version' ? versionText(world, terminal.choice.json) : help.join('')
    return terminal.write(text).then(
      () => 0,
      (failure) => fail(world, terminal, 'error', failure),
    )
  }
}

// Never throws: an error of the command is printed here.
async function runCommand(
  world: World,
  program: ToolCommand,
  invocation: Invocation,
  stalled: AbortSignal,
): Promise<number> {
  let terminal = earlyTerminal(world, program)
  const act = async (): Promise<number> => {
    const { openContext } = await import('./context.ts')
    const operands = await operandsOf(world, invocation)
    const context = await openContext(world, { ...invocation, operands })
    terminal = context.terminal
    context.requireSettings()
    return invocation.run(context)
  }
  try {
    const code = await orAborted(act(), stalled)
    terminal.stopProgress()
    return code
  } catch (error) {
    return fail(world, terminal, invocation.command, error)
  }
}

// The shells of Windows leave wildcards as they are.
async function operandsOf(world: World, invocation: Invocation): Promise<readonly string[]> {
  for (const operand of invocation.operands) await refuseOtherBytes(world, operand)
  if (world.host.platform !== 'win32') return invocation.operands
  const { expandWildcards } = await import('./wildcards.ts')
  return expandWildcards(world, invocation)
}

/** Throws `usage` for an argument that was not UTF-8: Node gives it with U+FFFD, which would name another file or directory. */
async function refuseOtherBytes(world: World, operand: string): Promise<void> {
  const [named] = /^.*\ufffd[^/\\]*/s.exec(operand) ?? []
  if (named === undefined) return
  const { absolutePath, isTaken } = await import('../fs/output-target.ts')
  if (await isTaken(world.disk, absolutePath(world.cwd, named)).catch(() => false)) return
  throw new Failure('usage', `the argument '${cleanText(operand, 200)}' is not UTF-8`, {
    hint: 'rename the file or directory, or name the directory above it',
  })
}

async function fail(world: World, terminal: Terminal, command: string, thrown: unknown): Promise<number> {
  terminal.stopProgress()
  const error = interruptionOr(world, thrown instanceof FailedRun ? thrown.reason : thrown)
  const known = thrown instanceof FailedRun ? thrown.known : {}
  // The reader of standard output is gone: nothing is wrong.
  if (error instanceof ReaderGone) return 0
  const object = errorObject(error, terminal)
  const isSilent = terminal.choice.quiet && thrown instanceof FailedRun && thrown.mayWait
  if (!isSilent) explain(terminal, error)
  if (terminal.choice.json) {
    // What is known may have the status of a run that succeeded.
    const outcome = { schema: `matdecl.${command}/1`, status: 'failed', error: object }
    const result = { ...outcome, ...known, ...outcome }
    await terminal.write(`${jsonText(result)}\n`).catch(() => undefined)
  }
  return object.exitCode
}

function earlyTerminal(world: World, program: ToolCommand): Terminal {
  return createTerminal(world, earlyOutput(givenOptions(program), world.env))
}

// For an error of the command line: the config file says how to print it too, if it can be read.
async function usageTerminal(world: World, program: ToolCommand): Promise<Terminal> {
  const { openContext } = await import('./context.ts')
  const line = { command: 'completion', operands: [], afterDashes: [], given: givenOptions(program) } as const
  return openContext(world, line).then(
    ({ terminal }) => terminal,
    () => earlyTerminal(world, program),
  )
}

/** How to print before the settings are known, and when they never are: by flags and variables, without checking them. */
function earlyOutput(given: CommandLine['given'], env: World['env']): OutputChoice {
  const color = given.get('color')?.at(-1) ?? env.MATDECL_COLOR
  return {
    json: given.has('json') || isSet(env.MATDECL_JSON),
    quiet: given.has('quiet') || isSet(env.MATDECL_QUIET),
    verbose: given.get('verbose')?.length ?? 0,
    logFormat: (given.get('logFormat')?.at(-1) ?? env.MATDECL_LOG_FORMAT) === 'json' ? 'json' : 'text',
    noProgress: true,
    color: color === 'always' || color === 'never' ? color : 'auto',
    noColor: given.has('noColor') || isSet(env.MATDECL_NO_COLOR),
    noInput: true,
  }
}

// Help is collected, so that it is written like every other result.
function outputOf(world: World, program: () => ToolCommand, help: string[]): OutputConfiguration {
  const write = (text: string): void => void help.push(text)
  const columnsOf = (stream: OutputStream): number => Number(world.env.COLUMNS) || stream.columns || 80
  const hasColor = (stream: OutputStream): boolean =>
    wantsColor({
      ...earlyOutput(givenOptions(program()), world.env),
      env: world.env,
      isTTY: stream.isTTY === true,
    })
  return {
    writeOut: write,
    writeErr: write,
    getOutHelpWidth: () => columnsOf(world.stdout),
    getErrHelpWidth: () => columnsOf(world.stderr),
    getOutHasColors: () => hasColor(world.stdout),
    getErrHasColors: () => hasColor(world.stderr),
  }
}

function versionText(world: World, asJson: boolean): string {
  if (!asJson) return `matdecl ${VERSION}\n`
  const facts = {
    schema: 'matdecl.version/1',
    version: VERSION,
    node: world.host.nodeVersion,
    platform: `${world.host.platform}-${process.arch}`,
    commit: COMMIT,
  }
  return `${jsonText(facts)}\n`
}
