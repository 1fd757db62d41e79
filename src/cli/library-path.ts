import { Failure } from '../base/failure.ts'
import { absolutePath } from '../fs/output-target.ts'
import { dataDirectory } from '../fs/user-files.ts'
import type { Context } from './context.ts'

/** The directory of the library by the settings. The sandbox has one of its own beside it, unless an option names one. */
export function libraryPath({ world, settings }: Pick<Context, 'world' | 'settings'>): string {
  const { library, sandbox } = settings.values
  const isNamed = settings.sources.library?.kind === 'flag'
  const path = library === undefined ? defaultPath(world) : absolutePath(world.cwd, library)
  if (path === undefined) {
    throw new Failure('config', 'there is no library: HOME is not set', {
      hint: 'name its directory with --library or MATDECL_LIBRARY',
    })
  }
  return sandbox && !isNamed ? `${path}-sandbox` : path
}

function defaultPath(world: Context['world']): string | undefined {
  const data = dataDirectory(world)
  return data && absolutePath(() => data, 'library')
}
