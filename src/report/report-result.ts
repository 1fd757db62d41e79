import * as z from 'zod'
import { accountEntry, listAccount, recordsAccount } from '../base/account-entry.ts'
import { NOTHING_TO_JUDGE } from '../compliance/finding-rules.ts'
import type { RohsStatus } from '../compliance/rohs.ts'
import { listWarnings } from '../parts/list-warnings.ts'

const count = z.int().nonnegative()

const overallVerdict = z.enum(['failed', 'doubtful', 'clean', NOTHING_TO_JUDGE])

/** What came in and what became of it, by kind. */
export const resultAccount = z
  .object({
    lines: accountEntry.describe('lines of the lists, or rows without one: judged, or not and why'),
    files: accountEntry.describe('files of the sources: archives and declarations, or not read and why'),
    entries: accountEntry.describe('entries of their archives: declarations, or not read and why'),
    ...listAccount.partial().shape,
    records: recordsAccount,
  })
  .describe('what came in, and what became of it')

const reportCounts = z.object({
  rows: count.describe('rows of the report'),
  declared: count.describe('declared parts'),
  missing: count.describe('requested parts that no source declares'),
  unknown: count.optional().describe('requested parts whose request failed'),
  assembly: count.describe(
    'requested assemblies without a declaration of their own, evaluated from their parts',
  ),
  unreadable: count.describe('files that could not be read'),
  notFitted: count.describe('lines that are not fitted, and so not part of the product'),
  failed: count.describe('lines of the lists, or without a list parts, with a finding that fails them'),
  doubtful: count.describe('those with a finding that makes them doubtful, and none that fails them'),
  clean: count.describe('those without such a finding'),
  findings: z
    .record(z.string(), count)
    .describe('those with a finding, and files that are about none of them, by its rule'),
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
  passed: z.boolean().describe('false when a row matches, or when there is nothing to judge'),
  matched: count.describe('matching lines, or without a list rows'),
  unchanged: count
    .optional()
    .describe('of a diff: parts and files that match as they did before; they do not fail the gate'),
  rows: z
    .array(
      z.object({
        part: z.string().describe('the part; at most 1,000 rows'),
        source: z.string().describe('where it is declared'),
        rules: z.array(z.string()).readonly().describe('the rules it matches'),
        line: count.optional().describe('its line of the parts list'),
        alternateOf: z
          .string()
          .optional()
          .describe('the first choice of its line, where the part is an alternate'),
        inside: z.boolean().optional().describe('true for an assembly that matches by the lines in it'),
        product: z.string().optional().describe('the parts list, where its product as a whole matches'),
        findings: z
          .array(z.string())
          .readonly()
          .optional()
          .describe('the findings that match, each with its rule'),
      }),
    )
    .readonly(),
})

// Waivers

/** A waiver of the file. */
const waiverResult = z.object({
  part: z.string().describe('the part'),
  rule: z.string().describe('the rule of the `fail-on` option'),
  reason: z.string().describe('why the finding is accepted'),
  owner: z.string().describe('who accepts it'),
  until: z.string().describe('the last day on which it is valid, `YYYY-MM-DD`'),
  supplier: z.string().optional().describe('the supplier whose part it is for, where it names one'),
})

/** The used, expired and unmatched waivers of a file. */
const waiversResult = z.object({
  file: z.string().describe('the file of the `waivers` option'),
  findings: count.describe('findings that a waiver excluded from the gate'),
  used: z
    .array(waiverResult)
    .readonly()
    .describe('waivers that match a finding; at most 1,000, as in the next two'),
  runOut: z.array(waiverResult).readonly().describe('expired waivers'),
  unmatched: z.array(waiverResult).readonly().describe('waivers that match no finding'),
})

/** A finding of a part that somebody accepts until a day. */
export type Waiver = Readonly<z.infer<typeof waiverResult>>
/** What the waivers of a file did. */
export type WaiverFacts = Readonly<z.infer<typeof waiversResult>>

// Reference tables

/** A reference table that a report used. */
const tableResult = z.object({
  file: z.string().describe('the file, or the name of the built-in table with the version of matdecl'),
  shipped: z.boolean().describe('false for a table given by an option'),
  rows: count.describe('rows of the table'),
  newest: z.string().nullable().describe('its newest date, `YYYY-MM-DD`'),
  checked: z.string().nullable().describe('when its rows were last compared with their sources'),
  confidence: z
    .string()
    .nullable()
    .describe('how well the newest date of the Candidate List is confirmed: `high`, `medium` or `low`'),
  research: z.string().nullable().describe('what that rests on, in the words of the table'),
})

/** A declared Candidate List. */
const candidateListResult = z.object({
  list: z.string().describe('the declared list'),
  parts: count.describe('parts that refer to it'),
  date: z.string().nullable().describe('the date of that update; null if the table does not have it'),
  entries: count.nullable().describe('its entries'),
  behind: count.nullable().describe('how many more entries the newest list of the table has'),
})

/** An exemption in use. */
const exemptionResult = z.object({
  exemption: z.string().describe('the exemption as declared'),
  number: z.string().describe('its legal number; empty if the text is not recognized'),
  annex: z.string().describe('`III`, `IV`, or empty'),
  parts: count.describe('lines that rely on it; without a list parts'),
  firstParts: z.array(z.string()).readonly().describe('the first ten of them'),
  earliest: z.string().nullable().describe('the earliest nominal date over product categories'),
  latest: z.string().nullable().describe('the latest one'),
  status: z.string().describe('`not judged` without a date; until the date, the status in the table'),
  confidence: z.string().describe('how well the dates are confirmed: `high`, `medium` or `low`'),
  research: z.string().describe('what that rests on, in the words of the table'),
  source: z.string().describe('the sources of the dates'),
  remark: z.string().describe('what else the table says'),
})

/** The fields about reference tables and dates. */
const referenceResult = {
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

/** A declared Candidate List and its place in the table of updates. */
export type CandidateListUse = Readonly<z.infer<typeof candidateListResult>>

// The product

const partNames = z.array(z.string()).readonly()

const alternateOf = z
  .record(z.string(), z.string())
  .optional()
  .describe('of those that are alternates: the first choice of the line')

const partsThatAre = (what: string) =>
  z.object({
    parts: partNames.describe(`parts that are ${what}, at most 1,000`),
    count: count.describe('the number of such parts'),
    alternateOf,
  })

/** Most parts, exemptions, substances or assemblies in one list of a roll-up; they are counted in full. */
export const MOST_LISTED = 1_000

/** One assembly of the product. */
const assemblyLine = z.object({
  part: z.string().describe('an assembly; at most 1,000 in the order of the product'),
  declared: z.boolean().describe('true: it has its own declaration, which counts in addition to its parts'),
  quantity: z.number().nullable().describe('how many of it the product has; null if unknown'),
  rohs: z.string().describe('the worst RoHS status of the assembly and everything in it'),
  parts: count.describe('different parts in it'),
  withoutData: count.describe('parts in it without a RoHS statement'),
  withSvhc: count.describe('parts in it with SVHCs'),
  massMg: z.number().nullable().describe('the mass of one, in milligrams; null if unknown'),
})

/** The summary of a product. */
const rollupResult = z
  .object({
    rohs: z.string().describe('the RoHS status of the whole product: the worst of its parts'),
    parts: count.describe('different parts, without assemblies'),
    leftOut: count.describe('rows of the list that are not fitted or have the quantity 0'),
    pieces: z.number().nullable().describe('pieces of all parts; null if a quantity is unknown'),
    statuses: z.record(z.string(), count).describe('parts by RoHS status'),
    notCompliant: partsThatAre('`not compliant`'),
    incomplete: partsThatAre('`incomplete`'),
    byOthers: partsThatAre('declared by another company than their manufacturer only'),
    withoutData: z.object({
      parts: z
        .array(
          z.object({
            part: z
              .string()
              .describe(
                'a part without a RoHS statement, at most 1,000; a row without part number by its description, item or row',
              ),
            reason: z.string().describe('`missing`, `not declared`, or `unknown`: its request failed'),
          }),
        )
        .readonly(),
      missing: count.describe('parts that no source declares'),
      unknown: count.optional().describe('parts whose request failed'),
      notDeclared: count.describe('declared parts without a RoHS list'),
      unreadable: count.describe('files that cannot be read and may be about any part'),
    }),
    exemptions: z
      .array(
        z.object({
          exemption: z.string().describe('an exemption in use, earliest date first'),
          expires: z.string().nullable().describe('the earliest date known, `YYYY-MM-DD`'),
          status: z.string().describe('what the reference table knows about its status'),
          parts: partNames.describe('the parts that rely on it, at most 1,000'),
          count: count.describe('how many parts rely on it'),
          alternateOf,
        }),
      )
      .readonly(),
    svhcs: z
      .array(
        z.object({
          substance: z.string().describe('an SVHC above 0.1 % in a part'),
          parts: partNames.describe('the parts that have it, at most 1,000'),
          count: count.describe('how many parts have it'),
          alternateOf,
        }),
      )
      .readonly(),
    reach: z.object({
      status: z.string().describe('the REACH status of the whole product: the worst of its parts'),
      incomplete: count.describe('parts with gaps in their REACH lists and no SVHC stated'),
      withSvhc: count.describe('parts with SVHCs'),
      withoutSvhc: count.describe('parts with a REACH list and no SVHC'),
      notDeclared: count.describe('parts without a REACH list of each supplier'),
      notStated: z
        .array(z.string())
        .readonly()
        .describe('entries of the Candidate List that a part without an SVHC does not state, at most ten'),
    }),
    mass: z.object({
      mg: z
        .number()
        .nullable()
        .describe('the mass of the product in milligrams; null if anything is unknown'),
      knownMg: z.number().describe('the known part of the mass, in milligrams'),
      unknown: z
        .array(
          z.object({
            part: z.string().describe('a part whose mass or quantity is unknown, at most 1,000'),
            reason: z.string().describe('why'),
          }),
        )
        .readonly(),
      unknownCount: count.describe('the number of such parts'),
    }),
    assemblies: z.object({
      count: count.describe('assemblies of the list'),
      declared: count.describe('assemblies with their own declaration'),
      flattened: z.string().nullable().describe('why the levels of the list could not be used'),
      lines: z.array(assemblyLine).readonly(),
    }),
  })
  .describe('the whole product, with a parts list that has quantities')

const lineFindings = z
  .array(
    z.object({
      line: count.nullable().describe('the line of the list; null for a file that cannot be read'),
      part: z.string().describe('the part number'),
      rule: z.string().describe('the rule of the finding'),
      note: z.string().describe('what is found'),
      source: z.string().describe('where it is stated'),
      waived: z
        .object({
          reason: z.string().describe('why it is accepted'),
          owner: z.string().describe('who accepts it'),
          until: z.string().describe('the last day, `YYYY-MM-DD`'),
        })
        .optional()
        .describe('the waiver that accepts it'),
    }),
  )
  .readonly()

/** A parts list as a product. */
export const productResult = z.object({
  list: z.string().describe('the parts list'),
  verdict: overallVerdict.describe(
    'the verdict of its worst line; `nothing to judge` where no line is judged',
  ),
  passed: z
    .boolean()
    .optional()
    .describe('with rules to fail on: something is judged, and none of its findings matches one'),
  rohs: z.string().describe('the worst RoHS status of its lines'),
  reach: z.string().describe('the worst REACH status of its lines'),
  counts: z.object({
    lines: count.describe('lines of the list'),
    failed: count.describe('lines with a finding that fails them'),
    doubtful: count.describe('lines with a finding that makes them doubtful, and none that fails them'),
    clean: count.describe('lines without such a finding'),
    notFitted: count.describe('lines that are not fitted'),
    openAssemblies: count.describe(
      'assemblies among the lines that failed or are doubtful; they are so by their lines',
    ),
    findings: z.record(z.string(), count).describe('lines with a finding, by its rule'),
  }),
  findings: lineFindings.describe('what fails it or makes it doubtful, worst first; at most 1,000'),
  notes: lineFindings.describe('SVHCs, and exemptions that end within a year; at most 1,000'),
})

export type ProductResult = z.infer<typeof productResult>

/** The roll-up of a product. */
export type Rollup = z.infer<typeof rollupResult>
export type AssemblyLine = z.infer<typeof assemblyLine>

// A report

/** How many rows have which result. */
export type ReportCounts = z.infer<typeof reportCounts> & { rohs: Record<RohsStatus, number> }
/** What the rules to fail on matched: all matches are counted, the first thousand are kept. */
export type GateResult = z.infer<typeof gateResult>

/** A row, by column: of the report, or with `substances` of the substance table. */
const reportRow = z.record(
  z.string(),
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.record(z.string(), z.array(z.string()).readonly()),
  ]),
)

/** Absent without a parts list. */
export const warnings = z.object(listWarnings).partial().shape

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
      suppliers: count.describe('suppliers to ask; parts without a known supplier have a list of their own'),
      parts: count.describe('parts to ask for'),
    })
    .optional()
    .describe('what was written with the `requests` option'),
  counts: reportCounts,
  others: z
    .object({
      failed: count.describe('those that failed'),
      doubtful: count.describe('those that are doubtful'),
      clean: count.describe('those that are clean'),
    })
    .optional()
    .describe('with the `all-parts` option: declared parts that are on no list'),
  shard: z
    .object({
      index: z.int().positive().describe('the number of the shard, from 1'),
      count: z.int().positive().describe('the number of shards'),
    })
    .optional()
    .describe('with the `shard` option: the shard of the sources that this report is about'),
  verdict: overallVerdict.describe('the verdict of the worst line, or without a list row'),
  account: resultAccount,
  sandbox: z.boolean().optional().describe('true: some of the data is made up'),
  products: z.array(productResult).readonly().optional().describe('each parts list as a product'),
  rollup: rollupResult.optional(),
  failOn: gateResult.optional(),
  waivers: waiversResult.optional(),
  ...warnings,
  ...referenceResult,
})

export type ReportResult = z.infer<typeof reportResult>
