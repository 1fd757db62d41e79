import { completionScript } from './completions.ts'
import { configSchema } from './config-schema.ts'
import { resultsSchema } from './json-results.ts'
import { manPage } from './man-page.ts'
import { fillMarkers, markdownTables } from './markdown-tables.ts'
import { TABLE, type Table } from './table.ts'

/** What the generated files depend on besides the table. */
export interface Facts {
  readonly version: string
  /** YYYY-MM-DD, for a manual page whose words changed. */
  readonly today: string
}

/** A committed file with what it should hold. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/**
 * Every file that is made from the table, paths from the root of the package. `markdown` are the Markdown files that are
 * there, by path; those without a marker come back as they are. `manual` is the manual page as it stands: its date stays
 * while its words do.
 */
export function generatedFiles(
  markdown: Readonly<Record<string, string>>,
  manual: string | undefined,
  { version, today }: Facts,
  table: Table = TABLE,
): readonly GeneratedFile[] {
  const tables = markdownTables(table)
  return [
    { path: 'completions/matdecl.bash', text: completionScript('bash', table) },
    { path: 'completions/_matdecl', text: completionScript('zsh', table) },
    { path: 'completions/matdecl.fish', text: completionScript('fish', table) },
    { path: 'completions/matdecl.ps1', text: completionScript('powershell', table) },
    { path: 'man/matdecl.1', text: datedManual(manual, version, today, table) },
    { path: 'docs/config.schema.json', text: configSchema(table) },
    { path: 'docs/results.schema.json', text: resultsSchema() },
    ...Object.entries(markdown).map(([path, text]) => ({ path, text: fillMarkers(text, tables) })),
  ]
}

function datedManual(manual: string | undefined, version: string, today: string, table: Table): string {
  const date = /^\.TH MATDECL 1 "(\d{4}-\d{2}-\d{2})"/m.exec(manual ?? '')?.[1]
  if (date === undefined) return manPage(table, { version, date: today })
  const same = manPage(table, { version, date })
  return same === manual ? same : manPage(table, { version, date: today })
}
