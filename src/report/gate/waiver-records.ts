import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import { isFailure } from '../../base/failure.ts'
import { parseCalendarDate } from '../../base/units.ts'
import { checkRecords, type FileRecord } from '../records.ts'
import { readRuleOrFamily } from './fail-on.ts'
import type { Waiver } from './waivers.ts'

/** The columns of a file of waivers; each must have a value. */
export const WAIVER_COLUMNS = ['part', 'rule', 'reason', 'owner', 'until'] as const

const filled = (what: string) => z.string(what).min(1, what)

const waiver = z.object({
  part: filled('expected a part number'),
  rule: filled('expected a rule of the gate').transform((word, context) => {
    try {
      return readRuleOrFamily(word)
    } catch (error) {
      if (!isFailure(error)) throw error
      context.addIssue({ code: 'custom', message: [error.message, error.hint].filter(Boolean).join('; ') })
      return z.NEVER
    }
  }),
  reason: filled('expected why the finding is accepted').transform((text) => cleanText(text, 300)),
  owner: filled('expected who accepts the finding').transform((text) => cleanText(text, 100)),
  until: z
    .string('expected the last day as YYYY-MM-DD')
    .refine((text) => parseCalendarDate(text) !== undefined, 'expected the last day as YYYY-MM-DD'),
})

/** The waivers in the records of a file. One that is not complete, or for an unknown rule, is a `usage` failure with its line. */
export function waiversOf(records: readonly FileRecord[], name: string): readonly Waiver[] {
  return checkRecords(records, {
    name,
    schema: waiver,
    hint: `a waiver has ${WAIVER_COLUMNS.join(', ')}`,
    options: ['waivers'],
  })
}
