import { join } from 'node:path'
import type { TomlTable } from 'smol-toml'
import { cleanText, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { readSettingsFile } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { configDirectory, unknownHome } from '../../fs/user-files.ts'
import { canBeSetIn, type OptionRow } from '../option-row.ts'
import { OPTIONS } from '../options.ts'
import type { Settings } from './settings.ts'

/** The config keys of secrets: they have no flag, and so no row in the option table. */
export const SECRET_KEYS = [
  'token',
  'token-file',
  'token-command',
  'api-key',
  'api-key-file',
  'api-key-command',
] as const

/** The environment variables of secrets. */
export const SECRET_VARIABLES = [
  'MATDECL_TOKEN',
  'MATDECL_TOKEN_FILE',
  'MATDECL_API_KEY',
  'MATDECL_API_KEY_FILE',
] as const

/** A value in the file, with its line. */
export interface FileValue {
  readonly value: unknown
  readonly line: number | undefined
}

/** The config file: its top level and its profiles. Keys are the long option names and the secret keys. */
export interface ConfigFile {
  readonly path: string
  readonly top: ReadonlyMap<string, FileValue>
  readonly profiles: ReadonlyMap<string, ReadonlyMap<string, FileValue>>
  /** Keys and tables that cannot be used. */
  readonly mistakes: readonly Mistake[]
  /** True when others than its owner can read it. */
  readonly isExposed: boolean
}

/** What cannot be used in the config file, or as the value of an option. */
export interface Mistake {
  readonly isFromFlag: boolean
  readonly message: string
  readonly hint?: string | undefined
  /** Where it is in the config file. */
  readonly place?: FilePosition | undefined
}

/** A line of the config file. */
export interface FilePosition {
  readonly file: string
  readonly line: number | undefined
}

/** `config.toml:12` */
export function positionText({ file, line }: FilePosition): string {
  return line === undefined ? file : `${file}:${line}`
}

/** The hint for backslashes in double quotes, where TOML has escapes. */
export const WINDOWS_PATH = String.raw`write a Windows path in single quotes: 'C:\Users\me\token.txt'`

const TABLE_KEYS: ReadonlySet<string> = new Set(['profiles'])

/** The path of the default config file; undefined when no variable says where home is. */
export function defaultConfigPath(world: World): string | undefined {
  const directory = configDirectory(world)
  return directory === undefined ? undefined : join(directory, 'config.toml')
}

/**
 * Reads the config file: the named one, which must exist unless it is to be created, or the default one. One that cannot be read or
 * parsed is a Failure of kind `config`.
 */
export async function readConfigFile(
  world: World,
  named: string | undefined,
  mustExist = named !== undefined,
): Promise<ConfigFile | undefined> {
  const path = named ?? defaultConfigPath(world)
  if (path === undefined) return undefined
  const absolute = absolutePath(world.cwd, path)
  const file = await readSettingsFile(world, absolute, mustExist)
  if (file === undefined) return undefined
  const table = await parseToml(file.text, path, (reason) =>
    /escape/.test(reason) ? WINDOWS_PATH : 'fix the line, or move the file away and run: matdecl login',
  )
  const mistakes: Mistake[] = []
  const refuse = (line: number | undefined, problem: string, hint = 'docs/configuration.md has the keys') => {
    const place = { file: path, line }
    mistakes.push({ isFromFlag: false, message: `${positionText(place)}: ${problem}`, hint, place })
  }
  const lines = keyLines(file.text)
  const top = readLevel(table, lines, [], refuse)
  const profiles = readProfiles(table, lines, refuse)
  return { path, isExposed: file.isExposed, top, profiles, mistakes }
}

/** Notes a mistake in a line. */
type Refuse = (line: number | undefined, problem: string, hint?: string) => void

/** Parses TOML. A mistake is a Failure of kind `config` with its line; of kind `usage` for the file of one of the `options`. */
export async function parseToml(
  text: string,
  path: string,
  hintFor: (reason: string) => string,
  options?: readonly string[],
): Promise<TomlTable> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The message of the library quotes the source, which may contain a secret: only its first line is used.
    const message = cleanText(error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, ''), 120)
    // That is its message for an unclosed quote: the end of the line is the control character.
    const reason =
      message === 'control characters are not allowed in strings'
        ? 'a string is not closed on its line, or contains a control character'
        : message
    throw new Failure(options === undefined ? 'config' : 'usage', `${path}:${error.line}: ${reason}`, {
      hint: hintFor(reason),
      file: path,
      line: error.line,
      options,
    })
  }
}

/** A value of TOML as JSON has it: a date is the same as its text. */
export function plainValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}

function readProfiles(
  table: TomlTable,
  lines: ReadonlyMap<string, number>,
  refuse: Refuse,
): Map<string, ReadonlyMap<string, FileValue>> {
  const profiles = new Map<string, ReadonlyMap<string, FileValue>>()
  const all = table.profiles
  if (all === undefined) return profiles
  if (!isTable(all)) {
    refuse(lines.get('profiles'), 'profiles must contain tables: write [profiles.NAME]')
    return profiles
  }
  for (const [name, profile] of Object.entries(all)) {
    if (isTable(profile)) profiles.set(name, readLevel(profile, lines, ['profiles', name], refuse))
    else refuse(lines.get(`profiles.${name}`), `profiles.${name} is not a table: write [profiles.${name}]`)
  }
  return profiles
}

function readLevel(
  table: TomlTable,
  lines: ReadonlyMap<string, number>,
  place: readonly string[],
  refuse: Refuse,
): ReadonlyMap<string, FileValue> {
  const known = knownKeys(place.length > 0)
  const values = new Map<string, FileValue>()
  for (const [key, value] of Object.entries(table)) {
    if (place.length === 0 && TABLE_KEYS.has(key)) continue
    const line = lines.get([...place, key].join('.'))
    if (place.length === 0 && isTable(value)) {
      // `[ci]` or `[profile.ci]`, where `[profiles.ci]` is meant.
      const [name = key] = Object.keys(value).filter((inner) => isTable(value[inner]))
      refuse(line, `unknown table '${cleanText(key, 60)}'`, `did you mean [profiles.${cleanText(name, 60)}]?`)
    } else if (known.includes(key)) values.set(key, { value: plainValue(value), line })
    else {
      const near = nearest(key, known)
      const help =
        near === undefined
          ? 'keys are the long option names: matdecl download --help'
          : `did you mean ${near}?`
      refuse(line, `unknown setting '${cleanText(key, 60)}'`, help)
    }
  }
  return values
}

function knownKeys(inProfile: boolean): string[] {
  const rows: readonly OptionRow[] = OPTIONS
  const names = rows.filter((row) => canBeSetIn(row, 'file')).map((row) => row.name)
  return [...names.filter((name) => !(inProfile && name === 'profile')), ...SECRET_KEYS]
}

/** True for a table of TOML. */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/**
 * The first line of each table and key of a TOML text, from 1, by its dotted path. The parser keeps no positions: keys are found by the
 * table header above them.
 */
export function keyLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const note = (path: string, index: number): void => {
    if (!lines.has(path)) lines.set(path, index + 1)
  }
  let table = ''
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
    const name = /^\s*([^=#]+?)\s*=/.exec(line)?.[1]
    if (header !== undefined) {
      table = normalKey(header)
      for (let end = table.length; end > 0; end = table.lastIndexOf('.', end - 1))
        note(table.slice(0, end), index)
    } else if (name !== undefined) {
      note(table === '' ? normalKey(name) : `${table}.${normalKey(name)}`, index)
    }
  }
  return lines
}

function normalKey(text: string): string {
  return text
    .split('.')
    .map((one) => one.trim().replace(/^["']|["']$/g, ''))
    .join('.')
}

/** The absolute path of the config file, named or default; `config` when no variable says where home is. */
export function configPathOf({
  world,
  settings,
}: {
  readonly world: World
  readonly settings: Settings
}): string {
  const path = settings.values.config ?? defaultConfigPath(world)
  if (path !== undefined) return absolutePath(world.cwd, path)
  const { platform } = world.host
  const variables = platform === 'win32' ? 'USERPROFILE or APPDATA' : 'HOME, or XDG_CONFIG_HOME'
  throw new Failure('config', `cannot find the config file: ${unknownHome(platform)}`, {
    hint: `set ${variables} to an absolute path, or name the file with --config`,
  })
}
