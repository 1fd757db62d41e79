import { resolve } from 'node:path'
import { escapeUnsafe, quoteText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { readSmallText } from '../fs/input-file.ts'
import { type CriteriaProblem, checkCriteria } from '../request/check-criteria.ts'
import type { Criteria } from '../request/criteria.ts'
import { downloadUrl } from '../request/request.ts'
import { parseV1Request, type V1Request } from './v1-request.ts'

/** The v1 request to migrate, and how. */
export interface MigrateOptions extends Omit<MigrationOptions, 'todayMs'> {
  /** A file; standard input when it is undefined or `-`. */
  readonly file?: string | undefined
}

/**
 * Reads a v1 request and returns its v2 equivalent. Throws `usage` when it is invalid or has none. No result or error contains its
 * API key.
 */
export async function migrateRequest(world: World, { file, ...options }: MigrateOptions): Promise<Migration> {
  const isStdin = file === undefined || file === '-'
  if (isStdin && world.stdin.isTTY === true) {
    throw new Failure('usage', 'no request given', {
      hint: 'name a file with the v1 request, or pipe one in: matdecl migrate REQUEST.json',
    })
  }
  const source = isStdin ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) }
  const { text, isExposed } = await readSmallText(world, source)
  const name = isStdin ? 'standard input' : escapeUnsafe(file)
  const parsed = parseV1Request(text, name)
  if ('problems' in parsed) throw failureOf(parsed.problems)
  const migration = migrate(parsed.request, { ...options, todayMs: world.clock.nowMs() })
  if ('problems' in migration) throw failureOf(migration.problems)
  // Standard input is never exposed.
  if (!isExposed || !parsed.request.hasKey || file === undefined) return migration
  const fix = `chmod 600 ${escapeUnsafe(shellQuote(file))}`
  const message = `${name} contains an API key that others on this machine can read; remove the key, or run: ${fix}`
  return { ...migration, warnings: [{ message }, ...migration.warnings] }
}

function failureOf(problems: readonly CriteriaProblem[]): Failure {
  const [first] = problems
  if (problems.length === 1) return new Failure('usage', first!.message, { hint: first!.hint })
  return new Failure('usage', `${plural(problems.length, 'problem')} in the request`, {
    hint: 'fix the v1 request, then run the command again',
    problems: problems.map(({ message, hint }) => `${message}: ${hint}`),
  })
}

/** What a v1 request becomes in v2. */
export interface Migration {
  /** One for each supplier, or one for parts alone. */
  readonly downloads: readonly MigratedDownload[]
  /** One for each difference between v1 and v2, in the order of the interface document. */
  readonly notes: readonly MigrationNote[]
  readonly warnings: readonly MigrationWarning[]
}

export interface MigratedDownload {
  readonly criteria: Criteria
  readonly parts: readonly string[]
  /** The URL of a single request; a long list of parts is sent in several. */
  readonly url: string
}

interface MigrationWarning {
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
const UNKNOWN_BASE_URL = 'https://your-v2-address.example'

const MANY_PARTS = 20

/** The v2 downloads for a v1 request, with a note for every difference; or all reasons why it has no equivalent in v2. */
export function migrate(
  request: V1Request,
  options: MigrationOptions,
): Migration | { readonly problems: readonly CriteriaProblem[] } {
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
  return {
    downloads: valid.map(({ criteria }) => {
      return { criteria, parts, url: downloadUrl(baseUrl, criteria, parts) }
    }),
    notes: notesOn(request, { format, baseUrl: options.baseUrl }),
    warnings: distinctBy(
      [...warningsOn(request), ...valid.flatMap(({ notices }) => notices)],
      ({ message }) => message,
    ).map(({ message, options }) => ({ message, ...(options && { options }) })),
  }
}

function isStandard(format: string | undefined): format is '1752A' | '1752B' {
  return format === '1752A' || format === '1752B'
}

function formatProblems({ format }: V1Request): readonly CriteriaProblem[] {
  if (format === undefined || isStandard(format) || /^(?:xml|csv)$/i.test(format)) return []
  return [{ message: `${quoteText(format)} is not a v1 format`, hint: 'use XML or CSV' }]
}

const NOTHING_SELECTED: CriteriaProblem = {
  message: 'supplier and partNumbers are both blank, which v2 does not allow',
  hint: 'name suppliers, part numbers or both: a request for everything becomes one request for each supplier',
}

function warningsOn(request: V1Request): readonly MigrationWarning[] {
  const { remarks, unknownFields, parts, formatClass } = request
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

/** A difference between v1 and v2. */
interface MigrationNote {
  readonly aspect:
    | 'address'
    | 'path'
    | 'method'
    | 'authorization'
    | 'format'
    | 'parts'
    | 'supplier and parts'
    | 'start date'
    | 'several suppliers'
  readonly v1: string
  readonly v2: string
  /** The effect on this request. */
  readonly note: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
}

interface Chosen {
  readonly format: string
  readonly baseUrl: string | undefined
}

/** A note for every difference in the interface document, whether or not it concerns the request. */
function notesOn(request: V1Request, chosen: Chosen): readonly MigrationNote[] {
  return [
    address(chosen),
    {
      aspect: 'path',
      v1: '/api/download',
      v2: '/v2/download',
      note: 'the version is part of the path; base-url is written without it',
    },
    {
      aspect: 'method',
      v1: 'POST with a JSON body',
      v2: 'GET with a query string, no body',
      note: 'all criteria move from the JSON body into the query string',
    },
    authorization(request),
    format(request, chosen),
    parts(request),
    {
      aspect: 'supplier and parts',
      v1: 'both may be blank',
      v2: 'at least one is required',
      note: 'this request has at least one; v2 has no request for everything',
    },
    startDate(request),
    severalSuppliers(request),
  ]
}

function address({ baseUrl }: Chosen): MigrationNote {
  return {
    aspect: 'address',
    v1: 'the legacy host',
    v2: baseUrl ?? 'a separate URL',
    note:
      baseUrl === undefined
        ? 'v2 has a separate URL: ask the provider for it, then set base-url or MATDECL_BASE_URL'
        : 'from your configuration',
  }
}

function authorization({ hasKey }: V1Request): MigrationNote {
  return {
    aspect: 'authorization',
    v1: 'apikey in the JSON body',
    v2: 'Authorization: Bearer with an access token',
    note: `v2 does not accept the API key: ask your account manager for a token, and set MATDECL_TOKEN or token-file${hasKey ? '; the key was not migrated, remove it from the old request' : ''}`,
  }
}

function format(request: V1Request, chosen: Chosen): MigrationNote {
  const given = request.format?.toUpperCase()
  const row = { aspect: 'format', v1: request.format ?? 'XML or CSV', v2: chosen.format } as const
  if (given === 'CSV') {
    return {
      ...row,
      note: `v2 has no CSV: download ${chosen.format}, then run matdecl report ARCHIVE -o FILE.csv, or report during the download`,
      options: ['report'],
    }
  }
  if (given === 'XML') {
    return {
      ...row,
      note: `XML becomes 1752A or 1752B, here ${chosen.format}: ask the recipients of the files which one they need`,
      options: ['format'],
    }
  }
  return {
    ...row,
    note:
      given === undefined
        ? `this request has none; v2 requires one, here ${chosen.format}`
        : `${chosen.format} is already a v2 format`,
  }
}

function parts({ parts: wanted }: V1Request): MigrationNote {
  return {
    aspect: 'parts',
    v1: 'one comma-separated string of quoted numbers',
    v2: 'partNumbers[] repeated for each number',
    note:
      wanted.length === 0
        ? 'this request has none'
        : `${plural(wanted.length, 'part')}, sent unchanged: not quoted, split or trimmed`,
    ...(wanted.length === 0 ? {} : { options: ['part'] }),
  }
}

function startDate({ startDate: given }: V1Request): MigrationNote {
  return {
    aspect: 'start date',
    v1: 'startdate',
    v2: 'startDate',
    note:
      given === undefined
        ? 'this request has none'
        : 'renamed with a capital D, same date format; a scheduled job can run matdecl sync instead',
  }
}

function severalSuppliers({ suppliers }: V1Request): MigrationNote {
  const several = suppliers.length > 1
  return {
    aspect: 'several suppliers',
    v1: 'comma-separated',
    v2: 'one per request',
    note: several
      ? `${plural(suppliers.length, 'supplier')} become ${plural(suppliers.length, 'command')}`
      : `this request has ${suppliers.length === 0 ? 'none' : 'one'}`,
  }
}
