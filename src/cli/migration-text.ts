import { escapeUnsafe } from '../base/clean-text.ts'
import type { Migration } from '../migrate/migration.ts'
import type { Style } from '../terminal/style.ts'

/**
 * A migration as a script that a shell can run: the commands plain, everything else as comments. Values from the request are
 * shown with what a terminal would obey or hide made visible.
 */
export function migrationText({ commands, config, notes }: Migration, style: Style): string {
  const asked = commands.flatMap(({ line, url }) => [
    style.strong(escapeUnsafe(line)),
    `# asks for ${escapeUnsafe(url)}`,
    '',
  ])
  const settings = [
    '# for the settings file (matdecl config path says where it is):',
    ...config.map((line) => `#   ${escapeUnsafe(line)}`),
    '',
  ]
  const changes = notes.flatMap(({ aspect, v1, v2, note }) => [
    `#   ${style.strong(aspect)}: ${escapeUnsafe(v1)} -> ${escapeUnsafe(v2)}`,
    `#     ${escapeUnsafe(note)}`,
  ])
  return [...asked, ...settings, '# what is different in v2:', ...changes, ''].join('\n')
}
