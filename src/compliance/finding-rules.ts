// The rules and their words, for the command line too: this file imports nothing, so that it starts at once.

/** How much a finding weighs: it fails, it is doubtful, or it is to know. */
export type FindingKind = 'failed' | 'doubtful' | 'note'

/** What findings say of a line, a page or a product together; empty for a row that is not judged. */
export type Verdict = 'failed' | 'doubtful' | 'clean' | ''

/** The verdict of several lines or parts where there are none: it passes no gate. */
export const NOTHING_TO_JUDGE = 'nothing to judge'

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
  threshold: 'doubtful',
  'not-screened': 'doubtful',
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

/** The rules that have a value, with which a gate asks for them, each with an example. */
export const VALUE_EXAMPLES = {
  over: 'over:Prop_65_substances',
  stale: 'stale:EUREACH-0624',
  older: 'older:24m',
  'exemption-expires': 'exemption-expires:2027-06-30',
} as const satisfies Readonly<Partial<Record<FindingRule, string>>>

export const VALUED: ReadonlySet<string> = new Set(Object.keys(VALUE_EXAMPLES))

/** Words that stand for every rule of a kind. */
export const KIND_WORDS: readonly string[] = ['failed', 'doubtful'] satisfies readonly FindingKind[]

/** The rules of one thing each. */
export const RULE_WORDS: readonly string[] = Object.keys(FINDING_KINDS).filter((rule) => !VALUED.has(rule))

/** What shells complete: the words, and how those with a value begin. */
export const FAIL_ON_WORDS: readonly string[] = [
  ...KIND_WORDS,
  ...RULE_WORDS,
  ...[...VALUED].map((rule) => `${rule}:`),
]
