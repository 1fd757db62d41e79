import * as z from 'zod'

const count = z.int().nonnegative()
const partNames = z.array(z.string()).readonly()

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
export const rollupResult = z
  .object({
    rohs: z.string().describe('the RoHS status of the whole product: the worst of its parts'),
    parts: count.describe('different parts, without assemblies'),
    leftOut: count.describe('rows of the list that are not fitted or have the quantity 0'),
    pieces: z.number().nullable().describe('pieces of all parts; null if a quantity is unknown'),
    statuses: z.record(z.string(), count).describe('parts by RoHS status'),
    notCompliant: z.object({
      parts: partNames.describe('parts that are `not compliant`, at most 1,000'),
      count: count.describe('the number of such parts'),
    }),
    incomplete: z.object({
      parts: partNames.describe('parts that are `incomplete`, at most 1,000'),
      count: count.describe('the number of such parts'),
    }),
    withoutData: z.object({
      parts: z
        .array(
          z.object({
            part: z
              .string()
              .describe(
                'a part without a RoHS statement, at most 1,000; a row without part number by its description, item or row',
              ),
            reason: z.string().describe('`missing` or `not declared`'),
          }),
        )
        .readonly(),
      missing: count.describe('parts that no source declares'),
      notDeclared: count.describe('declared parts without a RoHS list'),
      unreadable: count.describe('files that cannot be read, whatever part they are about'),
    }),
    exemptions: z
      .array(
        z.object({
          exemption: z.string().describe('an exemption in use, earliest date first'),
          expires: z.string().nullable().describe('the earliest date known, `YYYY-MM-DD`'),
          status: z.string().describe('what the reference table knows about its status'),
          parts: partNames.describe('the parts that rely on it, at most 1,000'),
          count: count.describe('how many parts rely on it'),
        }),
      )
      .readonly(),
    svhcs: z
      .array(
        z.object({
          substance: z.string().describe('an SVHC above 0.1 % in a part'),
          parts: partNames.describe('the parts that have it, at most 1,000'),
          count: count.describe('how many parts have it'),
        }),
      )
      .readonly(),
    reach: z.object({
      status: z.string().describe('the REACH status of the whole product: the worst of its parts'),
      incomplete: count.describe('parts with gaps in their REACH lists and no SVHC stated'),
      withSvhc: count.describe('parts with SVHCs'),
      withoutSvhc: count.describe('parts with a REACH list and no SVHC'),
      notDeclared: count.describe('parts without a REACH list of each supplier'),
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

/** The roll-up of a product. */
export type Rollup = z.infer<typeof rollupResult>
export type AssemblyLine = z.infer<typeof assemblyLine>
