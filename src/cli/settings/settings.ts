import type { CommandName } from '../options/command-name.ts'
import type { Values } from '../options/options.ts'

/** The source of a value. */
export type Source =
  | { readonly kind: 'flag'; readonly where: string }
  | { readonly kind: 'environment'; readonly where: string }
  | { readonly kind: 'profile'; readonly where: string }
  | { readonly kind: 'file'; readonly where: string }
  | { readonly kind: 'default' }

/** A secret and its source; never printed. */
export interface Secret {
  readonly value: string
  readonly source: Source
  /** The source in words, with the file or the program: `MATDECL_TOKEN`, `the file t.txt (MATDECL_TOKEN_FILE)`. */
  readonly origin: string
}

/** The settings of one run: typed, complete, each value with its source. */
export interface Settings {
  readonly command: CommandName
  readonly operands: readonly string[]
  /** The operands after `--`, for a command that keeps them apart. */
  readonly afterDashes: readonly string[]
  readonly values: Values
  readonly sources: Readonly<Record<string, Source>>
  /** The config file that was read, if any. */
  readonly configPath: string | undefined
}
