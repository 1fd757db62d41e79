import type { CommandName } from './commands.ts'
import type { Offer } from './offer.ts'

/** What an option's text must be. The descriptor is plain data, so that help and completions load no schema library. */
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

export type OptionGroup =
  | 'What to ask for'
  | 'Where it goes'
  | 'How much and how fast'
  | 'The way to the service'
  | 'Limits on archives'
  | 'What to unpack'
  | 'The report'
  | 'The comparison'
  | 'The miniature service'
  | 'Secrets'
  | 'Everywhere'

/** One option: its flag, environment variable, config key, help line and type all follow from this row. */
export interface OptionRow {
  /** The name in code. */
  readonly key: string
  /** The long name without dashes; also the config key, and the variable after `MATDECL_`. */
  readonly name: string
  readonly short?: string
  readonly placeholder?: string
  readonly type: OptionType
  /** May be given several times; in the environment one value a line, in the file an array. */
  readonly repeatable?: true
  /** The value may be left out; the option is then `true`. */
  readonly optionalValue?: true
  readonly group: OptionGroup
  /** The commands that have it; `all` for every one. */
  readonly commands: 'all' | readonly CommandName[]
  /** Where it may stand; all three unless said otherwise. */
  readonly from?: readonly ('flag' | 'env' | 'file')[]
  readonly offers?: Offer
  /** One sentence for help, man page, completions and README: lower case, no full stop. */
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

/** The value of one row as the rest of the program sees it; `undefined` when there is neither a value nor a default. */
export type ValueOf<R extends OptionRow> =
  HasDefault<R> extends true ? GivenValue<R> : GivenValue<R> | undefined
