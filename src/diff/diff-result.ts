import * as z from 'zod'
import { listAccount, recordsAccount } from '../base/account-entry.ts'
import { type GateResult, gateResult, resultAccount, warnings } from '../report/report-result.ts'
import type { PartChanges } from './part-changes.ts'

const count = z.int().nonnegative()
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()

const lonePart = z.object({
  part: z.string().describe('the part number'),
  supplier: z.string().describe('its supplier'),
  verdict: z.string().describe('the verdict on it'),
  rohs: z.string().describe('its RoHS status'),
  svhc_count: count.nullable().describe('its SVHCs; null where no REACH list was declared'),
  date: z.string().describe('the date of its declaration'),
})

const move = z.object({ old: z.string().describe('the old list'), new: z.string().describe('the new list') })

const listUpdate = z.object({
  rohs_list: move.nullable().describe('another RoHS list'),
  reach_list: move.nullable().describe('another REACH list'),
  parts: count.describe('how many parts'),
  examples: list(z.string()).describe('some of them'),
})

const unreadable = z.object({
  source: z.string().describe('the file'),
  reason: z.string().describe('why it could not be read'),
})

const productSide = z.object({
  verdict: z.string().describe('the verdict on it'),
  rohs: z.string().describe('its RoHS status'),
  reach: z.string().describe('its REACH status'),
})

const productMove = z.object({
  list: z.string().describe('the parts list'),
  old: productSide.describe('the product with the old declarations'),
  new: productSide.describe('the product with the new ones'),
})

const sourceAccount = z.object({ files: resultAccount.shape.files, entries: resultAccount.shape.entries })

const diffAccount = z
  .object({
    old: sourceAccount.describe('the sources of the old side'),
    new: sourceAccount.describe('those of the new side'),
    ...listAccount.partial().shape,
    records: recordsAccount,
  })
  .describe('what came in, and what became of it')

const compared = z.object({
  products: list(productMove)
    .optional()
    .describe('each parts list of the `parts-file` option as a product, before and now'),
  added: list(lonePart),
  removed: list(lonePart),
  changed: list(
    z.object({
      part: z.string().describe('the part number'),
      supplier: z.string().describe('its supplier'),
      direction: z
        .enum(['worse', 'better', 'changed'])
        .describe('whether anything is worse now, else better, else neither'),
      changes: z
        .record(z.string(), z.unknown())
        .describe('what differs, by column: `old` and `new`, or what was added and removed'),
    }),
  ),
  listUpdates: list(listUpdate),
  redated: count.describe('as in `counts`'),
  unchanged: count.describe('as in `counts`'),
  unreadable: z.object({ old: list(unreadable), new: list(unreadable) }),
})

export const diffResult = z.object({
  schema: z.literal('matdecl.diff/1'),
  status: z.literal('ok'),
  old: z
    .string()
    .optional()
    .describe(
      'the path as given; everything but `counts`, `account` and the warnings is absent with the `output` option',
    ),
  new: z.string().optional().describe('the path as given'),
  output: z.string().optional().describe('the file, with the `output` option'),
  counts: z.object({
    old: count.describe('parts on the old side'),
    new: count.describe('parts on the new side'),
    unreadable: z.object({
      old: count.describe('unreadable files on the old side'),
      new: count.describe('unreadable files on the new side'),
    }),
    superseded: z.object({
      old: count.describe('declarations on the old side that a newer one of the same part replaces'),
      new: count.describe('the same on the new side'),
    }),
    added: count.describe('parts only on the new side'),
    removed: count.describe('parts only on the old side'),
    changed: count.describe('parts whose declaration changed'),
    listUpdates: count.describe('parts in which only the list changed'),
    redated: count.describe('parts in which only the date changed'),
    unchanged: count.describe('parts without a change'),
  }),
  account: diffAccount,
  ...compared.partial().shape,
  failOn: gateResult.optional(),
  ...warnings,
})

export type DiffResult = z.infer<typeof diffResult>

/** A part that is on one side only, and what it declares there. */
export type LonePart = z.infer<typeof lonePart>
/** The parts whose declarations changed only in their date and in the same lists. */
export type ListUpdate = z.infer<typeof listUpdate>
export type Unreadable = z.infer<typeof unreadable>

export type ProductMove = z.infer<typeof productMove>

export interface ChangedPart {
  readonly part: string
  readonly supplier: string
  readonly direction: 'worse' | 'better' | 'changed'
  readonly changes: PartChanges
}

/** The differences between two downloads; parts in code point order. */
export type DeclarationDiff = Omit<z.infer<typeof compared>, 'changed'> &
  Pick<DiffResult, 'counts'> & {
    readonly changed: readonly ChangedPart[]
    readonly gate: GateResult | undefined
  }

/** With what became of the sources and lists. */
export type AccountedDiff = DeclarationDiff & Pick<DiffResult, 'account'>
