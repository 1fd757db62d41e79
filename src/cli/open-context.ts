import { type Failure, isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import type { Context } from './context.ts'
import type { Typed } from './parse-argv.ts'
import { type Reach, type Resolved, resolveSettings } from './settings/resolve.ts'
import { missingSecret, planSecret, readSecret, takeEnvSecrets } from './settings/secret.ts'

// What is wrong with the settings is then part of the result.
const TELLS_OF_SETTINGS: readonly string[] = ['doctor']

/** Settles the settings and builds what a command works with. Secrets are taken out of the environment here, whatever the command. */
export async function openContext(
  world: World,
  typed: Typed,
  early: Terminal,
  facts: Record<string, unknown>,
): Promise<Context> {
  const taken = takeEnvSecrets(world)
  for (const secret of taken.values()) early.addSecret(secret.trim())
  const { settings, file, notices, failure } = await settle(world, typed)
  const terminal = createTerminal(world, settings.values)
  for (const secret of taken.values()) terminal.addSecret(secret.trim())
  for (const notice of notices) terminal.reporter.notice(notice)
  if (file?.isExposed === true && hasSecret(file)) {
    terminal.reporter.notice({
      level: 'warning',
      event: 'settings.exposed',
      message: `others can read ${file.path}, which holds a secret; run: chmod 600 '${file.path}'`,
    })
  }
  const plan: Context['planSecret'] = (name) => planSecret(name, world, taken, file, settings.values.profile)
  return {
    world,
    settings,
    terminal,
    facts,
    settingsFailure: failure,
    planSecret: plan,
    readSecret: async (name) => {
      const secret = await readSecret(name, world, plan(name), terminal.reporter.notice)
      if (secret === undefined) throw missingSecret(name, world)
      terminal.addSecret(secret.value)
      return secret
    },
  }
}

// `config init` and `config path` are for when the file is broken or not there; `doctor` tells what is wrong with it.
async function settle(
  world: World,
  typed: Typed,
): Promise<Resolved & { readonly failure: Failure | undefined }> {
  const isAboutFile = typed.command === 'config' && ['init', 'path'].includes(typed.operands[0] ?? '')
  const reach: Reach = isAboutFile ? 'without-file' : 'everywhere'
  try {
    return { ...(await resolveSettings(world, typed, reach)), failure: undefined }
  } catch (error) {
    if (!TELLS_OF_SETTINGS.includes(typed.command) || !isFailure(error) || error.kind !== 'config')
      throw error
    return { ...(await resolveSettings(world, typed, 'flags')), failure: error }
  }
}

function hasSecret(file: {
  readonly top: ReadonlyMap<string, unknown>
  readonly profiles: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}): boolean {
  return [file.top, ...file.profiles.values()].some((level) => level.has('token') || level.has('api-key'))
}
