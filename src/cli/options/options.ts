import type { OptionRow, ValueOf } from './option-row.ts'
import { ARCHIVE_OPTIONS } from './options-archive.ts'
import { ASKING_OPTIONS } from './options-asking.ts'
import { DOWNLOAD_OPTIONS } from './options-download.ts'
import { EVERYWHERE_OPTIONS } from './options-everywhere.ts'
import { REPORT_OPTIONS } from './options-report.ts'
import { SANDBOX_OPTIONS } from './options-sandbox.ts'
import { SERVICE_OPTIONS } from './options-service.ts'

/** THE table: every option there is. Flags, variables, config keys, types, help, man page and completions follow from it. */
export const OPTIONS = [
  ...ASKING_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SERVICE_OPTIONS,
  ...ARCHIVE_OPTIONS,
  ...REPORT_OPTIONS,
  ...SANDBOX_OPTIONS,
  ...EVERYWHERE_OPTIONS,
] as const

type Rows = (typeof OPTIONS)[number]

/** The values of all options, by key. Those that a command does not have keep their defaults. */
export type Values = { readonly [R in Rows as R['key']]: ValueOf<R> }

/** The options of one command, those for every command last. */
export function optionsOf(command: string, table: readonly OptionRow[] = OPTIONS): readonly OptionRow[] {
  return table.filter((row) => row.commands === 'all' || row.commands.some((name) => name === command))
}

/** The environment variable of an option. */
export function variableOf(row: OptionRow): string {
  return `MATDECL_${row.name.toUpperCase().replaceAll('-', '_')}`
}

/** Secrets have no row: they have no flag. These are their config keys. */
export const SECRET_KEYS = [
  'token',
  'token-file',
  'token-command',
  'api-key',
  'api-key-file',
  'api-key-command',
] as const

/** The environment variables that secrets may come from. */
export const SECRET_VARIABLES = [
  'MATDECL_TOKEN',
  'MATDECL_TOKEN_FILE',
  'MATDECL_API_KEY',
  'MATDECL_API_KEY_FILE',
] as const
