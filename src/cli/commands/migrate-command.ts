import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { migrationResult, migrationText } from '../migration-text.ts'
import type { Settings } from '../settings/settings.ts'

export const migrateCommand: CommandDefinition = {
  name: 'migrate',
  summary: 'convert a legacy v1 request to the v2 command and URL, with a note for every change',
  operands: [{ name: 'REQUEST', required: false }],
  description:
    'Reads a v1 JSON request, or a curl command line with one, from a file or standard input. Prints a script with the equivalent v2 commands; comments show their URLs, lines for the config file, and every difference. Sends nothing, changes nothing, and never prints the API key. `--format` selects the v2 format that replaces XML.',
  examples: [
    { line: 'matdecl migrate request.json', does: 'convert a v1 request in a file' },
    { line: 'matdecl migrate --format 1752B < fetch.sh', does: 'convert a curl command line, to 1752B' },
  ],
  isRare: true,
  run,
}

/** Prints what a v1 request is in v2: a script, or with `--json` an object. Warnings go to standard error. */
async function run({ world, settings, terminal }: Context): Promise<number> {
  const { migrateRequest } = await import('../../migrate/migrate.ts')
  const [file] = settings.operands
  const standard = standardOf(settings)
  const migration = await migrateRequest(world, { file, standard, baseUrl: settings.values.baseUrl })
  for (const warning of migration.warnings) {
    terminal.reporter.notice({ level: 'warning', event: 'migrate.warning', ...warning })
  }
  const { platform } = world.host
  const result = terminal.choice.json
    ? jsonResult('migrate', 'ok', migrationResult(migration, platform))
    : migrationText(migration, terminal.out, platform)
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
