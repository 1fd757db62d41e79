import { formatCount, plural } from '../base/units.ts'
import type { ReportSummary } from './report-summary.ts'

export type Tone = 'good' | 'mild' | 'warn' | 'bad' | 'none'

/** How a status of a cell or a report is to be taken. Its words say the same. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'none'
}

const TONES: Readonly<Record<string, Tone>> = {
  compliant: 'good',
  'compliant with exemptions': 'mild',
  'not compliant': 'bad',
  incomplete: 'warn',
  'not declared': 'warn',
  missing: 'bad',
  unreadable: 'bad',
}

/** What a report comes to. */
export interface Verdict {
  /** In a few words: `gate failed`, `not compliant`. */
  readonly word: string
  readonly detail: string
  readonly tone: Tone
}

/** A report in one sentence: the result of the gate, else the worst RoHS status. */
export function verdictOf({ counts, gate }: ReportSummary): Verdict {
  if (gate !== undefined) {
    const words = gate.rules.join(', ')
    if (gate.matched === 0) return { word: 'gate passed', detail: `no row matches ${words}`, tone: 'good' }
    const rows = plural(gate.matched, 'row matches', 'rows match')
    return { word: 'gate failed', detail: `${rows} ${words}`, tone: 'bad' }
  }
  const { rohs, declared, missing, unreadable } = counts
  const failing = rohs['not compliant']
  if (failing > 0) return { word: 'not compliant', detail: plural(failing, 'part'), tone: 'bad' }
  const open = rohs.incomplete + rohs['not declared'] + missing + unreadable
  if (open > 0) {
    const detail = `${formatCount(open)} without a complete RoHS statement, no part declared not compliant`
    return { word: 'incomplete', detail, tone: 'warn' }
  }
  if (declared === 0) return { word: 'not declared', detail: 'no part is declared', tone: 'warn' }
  const exempt = rohs['compliant with exemptions']
  if (exempt > 0) {
    return {
      word: 'compliant with exemptions',
      detail: `${formatCount(exempt)} of ${plural(declared, 'part')} rely on exemptions`,
      tone: 'mild',
    }
  }
  return { word: 'compliant', detail: plural(declared, 'part'), tone: 'good' }
}
