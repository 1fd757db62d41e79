import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { migrateRequest } from '../../migrate/migrate.ts'
import type { CommandRun } from '../context.ts'
import { jsonResult } from '../json.ts'
import { migrationText } from '../migration-text.ts'
import { takeOperands } from '../operands.ts'
import type { Settings } from '../settings/settings.ts'

/** Says what a v1 request is in v2: a script, or with `--json` an object. Warnings go to standard error. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const [file] = takeOperands(settings)
  const standard = standardOf(settings)
  const migration = await migrateRequest(world, { file, standard, baseUrl: settings.values.baseUrl })
  const { commands, config, notes, warnings } = migration
  for (const message of warnings) {
    terminal.reporter.notice({ level: 'warning', event: 'migrate.warning', message })
  }
  if (!terminal.choice.json) {
    await terminal.write(migrationText(migration, terminal.out))
    return 0
  }
  const told = commands.map(({ line, ...rest }) => ({ ...rest, command: line }))
  await terminal.write(jsonResult('migrate', 'ok', { commands: told, config, notes, warnings }))
  return 0
}

// A format that stands in the settings may be one of v1; one that was typed may not.
function standardOf({ values, sources }: Settings): '1752A' | '1752B' | undefined {
  const { format } = values
  if (format === undefined || format === '1752A' || format === '1752B') return format
  if (sources.format?.kind !== 'flag') return undefined
  throw new Failure('usage', `--format '${escapeUnsafe(format)}' is no v2 format`, {
    hint: 'migrate goes to v2, which has 1752A and 1752B',
  })
}
