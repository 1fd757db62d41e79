import type { CamelCase, OptionRow } from './option-row.ts'
import type { OPTIONS } from './options.ts'

type Rows = (typeof OPTIONS)[number]

// Options about the terminal have no meaning for a program that calls another.
type OfTerminal =
  | 'json'
  | 'quiet'
  | 'logFormat'
  | 'noProgress'
  | 'color'
  | 'noColor'
  | 'noInput'
  | 'version'
  | 'help'

type RowsOf<Command extends string> = Rows extends infer R
  ? R extends { readonly commands: 'all'; readonly key: OfTerminal }
    ? never
    : R extends { readonly commands: 'all' }
      ? R
      : R extends { readonly commands: readonly (infer C)[] }
        ? Command extends C
          ? R
          : never
        : never
  : never

// A duration is text such as `10s` or a number of seconds, a size text such as `1GiB` or a number of bytes.
type OneGiven<R extends OptionRow> = R['type'] extends { kind: 'flag' }
  ? boolean
  : R['type'] extends { kind: 'count' | 'integer' }
    ? number
    : R['type'] extends { kind: 'size' | 'duration' }
      ? string | number
      : R['type'] extends { kind: 'choice'; values: readonly (infer V)[] }
        ? V
        : string

type Given<R extends OptionRow> = R extends { repeatable: true }
  ? readonly OneGiven<R>[]
  : R extends { takesOptionalValue: true }
    ? OneGiven<R> | true
    : OneGiven<R>

/** The options of a command by their long names, each as a program would give it; from the one option table. */
export type GivenOptions<Command extends string> = {
  readonly [R in RowsOf<Command> as R extends OptionRow ? CamelCase<R['name']> : never]?: R extends OptionRow
    ? Given<R> | undefined
    : never
}
