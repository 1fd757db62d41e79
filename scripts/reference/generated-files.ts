import type { OptionRow } from '../../src/cli/option-row.ts'
import { resultsSchema } from './json-results.ts'
import { manPage } from './man-page.ts'
import { fillMarkers, markdownTables } from './markdown-tables.ts'

/** What the generated files depend on besides the program. */
export interface Facts {
  readonly version: string
  /** YYYY-MM-DD, for a man page whose text changed. */
  readonly today: string
}

/** A committed file with what it should contain. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/**
 * Every file generated from the tables of commands and options, with paths from the root of the package. `markdown` are the existing Markdown
 * files by path; those without a marker come back unchanged. `manual` is the existing man page: its date is kept while its
 * text is the same.
 */
export function generatedFiles(
  options: readonly OptionRow[],
  markdown: Readonly<Record<string, string>>,
  manual: string | undefined,
  { version, today }: Facts,
): readonly GeneratedFile[] {
  const tables = markdownTables(options)
  return [
    { path: 'man/matdecl.1', text: datedManual(manual, version, today, options) },
    { path: 'docs/results.schema.json', text: resultsSchema() },
    ...Object.entries(markdown).map(([path, text]) => ({ path, text: fillMarkers(text, tables) })),
  ]
}

function datedManual(
  manual: string | undefined,
  version: string,
  today: string,
  options: readonly OptionRow[],
): string {
  const date = /^\.TH MATDECL 1 "(\d{4}-\d{2}-\d{2})"/m.exec(manual ?? '')?.[1]
  if (date === undefined) return manPage(options, { version, date: today })
  const same = manPage(options, { version, date })
  return same === manual ? same : manPage(options, { version, date: today })
}
