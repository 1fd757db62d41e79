import { Failure, isFailure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { writePrivateFile } from '../../fs/publish.ts'

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
    const { exitCode: _, ...details } = error.details
    throw new Failure(error.kind, error.message, {
      ...details,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      options: (details.options ?? []).map((option) => (option === 'output' ? 'config' : option)),
      cause: error,
    })
  }
}
