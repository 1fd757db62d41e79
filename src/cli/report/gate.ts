import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import type { GateResult } from '../../report/report-result.ts'

/** The Failure of kind `policy` when a gate matched: how many rows, and which by which rule. */
export function gateFailure(gate: GateResult | undefined, what = 'row'): Failure | undefined {
  if (gate === undefined || gate.matched === 0) return undefined
  const problems = gate.rows.map(
    ({ part, source, rules }) =>
      `${part === '' ? '(no part number)' : cleanText(part)}: ${rules.join(', ')}${source === '' ? '' : ` (${source})`}`,
  )
  const more = gate.matched - gate.rows.length
  if (more > 0) problems.push(`and ${plural(more, `more ${what}`, `more ${what}s`)}`)
  const verb = gate.matched === 1 ? 'matches' : 'match'
  return new Failure('policy', `${plural(gate.matched, what)} ${verb} --fail-on ${gate.rules.join(',')}`, {
    problems,
    hint: 'the note column of the report has the reasons',
  })
}
