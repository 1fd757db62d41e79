import type { FailOnRule } from './fail-on.ts'
import type { GateResult } from './report-result.ts'
import type { JudgedRow } from './report-row.ts'

/** Collects the rows that match; the result is undefined without rules. */
export interface RowMatches {
  readonly look: (row: JudgedRow) => void
  readonly result: () => GateResult | undefined
}

const MAX_MATCHES = 1_000

export function createRowMatches(rules: readonly FailOnRule[] | undefined): RowMatches {
  const rows: GateResult['rows'][number][] = []
  let matched = 0
  return {
    look(row) {
      const hit = rules?.filter((rule) => rule.matches(row)).map((rule) => rule.word) ?? []
      if (hit.length === 0) return
      matched += 1
      if (rows.length < MAX_MATCHES) rows.push({ part: row.part, source: row.source, rules: hit })
    },
    result: () => rules && { rules: rules.map((rule) => rule.word), matched, rows },
  }
}
