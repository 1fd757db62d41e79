import * as z from 'zod'

const count = z.int().nonnegative()

/** What came in of one kind, and what became of it: `in` is `used` plus the counts of `named`. */
export const accountEntry = z.object({
  in: count.describe('how many came in'),
  used: count.describe('how many of them were used'),
  named: z
    .array(
      z.object({
        reason: z.string().describe('why they were not used'),
        count: count.describe('how many'),
        places: z.array(z.string()).readonly().describe('the first of them: rows, sheets, files or entries'),
      }),
    )
    .readonly()
    .describe('the others, by reason'),
})

export type AccountEntry = Readonly<z.infer<typeof accountEntry>>

/** What came in of parts lists, and what became of it. */
export const listAccount = z.object({
  rows: accountEntry.describe(
    'rows with a value; a row is used when it has a part number, also one for the row above',
  ),
  tables: accountEntry.describe('tables, each below headings of its own; a list without headings is one'),
  sheets: accountEntry.optional().describe('the sheets of workbooks'),
  cells: accountEntry.describe('cells with a value in the columns that are read, below the headings'),
})

export type ListAccount = Readonly<z.infer<typeof listAccount>>

/** What became of the rows of tables that the user gave. */
export const recordsAccount = accountEntry
  .optional()
  .describe('rows of waivers, manufacturers, substance lists and reference tables that were given')
