import { dirname } from 'node:path'
import { cleanText } from '../../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../../base/failure.ts'
import type { Notice } from '../../base/notice.ts'
import { redactor } from '../../base/redact.ts'
import { plainWords, quoteFor, shellQuote } from '../../base/shell-words.ts'
import { formatBytes, formatDuration } from '../../base/units.ts'
import type { ProgramLimits, ProgramResult, World } from '../../base/world.ts'
import { unreadableInput } from '../../fs/disk-failure.ts'
import { readSmallFile } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { configDirectory, unknownHome } from '../../fs/user-files.ts'
import { checkToken } from '../../request/token.ts'
import { type ConfigFile, type FileValue, WINDOWS_PATH } from './config-file.ts'
import type { Secret, Settings, Source } from './settings.ts'

/** The bearer token of v2, or the API key of v1. */
export type SecretName = 'token' | 'api-key'

/** The secrets that were in the environment, by variable. */
type EnvSecrets = ReadonlyMap<string, string>

/** What a command that prints a secret may take. */
const COMMAND_LIMITS: ProgramLimits = { timeMs: 30_000, outputBytes: 64 * 1024 }

const VARIABLES = { token: 'MATDECL_TOKEN', 'api-key': 'MATDECL_API_KEY' } as const

/** Removes the secrets from the process environment, so that no child process gets them, and returns them. */
export function takeEnvSecrets(world: World): EnvSecrets {
  const taken = new Map<string, string>()
  for (const variable of Object.values(VARIABLES)) {
    const text = world.env[variable]
    world.forgetEnv(variable)
    if (text !== undefined && text.trim() !== '') taken.set(variable, text)
  }
  return taken
}

/** Where a secret comes from; no file is read and no command run yet. */
export interface SecretPlan {
  readonly source: Source
  readonly how: 'value' | 'file' | 'command'
  readonly text: string | readonly string[]
}

/** Finds the source of a secret: its variable, its `_FILE` variable, the profile, the top of the config file. */
export function planSecret(
  name: SecretName,
  world: World,
  taken: EnvSecrets,
  file: ConfigFile | undefined,
  profile: string | undefined,
): SecretPlan | undefined {
  const variable = VARIABLES[name]
  const direct = taken.get(variable)
  if (direct !== undefined)
    return { how: 'value', text: direct, source: { kind: 'environment', where: variable } }
  const path = world.env[`${variable}_FILE`]
  if (path !== undefined && path !== '') {
    return { how: 'file', text: path, source: { kind: 'environment', where: `${variable}_FILE` } }
  }
  const profileLevel = profile === undefined ? undefined : file?.profiles.get(profile)
  return planFromLevel(name, profileLevel, file, 'profile') ?? planFromLevel(name, file?.top, file, 'file')
}

/**
 * Reads a secret and warns when others can read it too. Undefined when it has no source; `config` when it is invalid. `login` is
 * the command that saves it.
 */
export async function readSecret(
  name: SecretName,
  world: World,
  plan: SecretPlan | undefined,
  login: string,
  warn: (notice: Notice) => void,
): Promise<Secret | undefined> {
  if (plan === undefined) return undefined
  const where = plan.source.kind === 'default' ? name : plan.source.where
  const text =
    plan.how === 'file'
      ? await readSecretFile(world, { path: plan.text as string, where, login }, warn)
      : plan.how === 'command'
        ? await readFromCommand(world, plan.text, where)
        : (plan.text as string)
  const checked = checkToken(text)
  if ('token' in checked) return { value: checked.token, source: plan.source, origin: describeOrigin(plan) }
  throw new Failure('config', `the ${secretLabel(name)} from ${where} ${checked.reason}`, {
    hint:
      plan.how === 'value'
        ? `set it to the ${secretLabel(name)} only, on one line`
        : `the ${plan.how === 'file' ? 'file' : 'first line of its output'} must contain only the ${secretLabel(name)}`,
  })
}

/** The source of a secret in words: the variable or the key in the config file, with the file or the program. */
export function describeOrigin({ how, text, source }: SecretPlan): string {
  const where = source.kind === 'default' ? 'the settings' : source.where
  if (how === 'value') return where
  if (how === 'file') return `the file ${text} (${where})`
  // Its arguments may be secret.
  const [program = ''] = typeof text === 'string' ? plainWords(text) : text
  return `the output of ${program} (${where})`
}

/** The Failure of a request that needs a secret when there is none. */
export function missingSecret(name: SecretName, world: World, login: string): Failure {
  const variable = VARIABLES[name]
  const home =
    configDirectory(world) === undefined
      ? ` (${unknownHome(world.host.platform)}, so no config file was read)`
      : ''
  return new Failure('config', `there is no ${secretLabel(name)}${home}`, {
    hint: `save it with ${login}, or set ${variable} or ${variable}_FILE; --sandbox works without one`,
  })
}

/** The name of a secret in messages. */
export function secretLabel(name: SecretName): 'token' | 'API key' {
  return name === 'token' ? 'token' : 'API key'
}

/** The secret that the selected API needs. */
export function secretNameOf({ values }: Settings): SecretName {
  return values.api === 'v1' ? 'api-key' : 'token'
}

function planFromLevel(
  name: SecretName,
  level: ReadonlyMap<string, FileValue> | undefined,
  file: ConfigFile | undefined,
  kind: 'profile' | 'file',
): SecretPlan | undefined {
  for (const how of ['value', 'file', 'command'] as const) {
    const key = how === 'value' ? name : `${name}-${how}`
    const found = level?.get(key)
    if (found === undefined || found.value === '') continue
    const where = `${file?.path ?? ''}${found.line === undefined ? '' : `:${found.line}`}: ${key}`
    const isList = Array.isArray(found.value) && found.value.every((one) => typeof one === 'string')
    if (typeof found.value !== 'string' && !(how === 'command' && isList)) {
      throw new Failure('config', `${where} must be a string in quotes`, {
        hint: 'the value is not printed: it may be a secret',
      })
    }
    if (how === 'file' && hasControl(found.value as string)) {
      throw new Failure('config', `${where} contains a control character`, { hint: WINDOWS_PATH })
    }
    // A relative path in the config file starts at its directory.
    const text =
      how === 'file'
        ? absolutePath(() => dirname(file?.path ?? ''), found.value as string)
        : (found.value as string | readonly string[])
    return { how, text, source: { kind, where } }
  }
  return undefined
}

// In double quotes, \\t and \\n of a Windows path are a tab and a line break.
function hasControl(path: string): boolean {
  return /\p{Cc}/u.test(path)
}

async function readSecretFile(
  world: World,
  { path, where, login }: { readonly path: string; readonly where: string; readonly login: string },
  warn: (notice: Notice) => void,
): Promise<string> {
  const absolute = absolutePath(world.cwd, path)
  try {
    const file = await readSmallFile(world, absolute, 'the secret file')
    if (file.isExposed) {
      warn({
        level: 'warning',
        event: 'secret.exposed',
        message: `others can read the secret file ${path}; run: chmod 600 ${shellQuote(path)}`,
      })
    }
    return file.text
  } catch (error) {
    const hints: Readonly<Record<string, string>> = {
      ENOENT: `save it there: ${login}`,
      EISDIR: 'name a file that contains only the secret, mode 0600',
    }
    const hint = hints[systemCode(error) ?? '']
    const subject = `the secret file ${path} (from ${where})`
    throw unreadableInput(error, subject, { kind: 'config', ...(hint && { hint }) })
  }
}

async function readFromCommand(
  world: World,
  text: string | readonly string[],
  where: string,
): Promise<string> {
  const words = typeof text === 'string' ? plainWords(text) : text
  const [program, ...args] = words
  if (program === undefined)
    throw new Failure('config', `${where} is empty`, { hint: 'set it to a program and its arguments' })
  // A question of the program needs the terminal; in a log, its lines would be neither JSON nor redacted.
  const limits = { ...COMMAND_LIMITS, mayAsk: world.stderr.isTTY === true }
  const result = await world.runProgram(program, args, limits).catch((error: unknown) => {
    if (isFailure(error)) throw error
    throw new Failure('config', `${where}: ${program} cannot be run (${systemCode(error) ?? 'unknown'})`, {
      cause: error,
      hint: `the command runs without a shell: ${runHint(program, world.host.platform)}`,
    })
  })
  if (result.exceeded !== undefined) {
    const what =
      result.exceeded === 'timeMs'
        ? `did not end within ${formatDuration(COMMAND_LIMITS.timeMs)}`
        : `printed more than ${formatBytes(COMMAND_LIMITS.outputBytes).replace('.0', '')}`
    throw new Failure('config', `${where}: ${program} ${what} and was stopped`, {
      hint: 'run the command by hand; it must print the secret on its first line and end without asking',
    })
  }
  if (result.exitCode !== 0) {
    const { exitCode, signal } = result
    const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `exited with code ${exitCode}`
    throw new Failure('config', `${where}: ${program} ${how}${said(result)}`, {
      hint: 'run the command by hand to see why',
    })
  }
  return result.stdout.split(/\r?\n/, 1)[0]!
}

function runHint(program: string, platform: NodeJS.Platform): string {
  const path = 'set it to a program on the PATH, or the path of one, and its arguments'
  if (platform !== 'win32') return path
  return `${path}; for a .cmd or .bat file, set it to ["cmd", "/c", "${cleanText(program, 100)}", …]`
}

// A password manager may have printed the secret to standard error: a long word with letters and digits can be one.
const LIKE_A_SECRET = /(?=\S*\d)(?=\S*[A-Za-z])\S{16,}/g

// The last line of its errors, without what would have been the secret.
function said({ stdout, stderr }: Pick<ProgramResult, 'stdout' | 'stderr'>): string {
  const line = stderr.trim().split(/\r?\n/).at(-1) ?? ''
  const masked = redactor([stdout.split(/\r?\n/, 1)[0]!.trim()])(line).replace(LIKE_A_SECRET, '***')
  const text = cleanText(masked, 200)
  return text === '' ? '' : `: ${text}`
}

interface Run {
  readonly world: World
  readonly settings: Settings
}

/** The command that saves a secret where a run with these settings reads it. */
export function loginCommandText({ world, settings }: Run, name: SecretName): string {
  const v1 = name === 'api-key' ? ' --api v1' : ''
  return `matdecl login${v1}${selectionFlags({ world, settings })}`
}

/** The flags of this run that select the config file and its profile, for the next command. */
function selectionFlags({ world, settings }: Run): string {
  const { values, sources } = settings
  const flags = (['config', 'profile'] as const).map((name) => {
    const value = values[name]
    return value === undefined || sources[name]?.kind !== 'flag'
      ? ''
      : ` --${name} ${quoteFor(world.host.platform)(value)}`
  })
  return flags.join('')
}
