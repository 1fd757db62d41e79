import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { withOptions } from '../../base/notice.ts'
import { quoteFor } from '../../base/shell-words.ts'
import type { MigratedDownload, Migration } from '../../migrate/migrate.ts'
import type { Style } from '../../terminal/style.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { okResult, printResult } from '../json.ts'
import type { Settings } from '../settings/settings.ts'

export const migrateCommand: CommandDefinition = {
  name: 'migrate',
  summary: 'convert a legacy v1 request to a v2 command',
  operands: [{ name: 'REQUEST', required: false }],
  description:
    'Reads a v1 JSON request from a file or standard input. Prints a script with the equivalent v2 commands; comments show their URLs and every difference. Sends nothing, changes nothing, and never prints the API key. `--format` selects the v2 format that replaces XML.',
  examples: [
    { line: 'matdecl migrate request.json', does: 'convert a v1 request in a file' },
    { line: 'matdecl migrate --format 1752B < request.json', does: 'convert standard input, to 1752B' },
  ],
  run,
}

/** Prints what a v1 request is in v2: a script, or with `--json` an object. Warnings go to standard error. */
async function run({ world, settings, terminal }: Context): Promise<number> {
  const { migrateRequest } = await import('../../migrate/migrate.ts')
  const [file] = settings.operands
  const standard = standardOf(settings)
  const migration = await migrateRequest(world, { file, standard, baseUrl: settings.values.baseUrl })
  const { platform } = world.host
  const migrated = migrationResult(migration, platform)
  // Their options are those of the download, not of this command.
  for (const message of migrated.warnings) {
    terminal.reporter.notice({ level: 'warning', event: 'migrate.warning', message })
  }
  const result = okResult('migrate', migrated)
  await printResult(terminal, result, migrationText(migration, terminal.out, platform))
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

/** A migration as a shell script, on Windows for PowerShell: the commands, and everything else as comments with unsafe characters escaped. */
export function migrationText(
  migration: Migration,
  style: Style,
  platform: NodeJS.Platform = 'linux',
): string {
  const { commands, notes } = migrationResult(migration, platform)
  return [
    ...commands.flatMap(({ command, url }) => [
      style.strong(escapeUnsafe(command)),
      `# requests ${escapeUnsafe(url)}`,
      '',
    ]),
    '# changes in v2:',
    ...notes.flatMap(({ aspect, v1, v2, note }) => [
      `#   ${style.strong(aspect)}: ${escapeUnsafe(v1)} -> ${escapeUnsafe(v2)}`,
      `#     ${escapeUnsafe(note)}`,
    ]),
    '',
  ].join('\n')
}

/** The JSON result of a migration. */
export function migrationResult(
  { downloads, notes, warnings }: Migration,
  platform: NodeJS.Platform = 'linux',
) {
  return {
    commands: downloads.map((download) => {
      const { supplier } = download.criteria
      const argv = argvOf(download)
      const command = argv.map(quoteFor(platform)).join(' ')
      return { ...(supplier === undefined ? {} : { supplier }), argv, url: download.url, command }
    }),
    notes: notes.map(({ options, ...row }) => ({ ...row, note: withOptions(row.note, options) })),
    warnings: warnings.map(({ message, options }) => withOptions(message, options)),
  }
}

function argvOf({ criteria, parts }: MigratedDownload): readonly string[] {
  const { format, formatClass, supplier, startDate } = criteria
  return [
    'matdecl',
    'download',
    ...option('--format', format),
    ...option('--format-class', formatClass),
    ...option('--supplier', supplier),
    ...parts.flatMap((part) => option('--part', part)),
    ...option('--start-date', startDate),
  ]
}

// A separate value that begins with a dash would be taken for an option.
function option(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return []
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}
