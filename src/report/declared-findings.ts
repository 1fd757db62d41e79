import type { Finding, FindingRule } from '../compliance/findings.ts'
import { tidy } from '../compliance/quantity.ts'
import { indicationText } from './columns.ts'
import { about } from './findings.ts'
import type { JudgedRow } from './rows/report-row.ts'

/** What follows from the declarations of a row alone. */
export function declaredFindings(
  row: JudgedRow,
  casNumbers: (name: string) => readonly string[],
): readonly Finding[] {
  if (row.status === 'unreadable') return [about(row, 'unreadable', '', [], row.notes[0] ?? '')]
  if (row.status !== 'declared') return []
  const { rohs, reach, otherLists, contradictions, indications } = row.judged
  const all: Finding[] = []
  const add = (rule: FindingRule, subject: string, names: readonly string[], sentence: string): void => {
    all.push(about(row, rule, subject, names, sentence))
  }
  if (rohs.status === 'not compliant') {
    const notes = rohs.notes.filter((note) => note.includes('over the RoHS threshold'))
    const failing = rohs.over.filter(({ name, key }) =>
      notes.some((text) => text.includes(name) || text.includes(key)),
    )
    for (const { name, key } of failing.length > 0 ? failing : rohs.over)
      add(
        'not-compliant',
        name,
        [key],
        notes.find((text) => text.includes(name)) ?? `${name} over the RoHS threshold`,
      )
    if (rohs.over.length === 0) add('not-compliant', 'RoHS', [], 'RoHS not compliant')
  }
  for (const text of contradictions) add('contradictory', '', [], text)
  for (const one of indications) add('indicated', one.substance, [...one.cas, one.group], indicationText(one))
  if (rohs.gaps.length > 0 || rohs.status === 'incomplete')
    add('incomplete', 'RoHS', [], `RoHS: ${rohs.gaps.join('; ')}`)
  if (reach.gaps.length > 0 || reach.status === 'incomplete')
    add('incomplete', 'REACH', [], `REACH: ${reach.gaps.join('; ')}`)
  if (rohs.status === 'not declared') add('not-declared', '', [], 'no RoHS list declared')
  if (reach.status === 'not declared') add('reach-not-declared', '', [], 'no Candidate List declared')
  if (row.isUnaccepted) add('unaccepted', '', [], 'not accepted by its supplier')
  for (const id of rohs.exemptionIds) add('exemption', id.identity, [], `relies on exemption ${id.identity}`)
  for (const { name, code, percent } of reach.over) {
    const share = percent === undefined ? '' : ` (${tidy(percent)} %)`
    add('svhc', name, [code, ...casNumbers(name)], `${name}${share} above 0.1 %`)
  }
  for (const { list, status, over } of otherLists)
    if (status === 'over') add('over', list, over, `over in ${list}: ${over.join(', ')}`)
  return all
}
