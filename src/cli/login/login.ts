import { dirname, relative } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../../base/failure.ts'
import { Session } from '../../doctor/doctor.ts'
import { diskFailure } from '../../fs/disk-failure.ts'
import { readSettingsFile } from '../../fs/input-file.ts'
import { checkToken } from '../../request/token.ts'
import { inputEnded } from '../../terminal/prompts.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { doctorOptionsOf } from '../doctor-options-of.ts'
import { okResult, printResult } from '../json.ts'
import { type SecretName, secretLabel, secretNameOf } from '../settings/secret.ts'
import { starterConfig } from '../starter-config.ts'
import { secretFileOf, writeSettingsFile } from './secret-file.ts'

/** Reads the token, checks it with the service, and writes it to its own file, which only the user can read. */
export const login: CommandRun = async (context) => {
  const { world, terminal, settings } = context
  const name = secretNameOf(context.settings)
  const file = secretFileOf(context, name)
  const secret = usable(name, await readTypedSecret(context, name))
  terminal.secrets.add(secret)
  const checked = await checkWithService(context, name, secret)
  await writeSettingsFile(world, file.path, `${secret}\n`, true)
  if (file.unnamedIn !== undefined) {
    const starter = starterConfig({ 'base-url': settings.values.baseUrl })
    await nameInConfig(context, file.unnamedIn, name, file.path, starter)
  }
  const facts = { path: file.path, config: file.unnamedIn ?? null, checked }
  await printResult(terminal, okResult('login', facts), `${escapeUnsafe(file.path)}\n`)
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

/** Deletes the file of the token. The token itself stays valid until the service revokes it. */
export const logout: CommandRun = async (context) => {
  const { world, terminal } = context
  const name = secretNameOf(context.settings)
  const { path } = secretFileOf(context, name)
  const removed = await world.disk.unlink(path).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false
      throw diskFailure(error, 'delete', path)
    },
  )
  await printResult(terminal, okResult('logout', { path, removed }), removed ? `${escapeUnsafe(path)}\n` : '')
  terminal.say(
    'logout.done',
    removed
      ? `the ${secretLabel(name)} is deleted here; it stays valid until the service revokes it`
      : `there is no ${secretLabel(name)} file at ${path}`,
  )
  return 0
}

/**
 * Asks the service's `ping` and `quota` with a secret: neither uses allowance. True when the service accepted it; false, with the
 * reason on standard error, when it could not be checked. A refusal is a Failure of kind `auth`.
 */
async function checkWithService(context: Context, name: SecretName, secret: string): Promise<boolean> {
  const { world, terminal, settings } = context
  const label = secretLabel(name)
  const unchecked = (why: string): false => {
    terminal.say('login.unchecked', `the ${label} was not checked: ${why}`)
    return false
  }
  if (name === 'api-key') return unchecked('v1 has no request that checks it')
  if (settings.values.baseUrl === undefined) return unchecked('the service URL is not set')
  const options = doctorOptionsOf(context, { token: secret })
  try {
    await using session = new Session(world, options)
    const ping = await session.ask('/v2/ping')
    if (ping.kind === 'refused') throw ping.failure
    // A ping may succeed without a token; the quota belongs to one.
    const quota = await session.ask('/v2/quota')
    if (quota.kind === 'refused') throw quota.failure
    if (quota.kind === 'absent') {
      return unchecked(
        `the service ${ping.kind === 'absent' ? 'has no ping and' : 'responds, but has'} no quota to check`,
      )
    }
    terminal.say('login.checked', `the service accepts the ${label}`)
    return true
  } catch (error) {
    if (!isFailure(error)) throw error
    if (error.kind === 'unavailable') return unchecked(error.message)
    if (error.kind !== 'auth') throw error
    const hint = `the ${label} was not saved; paste it again, or ask the provider for one for this service`
    throw error.with({ hint, cause: error })
  }
}

/** A secret is far shorter. */
const LONGEST_BYTES = 64 * 1024

/** Asks for a secret without showing it; without a terminal, reads it from standard input. */
async function readTypedSecret(context: Context, name: SecretName): Promise<string> {
  const { world, terminal } = context
  if (terminal.canAsk) {
    const typed = await terminal.converse((ask) =>
      ask(`${secretLabel(name)} (not shown):`, { isSecret: true }),
    )
    if (typed === undefined) throw inputEnded()
    return typed
  }
  if (world.stdin.isTTY === true) {
    throw new Failure('usage', `the ${secretLabel(name)} is read from standard input, which is a terminal`, {
      hint: `pipe it in, or allow prompts`,
    })
  }
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of world.stdin) {
    world.interrupt.throwIfAborted()
    pieces.push(Buffer.from(piece as Uint8Array))
    bytes += pieces.at(-1)!.length
    if (bytes > LONGEST_BYTES) break
  }
  if (bytes <= LONGEST_BYTES) return Buffer.concat(pieces).toString('utf8')
  throw new Failure('usage', `standard input has more than 64 KiB, too much for a ${secretLabel(name)}`, {
    hint: `it must contain only the ${secretLabel(name)}, on one line`,
  })
}
