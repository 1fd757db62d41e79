import * as z from 'zod'
import type { ReferenceFacts } from './reference-facts.ts'
import type { ReferenceTable } from './reference-tables.ts'

const count = z.int().nonnegative()

/** A reference table that a report used. */
export const tableResult = z.object({
  file: z.string().describe('the file, or the name of the built-in table with the version of matdecl'),
  shipped: z.boolean().describe('false for a table given by an option'),
  rows: count.describe('rows of the table'),
  newest: z.string().nullable().describe('its newest date, `YYYY-MM-DD`'),
  checked: z.string().nullable().describe('when its rows were last compared with their sources'),
  confidence: z.string().nullable().describe('how well the newest date of the Candidate List is confirmed'),
})

/** A declared Candidate List. */
export const candidateListResult = z.object({
  list: z.string().describe('the declared list'),
  parts: count.describe('parts that refer to it'),
  date: z.string().nullable().describe('the date of that update; null if the table does not have it'),
  entries: count.nullable().describe('its entries'),
  behind: count.nullable().describe('how many more entries the newest list of the table has'),
})

/** An exemption in use. */
export const exemptionResult = z.object({
  exemption: z.string().describe('the exemption as declared'),
  number: z.string().describe('its legal number; empty if the text is not recognized'),
  annex: z.string().describe('`III`, `IV`, or empty'),
  parts: count.describe('parts that rely on it'),
  firstParts: z.array(z.string()).readonly().describe('the first ten of them'),
  earliest: z.string().nullable().describe('the earliest nominal date over product categories'),
  latest: z.string().nullable().describe('the latest one'),
  status: z.string().describe('`not judged` without a date; until the date, the status in the table'),
  confidence: z.string().describe('how well the dates are confirmed'),
  source: z.string().describe('the sources of the dates'),
  remark: z.string().describe('what else the table says'),
})

/** The fields about reference tables and dates. */
export const referenceResult = {
  tables: z
    .object({
      svhcUpdates: tableResult,
      rohsExemptions: tableResult,
      svhcSubstances: tableResult,
      rohsSubstances: tableResult,
    })
    .optional(),
  candidateLists: z.array(candidateListResult).readonly().optional(),
  exemptions: z
    .array(exemptionResult)
    .readonly()
    .optional()
    .describe('the exemptions in use, earliest date first; at most 200'),
  exemptionsNotJudged: count.optional().describe('parts with an exemption in use that has no known date'),
}

/** The fields of a summary about reference tables and dates; none without tables. */
export function referenceFields(facts: ReferenceFacts | undefined) {
  if (facts === undefined) return {}
  const { tables, candidateLists, exemptions, withoutDate } = facts
  const newest = tables.svhcUpdates.rows.at(-1)
  return {
    tables: {
      svhcUpdates: tableFields(tables.svhcUpdates, newest?.confidence),
      rohsExemptions: tableFields(tables.rohsExemptions, undefined),
      svhcSubstances: tableFields(tables.svhcSubstances, undefined),
      rohsSubstances: tableFields(tables.rohsSubstances, undefined),
    },
    candidateLists: candidateLists.map(({ list, parts, date, entries, behind }) => ({
      list,
      parts,
      date: date ?? null,
      entries: entries ?? null,
      behind: behind ?? null,
    })),
    exemptions: exemptions.map(({ declared, earliest, latest, ...use }) => ({
      exemption: declared.join('; '),
      number: use.number,
      annex: use.annex,
      parts: use.parts,
      firstParts: use.firstParts,
      earliest: earliest || null,
      latest: latest || null,
      status: use.status,
      confidence: use.confidence,
      source: use.source,
      remark: use.remark,
    })),
    exemptionsNotJudged: withoutDate,
  }
}

function tableFields(
  { file, isShipped, rows, newest, checked }: ReferenceTable<unknown>,
  confidence: string | undefined,
): z.infer<typeof tableResult> {
  return {
    file,
    shipped: isShipped,
    rows: rows.length,
    newest: newest || null,
    checked: checked || null,
    confidence: confidence || null,
  }
}
