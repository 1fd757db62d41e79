import type { Failure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import type { World } from '../base/world.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import { optionsOf } from './options.ts'
import { resolveSettings } from './settings/resolve.ts'
import {
  loginCommandText,
  missingSecret,
  planSecret,
  readSecret,
  type SecretName,
  type SecretPlan,
  takeEnvSecrets,
} from './settings/secret.ts'
import type { CommandLine, Secret, Settings } from './settings/settings.ts'

/** What a command works with. */
export interface Context {
  readonly world: World
  readonly settings: Settings
  readonly terminal: Terminal
  /** What is wrong with the settings; those of `doctor`, which runs anyway, are then the flags alone. */
  readonly settingsFailure: Failure | undefined
  /** Throws what is wrong with the settings, unless the command reports it among its checks. */
  readonly requireSettings: () => void
  /** Where a secret would come from; reads nothing. */
  readonly planSecret: (name: SecretName) => SecretPlan | undefined
  /** Reads a secret, which is redacted from then on; `config` when there is none or it is invalid. */
  readonly readSecret: (name: SecretName) => Promise<Secret>
}

/**
 * Resolves the settings and builds the context of a command, also when they are wrong. Takes secrets out of the environment, whatever
 * the command.
 */
export async function openContext(world: World, typed: CommandLine): Promise<Context> {
  const taken = takeEnvSecrets(world)
  const resolved = await resolveSettings(world, typed)
  const { failure } = resolved
  const isCheck = typed.command === 'doctor' && failure?.kind === 'config'
  const used = isCheck ? await resolveSettings(world, { ...typed, reach: 'flags' }) : resolved
  const { settings, file, notices } = used
  const names = new Set(optionsOf(typed.command).map(({ name }) => name))
  const terminal = createTerminal(world, settings.values, (name) => names.has(name))
  for (const secret of taken.values()) terminal.secrets.add(secret.trim())
  for (const notice of notices) terminal.reporter.notice(notice)
  if (file?.isExposed === true && hasSecret(file)) {
    terminal.reporter.notice({
      level: 'warning',
      event: 'settings.exposed',
      message: `others can read ${file.path}, which holds a secret; run: chmod 600 ${shellQuote(file.path)}`,
    })
  }
  const plan: Context['planSecret'] = (name) => planSecret(name, world, taken, file, settings.values.profile)
  return {
    world,
    settings,
    terminal,
    settingsFailure: failure,
    requireSettings: () => {
      if (failure !== undefined && !isCheck) throw failure
    },
    planSecret: plan,
    readSecret: async (name) => {
      const login = loginCommandText({ world, settings }, name)
      const secret = await readSecret(name, world, plan(name), login, terminal.reporter.notice)
      if (secret === undefined) throw missingSecret(name, world, login)
      terminal.secrets.add(secret.value)
      return secret
    },
  }
}

function hasSecret(file: {
  readonly top: ReadonlyMap<string, unknown>
  readonly profiles: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}): boolean {
  return [file.top, ...file.profiles.values()].some((level) => level.has('token') || level.has('api-key'))
}
