import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { migrateRequest } from '../../migrate/migrate.ts'
import type { CommandRun } from '../context.ts'
import { jsonResult } from '../json.ts'
import { migrationResult, migrationText } from '../migration-text.ts'
import { takeOperands } from '../operands.ts'
import type { Settings } from '../settings/settings.ts'

/** Prints what a v1 request becomes in v2: a script, or with `--json` an object. Warnings go to standard error. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const [file] = takeOperands(settings)
  const standard = standardOf(settings)
  const migration = await migrateRequest(world, { file, standard, baseUrl: settings.values.baseUrl })
  for (const warning of migration.warnings) {
    terminal.reporter.notice({ level: 'warning', event: 'migrate.warning', ...warning })
  }
  const result = terminal.choice.json
    ? jsonResult('migrate', 'ok', migrationResult(migration))
    : migrationText(migration, terminal.out)
  await terminal.write(result)
  return 0
}

// The settings may have a v1 format, which does not count here; a typed one is an error.
function standardOf({ values, sources }: Settings): '1752A' | '1752B' | undefined {
  const { format } = values
  if (format === undefined || format === '1752A' || format === '1752B') return format
  if (sources.format?.kind !== 'flag') return undefined
  throw new Failure('usage', `'${escapeUnsafe(format)}' is not a v2 format`, {
    hint: 'use 1752A or 1752B',
    options: ['format'],
  })
}
