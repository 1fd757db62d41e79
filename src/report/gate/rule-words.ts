import { FINDING_KINDS, type FindingKind, type FindingRule } from '../../compliance/finding.ts'

// The words of rules, for the command line too: nothing here may load more than words.

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
