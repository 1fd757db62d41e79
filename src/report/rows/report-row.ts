import type { Acceptance } from '../../compliance/declaration.ts'
import type { Finding, Place } from '../../compliance/finding.ts'
import type { Verdict } from '../../compliance/finding-rules.ts'
import { NOTHING_DECLARED, type PartJudgement } from '../../compliance/judge.ts'
import { readMoment } from '../../compliance/response-date.ts'
import type { Where } from '../../compliance/statements.ts'
import type { RowLine } from '../lines.ts'
import type { Waiver } from '../report-result.ts'
import type { PartDeclaration } from './part-declaration.ts'

export type { Verdict } from '../../compliance/finding-rules.ts'

export type ReportStatus =
  | 'declared'
  | 'assembly'
  | 'superseded'
  | 'missing'
  | 'unknown'
  | 'unreadable'
  | 'not fitted'

/** A finding of a row of a report. */
export interface RowFinding extends Finding {
  /** The waivers that take it out of the gate, the one that is valid longest first. */
  readonly waivers?: readonly Waiver[]
}

/** A row of a report: what is known of a part, as values. `columns.ts` makes the texts of its cells. Part numbers are as written. */
export interface JudgedRow {
  readonly status: ReportStatus
  readonly part: string
  readonly requesterPart: string
  readonly name: string
  readonly supplier: string
  readonly companyIds: readonly string[]
  /** The oldest day of the declarations that count, `YYYY-MM-DD`; empty where none has a date. */
  readonly date: string
  readonly standard: '' | '1752A' | '1752B'
  readonly classes: string
  /** Every statement behind the row; `NOTHING_DECLARED` in a row that is no declaration. */
  readonly judged: PartJudgement
  /** The declarations that count, the newest first. */
  readonly declarations: readonly PartDeclaration[]
  readonly massMg: number | undefined
  readonly declaredPercent: number | undefined
  /** The unit that masses are for: `Each`, `Meter` and so on; empty where the file has none. */
  readonly unitType: string
  readonly notes: readonly string[]
  readonly sources: readonly string[]
  /** Identifies the part of its supplier; undefined without a part number. */
  readonly key: string | undefined
  /** The worst of the declarations that count. */
  readonly acceptance: Acceptance
  /** A declaration that counts has no date that can be compared. */
  readonly isUndated: boolean
  /** The manufacturers that the parts list has for it, where none of them is the supplier. */
  readonly otherManufacturers: readonly string[]
  /** The earliest date known for an exemption in use, `YYYY-MM-DD`; empty where none is known. */
  readonly exemptionExpires: string
  /** Entries that the newest known Candidate List has more than the one declared against. */
  readonly listBehind: number | undefined
  /** Worst first. */
  readonly findings: readonly RowFinding[]
  readonly verdict: Verdict
  readonly gate: RowGate
  /** The line of the parts list that the row is about. */
  readonly line: RowLine | undefined
}

/** What a gate matches in a row: its rules in their order, and the findings that only waivers keep from them. */
export interface RowGate {
  readonly open: readonly string[]
  readonly waived: readonly RowFinding[]
}

/** A row that is being made: it is completed in place, for a report has one for every part. */
export type OpenRow = { -readonly [Name in keyof JudgedRow]: JudgedRow[Name] }

/** A row for a requested part that no source declares. */
export function missingRow(part: string, notes: readonly string[] = []): OpenRow {
  return { ...EMPTY_ROW, status: 'missing', part, notes }
}

/** A row for a requested part whose request failed: whether it is declared is not known. */
export function unknownRow(part: string): OpenRow {
  return { ...EMPTY_ROW, status: 'unknown', part, notes: ['not known: its request failed'] }
}

/** A row for a file that cannot be read as a declaration. */
export function unreadableRow(source: string, reason: string): OpenRow {
  const finding: Finding = { rule: 'unreadable', subject: '', names: [], sentence: reason, place: { source } }
  return { ...EMPTY_ROW, status: 'unreadable', sources: [source], notes: [reason], findings: [finding] }
}

/** A row that nothing is known of. */
export const EMPTY_ROW: JudgedRow = {
  status: 'missing',
  part: '',
  requesterPart: '',
  name: '',
  supplier: '',
  companyIds: [],
  date: '',
  standard: '',
  classes: '',
  judged: NOTHING_DECLARED,
  declarations: [],
  massMg: undefined,
  declaredPercent: undefined,
  unitType: '',
  notes: [],
  sources: [],
  key: undefined,
  acceptance: 'not said',
  isUndated: false,
  otherManufacturers: [],
  exemptionExpires: '',
  listBehind: undefined,
  findings: [],
  verdict: '',
  gate: { open: [], waived: [] },
  line: undefined,
}

/** The place of a statement of a row. */
export function placeOf(
  { declarations }: Pick<JudgedRow, 'declarations'>,
  { origin, line, list }: Where,
): Place {
  const { source, dateText, line: start } = declarations[origin]!
  return { source, line: start + line, list, date: readMoment(dateText)?.day ?? '' }
}
