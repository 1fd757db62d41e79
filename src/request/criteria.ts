import * as z from 'zod/mini'

export const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
// Printable ASCII without a double quote: nearly every part number.
const PLAIN = /^[!#-~]+$/

/** Text that can be sent unchanged. */
const TEXT = z.string().check(
  z.check(({ value, issues }) => {
    const rule = brokenTextRule(value)
    if (rule !== undefined) issues.push({ code: 'custom', input: value, params: rule })
  }),
)
const FORMAT_CLASS = z.enum(['C', 'D', 'checkDthenC'])
const DATE = z.iso.date()

/** Search criteria of `GET /v2/download`. */
const V2_CRITERIA = z
  .object({
    api: z.literal('v2'),
    format: z._default(z.enum(['1752A', '1752B']), '1752A'),
    formatClass: z.optional(FORMAT_CLASS),
    supplier: z.optional(TEXT),
    partNumbers: z._default(z.array(TEXT), []),
    startDate: z.optional(DATE),
    /** Further parameters that a service may have. */
    query: z._default(z.array(z.tuple([TEXT, z.string()])), []),
  })
  .check(
    z.refine(({ supplier, partNumbers }) => supplier !== undefined || (partNumbers ?? []).length > 0, {
      params: {
        message: 'no supplier and no part number given',
        hint: 'search by supplier, by part numbers, or both',
        options: ['supplier', 'part', 'parts-file'],
      },
      when: () => true,
    }),
  )

/** Search criteria of the legacy `POST /api/download`. */
const V1_CRITERIA = z.object({
  api: z.literal('v1'),
  format: z._default(z.enum(['XML', 'CSV']), 'XML'),
  formatClass: z.optional(FORMAT_CLASS),
  supplier: z.optional(TEXT),
  partNumbers: z._default(
    z.array(
      TEXT.check(
        z.refine((part) => !part.includes('"'), {
          params: {
            fault: 'contains a double quote, which v1 does not support',
            hint: 'search for it with v2',
          },
        }),
      ),
    ),
    [],
  ),
  startDate: z.optional(DATE),
})

/** Search criteria, as in the interface document. */
export const SEARCH_CRITERIA = z.discriminatedUnion('api', [V2_CRITERIA, V1_CRITERIA])
export type SearchCriteria = z.infer<typeof SEARCH_CRITERIA>

/** Criteria that may be absent, by their names in the interface document. */
type Optional = Omit<z.infer<typeof V2_CRITERIA>, 'api' | 'format' | 'partNumbers' | 'query'>

/** The criteria of a run, except its parts. Values are exact: nothing is trimmed, split or case-folded. */
export interface Criteria extends Readonly<Optional> {
  readonly api: SearchCriteria['api']
  /** One of the schema, or what a query parameter `format` replaced it with. */
  readonly format: string
  /** Further query parameters in their order, v2 only. */
  readonly query?: readonly (readonly [name: string, value: string])[]
}

function brokenTextRule(text: string): { readonly fault: string; readonly hint: string } | undefined {
  if (PLAIN.test(text)) return undefined
  if (text.trim() === '') return { fault: 'is blank', hint: 'give a value, or leave it out' }
  if (CONTROL.test(text)) return { fault: 'contains a control character', hint: 'remove it' }
  if (text.includes('\ufffd') || !text.isWellFormed()) {
    return { fault: 'is not valid Unicode', hint: 'write it in UTF-8' }
  }
  return undefined
}
