import { FORMATS } from '../report/formats/choose-format.ts'
import type { TextLook } from '../report/formats/text.ts'
import type { DiffFacts } from './diff-document.ts'
import type { DeclarationDiff } from './diff-result.ts'

/** The formats of a file. */
export const DIFF_FORMATS = {
  md: FORMATS.md,
  html: FORMATS.html,
  xlsx: FORMATS.xlsx,
  csv: FORMATS.csv,
  json: FORMATS.json,
}

/** What a format needs beside the diff. */
export interface DiffOutput {
  readonly facts: DiffFacts
  /** The result as JSON. */
  readonly json: Iterable<string> | AsyncIterable<string>
  /** How text looks on a terminal; otherwise it is plain. */
  readonly look?: TextLook
}

/** A diff in a format, in pieces. The code of a format is loaded when it is used. */
export async function* writeDiff(
  format: keyof typeof DIFF_FORMATS | 'text',
  diff: DeclarationDiff,
  { facts, json, look }: DiffOutput,
): AsyncGenerator<string | Uint8Array, void, void> {
  if (format === 'json') return yield* json
  const { changedLines, changesSheet, DIFF_COLUMNS, diffDocument, diffRows, isSummary } = await import(
    './diff-document.ts'
  )
  if (format === 'csv') {
    const { csvTable } = await import('../report/formats/delimited.ts')
    const { heading, line } = csvTable(DIFF_COLUMNS)
    yield heading
    for (const row of diffRows(diff)) yield line(row)
    return
  }
  const document = diffDocument(diff, facts)
  switch (format) {
    case 'text': {
      const { PLAIN_LOOK, sectionLines, verdictLines } = await import('../report/formats/text.ts')
      const style = look ?? PLAIN_LOOK
      for (const line of verdictLines(document, style)) yield `${line}\n`
      for (const section of document.sections) {
        const lines = sectionLines([section], style)
        yield `${section.title === undefined ? '' : '\n'}${lines.join('\n')}\n`
      }
      return
    }
    case 'md': {
      const { headMarkdown, sectionsMarkdown } = await import('../report/formats/markdown.ts')
      yield headMarkdown(document) + sectionsMarkdown(document.sections)
      return
    }
    case 'html':
      return yield* (await import('./diff-page.ts')).diffPage(document, changedLines(diffRows(diff)))
    case 'xlsx': {
      const { documentWorkbook } = await import('../report/xlsx/document-sheets.ts')
      const sections = document.sections.filter(isSummary)
      yield* documentWorkbook({ ...document, sections }, [changesSheet(diff)])
    }
  }
}
