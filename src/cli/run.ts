import { CommanderError, type OutputConfiguration } from 'commander'
import { jsonText } from '../base/clean-text.ts'
import { COMMIT, VERSION } from '../base/version.ts'
import type { OutputStream, World } from '../base/world.ts'
import { wantsColor } from '../terminal/color.ts'
import { ReaderGone, streamWriter } from '../terminal/stream-writer.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import { errorObject, explain } from './explain.ts'
import { earlyOutput, givenOptions } from './given.ts'
import { commandTyped, createProgram, type Invocation, shortHelp } from './program.ts'
import type { ToolCommand } from './tool-command.ts'

/** Runs the tool once, from its arguments to the exit code. Never throws; all output goes through `world`'s streams. */
export async function run(world: World): Promise<number> {
  const help: string[] = []
  let exitCode = 0
  const act = async (invocation: Invocation): Promise<void> => {
    exitCode = await runCommand(world, program, invocation)
  }
  const program: ToolCommand = createProgram({
    act,
    output: outputOf(world, () => program, help),
    addsLater: true,
  })
  try {
    if (world.argv.length === 0) {
      await streamWriter(world.stderr)(shortHelp(program)).catch(() => undefined)
      return 2
    }
    await program.parseAsync([...world.argv], { from: 'user' })
    return exitCode
  } catch (error) {
    const terminal = earlyTerminal(world, program)
    if (!(error instanceof CommanderError)) return fail(world, terminal, commandTyped(program), {}, error)
    const text = error.code === 'commander.version' ? versionText(world, terminal.choice.json) : help.join('')
    return terminal.write(text).then(
      () => 0,
      (failure) => fail(world, terminal, 'error', {}, failure),
    )
  }
}

// Never throws: an error of the command is printed here.
async function runCommand(world: World, program: ToolCommand, invocation: Invocation): Promise<number> {
  const facts: Record<string, unknown> = {}
  let terminal = earlyTerminal(world, program)
  try {
    const { openContext } = await import('./open-context.ts')
    const { expandWildcards } = await import('./wildcards.ts')
    const operands = await expandWildcards(world, invocation)
    const context = await openContext(world, { ...invocation, operands }, terminal, facts)
    terminal = context.terminal
    const code = await invocation.run(context, createProgram)
    terminal.stopProgress()
    return code
  } catch (error) {
    return fail(world, terminal, invocation.command, facts, error)
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
  // A stream that was aborted by a signal fails with its own error.
  const isCutOff = world.interrupt.aborted && thrown instanceof Error && thrown.name === 'AbortError'
  const error: unknown = isCutOff ? world.interrupt.reason : thrown
  // The reader of standard output is gone: nothing is wrong.
  if (error instanceof ReaderGone) return 0
  const object = errorObject(error)
  explain(world, terminal, error)
  if (terminal.choice.json) {
    const result = { schema: `matdecl.${command}/1`, status: 'failed', error: object, ...facts }
    await terminal.write(`${jsonText(result)}\n`).catch(() => undefined)
  }
  return object.exitCode
}

function earlyTerminal(world: World, program: ToolCommand): Terminal {
  return createTerminal(world, earlyOutput(givenOptions(program), world.env))
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
