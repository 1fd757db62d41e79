import { formatBytes, typedDuration } from '../base/units.ts'

/** What a shell completes a value or an operand with. */
export type Offer =
  /** `isList`: the value is a list of the words, separated by commas. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isList?: boolean }
  /** Files with one of these extensions (any file when the list is empty), and the directories that lead to them. */
  | { readonly kind: 'files'; readonly endings: readonly string[] }
  | { readonly kind: 'directories' }
  /** The names of the profiles in the config file. */
  | { readonly kind: 'profiles' }

/** What the value of an option must be, as plain data. */
type OptionType =
  | { readonly kind: 'flag' | 'count' }
  | { readonly kind: 'text'; readonly offers?: Offer }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** Bytes, typed as `16GiB`; milliseconds, typed as `10s`; a calendar date, `YYYY-MM-DD`. */
  | { readonly kind: 'size' | 'date' | 'url' }
  | { readonly kind: 'duration'; readonly min: number }
  | { readonly kind: 'file'; readonly endings: readonly string[] }
  | { readonly kind: 'directory' }

/** True or false. */
export const flag = { kind: 'flag' } as const
export const count = { kind: 'count' } as const
export const text = { kind: 'text' } as const
export const size = { kind: 'size' } as const
export const duration = { kind: 'duration', min: 0 } as const
/** A time after which something fails: none at all is a mistake. */
export const timeLimit = { kind: 'duration', min: 1 } as const
export const date = { kind: 'date' } as const
export const url = { kind: 'url' } as const
export const directory = { kind: 'directory' } as const
export const profileName = { kind: 'text', offers: { kind: 'profiles' } } as const

/** Any text; shells complete these words. */
export function suggested(...words: readonly string[]) {
  return { kind: 'text', offers: { kind: 'words', words } } as const
}

/** Text that is a list, separated by commas; shells complete these words. */
export function suggestedList(...words: readonly string[]) {
  return { kind: 'text', offers: { kind: 'words', words, isList: true } } as const
}

/** One of these words. */
export function choice<const Word extends string>(...values: readonly Word[]) {
  return { kind: 'choice', values } as const
}

/** A whole number in a range. */
export function integer(min: number, max: number) {
  return { kind: 'integer', min, max } as const
}

/** A path; shells complete files with these extensions. */
export function file(...endings: readonly string[]) {
  return { kind: 'file', endings } as const
}

/** The headings of the option groups, in the order help shows them. */
export const OPTION_GROUPS = [
  'Search criteria',
  'Output',
  'Library',
  'Extraction',
  'Report',
  'Requests',
  'Connection',
  'Sandbox',
  'Archive limits',
  'Global options',
] as const

/** One option: its flag, environment variable, config key, help and type all follow from this row. */
export interface OptionRow<Command extends string = string> extends Where<Command> {
  /** The name in code: `startDate`. */
  readonly key: string
  /** The long name without dashes; also the config key, and after `MATDECL_` the variable. */
  readonly name: string
  readonly short: string | undefined
  /** As commander takes them: `-o, --output <PATH>`. In square brackets the value may be left out; the option is then `true`. */
  readonly flags: string
  readonly placeholder: string | undefined
  readonly takesOptionalValue: boolean
  readonly type: OptionType
  /** One sentence for help, man page, completions and docs: lower case, no full stop. */
  readonly help: string
}

/** What an option has beside its flags, type and sentence. */
interface Where<Command extends string> {
  readonly group: (typeof OPTION_GROUPS)[number]
  readonly commands: 'all' | readonly Command[]
  /** May be given several times; one value a line in the environment, an array in the file. */
  readonly repeatable?: boolean
  readonly default?: string | number
  /** Where it can be set; all three unless given. */
  readonly from?: readonly ('flag' | 'env' | 'file')[]
  /** Keys of options that cannot be given together; given by different sources, the stronger one counts. */
  readonly conflicts?: readonly string[]
  /** Instead of the sentence, in the help of one command. */
  readonly helpOf?: Readonly<Partial<Record<Command, string>>>
  /** Instead of the long name in camel case, where two options share their name. */
  readonly key?: string
}

type LongName<Flags extends string> = Flags extends `-${string}, --${infer Rest}`
  ? FirstWord<Rest>
  : Flags extends `--${infer Rest}`
    ? FirstWord<Rest>
    : never
type FirstWord<Words extends string> = Words extends `${infer Word} ${string}` ? Word : Words

/** `start-date` is `startDate`. */
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

type Row<Flags extends string, Type extends OptionType, Rest> = OptionRow & {
  readonly key: Rest extends { key: infer Key } ? Key : CamelCase<LongName<Flags>>
  readonly name: LongName<Flags>
  readonly takesOptionalValue: Flags extends `${string}[${string}` ? true : false
  readonly type: Type
  readonly commands: Rest extends { commands: infer Commands } ? Commands : never
  readonly repeatable: Rest extends { repeatable: true } ? true : false
  readonly hasDefault: Rest extends { default: unknown } ? true : false
}

/** A row of the option table, from its flags as commander takes them. */
export function option<
  const Flags extends string,
  const Type extends OptionType,
  const Rest extends Where<string>,
>(flags: Flags, type: Type, help: string, where: Rest): Row<Flags, Type, Rest> {
  const [, short, name, bracket, placeholder] = /^(?:-(\w), )?--([\w-]+)(?: ([<[])(.+)[>\]])?$/.exec(flags)!
  const row: OptionRow = {
    key: camelCase(name!),
    ...where,
    name: name!,
    short,
    flags,
    placeholder,
    takesOptionalValue: bracket === '[',
    type,
    help,
  }
  return row as Row<Flags, Type, Rest>
}

/** Makes the rows of a group, each with these facts unless it has its own. */
export function optionIn<const Common extends Where<string>>(common: Common) {
  return <
    const Flags extends string,
    const Type extends OptionType,
    const Own extends Partial<Where<string>> = Record<never, never>,
  >(
    flags: Flags,
    type: Type,
    help: string,
    own?: Own,
  ) => option(flags, type, help, { ...common, ...own }) as OptionRow as Row<Flags, Type, Merged<Common, Own>>
}

type Merged<Common, Own> = {
  [Key in keyof (Common & Own)]: Key extends keyof Own ? Own[Key] : (Common & Own)[Key]
}

/** `start-date` is `startDate`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The value of one option of this type. */
type OneValue<Type extends OptionType> = Type extends { kind: 'flag' }
  ? boolean
  : Type extends { kind: 'count' | 'integer' | 'size' | 'duration' }
    ? number
    : Type extends { kind: 'choice'; values: readonly (infer Word)[] }
      ? Word
      : string

type TypedRow = Pick<OptionRow, 'type' | 'takesOptionalValue'> & { repeatable: boolean; hasDefault: boolean }

type GivenValue<R extends TypedRow> = R['repeatable'] extends true
  ? readonly OneValue<R['type']>[]
  : R['takesOptionalValue'] extends true
    ? OneValue<R['type']> | true
    : OneValue<R['type']>

/** The value of an option as the program sees it; `undefined` where there is neither a value nor a default. */
export type ValueOf<R extends TypedRow> = R['repeatable'] extends true
  ? GivenValue<R>
  : R['hasDefault'] extends true
    ? GivenValue<R>
    : R['type'] extends { kind: 'flag' | 'count' }
      ? GivenValue<R>
      : GivenValue<R> | undefined

/** The value of an option as the settings have it when nothing sets it. */
export function defaultOf(row: OptionRow): unknown {
  if (row.repeatable === true) return []
  if (row.type.kind === 'flag') return false
  return row.type.kind === 'count' ? 0 : row.default
}

/** A default as a user would type it; undefined where there is none. */
export function defaultText({ type, default: value }: OptionRow): string | undefined {
  if (value === undefined) return undefined
  if (type.kind === 'size') return formatBytes(Number(value)).replace('.0 ', ' ')
  return type.kind === 'duration' ? typedDuration(Number(value)) : String(value)
}

/** `-o, --output PATH`, as the documents show an option. */
export function optionTerm(row: OptionRow): string {
  const value = valueTerm(row)
  return `${row.short === undefined ? '' : `-${row.short}, `}--${row.name}${value === '' ? '' : ` ${value}`}`
}

/** `PATH`, `[DIR]`, `C|D|checkDthenC`, or nothing for a flag. */
export function valueTerm({ type, placeholder, takesOptionalValue }: OptionRow): string {
  const word = type.kind === 'choice' ? type.values.join('|') : (placeholder ?? '')
  return takesOptionalValue ? `[${word}]` : word
}

/** The help sentence, with the default where there is one. */
export function optionSentence(row: OptionRow): string {
  const shown = defaultText(row)
  return shown === undefined ? row.help : `${row.help} (default ${shown})`
}

/** True when the option takes a value. */
export function takesValue({ type }: OptionRow): boolean {
  return type.kind !== 'flag' && type.kind !== 'count'
}

/** What a shell completes the value with; undefined when there is nothing to suggest. */
export function offerOf({ type }: OptionRow): Offer | undefined {
  if (type.kind === 'text') return type.offers
  if (type.kind === 'choice') return { kind: 'words', words: type.values }
  if (type.kind === 'file') return { kind: 'files', endings: type.endings }
  return type.kind === 'directory' ? { kind: 'directories' } : undefined
}

/** The environment variable of an option. */
export function variableOf({ name }: OptionRow): string {
  return `MATDECL_${name.toUpperCase().replaceAll('-', '_')}`
}

/** True when the option can be set there. */
export function canBeSetIn({ from }: OptionRow, where: 'flag' | 'env' | 'file'): boolean {
  return from?.includes(where) ?? true
}

/** True for a setting: an option that is more than a matter of one command line. */
export function isSetting(row: OptionRow): boolean {
  return canBeSetIn(row, 'env') || canBeSetIn(row, 'file')
}
