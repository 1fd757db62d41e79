import type { Formatter, ReportShape } from './formatter.ts'

/** The formats of a report, with the file name endings that select them. */
export const FORMAT_ENDINGS = {
  csv: ['.csv'],
  tsv: ['.tsv'],
  json: ['.json'],
  ndjson: ['.ndjson', '.jsonl'],
  xlsx: ['.xlsx'],
  html: ['.html', '.htm'],
  md: ['.md', '.markdown'],
  parquet: ['.parquet'],
} as const

export type FormatName = keyof typeof FORMAT_ENDINGS

export const FORMAT_NAMES = Object.keys(FORMAT_ENDINGS) as readonly FormatName[]

/** Formats whose output is not text. */
export const BINARY_FORMATS: ReadonlySet<FormatName> = new Set(['xlsx', 'parquet'])

/** Formats that have parts and substances, whichever the report is about. */
export const BOTH_TABLES: ReadonlySet<FormatName> = new Set(['xlsx'])

/** The extension of each format, as it is documented. */
export const FORMAT_EXTENSIONS: readonly string[] = Object.values(FORMAT_ENDINGS).map(([first]) => first)

/** What to do about an extension that selects no format. */
export const FORMAT_HINT = `use ${FORMAT_EXTENSIONS.slice(0, -1).join(', ')} or ${FORMAT_EXTENSIONS.at(-1)}`

/** The format by the ending of a file name, in any case. */
export function formatOf(path: string): FormatName | undefined {
  const ending = /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? ''
  const found = Object.entries(FORMAT_ENDINGS).find(([, endings]) => endings.some((one) => one === ending))
  return found?.[0] as FormatName | undefined
}

/** A formatter by name. The code of a format is loaded when it is used. */
export async function openFormatter(name: FormatName, shape: ReportShape): Promise<Formatter> {
  switch (name) {
    case 'csv':
      return (await import('./delimited.ts')).csvFormatter(shape)
    case 'tsv':
      return (await import('./delimited.ts')).tsvFormatter(shape)
    case 'json':
      return (await import('./report-json.ts')).jsonFormatter(shape)
    case 'ndjson':
      return (await import('./report-json.ts')).ndjsonFormatter(shape)
    case 'xlsx':
      return (await import('../xlsx/xlsx.ts')).xlsxFormatter(shape)
    case 'html':
      return (await import('../page/report-page.ts')).htmlFormatter(shape)
    case 'md':
      return (await import('./markdown.ts')).markdownFormatter(shape)
    case 'parquet':
      return (await import('./parquet.ts')).parquetFormatter(shape)
  }
}
