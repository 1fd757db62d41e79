import type { CsvDialect } from '../report/formats/csv-dialect.ts'
import type { DiffFormat } from './diff-format.ts'
import type { DiffFacts } from './diff-html.ts'
import type { DeclarationDiff } from './diff-result.ts'
import { DIFF_COLUMNS, diffRows } from './diff-rows.ts'
import { diffMarkdown, diffText, PLAIN_DIFF } from './diff-text.ts'

/** A diff in a format, in pieces. The code of a format is loaded when it is used. */
export async function* writeDiff(
  format: DiffFormat,
  diff: DeclarationDiff,
  {
    facts,
    json,
    csv,
  }: {
    readonly facts: DiffFacts /** The result as JSON. */
    readonly json: Iterable<string>
    readonly csv: CsvDialect
  },
): AsyncGenerator<string | Uint8Array> {
  switch (format) {
    case 'text':
      return yield* diffText(diff, PLAIN_DIFF)
    case 'md':
      return yield* diffMarkdown(diff)
    case 'json':
      return yield* json
    case 'html':
      return yield* (await import('./diff-html.ts')).diffHtml(diff, facts)
    case 'xlsx':
      return yield* (await import('./diff-workbook.ts')).diffWorkbook(diff, facts)
    case 'csv': {
      const { csvFormatter } = await import('../report/formats/format-delimited.ts')
      const shape = {
        kind: 'parts',
        columns: DIFF_COLUMNS,
        nowMs: facts.nowMs,
        version: facts.version,
        csv,
      } as const
      const formatter = csvFormatter(shape)
      yield formatter.begin()
      for (const row of diffRows(diff)) yield formatter.add([row as never])
    }
  }
}
