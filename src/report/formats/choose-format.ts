import { Failure } from '../../base/failure.ts'
import type { Formatter, ReportShape } from './formatter.ts'

interface Format {
  /** The file name endings that select it, the documented one first. */
  readonly endings: readonly string[]
  /** The code of a format is loaded when it is used. */
  readonly open: (shape: ReportShape) => Promise<Formatter>
  /** It has parts and substances, whichever the report is about. */
  readonly hasBothTables?: true
}

/** The formats of a report. To add one, add it here. */
const BY_NAME = {
  csv: {
    endings: ['.csv'],
    open: async (shape) => (await import('./delimited.ts')).csvFormatter(shape),
  },
  tsv: {
    endings: ['.tsv'],
    open: async (shape) => (await import('./delimited.ts')).tsvFormatter(shape),
  },
  json: {
    endings: ['.json'],
    open: async (shape) => (await import('./report-json.ts')).jsonFormatter(shape),
  },
  ndjson: {
    endings: ['.ndjson', '.jsonl'],
    open: async (shape) => (await import('./report-json.ts')).ndjsonFormatter(shape),
  },
  xlsx: {
    endings: ['.xlsx'],
    open: async (shape) => (await import('../xlsx/xlsx.ts')).xlsxFormatter(shape),
    hasBothTables: true,
  },
  html: {
    endings: ['.html', '.htm'],
    open: async (shape) => (await import('../page/report-page.ts')).htmlFormatter(shape),
  },
  md: {
    endings: ['.md', '.markdown'],
    open: async (shape) => (await import('./markdown.ts')).markdownFormatter(shape),
  },
  parquet: {
    endings: ['.parquet'],
    open: async (shape) => (await import('./parquet.ts')).parquetFormatter(shape),
  },
} as const satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof BY_NAME

export const FORMATS: Readonly<Record<FormatName, Format>> = BY_NAME

type Endings<Name extends string> = Readonly<Record<Name, Pick<Format, 'endings'>>>

/** The extensions of some formats, as they are documented. */
export function extensionsOf(formats: Endings<string>): readonly string[] {
  return Object.values(formats).map(({ endings }) => endings[0]!)
}

/** The format by the ending of the file name, in any case; `what` names the file in the Failure of kind `usage` for another ending. */
export function formatOf<Name extends string>(path: string, what: string, formats: Endings<Name>): Name {
  const ending = /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? ''
  const names = Object.keys(formats) as Name[]
  const found = names.find((name) => formats[name].endings.includes(ending))
  if (found !== undefined) return found
  const known = extensionsOf(formats)
  throw new Failure('usage', `${what} ${path}: unknown file extension`, {
    hint: `use ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
  })
}
