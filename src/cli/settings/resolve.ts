import { cleanText, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { type Notice, withOptions } from '../../base/notice.ts'
import { plural } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import type { checkCriteria } from '../../request/check-criteria.ts'
import { canBeSetIn, defaultOf, type OptionRow, variableOf } from '../option-row.ts'
import { OPTIONS, optionsOf, type Values } from '../options.ts'
import { type ConfigFile, type FileValue, readConfigFile, SECRET_VARIABLES } from './config-file.ts'
import { valueOfSetting, valueOfText } from './option-value.ts'
import type { CommandLine, Given, Settings, Source } from './settings.ts'

/** The settings, the file they came from, and warnings about them. */
export interface Resolved {
  readonly settings: Settings
  readonly file: ConfigFile | undefined
  readonly notices: readonly Notice[]
}

/** What one source says of an option, not checked yet: text from flags and variables, or a value of the file. */
type Raw =
  | { readonly kind: 'text'; readonly texts: Given; readonly source: Source }
  | {
      readonly kind: 'value'
      readonly value: unknown
      readonly line: number | undefined
      readonly source: Source
    }

const ROWS: readonly OptionRow[] = OPTIONS
// The list of parts is read after the settings.
const UNREAD_PARTS = ['-']

/**
 * Resolves every option: flag, environment, profile, top of the file, default; with the sandbox, no search criterion comes from
 * the file. Reports all mistakes together, as a Failure of
 * kind `usage` when one is in a flag, else `config`.
 */
export async function resolveSettings(
  world: World,
  { command, operands, afterDashes, given, reach = 'everywhere' }: CommandLine,
): Promise<Resolved> {
  const mistakes: Mistake[] = []
  let file: ConfigFile | undefined
  const read = (row: OptionRow, sources: readonly (Raw | undefined)[]): [unknown, Source] =>
    readRow(row, sources, file, mistakes)

  const configRow = rowNamed('config')
  const [configPath] = read(configRow, [fromFlag(configRow, given), fromEnv(configRow, world.env)])
  if (reach === 'everywhere') file = await readConfigFile(world, configPath as string | undefined)
  const profile = reach === 'everywhere' ? selectProfile(world, given, file, read) : undefined

  const isSandbox = given.get('sandbox')?.at(-1) === true
  const ignored: string[] = []
  const saved = (row: OptionRow): readonly (Raw | undefined)[] => {
    const levels = [fromFile(row, profile, 'profile', file), fromFile(row, file?.top, 'file', file)]
    // The suppliers and parts of a real service are not in the sandbox.
    if (!isSandbox || row.group !== 'Search criteria') return levels
    if (levels.some((level) => level !== undefined)) ignored.push(row.name)
    return []
  }

  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  const mine = new Set(optionsOf(command).map((row) => row.key))
  for (const row of ROWS) {
    const isMine = mine.has(row.key) || (ABOUT_ALL.includes(command) && reach === 'everywhere')
    const levels = isMine
      ? [
          fromFlag(row, given),
          reach === 'flags' && row.key !== 'config' ? undefined : fromEnv(row, world.env),
          ...saved(row),
        ]
      : []
    const [value, source] = read(row, levels)
    values[row.key] = value
    sources[row.key] = source
  }
  await refuse(mistakes, command, { ...(values as Values), parts: UNREAD_PARTS })
  const settings: Settings = {
    command,
    operands,
    afterDashes,
    values: values as Values,
    sources,
    configPath: file?.path,
  }
  return { settings, file, notices: [...unknownVariables(world.env), ...ignoredCriteria(ignored, file)] }
}

function ignoredCriteria(names: readonly string[], file: ConfigFile | undefined): Notice[] {
  if (names.length === 0 || file === undefined) return []
  const message = `the sandbox ignores the search criteria in ${file.path}: ${names.join(', ')}`
  return [{ level: 'info', event: 'settings.sandbox', message }]
}

function selectProfile(
  world: World,
  given: ReadonlyMap<string, Given>,
  file: ConfigFile | undefined,
  read: (row: OptionRow, sources: readonly (Raw | undefined)[]) => [unknown, Source],
): ReadonlyMap<string, FileValue> | undefined {
  const row = rowNamed('profile')
  const top = fromFile(row, file?.top, 'file', file)
  const [name, source] = read(row, [fromFlag(row, given), fromEnv(row, world.env), top])
  if (typeof name !== 'string') return undefined
  const profile = file?.profiles.get(name)
  if (profile !== undefined) return profile
  const known = [...(file?.profiles.keys() ?? [])]
  const near = nearest(name, known)
  const hint =
    file === undefined
      ? 'there is no config file; write one with: matdecl config init'
      : near !== undefined
        ? `did you mean ${near}?`
        : `${file.path} has ${known.length > 0 ? known.join(', ') : 'no profiles'}`
  throw new Failure(source.kind === 'flag' ? 'usage' : 'config', `unknown profile '${cleanText(name, 60)}'`, {
    hint,
  })
}

function readRow(
  row: OptionRow,
  sources: readonly (Raw | undefined)[],
  file: ConfigFile | undefined,
  mistakes: Mistake[],
): [unknown, Source] {
  const [raw, ...overridden] = sources.filter((one) => one !== undefined)
  // A mistake in the file is reported now, not on the day when nothing overrides it.
  for (const one of overridden) {
    if (one.kind === 'value') readFileValue(row, one.value, one.line, file!.path, mistakes)
  }
  if (raw === undefined) return [defaultOf(row), { kind: 'default' }]
  if (raw.kind === 'value') return [readFileValue(row, raw.value, raw.line, file!.path, mistakes), raw.source]
  const read = raw.texts.map((text) => (text === true ? true : readText(row, text, raw.source, mistakes)))
  return [row.repeatable === true ? read : read[0], raw.source]
}

function readText(row: OptionRow, text: string, source: Source, mistakes: Mistake[]): unknown {
  const isFromFlag = source.kind === 'flag'
  const name = source.kind === 'default' ? row.name : source.where
  const isUtf8 = !(isFromFlag && text.includes('\ufffd'))
  const result = isUtf8 ? valueOfText(row, text) : { reason: 'expected valid UTF-8' }
  if ('value' in result) return result.value
  mistakes.push({ isFromFlag, ...mistakeOf(row, text, name, result.reason) })
  return undefined
}

function readFileValue(
  row: OptionRow,
  value: unknown,
  line: number | undefined,
  file: string,
  mistakes: Mistake[],
): unknown {
  const result = valueOfSetting(row, value)
  if ('value' in result) return result.value
  const { message, ...rest } = mistakeOf(row, value, row.name, result.reason)
  mistakes.push({
    isFromFlag: false,
    ...rest,
    message: `${placeOf(file, line)}: ${message}`,
    place: { file, ...(line === undefined ? {} : { line }) },
  })
  return undefined
}

function fromFlag(row: OptionRow, given: ReadonlyMap<string, Given>): Raw | undefined {
  const values = given.get(row.key)
  if (values === undefined) return undefined
  const source: Source = { kind: 'flag', where: `--${row.name}` }
  const isCount = row.type.kind === 'count'
  const texts = isCount ? [String(values.length)] : row.type.kind === 'flag' ? ['true'] : values
  return { kind: 'text', texts, source }
}

function fromEnv(row: OptionRow, env: World['env']): Raw | undefined {
  if (!canBeSetIn(row, 'env')) return undefined
  const where = variableOf(row)
  const text = env[where]
  if (text === undefined || text === '') return undefined
  const source: Source = { kind: 'environment', where }
  const isTrue = row.takesOptionalValue && /^(?:true|1)$/.test(text)
  const texts = row.repeatable === true ? text.split('\n').filter((line) => line !== '') : [isTrue || text]
  return { kind: 'text', texts, source }
}

function fromFile(
  row: OptionRow,
  level: ReadonlyMap<string, FileValue> | undefined,
  kind: 'profile' | 'file',
  file: ConfigFile | undefined,
): Raw | undefined {
  const found = level?.get(row.name)
  if (found === undefined || file === undefined || !canBeSetIn(row, 'file')) return undefined
  const { value, line } = found
  return { kind: 'value', value, line, source: { kind, where: `${placeOf(file.path, line)}: ${row.name}` } }
}

function rowNamed(key: string): OptionRow {
  return ROWS.find((row) => row.key === key)!
}

/** A value of an option that cannot be used. */
interface Mistake {
  readonly isFromFlag: boolean
  readonly message: string
  readonly hint?: string
  readonly place?: { readonly file: string; readonly line?: number }
}

/** These show or check the settings of every command. */
const ABOUT_ALL: readonly string[] = ['config', 'doctor']

/** The message and the hint for a value that the option's schema refuses. */
function mistakeOf(
  row: OptionRow,
  value: unknown,
  name: string,
  why: string,
): Pick<Mistake, 'message' | 'hint'> {
  // A URL may contain a password: it is not printed.
  if (row.type.kind === 'url') {
    return {
      message: `invalid URL for ${name}: ${why}`,
      hint: 'write it as https://HOST, without the version',
    }
  }
  return { message: `invalid value '${cleanText(String(value), 80)}' for ${name}: ${why}` }
}

/** `config.toml:12` */
function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`
}

/** Throws one Failure for all mistakes, of kind `usage` when one is in a flag, else `config`. */
async function refuse(found: readonly Mistake[], command: string, values: CriteriaValues): Promise<void> {
  // An option that selects others is read before them, and again with them.
  const mistakes = [...new Map(found.map((one) => [one.message, one])).values()]
  const [first] = mistakes
  if (first === undefined) return
  const kind = mistakes.some((one) => one.isFromFlag) ? 'usage' : 'config'
  const about = ABOUT_ALL.includes(command) ? 'download' : command
  const hint = `matdecl ${about} --help lists the options`
  const others = command === 'download' ? await criteriaMistakes(values) : []
  if (mistakes.length + others.length === 1)
    throw new Failure(kind, first.message, { hint: first.hint ?? hint, ...first.place })
  throw new Failure(kind, `${plural(mistakes.length + others.length, 'mistake')} in the settings`, {
    problems: [...mistakes.map((one) => one.message), ...others],
    hint,
    ...first.place,
  })
}

type CriteriaValues = Parameters<typeof checkCriteria>[0]

// The search criteria are reported too. A value that is itself a mistake is undefined.
async function criteriaMistakes(values: CriteriaValues): Promise<string[]> {
  if (values.api === undefined) return []
  const { checkCriteria } = await import('../../request/check-criteria.ts')
  const query = values.query.filter((text) => text !== undefined)
  const checked = checkCriteria({ ...values, query }, 0)
  if (!('problems' in checked)) return []
  return checked.problems.map(({ message, hint, options }) => withOptions(`${message}: ${hint}`, options))
}

const PREFIX = 'MATDECL_'

/** A warning for each variable of the tool that is no option: a misspelled one must not leave a default in effect silently. */
function unknownVariables(env: World['env']): Notice[] {
  const variables = OPTIONS.filter((row) => canBeSetIn(row, 'env')).map(variableOf)
  const known = [...new Set(variables), ...SECRET_VARIABLES]
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
        message: `unknown environment variable ${cleanText(name, 80)}${near === undefined ? '' : `; did you mean ${PREFIX}${near}?`}`,
      }
    })
}
