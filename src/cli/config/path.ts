import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { stateFolderOf } from '../../download/state.ts'
import { absolutePath, isTaken } from '../../fs/output-target.ts'
import { cacheDirectory } from '../../fs/user-files.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { defaultConfigPath } from '../settings/config-file.ts'

/** Prints the paths of the config file, the state and the cache, whether they exist or not. */
export const showPaths: CommandRun = async (context) => {
  const { world, terminal } = context
  const cache = cacheDirectory({ env: world.env, ...world.host })
  const paths = {
    config: configPathOf(context),
    state: stateFolderOf(world),
    ...(cache === undefined ? {} : { cache }),
  }
  const facts: Record<string, unknown> = {}
  let text = ''
  for (const [name, path] of Object.entries(paths)) {
    facts[name] = { path, exists: await isTaken(world.disk, path).catch(() => false) }
    text += `${name.padEnd(6)}  ${escapeUnsafe(path)}\n`
  }
  await terminal.write(terminal.choice.json ? jsonResult('config', 'ok', facts) : text)
  return 0
}

/** The absolute path of the config file, named or default; `config` when no variable says where home is. */
export function configPathOf({ world, settings }: Context): string {
  const path = settings.values.config ?? defaultConfigPath(world)
  if (path !== undefined) return absolutePath(world.cwd, path)
  throw new Failure('config', 'cannot find the config file: HOME is not set', {
    hint: 'set HOME, or XDG_CONFIG_HOME to an absolute path, or name the file with --config',
  })
}
