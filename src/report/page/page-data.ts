// What the server side writes into a page, and its script reads: typed values, no markup. Nothing here may need Node.

import type { Tone } from '../document.ts'

type PageCell = string | number | boolean | null

export interface PageColumn {
  readonly name: string
  readonly title: string
  readonly isNumber: boolean
  /** Shown in the table, not only in the details of a row. */
  readonly isMain: boolean
}

/** A row: its cells in the order of the columns, and what was decided about it. */
export interface PageRow {
  readonly cells: readonly PageCell[]
  /** What follows is of parts only. */
  readonly name?: string
  readonly status?: string
  /** The tone of the row, and that of its status. */
  readonly tone?: Tone
  readonly chip?: Tone
  readonly verdict?: string
  readonly findings?: readonly string[] | undefined
  /** Its place where the worst come first. */
  readonly rank?: number
  /** Whom to ask about it; nobody about a row that is not counted. */
  readonly supplier?: string | undefined
  /** Whether it is printed with its remarks. */
  readonly needsAttention?: boolean | undefined
  /** What it says of SVHCs. */
  readonly reach?: string | undefined
  /** The rules of the gate that it matches, and the waived ones with their reasons. */
  readonly gate?: readonly string[] | undefined
  readonly waived?: readonly string[] | undefined
  /** Exemptions by number, and what is known of their dates. */
  readonly exemptions?: readonly string[] | undefined
  readonly dates?: string | undefined
  readonly svhcs?: readonly string[] | undefined
  readonly lists?: readonly string[] | undefined
}

export interface PageData {
  readonly kind: 'parts' | 'substances'
  readonly columns: readonly PageColumn[]
  readonly signs: Readonly<Record<Tone, string>>
  readonly rows: readonly PageRow[]
}
