import { escapeUnsafe } from '../../base/clean-text.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { okResult, printResult } from '../json.ts'

export const configCommand: CommandDefinition = {
  name: 'config',
  summary: 'show settings and their sources, or print paths',
  description:
    '`show` lists the effective settings with their sources: command line, environment, profile, file or default. For secrets it shows only the source. It accepts any setting as an option, and shows the result. `path` prints the paths of the config file, the library and the state. `login` writes the config file.',
  examples: [
    {
      line: 'matdecl config show --profile nightly',
      does: 'show the settings of a profile and their sources',
    },
    { line: 'matdecl config path', does: 'print where the config file is, or would be' },
    { line: "matdecl config show --json | jq '.settings.rate'", does: 'print one setting for a script' },
  ],
  subcommands: [
    {
      name: 'show',
      summary: 'list the effective settings with their sources',
      operands: [],
      takesAllSettings: true,
      run: async (context) => (await import('../show-config.ts')).showConfig(context),
    },
    {
      name: 'path',
      summary: 'print the paths of the config file, the library and the state',
      operands: [],
      reach: 'without-file',
      run: showPaths,
    },
  ],
}

/** Prints the paths of the config file, the library and the state, whether they exist or not. */
async function showPaths(context: Context): Promise<number> {
  const { isTaken } = await import('../../fs/output-target.ts')
  const { stateDirectory } = await import('../../fs/user-files.ts')
  const { knownLibraryPath } = await import('../library-path.ts')
  const { configPathOf } = await import('../settings/config-file.ts')
  const { world, terminal } = context
  const state = stateDirectory(world)
  const library = knownLibraryPath(context)
  const paths = {
    config: configPathOf(context),
    ...(library === undefined ? {} : { library }),
    ...(state === undefined ? {} : { state }),
  }
  const facts: Record<string, unknown> = {}
  let text = ''
  for (const [name, path] of Object.entries(paths)) {
    facts[name] = { path, exists: await isTaken(world.disk, path).catch(() => false) }
    text += `${name.padEnd(7)}  ${escapeUnsafe(path)}\n`
  }
  await printResult(terminal, okResult('config', facts), text)
  return 0
}
