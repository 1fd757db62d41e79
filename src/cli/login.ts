import { dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { Session } from '../doctor/doctor.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { readSettingsFile } from '../fs/input-file.ts'
import { absolutePath } from '../fs/output-target.ts'
import { writePrivateFile } from '../fs/publish.ts'
import { stateDirectory } from '../fs/user-files.ts'
import { readQuota } from '../http/quota.ts'
import { parseBaseUrl } from '../request/request.ts'
import { checkToken } from '../request/token.ts'
import { type Ask, inputEnded } from '../terminal/prompts.ts'
import type { CommandRun } from './command.ts'
import type { Context } from './context.ts'
import { doctorOptionsOf } from './doctor-options-of.ts'
import { okResult, printResult } from './json.ts'
import { configPathOf, isTable, keyLines, parseToml } from './settings/config-file.ts'
import { type SecretName, secretLabel, secretNameOf } from './settings/secret.ts'

/**
 * Asks for the address where none is set, and for the token; checks both with the service, and saves both: the token in a file of its
 * own, which only the user can read, and the address with the path of that file in the config file.
 */
export const login: CommandRun = async (context) => {
  const { world, terminal, settings } = context
  const { profile } = settings.values
  const name = secretNameOf(settings)
  const file = secretFileOf(context, name)
  const config = configPathOf(context)
  const saved = await readConfig(world, config, profile)
  const typed = await readTyped(context, name)
  const secret = usable(name, typed.secret)
  terminal.secrets.add(secret)
  const baseUrl = typed.baseUrl ?? settings.values.baseUrl
  const checked = await checkWithService(context, name, {
    secret,
    baseUrl,
    isNew: typed.baseUrl !== undefined,
  })
  await writeSettingsFile(world, file.path, `${secret}\n`)
  const isFromEnvironment = typed.baseUrl === undefined && settings.sources.baseUrl?.kind === 'environment'
  const isForNow = isFromEnvironment && saved.valueOf('base-url') !== undefined
  const keys: SavedKeys = {
    ...(baseUrl === undefined || isForNow || saved.valueOf('base-url') === baseUrl
      ? {}
      : { 'base-url': baseUrl }),
    ...(file.unnamedIn === undefined ? {} : { [`${name}-file`]: relative(dirname(config), file.path) }),
  }
  const changed = Object.keys(keys)
  if (changed.length > 0) await saveInConfig(world, config, saved.text, profile, keys)
  const facts = {
    path: file.path,
    config: changed.length > 0 ? config : null,
    baseUrl: baseUrl ?? null,
    checked,
  }
  await printResult(terminal, okResult('login', facts), `${escapeUnsafe(file.path)}\n`)
  const where = profile === undefined ? config : `${config}, profile ${profile}`
  if (changed.length > 0) terminal.say('login.config', `${where}: ${changed.join(' and ')} saved`)
  return 0
}

function usable(name: SecretName, text: string): string {
  const checked = checkToken(text)
  if ('token' in checked) return checked.token
  throw new Failure('config', `the ${secretLabel(name)} ${checked.reason}; nothing was written`, {
    hint: `paste only the ${secretLabel(name)}, on one line`,
  })
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

interface Entered {
  readonly secret: string
  readonly baseUrl: string | undefined
  /** Whether the address was typed now: then it must be right. */
  readonly isNew: boolean
}

/**
 * Asks the service's `ping` and `quota` with the secret: neither uses allowance. True when the service accepted it; false, with the
 * reason on standard error, when it could not be checked. A refusal is a Failure of kind `auth`.
 */
async function checkWithService(
  context: Context,
  name: SecretName,
  { secret, baseUrl, isNew }: Entered,
): Promise<boolean> {
  const { world, terminal } = context
  const label = secretLabel(name)
  const unchecked = (why: string): false => {
    terminal.say('login.unchecked', `the ${label} was not checked: ${why}`)
    return false
  }
  if (baseUrl === undefined) {
    return unchecked('the service URL is not set; set MATDECL_BASE_URL, or log in with --base-url')
  }
  if (name === 'api-key') return unchecked('v1 has no request that checks it')
  try {
    await using session = new Session(world, { ...doctorOptionsOf(context, { token: secret }), baseUrl })
    const ping = await session.ask('/v2/ping').catch(asAbsent)
    if (ping.kind === 'refused') throw ping.failure
    // A ping may succeed without a token; the quota belongs to one.
    const reply = await session.ask('/v2/quota').catch(asAbsent)
    if (reply.kind === 'refused') throw reply.failure
    const quota = reply.kind === 'json' ? readQuota(reply.value) : undefined
    if (quota === undefined) {
      if ('why' in reply) return unchecked(reply.why)
      if (reply.kind === 'json') return unchecked('the service responds, but its /v2/quota is not understood')
      const isThere = ping.kind === 'json'
      return unchecked(
        isThere
          ? 'the service responds, but has no /v2/quota'
          : 'the service has no /v2/ping and no /v2/quota',
      )
    }
    const lacks = quota.isForbidden ? ', but does not let it download: ask the provider for that' : ''
    terminal.say('login.checked', `the service accepts the ${label}${lacks}`)
    return true
  } catch (error) {
    if (!isFailure(error)) throw error
    if (error.kind === 'limited' || (error.kind === 'unavailable' && !isNew)) return unchecked(error.message)
    if (error.kind === 'unavailable') {
      const hint = `nothing was saved; check the address, or save it unchecked by naming it`
      throw error.with({ hint, options: ['base-url'], cause: error })
    }
    if (error.kind !== 'auth') throw error
    const hint = `the ${label} was not saved; paste it again, or ask the provider for one for this service`
    throw error.with({ hint, cause: error })
  }
}

// Whatever else it responds, such as a web page: the path means nothing to this service.
function asAbsent(error: unknown): { readonly kind: 'absent'; readonly why: string } {
  if (isFailure(error) && error.kind === 'rejected') return { kind: 'absent', why: error.message }
  throw error
}

interface Typed {
  readonly baseUrl: string | undefined
  readonly secret: string
}

/** Asks for what is not set; without a terminal, reads from standard input the token, or the address and the token. */
async function readTyped(context: Context, name: SecretName): Promise<Typed> {
  const { world, terminal, settings } = context
  const needsUrl = settings.values.baseUrl === undefined
  if (terminal.canAsk) {
    return terminal.converse(async (ask) => {
      const baseUrl = needsUrl ? await askForAddress(context, ask) : undefined
      const host = new URL(baseUrl ?? settings.values.baseUrl!).host
      const secret = await ask(`${secretLabel(name)} for ${host} (not shown):`, { isSecret: true })
      if (secret === undefined) throw inputEnded()
      return { baseUrl, secret }
    })
  }
  if (world.stdin.isTTY === true) {
    throw new Failure('usage', `the ${secretLabel(name)} is read from standard input, which is a terminal`, {
      hint: 'pipe it in, or allow prompts',
    })
  }
  const text = await readPiped(context, name)
  const [first, rest] = [text.split('\n', 1)[0]!, text.slice(text.indexOf('\n') + 1)]
  if (!first.includes('://')) return { baseUrl: undefined, secret: text }
  const parsed = parseBaseUrl(first.trim())
  if ('baseUrl' in parsed) return { baseUrl: parsed.baseUrl, secret: rest }
  throw new Failure('usage', `invalid URL on the first line of standard input: ${parsed.reason}`, {
    hint: 'it must contain the token, or the service URL and the token, each on its line',
  })
}

const MAX_ATTEMPTS = 3

async function askForAddress({ terminal }: Context, ask: Ask): Promise<string> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const answer = await ask('URL of the service, such as https://api.example.com:')
    if (answer === undefined) throw inputEnded()
    const isHost = !answer.includes('://') && answer.includes('.')
    const parsed = parseBaseUrl(isHost ? `https://${answer}` : answer)
    if ('baseUrl' in parsed) return parsed.baseUrl
    terminal.say('login.not-usable', answer === '' ? 'a URL is needed' : `invalid URL: ${parsed.reason}`)
  }
  throw new Failure('usage', 'no valid URL was entered', {
    hint: 'nothing was written; the provider of the service tells its URL',
  })
}

/** A secret is far shorter. */
const LONGEST_BYTES = 64 * 1024

async function readPiped({ world }: Context, name: SecretName): Promise<string> {
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

// The file of the secret

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
function secretFileOf(context: Context, name: SecretName): SecretFile {
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
async function writeSettingsFile(world: World, path: string, text: string): Promise<void> {
  try {
    await writePrivateFile(world, path, text)
  } catch (error) {
    if (!isFailure(error)) throw error
    const options = error.details.options ?? []
    throw error.with({
      options: options.map((option) => (option === 'output' ? 'config' : option)),
      cause: error,
    })
  }
}

// The lines of the config file

/** The settings that `login` writes. */
type SavedKeys = Readonly<Record<string, string>>

const HEAD = '# Settings of matdecl: the keys are its long options\n'

/** What the config file says: its text, and the values that a run with this profile reads from it. */
async function readConfig(
  world: World,
  path: string,
  profile: string | undefined,
): Promise<{ readonly text: string; readonly valueOf: (key: string) => unknown }> {
  const text = (await readSettingsFile(world, path, false))?.text ?? ''
  const table = await parseToml(text, path, () => 'fix the line, then run the same command again')
  const profiles = isTable(table.profiles) ? table.profiles : {}
  const level = profile === undefined ? undefined : profiles[profile]
  return { text, valueOf: (key) => (isTable(level) ? level[key] : undefined) ?? table[key] }
}

/**
 * Sets keys at the top of the config file, or in the table of a profile: replaces their lines, or adds them. Everything else in it
 * stays as it is; a file in which this cannot be done is left alone, with the lines to write as the hint.
 */
async function saveInConfig(
  world: World,
  path: string,
  text: string,
  profile: string | undefined,
  keys: SavedKeys,
): Promise<void> {
  const place = profile === undefined ? [] : ['profiles', profile]
  const changed = withKeys(text, place, keys)
  if (!(await saysTheSame(text, changed, path, place, keys))) {
    const lines = Object.entries(keys).map(([key, value]) => lineOf(key, value))
    const header = profile === undefined ? [] : [`[profiles.${tomlKey(profile)}]`]
    throw new Failure('config', `matdecl cannot change ${path}`, {
      file: path,
      hint: `write there, then run the same command again: ${escapeUnsafe([...header, ...lines].join(' / '))}`,
    })
  }
  const target = await world.disk.realpath(path).catch(() => path)
  await writeSettingsFile(world, target, changed)
}

function withKeys(text: string, place: readonly string[], keys: SavedKeys): string {
  const found = keyLines(text)
  const lines = (text === '' ? HEAD : text).split('\n')
  const added: string[] = []
  for (const [key, value] of Object.entries(keys)) {
    const at = found.get([...place, key].join('.'))
    if (at === undefined) added.push(lineOf(key, value))
    else lines[at - 1] = lineOf(key, value)
  }
  if (added.length === 0) return lines.join('\n')
  const header = place.length === 0 ? undefined : found.get(place.join('.'))
  if (header === undefined && place.length > 0)
    return [...lines, `[profiles.${tomlKey(place[1]!)}]`, ...added, ''].join('\n')
  const at = header ?? (text === '' ? 1 : 0)
  return [...lines.slice(0, at), ...added, ...lines.slice(at)].join('\n')
}

function lineOf(key: string, value: string): string {
  return `${key} = ${JSON.stringify(value)}`
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
}

// A line is found by its text: the parsed file must have the new values, and no other difference.
async function saysTheSame(
  before: string,
  after: string,
  path: string,
  place: readonly string[],
  keys: SavedKeys,
): Promise<boolean> {
  const parse = (text: string) =>
    parseToml(text, path, () => '').then(structuredClone<Record<string, unknown>>)
  try {
    const [expected, got] = await Promise.all([parse(before), parse(after)])
    let level = expected
    for (const name of place) {
      level[name] ??= {}
      level = level[name] as Record<string, unknown>
    }
    Object.assign(level, keys)
    return isDeepStrictEqual(got, expected)
  } catch (error) {
    if (isFailure(error)) return false
    throw error
  }
}
