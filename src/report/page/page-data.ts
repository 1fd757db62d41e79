// What the server side writes into a page, and its script reads: typed values, no markup. Nothing here may need Node.

import type { FilterName, Tone } from '../document.ts'

type PageCell = string | number | boolean | null

export interface PageColumn {
  readonly name: string
  readonly title: string
  readonly isNumber: boolean
  /** Shown in a table of substances, not only in its CSV. */
  readonly isMain: boolean
}

/** How a row or a value is marked: a tone, or one of the two kinds of no data, which are not the red of a failure. */
export type Mark = Tone | 'missing' | 'unreadable'

/** A value of RoHS or REACH in few words. */
export type ValueCell = readonly [mark: Mark, text: string, small?: string | undefined]

/** The groups of rows that have a tab; a row may be in several. */
export type TabName = 'decide' | 'ask' | 'ending' | 'doubtful' | 'clean' | 'waived' | 'all' | 'assemblies'

/** A row: its cells in the order of the columns, and what was decided about it. */
export interface PageRow {
  readonly cells: readonly PageCell[]
  readonly part?: PartRow
}

/** What is shown of a row of parts. */
export interface PartRow {
  readonly name: string
  readonly about: string
  readonly mark: Mark
  readonly tabs: readonly TabName[]
  /** Its line of the parts list, where it has one: tabs count lines. */
  readonly line?: string | undefined
  readonly rohs: ValueCell
  readonly reach: ValueCell
  readonly why: string
  readonly used: string
  readonly supplier: string
  /** Its supplier is known from the parts list only. */
  readonly isListed?: true | undefined
  readonly date: string
  /** Its place where the worst come first. */
  readonly rank: number
  readonly needsAttention?: true | undefined
  readonly filters: Readonly<Partial<Record<FilterName, readonly string[]>>>
  /** Left out of a page with very many rows. */
  readonly page?: PartPage | undefined
}

/** What the page of a part has beside its row. Files are their places in the list of the page. */
export interface PartPage {
  readonly verdict: string
  readonly why: readonly string[]
  readonly statements: readonly PageStatement[]
  readonly declarations: readonly (readonly [file: number, date: string, counts: string, accepted: string])[]
  readonly excerpts: readonly { readonly file: number; readonly lines: readonly ExcerptLine[] }[]
  readonly findings: readonly string[]
  readonly notes: readonly string[]
  readonly letter?: { readonly supplier: string; readonly text: string; readonly mail: string } | undefined
  readonly waived: readonly string[]
  readonly waiverLines: readonly string[]
}

export type PageStatement = readonly [
  what: string,
  answer: string,
  mark: Mark,
  file: number,
  line: number,
  isOlder?: 1,
]

export type ExcerptLine = readonly [number: number, text: string, isMarked: 0 | 1]

/** A file with what identifies it, as far as it was read again. */
export interface PageFile {
  readonly name: string
  readonly date: string | undefined
  readonly sha256?: string | undefined
  readonly archive?: { readonly name: string; readonly sha256: string } | undefined
}

export interface PageData {
  readonly kind: 'parts' | 'substances'
  readonly columns: readonly PageColumn[]
  readonly signs: Readonly<Record<Mark, string>>
  /** Days on which something ends, as an iCalendar file; empty for none. */
  readonly calendar: string
  readonly rows: readonly PageRow[]
  readonly files: readonly PageFile[]
}
