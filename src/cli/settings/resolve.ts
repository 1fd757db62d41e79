import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import type { Notice } from '../../base/notice.ts'
import { plural } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import type { OptionRow } from '../options/option-row.ts'
import { OPTIONS, optionsOf, SECRET_VARIABLES, type Values, variableOf } from '../options/options.ts'
import type { Given, Typed } from '../parse-argv.ts'
import { type ConfigFile, type FileValue, readConfigFile } from './config-file.ts'
import { textsOf, wantedType } from './file-value.ts'
import { schemaOf } from './schema.ts'
import type { Settings, Source } from './settings.ts'

/** Settings with the file they came from and what should be told about them. */
export interface Resolved {
  readonly settings: Settings
  readonly file: ConfigFile | undefined
  readonly notices: readonly Notice[]
}

interface Raw {
  readonly texts: readonly (string | true)[]
  readonly source: Source
}

interface Mistake {
  readonly isFromFlag: boolean
  readonly message: string
  readonly hint?: string
  readonly place?: { readonly file: string; readonly line?: number }
}

/** Where settings are looked for: everywhere; not in the file, which may be broken or not there yet; or in flags alone. */
export type Reach = 'everywhere' | 'without-file' | 'flags'

// What these show or examine is every option, whatever command has it.
const ABOUT_ALL: readonly string[] = ['config', 'doctor']

/**
 * Settles every option: flag, environment, profile, top of the file, default. All mistakes are told at once: a Failure of
 * kind `usage` when one stands in a flag, else `config`.
 */
export async function resolveSettings(
  world: World,
  typed: Typed,
  reach: Reach = 'everywhere',
): Promise<Resolved> {
  const mistakes: Mistake[] = []
  const settle = (row: OptionRow, levels: readonly (Raw | undefined)[]): [unknown, Source] =>
    settleRow(row, levels, mistakes)

  const configRow = rowNamed('config')
  const [configPath] = settle(configRow, [fromFlag(configRow, typed.given), fromEnv(configRow, world.env)])
  const file =
    reach !== 'everywhere' ? undefined : await readConfigFile(world, configPath as string | undefined)
  const profile = reach !== 'everywhere' ? undefined : chooseProfile(world, typed, file, settle)

  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  const mine = new Set(optionsOf(typed.command).map((row) => row.key))
  for (const row of OPTIONS as readonly OptionRow[]) {
    const isMine = mine.has(row.key) || (ABOUT_ALL.includes(typed.command) && reach === 'everywhere')
    const levels = isMine
      ? [
          fromFlag(row, typed.given),
          reach === 'flags' && row.key !== 'config' ? undefined : fromEnv(row, world.env),
          fromFile(row, profile?.values, profile?.where, 'profile', file, mistakes),
          fromFile(row, file?.top, file?.path, 'file', file, mistakes),
        ]
      : []
    const [value, source] = settle(row, levels)
    values[row.key] = value
    sources[row.key] = source
  }
  refuse(mistakes, typed.command)
  const settings: Settings = {
    command: typed.command,
    operands: typed.operands,
    afterDashes: typed.afterDashes,
    values: values as Values,
    sources,
    configPath: file?.path,
  }
  return { settings, file, notices: unknownVariables(world.env) }
}

function chooseProfile(
  world: World,
  typed: Typed,
  file: ConfigFile | undefined,
  settle: (row: OptionRow, levels: readonly (Raw | undefined)[]) => [unknown, Source],
): { values: ReadonlyMap<string, FileValue>; where: string } | undefined {
  const row = rowNamed('profile')
  const top = fromFile(row, file?.top, file?.path, 'file', file, [])
  const [name, source] = settle(row, [fromFlag(row, typed.given), fromEnv(row, world.env), top])
  if (typeof name !== 'string') return undefined
  const values = file?.profiles.get(name)
  if (file !== undefined && values !== undefined) return { values, where: `${file.path} [profiles.${name}]` }
  const known = [...(file?.profiles.keys() ?? [])]
  const near = nearest(name, known)
  const hint =
    file === undefined
      ? 'there is no settings file; write one with: matdecl config init'
      : near !== undefined
        ? `did you mean ${near}?`
        : known.length > 0
          ? `${file.path} has ${known.join(', ')}`
          : `${file.path} has no profiles`
  throw new Failure(
    source.kind === 'flag' ? 'usage' : 'config',
    `there is no profile '${cleanText(name, 60)}'`,
    { hint },
  )
}

function settleRow(
  row: OptionRow,
  levels: readonly (Raw | undefined)[],
  mistakes: Mistake[],
): [unknown, Source] {
  const raw = levels.find((level) => level !== undefined)
  if (raw === undefined) return [defaultOf(row), { kind: 'default' }]
  const read = raw.texts.map((text) => (text === true ? true : readText(row, text, raw.source, mistakes)))
  return [row.repeatable === true ? read : read[0], raw.source]
}

function defaultOf(row: OptionRow): unknown {
  if (row.repeatable === true) return []
  if ('default' in row.type) return row.type.default
  if (row.type.kind === 'flag') return false
  return row.type.kind === 'count' ? 0 : undefined
}

function readText(row: OptionRow, text: string, source: Source, mistakes: Mistake[]): unknown {
  const where = source.kind === 'default' ? row.name : source.where
  if (text.includes('\ufffd') && source.kind === 'flag') {
    mistakes.push({ isFromFlag: true, message: `${where}: the value is not valid UTF-8` })
    return undefined
  }
  const result = schemaOf(row).safeParse(text)
  if (result.success) return result.data
  // A URL may hold a password: its value is not repeated.
  const shown = row.type.kind === 'url' || row.key === 'proxy' ? 'this address' : `'${cleanText(text, 80)}'`
  const reason = result.error.issues[0]?.message ?? 'not valid'
  mistakes.push({
    isFromFlag: source.kind === 'flag',
    message: `${where}: ${shown} can not be used: ${reason}`,
    ...(row.type.kind === 'url' && { hint: 'write it as https://HOST, without the version' }),
  })
  return undefined
}

function fromFlag(row: OptionRow, given: ReadonlyMap<string, Given>): Raw | undefined {
  const value = given.get(row.key)
  if (value === undefined) return undefined
  const source: Source = { kind: 'flag', where: `--${row.name}` }
  if (Array.isArray(value)) return { texts: value, source }
  if (value === true) return { texts: [row.type.kind === 'flag' ? 'true' : true], source }
  return { texts: [String(value)], source }
}

function fromEnv(row: OptionRow, env: World['env']): Raw | undefined {
  if (!(row.from?.includes('env') ?? true)) return undefined
  const where = variableOf(row)
  const text = env[where]
  if (text === undefined || text === '') return undefined
  const source: Source = { kind: 'environment', where }
  if (row.repeatable === true) return { texts: text.split('\n').filter((line) => line !== ''), source }
  return { texts: [row.optionalValue === true && /^(?:true|1)$/.test(text) ? true : text], source }
}

function fromFile(
  row: OptionRow,
  level: ReadonlyMap<string, FileValue> | undefined,
  where: string | undefined,
  kind: 'profile' | 'file',
  file: ConfigFile | undefined,
  mistakes: Mistake[],
): Raw | undefined {
  const found = level?.get(row.name)
  if (found === undefined || !(row.from?.includes('file') ?? true)) return undefined
  const source: Source = { kind, where: where ?? '' }
  const texts = textsOf(row, found.value)
  if (texts !== undefined) return { texts, source: { kind, where: `${place(file, found)}: ${row.name}` } }
  mistakes.push({
    isFromFlag: false,
    message: `${place(file, found)}: ${row.name} must be ${wantedType(row)}`,
    ...(file === undefined
      ? {}
      : { place: { file: file.path, ...(found.line === undefined ? {} : { line: found.line }) } }),
  })
  return undefined
  function place(of: ConfigFile | undefined, value: FileValue): string {
    return `${of?.path ?? source}${value.line === undefined ? '' : `:${value.line}`}`
  }
}

function refuse(mistakes: readonly Mistake[], command: string): void {
  const [first] = mistakes
  if (first === undefined) return
  const kind = mistakes.some((one) => one.isFromFlag) ? 'usage' : 'config'
  const about = ABOUT_ALL.includes(command) ? 'download' : command
  const hint = `matdecl ${about} --help says what each option takes`
  if (mistakes.length === 1)
    throw new Failure(kind, first.message, { hint: first.hint ?? hint, ...first.place })
  throw new Failure(kind, `${plural(mistakes.length, 'mistake')} in the settings`, {
    problems: mistakes.map((one) => one.message),
    hint,
    ...first.place,
  })
}

const PREFIX = 'MATDECL_'

// A misspelt variable must not silently leave a default in force.
function unknownVariables(env: World['env']): Notice[] {
  const rows = (OPTIONS as readonly OptionRow[]).filter((row) => row.from?.includes('env') ?? true)
  const known = [...new Set(rows.map(variableOf)), ...SECRET_VARIABLES]
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && env[name] !== '')
    .map((name) => {
      const near = nearest(
        name.slice(PREFIX.length),
        known.map((one) => one.slice(PREFIX.length)),
      )
      return {
        level: 'warning',
        event: 'settings.unknown-variable',
        message: `the environment variable ${cleanText(name, 80)} is no option of this tool${near === undefined ? '' : `; did you mean ${PREFIX}${near}?`}`,
      }
    })
}

function rowNamed(key: string): OptionRow {
  return (OPTIONS as readonly OptionRow[]).find((row) => row.key === key)!
}
