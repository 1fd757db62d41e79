import { Failure } from '../base/failure.ts'
import { COMMIT, VERSION } from '../base/version.ts'
import type { OutputStream, World } from '../base/world.ts'
import { commandHelp, type HelpStyle, overviewHelp, shortHelp } from '../reference/help.ts'
import { isSet, wantsColor } from '../terminal/color.ts'
import { promiseWriter, ReaderGone, streamWriter } from '../terminal/stream-writer.ts'
import { type QuickAsk, quickAsk } from './scan-argv.ts'

/** Runs the tool once, from what was typed to the exit code. Never throws; everything it says went through `world`'s streams. */
export async function run(world: World): Promise<number> {
  const quick = quickAsk(world.argv)
  if (quick !== undefined) return answer(world, quick)
  // From here on a signal asks the run to stop and clean up; what came before simply ends.
  void world.interrupt
  const { runCommand } = await import('./run-command.ts')
  return runCommand(world)
}

// Help, version and completions load nothing that they do not need: no parser, no schemas, no settings.
async function answer(world: World, quick: QuickAsk): Promise<number> {
  try {
    if (quick.kind === 'nothing') {
      await streamWriter(world.stderr)(await helpText(world, world.stderr, quick))
      return 2
    }
    const { writePlain } = world
    const [write, stream] =
      writePlain === undefined ? [streamWriter(world.stdout), world.stdout] : [promiseWriter(writePlain), {}]
    await write(await answerText(world, stream, quick))
    return 0
  } catch (error) {
    if (error instanceof ReaderGone) return 0
    if (!(error instanceof Failure)) throw error
    world.stderr.write(`matdecl: error: ${error.message}\n`)
    return error.exitCode
  }
}

/** What a stream says of the terminal behind it. */
type Looks = Pick<OutputStream, 'isTTY' | 'columns'>

async function answerText(world: World, stream: Looks, quick: QuickAsk): Promise<string> {
  if (quick.kind === 'version') return versionText(world)
  if (quick.kind !== 'completion') return helpText(world, stream, quick)
  const { completionScript } = await import('../reference/completions.ts')
  return completionScript(quick.shell)
}

function versionText(world: World): string {
  if (!world.argv.includes('--json')) return `matdecl ${VERSION}\n`
  const facts = {
    schema: 'matdecl.version/1',
    version: VERSION,
    node: world.host.nodeVersion,
    platform: `${world.host.platform}-${process.arch}`,
    commit: COMMIT,
  }
  return `${JSON.stringify(facts)}\n`
}

async function helpText(
  world: World,
  stream: Looks,
  quick: Extract<QuickAsk, { kind: 'help' | 'nothing' }>,
): Promise<string> {
  const columns = Number(world.env.COLUMNS) || stream.columns || 80
  const style = await styleFor(world, stream)
  if (quick.kind === 'nothing') return shortHelp(columns, style)
  return quick.command === undefined
    ? overviewHelp(columns, style)
    : commandHelp(quick.command, columns, style)
}

async function styleFor(world: World, stream: Looks): Promise<HelpStyle | undefined> {
  const noColor = world.argv.includes('--no-color') || isSet(world.env.MATDECL_NO_COLOR)
  const color = world.argv.includes('--color=always')
    ? 'always'
    : world.argv.includes('--color=never')
      ? 'never'
      : 'auto'
  if (!wantsColor({ color, noColor, env: world.env, isTTY: stream.isTTY === true })) return undefined
  const { createStyle } = await import('../terminal/style.ts')
  return createStyle(true, true)
}
