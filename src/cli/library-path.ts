import { Failure, isFailure } from '../base/failure.ts'
import { absolutePath } from '../fs/output-target.ts'
import { dataDirectory } from '../fs/user-files.ts'
import type { Context } from './context.ts'

type Settings = Pick<Context, 'world' | 'settings'>

/** The directory of the library by the settings; `config` when there is none. */
export function libraryPath(context: Settings): string {
  const path = knownLibraryPath(context)
  if (path !== undefined) return path
  throw new Failure('config', 'there is no library: HOME is not set', {
    hint: 'name its directory with --library or MATDECL_LIBRARY',
  })
}

/** The same error; where it names the output as the path that helps, it is that of the library. */
export function aboutLibrary(error: unknown): unknown {
  const { options = [] } = isFailure(error) ? error.details : {}
  if (!isFailure(error) || !options.includes('output')) return error
  return error.with({
    options: ['library', ...options.filter((one) => one !== 'library' && one !== 'output')],
  })
}

/** The same, or undefined without a home directory. The sandbox has one of its own beside it, unless an option names one. */
export function knownLibraryPath({ world, settings }: Settings): string | undefined {
  const { library, sandbox } = settings.values
  const isNamed = settings.sources.library?.kind === 'flag'
  const data = dataDirectory(world)
  const path =
    library === undefined ? data && absolutePath(() => data, 'library') : absolutePath(world.cwd, library)
  return path !== undefined && sandbox && !isNamed ? `${path}-sandbox` : path
}
