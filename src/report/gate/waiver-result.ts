import * as z from 'zod'
import type { Waiver, WaiverFacts } from './waivers.ts'

/** A waiver of the file. */
export const waiverResult = z.object({
  part: z.string().describe('the part'),
  rule: z.string().describe('the rule of the `fail-on` option'),
  reason: z.string().describe('why the finding is accepted'),
  owner: z.string().describe('who accepts it'),
  until: z.string().describe('the last day on which it is valid, `YYYY-MM-DD`'),
})

/** The used, expired and unmatched waivers of a file. */
export const waiversResult = z.object({
  file: z.string().describe('the file of the `waivers` option'),
  findings: z.int().nonnegative().describe('findings that a waiver excluded from the gate'),
  used: z
    .array(waiverResult)
    .readonly()
    .describe('waivers that match a finding; at most 1,000, as in the next two'),
  runOut: z.array(waiverResult).readonly().describe('expired waivers'),
  unmatched: z.array(waiverResult).readonly().describe('waivers that match no finding'),
})

const MAX_LISTED = 1_000

/** The field of a summary about waivers; none without any. */
export function waiverFields(facts: WaiverFacts | undefined) {
  if (facts === undefined) return {}
  const { file, findings, used, runOut, unmatched } = facts
  const listed = (waivers: readonly Waiver[]): Waiver[] => waivers.slice(0, MAX_LISTED)
  return {
    waivers: { file, findings, used: listed(used), runOut: listed(runOut), unmatched: listed(unmatched) },
  }
}
