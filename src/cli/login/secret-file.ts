import { dirname, join } from 'node:path'
import { Failure, isFailure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { writePrivateFile } from '../../fs/publish.ts'
import { stateDirectory } from '../../fs/user-files.ts'
import type { Context } from '../context.ts'
import { configPathOf } from '../settings/config-file.ts'
import { type SecretName, secretLabel } from '../settings/secret.ts'

/** The file of a secret. */
interface SecretFile {
  readonly path: string
  /** The config file that does not name it yet; undefined where a setting or a variable names the file. */
  readonly unnamedIn: string | undefined
}

// That of the config file, or on Windows one that does not roam to other machines with it.
function secretDirectoryOf(context: Context): string {
  const { world, settings } = context
  const roams = world.host.platform === 'win32' && settings.values.config === undefined
  const local = roams ? stateDirectory(world) : undefined
  return local ?? dirname(configPathOf(context))
}

/**
 * The file that the secret is read from, by default one beside the config file; that of a profile is its own. A secret that comes from
 * somewhere else, such as a variable or a command, is a Failure of kind `config`: a file would not be read.
 */
export function secretFileOf(context: Context, name: SecretName): SecretFile {
  const plan = context.planSecret(name)
  const { profile } = context.settings.values
  const isOfAllProfiles = profile !== undefined && plan?.source.kind === 'file'
  if (plan === undefined || isOfAllProfiles) {
    const config = configPathOf(context)
    const file = profile === undefined ? name : `${name}-${encodeURIComponent(profile)}`
    return { path: join(secretDirectoryOf(context), file), unnamedIn: config }
  }
  if (plan.how === 'file') {
    const path = plan.text as string
    return { path: absolutePath(context.world.cwd, path), unnamedIn: undefined }
  }
  const where = plan.source.kind === 'default' ? name : plan.source.where
  const isVariable = plan.source.kind === 'environment'
  throw new Failure('config', `the ${secretLabel(name)} comes from ${where}, which overrides a file`, {
    hint: isVariable ? `run: unset ${where}` : 'remove that line from the config file first',
  })
}

/** Writes a file of the settings, mode 0600. The hint of a failure names the option for the config file, which decides where it is. */
export async function writeSettingsFile(
  world: World,
  path: string,
  text: string,
  overwrite: boolean,
): Promise<void> {
  try {
    await writePrivateFile(world, path, text, { overwrite })
  } catch (error) {
    if (!isFailure(error)) throw error
    const options = error.details.options ?? []
    throw error.with({
      options: options.map((option) => (option === 'output' ? 'config' : option)),
      cause: error,
    })
  }
}
