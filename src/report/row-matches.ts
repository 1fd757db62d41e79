import type { FailOnRule } from './fail-on.ts'
import type { JudgedRow } from './report-row.ts'

/** A row that a rule to fail on matched. */
export interface GateMatch {
  readonly part: string
  readonly source: string
  readonly rules: readonly string[]
}

/** The matches of the rules to fail on: all matches are counted, the first thousand are kept. */
export interface GateResult {
  readonly rules: readonly string[]
  readonly matched: number
  readonly rows: readonly GateMatch[]
}

/** Collects the rows that match; the result is undefined without rules. */
export interface RowMatches {
  readonly look: (row: JudgedRow) => void
  readonly result: () => GateResult | undefined
}

const MAX_MATCHES = 1_000

export function createRowMatches(rules: readonly FailOnRule[] | undefined): RowMatches {
  const rows: GateMatch[] = []
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
