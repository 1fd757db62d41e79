import * as z from 'zod'
import type { RohsStatus } from '../compliance/rohs.ts'
import { waiversResult } from './gate/waiver-result.ts'
import { referenceResult } from './regulations/reference-result.ts'
import { rollupResult } from './rollup/rollup-result.ts'

const count = z.int().nonnegative()

/** The counts of the rows. */
export const reportCounts = z.object({
  rows: count.describe('rows of the report'),
  declared: count.describe('declared parts'),
  missing: count.describe('requested parts that no source declares'),
  assembly: count.describe(
    'requested assemblies without a declaration of their own, evaluated from their parts',
  ),
  unreadable: count.describe('files that could not be read'),
  superseded: count.describe('declarations of which nothing counts any more: newer ones state it again'),
  notListed: count.describe('declared parts that were not requested, and so are not in the report'),
  rohs: z.record(z.string(), count).describe('declared parts by RoHS status'),
  reach: z.object({
    withSvhc: count.describe('declared parts with at least one SVHC'),
    withoutSvhc: count.describe('declared parts with a REACH list without gaps and no SVHC'),
    incomplete: count.describe('declared parts with a gap in their REACH lists and no SVHC stated'),
    notDeclared: count.describe('declared parts without a REACH list'),
  }),
  contradictory: count.describe('declared parts with statements that contradict each other'),
  indicated: count.describe(
    'declared parts with a substance of class D above a threshold that no list declares',
  ),
  files: count.describe('XML files read'),
  skipped: count.describe('entries skipped because they are not XML'),
  requests: count.describe('files that request a declaration, and so declare nothing'),
  substances: count.describe('rows of the substance table'),
})

/** What the gate matched. */
export const gateResult = z.object({
  rules: z.array(z.string()).readonly().describe('the rules of the `fail-on` option'),
  matched: count.describe('matching rows'),
  rows: z
    .array(
      z.object({
        part: z.string().describe('the part; at most 1,000 rows'),
        source: z.string().describe('where it is declared'),
        rules: z.array(z.string()).readonly().describe('the rules it matches'),
      }),
    )
    .readonly(),
})

/** How many rows have which result. */
export type ReportCounts = z.infer<typeof reportCounts> & { rohs: Record<RohsStatus, number> }
/** What the rules to fail on matched: all matches are counted, the first thousand are kept. */
export type GateResult = z.infer<typeof gateResult>

/** A row, by column: of the report, or with `substances` of the substance table. */
export const reportRow = z.record(
  z.string(),
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.record(z.string(), z.array(z.string()).readonly()),
  ]),
)

export const reportResult = z.object({
  schema: z.literal('matdecl.report/1'),
  status: z.literal('ok'),
  kind: z
    .enum(['parts', 'substances'])
    .optional()
    .describe('`parts` or `substances`; this and the next two are absent with the `output` option'),
  columns: z.array(z.string()).readonly().optional().describe('the column names, in order'),
  rows: z
    .array(
      reportRow.describe(
        'a row, by column: text, a number, or null for an unknown number; `lists` has the values of columns that may have several',
      ),
    )
    .readonly()
    .optional(),
  output: z.string().optional().describe('the file, with the `output` option'),
  bytes: count.optional().describe('its size'),
  junit: z.string().optional().describe('the file, with the `junit` option'),
  requests: z
    .object({
      directory: z.string().describe('the directory'),
      suppliers: count.describe('suppliers to ask, parts without a known supplier counted as one'),
      parts: count.describe('parts to ask for'),
    })
    .optional()
    .describe('what was written with the `requests` option'),
  counts: reportCounts,
  shard: z
    .object({
      index: z.int().positive().describe('the number of the shard, from 1'),
      count: z.int().positive().describe('the number of shards'),
    })
    .optional()
    .describe('with the `shard` option: the shard of the sources that this report is about'),
  rollup: rollupResult.optional(),
  failOn: gateResult.optional(),
  waivers: waiversResult.optional(),
  ...referenceResult,
})

export type ReportResult = z.infer<typeof reportResult>
