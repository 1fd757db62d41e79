import type { Offer } from './offer.ts'

/** What the value of an option must be, as plain data: help and completions load no schema library. */
export type OptionType =
  | { readonly kind: 'flag' }
  | { readonly kind: 'count' }
  | { readonly kind: 'text'; readonly default?: string }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default?: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default?: number }
  /** Bytes; typed as `16GiB`. */
  | { readonly kind: 'size'; readonly default?: number }
  /** Milliseconds; typed as `10s`. */
  | { readonly kind: 'duration'; readonly default?: number }
  /** A real calendar date, `YYYY-MM-DD`. */
  | { readonly kind: 'date' }
  | { readonly kind: 'file'; readonly default?: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'url' }

/** The headings of the option groups, in the order help shows them. */
export const OPTION_GROUPS = [
  'Search criteria',
  'Output',
  'Extraction',
  'Report',
  'Requests',
  'Connection',
  'Sandbox',
  'Archive limits',
  'Global options',
] as const

export type OptionGroup = (typeof OPTION_GROUPS)[number]

/** One option: its flag, environment variable, config key, help and type all follow from this row. */
export interface OptionRow<Command extends string = string> {
  /** The name in code. */
  readonly key: string
  /** The long name without dashes; also the config key, and after `MATDECL_` the variable. */
  readonly name: string
  readonly short?: string
  readonly placeholder?: string
  readonly type: OptionType
  /** May be given several times; one value a line in the environment, an array in the file. */
  readonly repeatable?: true
  /** The value may be left out; the option is then `true`. */
  readonly optionalValue?: true
  readonly group: OptionGroup
  readonly commands: 'all' | readonly Command[]
  /** Commands whose short help shows it. A command with such options shows the others only in its complete help. */
  readonly common?: readonly Command[]
  /** Where it can be set; all three unless given. */
  readonly from?: readonly ('flag' | 'env' | 'file')[]
  readonly offers?: Offer
  /** Keys of options that cannot be on the same command line. */
  readonly conflicts?: readonly string[]
  /** One sentence for help, man page, completions and docs: lower case, no full stop. */
  readonly help: string
}

type OneValue<T extends OptionType> = T extends { kind: 'flag' }
  ? boolean
  : T extends { kind: 'count' | 'integer' | 'size' | 'duration' }
    ? number
    : T extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : string

type GivenValue<R extends OptionRow> = R extends { repeatable: true }
  ? readonly OneValue<R['type']>[]
  : R extends { optionalValue: true }
    ? OneValue<R['type']> | true
    : OneValue<R['type']>

type HasDefault<R extends OptionRow> = R extends { repeatable: true }
  ? true
  : R['type'] extends { default: unknown } | { kind: 'flag' | 'count' }
    ? true
    : false

/** The value of an option as the program sees it; `undefined` where there is neither a value nor a default. */
export type ValueOf<R extends OptionRow> =
  HasDefault<R> extends true ? GivenValue<R> : GivenValue<R> | undefined
