import { type Failure, isFailure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import type { World } from '../base/world.ts'
import { createTerminal, type Terminal } from '../terminal/terminal.ts'
import type { Context } from './context.ts'
import type { Typed } from './given.ts'
import { loginCommand } from './settings/next-login.ts'
import { type Resolved, resolveSettings } from './settings/resolve.ts'
import { missingSecret, planSecret, readSecret, takeEnvSecrets } from './settings/secret.ts'

/** Resolves the settings and builds the context of a command. Takes secrets out of the environment, whatever the command. */
export async function openContext(
  world: World,
  typed: Typed,
  early: Terminal,
  facts: Record<string, unknown>,
): Promise<Context> {
  const taken = takeEnvSecrets(world)
  for (const secret of taken.values()) early.addSecret(secret.trim())
  const { settings, file, notices, failure } = await readSettings(world, typed)
  const terminal = createTerminal(world, settings.values)
  for (const secret of taken.values()) terminal.addSecret(secret.trim())
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
    facts,
    settingsFailure: failure,
    planSecret: plan,
    readSecret: async (name) => {
      const login = loginCommand({ world, settings }, name)
      const secret = await readSecret(name, world, plan(name), login, terminal.reporter.notice)
      if (secret === undefined) throw missingSecret(name, world, login)
      terminal.addSecret(secret.value)
      return secret
    },
  }
}

// `doctor` reports broken settings among its checks, and runs with the flags alone.
async function readSettings(
  world: World,
  typed: Typed,
): Promise<Resolved & { readonly failure: Failure | undefined }> {
  try {
    return { ...(await resolveSettings(world, typed)), failure: undefined }
  } catch (error) {
    if (typed.command !== 'doctor' || !isFailure(error) || error.kind !== 'config') throw error
    return { ...(await resolveSettings(world, { ...typed, reach: 'flags' })), failure: error }
  }
}

function hasSecret(file: {
  readonly top: ReadonlyMap<string, unknown>
  readonly profiles: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}): boolean {
  return [file.top, ...file.profiles.values()].some((level) => level.has('token') || level.has('api-key'))
}
