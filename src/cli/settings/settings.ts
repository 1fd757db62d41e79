import type { ArchiveLimits } from '../../archive/problem.ts'
import type { NamedPath } from '../../fs/output-target.ts'
import type { CommandName, Values } from '../options.ts'

/** What was typed for one option, in order: text, or `true` for a flag and for a value left out. */
export type Given = readonly (string | true)[]

/** What was typed, or given by a caller, before it is checked. */
export interface CommandLine {
  readonly command: CommandName
  readonly operands: readonly string[]
  /** The operands after `--`, for a command that keeps them apart. */
  readonly afterDashes: readonly string[]
  readonly given: ReadonlyMap<string, Given>
  /** All sources unless given. */
  readonly reach?: Reach | undefined
}

/** Which sources of settings a command reads: all; all but the config file, which may be broken or missing; flags only. */
export type Reach = 'everywhere' | 'without-file' | 'flags'

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
  /** The archive limits among the values. */
  readonly limits: ArchiveLimits
  readonly sources: Readonly<Record<string, Source>>
  /** The config file that was read, if any. */
  readonly configPath: string | undefined
}

/** The files that a command reads beside its operands, as they are named in messages. */
export function inputsOf({ values, configPath }: Settings): readonly NamedPath[] {
  const { partsFile, waivers, manufacturers, substanceList } = values
  return [
    ...partsFile.filter((path) => path !== '-').map((path) => ({ what: 'parts-file', path })),
    ...(configPath === undefined ? [] : [{ what: 'config', path: configPath }]),
    ...(waivers === undefined ? [] : [{ what: 'waivers', path: waivers }]),
    ...(manufacturers === undefined ? [] : [{ what: 'manufacturers', path: manufacturers }]),
    ...substanceList.map((path) => ({ what: 'substance-list', path })),
  ]
}
