import { plural } from '../base/units.ts'
import type { Filter } from './html/html-links.ts'
import type { Tone } from './html/html-tones.ts'
import type { GateResult } from './report-result.ts'
import type { ReportSummary } from './report-summary.ts'

/** Rows of one kind, and the filter of the page that shows them. */
export interface VerdictFact {
  readonly count: number
  readonly name: string
  readonly rows: Filter
}

/** The RoHS status of all rows that count; superseded ones do not. */
export interface ReportVerdict {
  /** The worst that was found: `not compliant`, `missing`. */
  readonly word: string
  readonly tone: Tone
  /** `RoHS: of 7 rows`, or all there is to say. */
  readonly lead: string
  readonly faults: readonly VerdictFact[]
  readonly remarks: readonly VerdictFact[]
}

export function rohsVerdict({ counts }: Pick<ReportSummary, 'counts'>): ReportVerdict {
  const { rohs, reach, declared, missing, unreadable } = counts
  const rows = declared + missing + unreadable
  const fact = (count: number, verdict: string, name = verdict): VerdictFact[] =>
    count > 0 ? [{ count, name, rows: { verdict } }] : []
  const faults = [
    ...fact(rohs['not compliant'], 'not compliant'),
    ...fact(missing, 'missing'),
    ...fact(unreadable, 'unreadable'),
    ...fact(rohs.incomplete, 'incomplete'),
    ...fact(rohs['not declared'], 'not declared'),
  ]
  const exempted = fact(rohs['compliant with exemptions'], 'compliant with exemptions', 'with exemptions')
  const remarks = [
    ...exempted,
    ...(reach.withSvhc > 0
      ? [{ count: reach.withSvhc, name: 'with SVHC', rows: { svhc: 'with SVHC' } }]
      : []),
  ]
  const [worst] = faults
  if (rows === 0) return { word: 'no rows', tone: 'none', lead: 'no rows', faults, remarks }
  if (worst !== undefined) {
    const tone = rohs['not compliant'] + missing + unreadable > 0 ? 'bad' : 'warn'
    return { word: worst.name, tone, lead: `RoHS: of ${plural(rows, 'row')}`, faults, remarks }
  }
  const lead = `RoHS: all ${plural(rows, 'row')} compliant`
  if (exempted.length > 0) return { word: 'compliant with exemptions', tone: 'fair', lead, faults, remarks }
  return { word: 'compliant', tone: 'good', lead, faults, remarks }
}

/** The verdict as a sentence; `factText` writes the rows of one kind. */
export function verdictSentence(
  { lead, faults, remarks }: ReportVerdict,
  factText: (fact: VerdictFact) => string,
): string {
  const found = faults.map(factText).join(', ')
  const also = remarks.map(factText).join(', ')
  return `${lead}${found === '' ? '' : ` ${found}`}${also === '' ? '' : `; ${also}`}`
}

/** The result of a gate, without its rules. */
export interface GateVerdict {
  readonly word: 'gate passed' | 'gate failed'
  readonly tone: Tone
  /** `3 rows match`, to go before the rules. */
  readonly found: string
}

export function gateVerdict({ matched }: GateResult): GateVerdict {
  if (matched === 0) return { word: 'gate passed', tone: 'good', found: 'no rows match' }
  return { word: 'gate failed', tone: 'bad', found: plural(matched, 'row matches', 'rows match') }
}
