import { quoteText } from '../base/clean-text.ts'
import { plural } from '../base/units.ts'
import { checkCriteria, type Problem } from '../request/check-criteria.ts'
import type { Criteria } from '../request/criteria.ts'
import { downloadUrl } from '../request/request.ts'
import { type MigrationNote, notesOn } from './migrate-notes.ts'
import type { V1Request } from './v1-request.ts'

/** What a v1 request becomes in v2. */
export interface Migration {
  /** One for each supplier, or one for parts alone. */
  readonly downloads: readonly MigratedDownload[]
  /** `UNKNOWN_BASE_URL` unless it is known. */
  readonly baseUrl: string
  /** One for each difference between v1 and v2, in the order of the interface document. */
  readonly notes: readonly MigrationNote[]
  readonly warnings: readonly MigrationWarning[]
}

export interface MigratedDownload {
  readonly criteria: Criteria
  readonly parts: readonly string[]
  /** The file that curl wrote. */
  readonly output: string | undefined
  /** The URL of a single request; a long list of parts is sent in several. */
  readonly url: string
}

export interface MigrationWarning {
  readonly message: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
}

export interface MigrationOptions {
  /** The v2 URL, if known. */
  readonly baseUrl?: string | undefined
  /** What the v1 formats XML and CSV become; 1752A by default. */
  readonly standard?: '1752A' | '1752B' | undefined
  readonly todayMs: number
}

/** A reserved URL in place of an unknown one. */
export const UNKNOWN_BASE_URL = 'https://your-v2-address.example'

const MANY_PARTS = 20

/** The v2 downloads for a v1 request, with a note for every difference; or all reasons why it has no equivalent in v2. */
export function migrate(
  request: V1Request,
  options: MigrationOptions,
): Migration | { readonly problems: readonly Problem[] } {
  const { startDate } = request
  const formatClass = ['C', 'D', 'checkDthenC'].find(
    (known) => known.toLowerCase() === request.formatClass?.toLowerCase(),
  )
  const format = isStandard(request.format) ? request.format : (options.standard ?? '1752A')
  const suppliers = request.suppliers.length === 0 ? [undefined] : request.suppliers
  const isForAll = request.suppliers.length === 0 && request.parts.length === 0
  // With a placeholder for missing parts, the other criteria are checked too.
  const parts = isForAll ? ['-'] : request.parts
  const checked = suppliers.map((supplier) =>
    checkCriteria(
      {
        ...{ api: 'v2', format, formatClass: formatClass ?? request.formatClass, supplier, startDate, parts },
        ...{ since: undefined, query: [] },
      },
      options.todayMs,
    ),
  )
  const problems = [
    ...formatProblems(request),
    ...(isForAll ? [NOTHING_SELECTED] : []),
    // Options of the tool do not help with a v1 request.
    ...checked
      .flatMap((each) => ('problems' in each ? each.problems : []))
      .map(({ message, hint }) => ({ message, hint })),
  ]
  if (problems.length > 0) return { problems: distinctBy(problems, ({ message }) => message) }
  const valid = checked.filter((each) => 'criteria' in each)
  const baseUrl = options.baseUrl ?? UNKNOWN_BASE_URL
  const output = valid.length === 1 ? request.output : undefined
  return {
    downloads: valid.map(({ criteria }) => {
      return { criteria, parts, output, url: downloadUrl(baseUrl, criteria, parts) }
    }),
    baseUrl,
    notes: notesOn(request, { format, baseUrl: options.baseUrl }),
    warnings: distinctBy(
      [...warningsOn(request, valid.length), ...valid.flatMap(({ notices }) => notices)],
      ({ message }) => message,
    ).map(({ message, options }) => ({ message, ...(options && { options }) })),
  }
}

function isStandard(format: string | undefined): format is '1752A' | '1752B' {
  return format === '1752A' || format === '1752B'
}

function formatProblems({ format }: V1Request): readonly Problem[] {
  if (format === undefined || isStandard(format) || /^(?:xml|csv)$/i.test(format)) return []
  return [{ message: `${quoteText(format)} is not a v1 format`, hint: 'use XML or CSV' }]
}

const NOTHING_SELECTED: Problem = {
  message: 'supplier and partNumbers are both blank, which v2 does not allow',
  hint: 'name suppliers, part numbers or both: a request for everything becomes one request for each supplier',
}

function warningsOn(request: V1Request, downloadCount: number): readonly MigrationWarning[] {
  const { remarks, unknownFields, parts, output, formatClass } = request
  return [
    ...remarks.map((message) => ({ message })),
    ...unknownFields.map((field) => ({ message: `unknown field ${quoteText(field)} dropped` })),
    ...(formatClass === undefined
      ? [
          {
            message:
              'the request has no formatClass, so v2 returns class C; for another, set the format class',
            options: ['format-class'],
          },
        ]
      : []),
    ...(output !== undefined && downloadCount > 1
      ? [{ message: 'curl wrote one file; each command writes its own, named after its supplier' }]
      : []),
    ...(parts.length > MANY_PARTS
      ? [
          {
            message: `${plural(parts.length, 'part number')} are easier to keep in a file, one per line`,
            options: ['parts-file'],
          },
        ]
      : []),
  ]
}

function distinctBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed()
}
