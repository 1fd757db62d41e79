import { escapeUnsafe } from '../base/clean-text.ts'
import type { Migration } from '../migrate/migration.ts'
import type { Style } from '../terminal/style.ts'

/**
 * A migration as a shell script: the commands, and everything else as comments. Control characters in values from the
 * request are escaped.
 */
export function migrationText({ commands, config, notes }: Migration, style: Style): string {
  const asked = commands.flatMap(({ line, url }) => [
    style.strong(escapeUnsafe(line)),
    `# requests ${escapeUnsafe(url)}`,
    '',
  ])
  const settings = [
    '# for the config file (matdecl config path prints its path):',
    ...config.map((line) => `#   ${escapeUnsafe(line)}`),
    '',
  ]
  const changes = notes.flatMap(({ aspect, v1, v2, note }) => [
    `#   ${style.strong(aspect)}: ${escapeUnsafe(v1)} -> ${escapeUnsafe(v2)}`,
    `#     ${escapeUnsafe(note)}`,
  ])
  return [...asked, ...settings, '# what is different in v2:', ...changes, ''].join('\n')
}
