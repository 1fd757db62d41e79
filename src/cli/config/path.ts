import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { stateFolderOf } from '../../download/state.ts'
import { absolutePath, isTaken } from '../../fs/output-target.ts'
import { cacheFolder } from '../../fs/user-files.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { defaultConfigPath } from '../settings/config-file.ts'

/** Prints the paths of the config file, the state and the cache, whether they exist or not. */
export const showPaths: CommandRun = async (context) => {
  const { world, terminal } = context
  const config = configPathOf(context)
  const state = stateFolderOf(world)
  const cache = cacheFolder({ env: world.env, ...world.host })
  if (terminal.choice.json) {
    const facts = {
      config: { path: config, exists: await exists(world, config) },
      state: { path: state, exists: await exists(world, state) },
      ...(cache === undefined ? {} : { cache: { path: cache, exists: await exists(world, cache) } }),
    }
    await terminal.write(jsonResult('config', 'ok', facts))
  } else {
    const paths = [config, state, ...(cache === undefined ? [] : [cache])]
    await terminal.write(paths.map((path) => `${escapeUnsafe(path)}\n`).join(''))
  }
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

function exists({ disk }: World, path: string): Promise<boolean> {
  return isTaken(disk, path).catch(() => false)
}
