import { cleanText, nearest } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { type Notice, withOptions } from '../../base/notice.ts'
import { quoteFor } from '../../base/shell-words.ts'
import { formatCount, parseCalendarDate, parseDuration, parseSize, plural } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import type { checkCriteria } from '../../request/check-criteria.ts'
import { parseBaseUrl } from '../../request/request.ts'
import { startOfPeriod } from '../../request/since.ts'
import { canBeSetIn, defaultOf, type OptionRow, variableOf } from '../option-row.ts'
import { OPTIONS, optionsOf, type Values } from '../options.ts'
import {
  type ConfigFile,
  type FilePosition,
  type FileValue,
  type Mistake,
  positionText,
  readConfigFile,
  SECRET_VARIABLES,
} from './config-file.ts'
import type { CommandLine, Given, Settings, Source } from './settings.ts'

/** The settings, the file they came from, and what is wrong with them. */
export interface Resolved {
  readonly settings: Settings
  /** All mistakes, if there are any; a value that is one has its default. Of kind `usage` when one is in a flag, else `config`. */
  readonly failure: Failure | undefined
  readonly file: ConfigFile | undefined
  readonly notices: readonly Notice[]
}

/** What one source says of an option, not checked yet: text from flags and variables, or a value of the file. */
interface Raw {
  readonly texts?: Given
  readonly value?: unknown
  readonly source: Exclude<Source, { kind: 'default' }>
  /** Where a value of the file is. */
  readonly place?: FilePosition
}

const ROWS: readonly OptionRow[] = OPTIONS
// The list of parts is read after the settings.
const UNREAD_PARTS = ['-']

/**
 * Resolves every option: flag, environment, profile, top of the file, default; with the sandbox, no search criterion comes from
 * the file.
 */
export async function resolveSettings(
  world: World,
  { command, operands, afterDashes, given, reach = 'everywhere' }: CommandLine,
): Promise<Resolved> {
  const mistakes: Mistake[] = []
  const read = (row: OptionRow, sources: readonly (Raw | undefined)[]): [unknown, Source] =>
    readRow(row, sources, mistakes)

  const configRow = rowNamed('config')
  const [configPath] = read(configRow, [fromFlag(configRow, given), fromEnv(configRow, world.env)])
  const path = configPath as string | undefined
  const isLogin = command === 'login'
  const found =
    reach === 'everywhere'
      ? await readConfigFile(world, path, path !== undefined && !isLogin).catch(asFailure)
      : undefined
  const [file, unreadable] = isFailure(found) ? [undefined, found] : [found, undefined]
  for (const mistake of file?.mistakes ?? []) mistakes.push(mistake)
  const profile =
    reach === 'everywhere' ? selectProfile(world, given, file, read, mistakes, isLogin) : undefined

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
    for (const mistake of await grammarMistakes(row, levels)) mistakes.push(mistake)
    values[row.key] = value
    sources[row.key] = source
  }
  for (const weaker of overruled(values, sources)) {
    values[weaker] = defaultOf(rowNamed(weaker))
    sources[weaker] = { kind: 'default' }
  }
  const failure =
    unreadable ?? (await failureOf(mistakes, command, { ...(values as Values), parts: UNREAD_PARTS }))
  for (const row of ROWS) values[row.key] ??= defaultOf(row)
  const { maxEntries, maxSize, maxRatio } = values as Values
  const settings: Settings = {
    command,
    operands,
    afterDashes,
    values: values as Values,
    limits: { maxEntries, maxBytes: maxSize, maxRatio },
    sources,
    configPath: file?.path,
  }
  const notices = [...unknownVariables(world.env), ...ignoredCriteria(ignored, file)]
  return { settings, failure, file, notices }
}

function asFailure(error: unknown): Failure {
  if (isFailure(error)) return error
  throw error
}

const PRECEDENCE: readonly Source['kind'][] = ['flag', 'environment', 'profile', 'file', 'default']

/** The options that exclude one of a stronger source. */
function overruled(
  values: Readonly<Record<string, unknown>>,
  sources: Readonly<Record<string, Source>>,
): string[] {
  const rank = (key: string): number => PRECEDENCE.indexOf(sources[key]!.kind)
  return ROWS.flatMap(({ key, conflicts = [] }) =>
    conflicts.flatMap((other) => {
      if (!values[key] || !values[other] || rank(key) === rank(other)) return []
      return rank(key) < rank(other) ? other : key
    }),
  )
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
  mistakes: Mistake[],
  mayBeNew: boolean,
): ReadonlyMap<string, FileValue> | undefined {
  const row = rowNamed('profile')
  const top = fromFile(row, file?.top, 'file', file)
  const [name, source] = read(row, [fromFlag(row, given), fromEnv(row, world.env), top])
  if (typeof name !== 'string') return undefined
  const profile = file?.profiles.get(name)
  if (profile !== undefined || mayBeNew) return profile
  const known = [...(file?.profiles.keys() ?? [])]
  const near = nearest(name, known)
  const hint =
    file === undefined
      ? `there is no config file; make the profile with: matdecl login --profile ${quoteFor(world.host.platform)(cleanText(name, 60))}`
      : near !== undefined
        ? `did you mean ${near}?`
        : `${file.path} has ${known.length > 0 ? known.join(', ') : 'no profiles'}`
  const isFromFlag = source.kind === 'flag'
  mistakes.push({ isFromFlag, message: `unknown profile '${cleanText(name, 60)}'`, hint })
  return undefined
}

function readRow(
  row: OptionRow,
  sources: readonly (Raw | undefined)[],
  mistakes: Mistake[],
): [unknown, Source] {
  const [raw, ...overridden] = sources.filter((one) => one !== undefined)
  // A mistake in the file is reported now, not on the day when nothing overrides it.
  for (const one of overridden) if (one.place !== undefined) readRaw(row, one, mistakes)
  return raw === undefined ? [defaultOf(row), { kind: 'default' }] : [readRaw(row, raw, mistakes), raw.source]
}

function readRaw(row: OptionRow, { texts, value, source, place }: Raw, mistakes: Mistake[]): unknown {
  const isFromFlag = source.kind === 'flag'
  const name = place === undefined ? source.where : row.name
  const read = (result: Checked, from: unknown): unknown => {
    if ('value' in result) return result.value
    const isUrl = row.type.kind === 'url'
    // A URL may contain a password: it is not printed.
    const quoted = texts === undefined ? JSON.stringify(from) : `'${String(from)}'`
    const what = isUrl ? 'URL' : `value ${cleanText(quoted, 80)}`
    const where = place === undefined ? '' : `${positionText(place)}: `
    mistakes.push({
      isFromFlag,
      message: `${where}invalid ${what} for ${name}: ${result.reason}`,
      hint: isUrl ? 'write it as https://HOST, without the version' : undefined,
      place,
    })
    return undefined
  }
  if (texts === undefined) return read(valueOfSetting(row, value), value)
  const values = texts.map((text) => {
    if (text === true) return true
    const isUtf8 = !(isFromFlag && text.includes('\ufffd'))
    return read(isUtf8 ? valueOfText(row, text) : { reason: 'expected valid UTF-8' }, text)
  })
  return row.repeatable === true ? values : values[0]
}

/** Texts with a grammar of their own, which is loaded where there is one to read. */
const GRAMMARS: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  failOn: async (text) => (await import('../../report/gate/fail-on.ts')).parseFailOn(text),
  since: async (text) => startOfPeriod(text, 0),
}

async function grammarMistakes(row: OptionRow, sources: readonly (Raw | undefined)[]): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  const given = sources.filter((one) => one !== undefined)
  for (const [index, { texts, value = texts?.at(-1), source, place }] of given.entries()) {
    if (typeof value !== 'string' || (index > 0 && place === undefined)) continue
    const failure = await GRAMMARS[row.key]?.(value).then(() => undefined, asFailure)
    if (failure === undefined) continue
    const isFromFlag = source.kind === 'flag'
    const hint = failure.hint && withOptions(failure.hint, isFromFlag ? failure.details.options : [])
    const message = isFromFlag ? failure.message : `${source.where}: ${failure.message}`
    mistakes.push({ isFromFlag, message, hint, place })
  }
  return mistakes
}

function fromFlag(row: OptionRow, given: ReadonlyMap<string, Given>): Raw | undefined {
  const values = given.get(row.key)
  if (values === undefined) return undefined
  const { kind } = row.type
  const texts = kind === 'count' ? [String(values.length)] : kind === 'flag' ? ['true'] : values
  return { texts, source: { kind: 'flag', where: `--${row.name}` } }
}

function fromEnv(row: OptionRow, env: World['env']): Raw | undefined {
  const where = variableOf(row)
  const text = canBeSetIn(row, 'env') ? env[where] : undefined
  if (text === undefined || text === '') return undefined
  const isTrue = row.takesOptionalValue && /^(?:true|1)$/.test(text)
  const texts = row.repeatable === true ? text.split(/\r?\n/).filter((line) => line !== '') : [isTrue || text]
  return { texts, source: { kind: 'environment', where } }
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
  const place = { file: file.path, line }
  return { value, place, source: { kind, where: `${positionText(place)}: ${row.name}` } }
}

function rowNamed(key: string): OptionRow {
  return ROWS.find((row) => row.key === key)!
}

/** These show or check the settings of every command. */
const ABOUT_ALL: readonly string[] = ['config', 'doctor']

async function failureOf(
  found: readonly Mistake[],
  command: string,
  values: CriteriaValues,
): Promise<Failure | undefined> {
  // An option that selects others is read before them, and again with them.
  const mistakes = [...new Map(found.map((one) => [one.message, one])).values()]
  const [first] = mistakes
  if (first === undefined) return undefined
  const kind = mistakes.some((one) => one.isFromFlag) ? 'usage' : 'config'
  const about = ABOUT_ALL.includes(command) ? 'download' : command
  const hint = `matdecl ${about} --help lists the options`
  const others = command === 'download' ? await criteriaMistakes(values) : []
  if (mistakes.length + others.length === 1)
    return new Failure(kind, first.message, { hint: first.hint ?? hint, ...first.place })
  return new Failure(kind, `${plural(mistakes.length + others.length, 'mistake')} in the settings`, {
    problems: [...mistakes.map(({ message, hint }) => (hint ? `${message}; ${hint}` : message)), ...others],
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

/** The value of an option, or why it has none. */
type Checked = { readonly value: unknown } | { readonly reason: string }

const LONGEST_WAIT_MS = 10 * 365 * 86_400_000
const COUNT = { min: 0, max: 9 }
const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/** The value that the text of a command line or variable means. */
export function valueOfText(row: OptionRow, text: string): Checked {
  const { type } = row
  switch (type.kind) {
    case 'flag':
      return checked(row, FLAG_WORDS.get(text.toLowerCase()))
    case 'count':
    case 'integer':
      return checked(row, /^\s*\d+\s*$/.test(text) ? inRange(row, Number(text)) : undefined)
    case 'choice': {
      if (type.values.includes(text)) return { value: text }
      const near = nearest(text, type.values)
      return { reason: `${expectation(row)}${near === undefined ? '' : `; did you mean ${near}?`}` }
    }
    case 'size':
      return checked(row, parseSize(text) || undefined)
    case 'duration':
      return checked(row, bearableMs(type, parseDuration(text)))
    case 'date':
      return checked(row, parseCalendarDate(text) === undefined ? undefined : text)
    case 'url': {
      const parsed = parseBaseUrl(text)
      return 'baseUrl' in parsed ? { value: parsed.baseUrl } : parsed
    }
    case 'text':
      return { value: text }
    case 'file':
    case 'directory':
      // Elsewhere `-` is a stream, which a directory cannot be.
      return checked(
        row,
        text === '' || text.includes('\0') || (text === '-' && type.kind === 'directory') ? undefined : text,
      )
  }
}

/** The same for a value of the config file, which has types of its own: numbers, booleans, arrays. */
function valueOfSetting(row: OptionRow, value: unknown): Checked {
  if (row.repeatable !== true) {
    if (row.takesOptionalValue && value === true) return { value }
    return valueOfOneSetting(row, value)
  }
  const all = (Array.isArray(value) ? value : [value]).map((one: unknown) => valueOfOneSetting(row, one))
  const values = all.flatMap((one) => ('value' in one ? [one.value] : []))
  return values.length === all.length
    ? { value: values }
    : { reason: `${expectation(row)}, or an array of them` }
}

function valueOfOneSetting(row: OptionRow, value: unknown): Checked {
  const { kind } = row.type
  if (kind === 'flag') return checked(row, typeof value === 'boolean' ? value : undefined)
  if (typeof value === 'number') {
    if (kind === 'count' || kind === 'integer') return checked(row, inRange(row, value))
    if (kind === 'size') return checked(row, Number.isSafeInteger(value) && value > 0 ? value : undefined)
    if (kind === 'duration') return checked(row, bearableMs(row.type, value * 1000))
  }
  const isText = typeof value === 'string' && kind !== 'count' && kind !== 'integer'
  return isText ? valueOfText(row, value) : { reason: expectation(row) }
}

function checked(row: OptionRow, value: unknown): Checked {
  return value === undefined ? { reason: expectation(row) } : { value }
}

function inRange({ type }: OptionRow, value: number): number | undefined {
  const { min, max } = type.kind === 'integer' ? type : COUNT
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined
}

function bearableMs({ min }: { readonly min: number }, ms: number | undefined): number | undefined {
  return ms === undefined || ms < min || ms > LONGEST_WAIT_MS ? undefined : ms
}

function expectation({ type }: OptionRow): string {
  switch (type.kind) {
    case 'flag':
      return 'expected true or false'
    case 'count':
    case 'integer': {
      const { min, max } = type.kind === 'integer' ? type : COUNT
      return `expected a whole number from ${formatCount(min)} to ${formatCount(max)}`
    }
    case 'choice':
      return `expected one of ${type.values.join(', ')}`
    case 'size':
      return 'expected a size such as "500MB" or "16 GiB"'
    case 'duration':
      return `expected a duration${type.min > 0 ? ' above 0' : ''} such as "500ms", "10s", "5m" or "2h"`
    case 'date':
      return 'expected a calendar date as YYYY-MM-DD'
    case 'url':
      return 'expected a URL'
    case 'text':
      return 'expected a string in quotes'
    case 'file':
      return 'expected a path'
    case 'directory':
      return 'expected a directory, such as ./-'
  }
}
