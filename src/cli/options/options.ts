import type { OptionRow, ValueOf } from '../../reference/option-row.ts'
import { ARCHIVE_OPTIONS } from './options-archive.ts'
import { ASKING_OPTIONS } from './options-criteria.ts'
import { DOWNLOAD_OPTIONS } from './options-download.ts'
import { EVERYWHERE_OPTIONS } from './options-global.ts'
import { REPORT_OPTIONS } from './options-report.ts'
import { SANDBOX_OPTIONS } from './options-sandbox.ts'
import { SERVICE_OPTIONS } from './options-service.ts'

/** Every option. Flags, variables, config keys, types, help, man page and completions follow from this table. */
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

/** The values of all options, by key. Options that a command does not have keep their defaults. */
export type Values = { readonly [R in Rows as R['key']]: ValueOf<R> }

/** The options of one command, those for every command last. */
export function optionsOf(command: string, table: readonly OptionRow[] = OPTIONS): readonly OptionRow[] {
  return table.filter((row) => row.commands === 'all' || row.commands.some((name) => name === command))
}
