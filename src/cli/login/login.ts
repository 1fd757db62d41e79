import { dirname, relative } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { readSettingsFile } from '../../fs/input-file.ts'
import { checkToken } from '../../request/token.ts'
import type { CommandRun } from '../command.ts'
import { writeSettingsFile } from '../config/write-settings-file.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import type { SecretName } from '../settings/secret.ts'
import { starterConfig } from '../starter-config.ts'
import { checkWithService } from './check-secret.ts'
import { readTypedSecret } from './read-secret.ts'
import { secretFileOf, secretLabel, secretNameOf } from './secret-file.ts'

/** Reads the token, checks it with the service, and writes it to its own file, which only the user can read. */
export const login: CommandRun = async (context) => {
  const { world, terminal, settings } = context
  const name = secretNameOf(context)
  const file = secretFileOf(context, name)
  const secret = usable(name, await readTypedSecret(context, name))
  terminal.addSecret(secret)
  const checked = await checkWithService(context, name, secret)
  await writeSettingsFile(world, file.path, `${secret}\n`, true)
  if (file.unnamedIn !== undefined) {
    const starter = starterConfig({ 'base-url': settings.values.baseUrl })
    await nameInConfig(context, file.unnamedIn, name, file.path, starter)
  }
  const facts = { path: file.path, config: file.unnamedIn ?? null, checked }
  if (terminal.choice.json) await terminal.write(jsonResult('login', 'ok', facts))
  else await terminal.write(`${escapeUnsafe(file.path)}\n`)
  if (file.unnamedIn !== undefined)
    terminal.say('login.config', `${file.unnamedIn} now names it as ${name}-file`)
  return 0
}

function usable(name: SecretName, text: string): string {
  const checked = checkToken(text)
  if ('token' in checked) return checked.token
  throw new Failure('config', `the ${secretLabel(name)} ${checked.reason}; nothing was written`, {
    hint: `paste only the ${secretLabel(name)}, on one line`,
  })
}

// The line goes to the top: below it a table may begin.
async function nameInConfig(
  { world }: Context,
  config: string,
  name: SecretName,
  path: string,
  starter: string,
): Promise<void> {
  const before = (await readSettingsFile(world, config, false))?.text ?? starter
  const line = `${name}-file = ${JSON.stringify(relative(dirname(config), path))}\n`
  const target = await world.disk.realpath(config).catch(() => config)
  await writeSettingsFile(world, target, `${line}${before}`, true)
}
