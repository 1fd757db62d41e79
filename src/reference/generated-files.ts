import type { Command } from 'commander'
import { completionScript } from './completions.ts'
import { resultsSchema } from './json-results.ts'
import { manPage } from './man-page.ts'
import { fillMarkers, markdownTables } from './markdown-tables.ts'
import { type Table, tableOf } from './table.ts'

/** What the generated files depend on besides the program. */
export interface Facts {
  readonly version: string
  /** YYYY-MM-DD, for a man page whose text changed. */
  readonly today: string
  /** The JSON Schema of the config file. */
  readonly configSchema: string
}

/** A committed file with what it should contain. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/**
 * Every file generated from the program, with paths from the root of the package. `markdown` are the existing Markdown
 * files by path; those without a marker come back unchanged. `manual` is the existing man page: its date is kept while its
 * text is the same.
 */
export function generatedFiles(
  program: Command,
  markdown: Readonly<Record<string, string>>,
  manual: string | undefined,
  { version, today, configSchema }: Facts,
): readonly GeneratedFile[] {
  const table = tableOf(program)
  const tables = markdownTables(table)
  return [
    { path: 'completions/matdecl.bash', text: completionScript('bash', program) },
    { path: 'completions/_matdecl', text: completionScript('zsh', program) },
    { path: 'completions/matdecl.fish', text: completionScript('fish', program) },
    { path: 'completions/matdecl.ps1', text: completionScript('powershell', program) },
    { path: 'man/matdecl.1', text: datedManual(manual, version, today, table) },
    { path: 'docs/config.schema.json', text: configSchema },
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
