import type { RohsStatus } from '../../compliance/rohs.ts'
import type { ReportStatus } from '../rows/report-row.ts'

/** How the page marks something. */
export type Tone = 'good' | 'fair' | 'warn' | 'bad' | 'none'

/** What the page says of a row in one word: its RoHS status, or why it has none. */
export type Verdict = RohsStatus | Exclude<ReportStatus, 'declared'>

/** The verdicts, worst first, each with its tone. */
export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  'not compliant': 'bad',
  unreadable: 'bad',
  missing: 'bad',
  incomplete: 'warn',
  'not declared': 'none',
  'compliant with exemptions': 'fair',
  compliant: 'good',
  assembly: 'none',
  superseded: 'none',
}

/** A sign beside the color, for those who do not see it. */
export const TONE_SIGNS: Readonly<Record<Tone, string>> = {
  good: '✓',
  fair: '✓',
  warn: '!',
  bad: '✗',
  none: '–',
}

/** A verdict as a colored word. */
export function verdictChip(verdict: string): string {
  const tone = toneOf(verdict)
  return `<span class="chip ${tone}${verdict.length < 15 ? ' short' : ''}"><span aria-hidden="true">${TONE_SIGNS[tone]} </span>${verdict}</span>`
}

/** The tone of a word; `none` for one that is no verdict. */
export function toneOf(word: string): Tone {
  return VERDICT_TONES[word as Verdict] ?? 'none'
}
