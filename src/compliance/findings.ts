/** How much a finding weighs: it fails, it is doubtful, or it is to know. */
export type FindingKind = 'failed' | 'doubtful' | 'note'

/** The rules that findings are made by, with their weight. Those with a subject in the word of a gate, such as `over:LIST`, have it in `subject`. */
export const FINDING_KINDS = {
  'not-compliant': 'failed',
  missing: 'doubtful',
  unreadable: 'doubtful',
  incomplete: 'doubtful',
  'not-declared': 'doubtful',
  'reach-not-declared': 'doubtful',
  contradictory: 'doubtful',
  indicated: 'doubtful',
  unaccepted: 'doubtful',
  'other-manufacturer': 'doubtful',
  'alternate-missing': 'doubtful',
  'exemption-passed': 'doubtful',
  svhc: 'note',
  exemption: 'note',
  over: 'note',
  stale: 'note',
  older: 'note',
  'exemption-expires': 'note',
} as const satisfies Readonly<Record<string, FindingKind>>

export type FindingRule = keyof typeof FINDING_KINDS

/** Where a statement is made. */
export interface Place {
  /** The file, or the archive and the entry, as in the sources of a row. */
  readonly source: string
  /** The line of its element in the XML. */
  readonly line?: number | undefined
  /** The identity of its list. */
  readonly list?: string | undefined
  /** The day of the declaration, `YYYY-MM-DD`. */
  readonly date?: string | undefined
}

/** One thing that is found in a line of a report, made once: every place that shows or counts it asks here. */
export interface Finding {
  readonly rule: FindingRule
  /** What it is about: a substance, group, list or exemption; empty for the part as a whole. */
  readonly subject: string
  /** Other names of the subject that a waiver may use: codes, CAS numbers, the group, the user's list. */
  readonly names: readonly string[]
  readonly sentence: string
  readonly place?: Place | undefined
}

/** The weight of a finding. */
export function kindOf({ rule }: Pick<Finding, 'rule'>): FindingKind {
  return FINDING_KINDS[rule]
}
