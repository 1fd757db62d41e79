import type { FailOnRule } from '../gate/fail-on.ts'
import type { GateResult } from '../report-result.ts'
import type { JudgedRow } from './report-row.ts'

/** Collects the rows that match; the result is undefined without rules. */
export interface RowMatches {
  /** Takes a row and the words of the rules that it matches. */
  readonly add: (row: Pick<JudgedRow, 'part' | 'source'>, words: readonly string[]) => void
  readonly result: () => GateResult | undefined
}

const MAX_MATCHES = 1_000

export function createRowMatches(rules: readonly FailOnRule[] | undefined): RowMatches {
  const rows: GateResult['rows'][number][] = []
  let matched = 0
  return {
    add({ part, source }, words) {
      if (words.length === 0) return
      matched += 1
      if (rows.length < MAX_MATCHES) rows.push({ part, source, rules: words })
    },
    result: () => rules && { rules: rules.map((rule) => rule.word), matched, rows },
  }
}
