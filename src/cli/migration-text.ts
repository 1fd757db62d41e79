import { escapeUnsafe, jsonText } from '../base/clean-text.ts'
import { withOptions } from '../base/notice.ts'
import { quoteFor } from '../base/shell-words.ts'
import type { MigratedDownload, Migration } from '../migrate/migration.ts'
import type { Style } from '../terminal/style.ts'

/** A migration as a shell script, on Windows for PowerShell: the commands, and everything else as comments with unsafe characters escaped. */
export function migrationText(
  migration: Migration,
  style: Style,
  platform: NodeJS.Platform = 'linux',
): string {
  const { commands, config, notes } = migrationResult(migration, platform)
  const comments = (lines: readonly string[]): string[] => lines.map((line) => `#   ${escapeUnsafe(line)}`)
  return [
    ...commands.flatMap(({ command, url }) => [
      style.strong(escapeUnsafe(command)),
      `# requests ${escapeUnsafe(url)}`,
      '',
    ]),
    '# for the config file (matdecl config path prints its path):',
    ...comments(config),
    '',
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
  { downloads, baseUrl, notes, warnings }: Migration,
  platform: NodeJS.Platform = 'linux',
) {
  return {
    commands: downloads.map((download) => {
      const { supplier } = download.criteria
      const argv = argvOf(download)
      const command = argv.map(quoteFor(platform)).join(' ')
      return { ...(supplier === undefined ? {} : { supplier }), argv, url: download.url, command }
    }),
    config: configLines(downloads, baseUrl),
    notes: notes.map(({ options, ...row }) => ({ ...row, note: withOptions(row.note, options) })),
    warnings: warnings.map(({ message, options }) => withOptions(message, options)),
  }
}

function argvOf({ criteria, parts, output }: MigratedDownload): readonly string[] {
  const { format, formatClass, supplier, startDate } = criteria
  return [
    'matdecl',
    'download',
    ...option('--format', format),
    ...option('--format-class', formatClass),
    ...option('--supplier', supplier),
    ...parts.flatMap((part) => option('--part', part)),
    ...option('--start-date', startDate),
    ...option('--output', output),
  ]
}

// A separate value that begins with a dash would be taken for an option.
function option(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return []
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

function configLines(downloads: readonly MigratedDownload[], baseUrl: string): readonly string[] {
  const [first, ...others] = downloads
  const { format, formatClass, supplier } = first!.criteria
  const settings: Readonly<Record<string, string | undefined>> = {
    'base-url': baseUrl,
    format,
    'format-class': formatClass,
    supplier: others.length === 0 ? supplier : undefined,
  }
  return Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = ${tomlString(value)}`],
  )
}

// A TOML basic string is a JSON string, here with invisible characters escaped too.
function tomlString(value: string): string {
  return jsonText(value)
}
