import * as z from 'zod'
import { archiveEntry, extractedDirectory } from '../archive/archive-results.ts'
import { accountEntry, listAccount, recordsAccount } from '../base/account-entry.ts'
import { listWarnings } from '../parts/list-warnings.ts'

const partsAccount = accountEntry.describe(
  'the requested parts: found, or `missing`, `withdrawn` (found before, but no longer) or `unknown`: not answered',
)

const count = z.int().nonnegative()
const sandbox = z.boolean().optional().describe('true: the data is made up')
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()

/** The criteria, in the names of the interface. */
const requestCriteria = z.object({
  api: z.enum(['v2', 'v1']).describe('`v2` or `v1`'),
  baseUrl: z.string().describe('the URL of the service without the version'),
  format: z.string().describe('such as `1752A`'),
  formatClass: z.string().optional().describe('if given'),
  supplier: z.string().optional().describe('if given'),
  startDate: z.string().optional().describe('if given, or resolved from the `since` option'),
  query: z.record(z.string(), z.string()).optional().describe('further parameters'),
})

/** Which requested parts are in the archive; absent when parts were not matched. */
const found = z.object({
  foundParts: count
    .optional()
    .describe('parts found in the archive; this and the next three are absent for a CSV response'),
  missingParts: list(z.string()).optional().describe('requested parts that are not in the archive'),
  unknownParts: list(z.string()).optional().describe('parts whose request failed'),
  nearParts: list(
    z.object({
      asked: z.string().describe('a missing part'),
      near: z.string().describe('a number in the archive that differs only in case, spaces or dashes'),
    }),
  ).optional(),
})

const account = z
  .object({ parts: partsAccount, ...listAccount.partial().shape, records: recordsAccount })
  .describe('what came in, and what became of it')

/** Absent where no part was named. */
const warnings = z.object(listWarnings).partial().shape

const requestError = z.object({
  code: z.string().describe('why it failed, with the `allow-partial` option'),
  message: z.string().describe('the error message'),
})

const requestResult = z.object({
  parts: list(z.string()).describe('the parts of this request; empty for a whole supplier'),
  status: z.int().nullable().describe('the status of the last response; null without a response'),
  attempts: count.describe('how many times it was sent'),
  bytes: count.describe('the size of its archive'),
  seconds: z.number().describe('how long it took'),
  sha256: z.string().nullable().describe('SHA-256 of its archive'),
  error: requestError.optional(),
})

const rateLimit = z.object({
  limit: count.optional().describe('requests in the window'),
  remaining: count.optional().describe('how many are left'),
  resetSeconds: z.number().optional().describe('seconds until the window resets'),
})

export const downloadResult = z.object({
  schema: z.literal('matdecl.download/1'),
  status: z
    .enum(['ok', 'empty', 'partial'])
    .describe(
      '`ok`, `empty` (the service has no declarations), `partial` (some requests failed, with the `allow-partial` option) or `failed`',
    ),
  skipped: z.boolean().optional().describe('true: another run holds the output, and nothing was done'),
  sandbox,
  request: requestCriteria
    .extend({ parts: count.describe('the number of parts, without duplicates') })
    .describe('the request, with the parameter names of the API'),
  plan: z.object({
    requests: count.describe('planned requests'),
    parts: count.describe('parts in them'),
  }),
  requests: list(
    requestResult.extend({
      resumed: z.boolean().optional().describe('true: completed by an earlier run, and not sent again'),
    }),
  ),
  archive: z
    .object({
      path: z.string().describe('the output path; `-` for standard output'),
      bytes: count.describe('its size'),
      sha256: z.string().describe('its SHA-256'),
      entries: count.describe('the number of entries'),
    })
    .nullable()
    .describe('null if there is no archive'),
  entries: list(archiveEntry).optional(),
  extracted: extractedDirectory.nullable().describe('with the `extract` option'),
  report: z
    .object({
      path: z.string().describe('the file'),
      bytes: count.describe('its size'),
      counts: z.looseObject({}).describe('as in `matdecl.report/1`'),
      rollup: z.looseObject({}).optional().describe('as in `matdecl.report/1`'),
    })
    .nullable()
    .describe('with the `report` option'),
  duplicates: count.describe('number of parts that were given more than once'),
  ...found.shape,
  account,
  ...warnings,
  rateLimit: rateLimit.nullable().describe('the last rate limit the service reported'),
  startedAt: z.iso.datetime().describe('when the run started'),
  finishedAt: z.iso.datetime().describe('when it ended'),
})

const planned = z.object({
  url: z.string().describe('the URL'),
  parts: list(z.string()).describe('the parts in it'),
})

export const planResult = z.object({
  schema: z.literal('matdecl.plan/1'),
  library: z.string().optional().describe('the directory of the library, with `matdecl sync`'),
  requests: list(
    planned.extend({
      reasons: z
        .record(z.string(), count)
        .optional()
        .describe(
          'with `matdecl sync`: why its parts are asked for, with their number: `never asked`, `never found`, `since DATE`, `without a date since DATE`, `no date from the service`, `archive gone`, `full`',
        ),
    }),
  ),
  parts: count.describe('parts in total'),
  fresh: count
    .optional()
    .describe('with `matdecl sync`: parts that are left out, because they were answered lately'),
  seconds: z.number().describe('how long it takes at the allowed rate'),
  allowance: z.object({
    used: count.describe('requests that it uses of the yearly allowance'),
    limit: count.optional().describe('the allowance, if the service reports it'),
    left: count.optional().describe('how many of them are left'),
  }),
  ...warnings,
})

export const syncResult = z.object({
  schema: z.literal('matdecl.sync/1'),
  status: z.enum(['ok']).describe('`ok` or `failed`; what is known of a failed run is beside the error'),
  skipped: z.boolean().optional().describe('true: another run holds the library, and nothing was done'),
  sandbox,
  library: z.string().describe('the directory of the library'),
  plan: z.object({
    requests: count.describe('planned requests'),
    parts: count.describe('parts in them'),
    fresh: count.describe('parts that are left out, because they were answered lately'),
  }),
  requests: list(
    requestResult.extend({
      startDate: z.string().optional().describe('if it was sent with one'),
      archive: z.string().nullable().describe('its archive in the library; null without one'),
    }),
  ),
  newParts: list(z.string()).describe('parts that were found for the first time'),
  changedParts: list(z.string()).describe('other parts with content that the library did not have'),
  foundParts: count.describe('how many of the parts the library has'),
  missingParts: list(z.string()).describe('parts that were asked for, and never found'),
  withdrawnParts: list(z.string()).describe(
    'parts that were found before, and that an answer without a start date no longer has',
  ),
  account,
  ...warnings,
  rateLimit: rateLimit.nullable().describe('the last rate limit the service reported'),
  startedAt: z.iso.datetime().describe('when the run started'),
  finishedAt: z.iso.datetime().describe('when it ended'),
})

export const manifest = z.object({
  schema: z.literal('matdecl.manifest/1'),
  tool: z.string().describe('name and version'),
  sandbox,
  request: requestCriteria.extend({ parts: list(z.string()).describe('every requested part') }),
  archive: z
    .object({
      name: z.string().describe('the path it was written to'),
      bytes: count.describe('its size'),
      sha256: z.string().describe('its SHA-256'),
      entries: list(
        z.object({
          name: z.string().describe('the entry'),
          bytes: count.describe('its unpacked size'),
          crc32: z.string().describe('eight hexadecimal digits'),
        }),
      ),
    })
    .nullable()
    .describe('null if there is no archive'),
  ...found.shape,
  requests: list(
    z.object({
      parts: count.describe('the number of parts in it'),
      status: z.int().nullable().describe('as in `matdecl.download/1`'),
      bytes: count.describe('as in `matdecl.download/1`'),
      sha256: z.string().nullable().describe('as in `matdecl.download/1`'),
      error: requestError.optional(),
    }),
  ),
  run: z.object({
    startedAt: z.iso.datetime().describe('when the run started'),
    finishedAt: z.iso.datetime().describe('when it ended'),
    serverDate: z.iso.datetime().nullable().describe("the first response's date, by the service's clock"),
    requests: list(
      z.object({
        attempts: count.describe('how many times it was sent'),
        seconds: z.number().describe('how long it took'),
      }),
    ),
    checksum: z.string().optional().describe('SHA-256 of the canonical form of the manifest without it'),
  }),
})

export type DownloadResult = z.infer<typeof downloadResult>
export type PlanResult = z.infer<typeof planResult>
export type SyncResult = z.infer<typeof syncResult>
export type Manifest = z.infer<typeof manifest>
