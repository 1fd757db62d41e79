import type { GateResult } from '../report/row-matches.ts'

/** A value before and after. */
export interface Move<T> {
  readonly old: T
  readonly new: T
}

/** What changed in a part; only changed fields are present. */
export interface PartChanges {
  readonly date?: Move<string>
  readonly classes?: Move<string>
  readonly rohs?: Move<string>
  readonly exemptions?: { readonly added: readonly string[]; readonly removed: readonly string[] }
  readonly svhc?: { readonly gained: readonly string[]; readonly lost: readonly string[] }
  readonly svhc_count?: Move<number | null>
  readonly rohs_list?: Move<string>
  readonly reach_list?: Move<string>
  readonly mass_mg?: Move<number | null>
  readonly declared_percent?: Move<number | null>
}

export interface ChangedPart {
  readonly part: string
  readonly supplier: string
  readonly changes: PartChanges
}

/** A part that is on one side only, and what it declares there. */
export interface LonePart {
  readonly part: string
  readonly supplier: string
  readonly rohs: string
  readonly svhc_count: number | null
  readonly date: string
}

/** The parts whose declarations changed only in their date and in the same lists. */
export interface ListUpdate {
  readonly rohs_list: Move<string> | null
  readonly reach_list: Move<string> | null
  readonly parts: number
  readonly examples: readonly string[]
}

/** The differences between two downloads; parts in code point order. */
export interface DeclarationDiff {
  readonly added: readonly LonePart[]
  readonly removed: readonly LonePart[]
  readonly changed: readonly ChangedPart[]
  readonly listUpdates: readonly ListUpdate[]
  /** Parts in which only the date changed. */
  readonly redated: number
  readonly unchanged: number
  readonly unreadable: { readonly old: readonly Unreadable[]; readonly new: readonly Unreadable[] }
  readonly counts: {
    readonly old: number
    readonly new: number
    readonly unreadable: Move<number>
  }
  readonly gate: GateResult | undefined
}

export interface Unreadable {
  readonly source: string
  readonly reason: string
}
