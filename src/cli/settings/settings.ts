import type { CommandName } from '../options/commands.ts'
import type { Values } from '../options/options.ts'

/** Where a value came from. */
export type Source =
  | { readonly kind: 'flag'; readonly where: string }
  | { readonly kind: 'environment'; readonly where: string }
  | { readonly kind: 'profile'; readonly where: string }
  | { readonly kind: 'file'; readonly where: string }
  | { readonly kind: 'default' }

/** A secret with where it came from; never printed. */
export interface Secret {
  readonly value: string
  readonly source: Source
}

/** Everything a command goes by: typed, complete, each value with its source. Nothing has been done yet. */
export interface Settings {
  readonly command: CommandName
  readonly operands: readonly string[]
  /** What stood after `--`. */
  readonly afterDashes: readonly string[]
  readonly values: Values
  readonly sources: Readonly<Record<string, Source>>
  /** The settings file that was read, if any. */
  readonly configPath: string | undefined
}
