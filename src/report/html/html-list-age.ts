import { compareListAge, readListIdentity } from '../../compliance/list-identity.ts'
import type { Tone } from './html-tones.ts'

const TEN_GROUPS = readListIdentity('EUROHS-1506')

/** The Candidate List grows twice a year; a RoHS list is up to date if it covers all ten groups (2015/863). */
export function toneOfList(name: string, ageMonths: number | undefined): Tone {
  if (ageMonths === undefined) return 'none'
  const list = readListIdentity(name)
  if (list.family === 'rohs') return compareListAge(list, TEN_GROUPS) >= 0 ? 'good' : 'bad'
  return ageMonths > 24 ? 'bad' : ageMonths > 12 ? 'warn' : 'good'
}

/** A scale from 0 to a round number of months or years that no age exceeds, with its marks: start, middle, end. */
export function ageScale(ages: readonly number[]): {
  readonly months: number
  readonly marks: readonly string[]
} {
  const oldest = Math.max(1, ...ages)
  if (oldest <= 12) return { months: 12, marks: ['0', '6', '12 months'] }
  const years = Math.ceil(oldest / 24) * 2
  return { months: years * 12, marks: ['0', String(years / 2), `${years} years`] }
}
