import { parseCalendarDate } from '../base/calendar-date.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { visibleQuote } from '../base/shell-quote.ts'
import { checkCriteria, type Problem } from '../request/criteria.ts'
import { type Criteria, downloadUrl } from '../request/request.ts'
import type { LegacyRequest } from './legacy-request.ts'
import { type MigrationNote, notesOn } from './migrate-notes.ts'

/** What a v1 request becomes in v2. */
export interface Migration {
  /** One for each supplier, or one for parts alone. */
  readonly commands: readonly MigratedCommand[]
  /** Lines for the settings file (TOML). */
  readonly config: readonly string[]
  /** Every row of what changed, in the order of the interface document. */
  readonly notes: readonly MigrationNote[]
  readonly warnings: readonly string[]
}

export interface MigratedCommand {
  readonly supplier?: string
  /** The arguments, the tool's name first. */
  readonly argv: readonly string[]
  /** The same as a line for a POSIX shell. */
  readonly line: string
  /** What the command asks for; a long list of parts is sent in several requests. */
  readonly url: string
}

export interface MigrateOptions {
  /** The address of v2 where the settings have it. */
  readonly baseUrl?: string | undefined
  /** What the v1 format XML (or CSV) becomes; 1752A unless given. */
  readonly standard?: '1752A' | '1752B' | undefined
  readonly todayMs: number
}

/** An address that can't be anybody's, for where v2's own is not known. */
export const UNKNOWN_BASE_URL = 'https://your-v2-address.example'

/**
 * The v2 command lines, addresses and settings for a v1 request, with a note for everything that changed; or, when there is
 * nothing valid that v2 could be asked, every reason.
 */
export function migrate(
  request: LegacyRequest,
  options: MigrateOptions,
): Migration | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const formatClass = readClass(request, problems)
  checkFormat(request, problems)
  if (request.startDate !== undefined && parseCalendarDate(request.startDate) === undefined) {
    problems.push({
      message: `startdate '${shown(request.startDate)}' is no date`,
      hint: 'v1 and v2 take a real date, YYYY-MM-DD',
    })
  }
  if (request.suppliers.length === 0 && request.parts.length === 0) {
    problems.push({
      message: 'supplier and partNumbers are both blank, which v2 does not take',
      hint: 'name a supplier, part numbers or both: one request for each supplier replaces a request for everything',
    })
  }
  const format = isStandard(request.format) ? request.format : (options.standard ?? '1752A')
  const { startDate } = request
  const wanted: readonly Criteria[] = (request.suppliers.length === 0 ? [undefined] : request.suppliers).map(
    (supplier) => ({ api: 'v2', format, formatClass, supplier, startDate }),
  )
  const notices = wanted.flatMap((criteria) => check(criteria, request, options.todayMs, problems))
  if (problems.length > 0) return { problems: withoutRepeats(problems) }
  const baseUrl = options.baseUrl ?? UNKNOWN_BASE_URL
  const output = wanted.length === 1 ? request.output : undefined
  const commands = wanted.map((criteria) => commandFor(criteria, request.parts, baseUrl, output))
  return {
    commands,
    config: configLines(wanted, baseUrl),
    notes: notesOn(request, { format, baseUrl: options.baseUrl }),
    warnings: [...warningsOn(request, commands), ...new Set(notices.map(({ message }) => message))],
  }
}

function readClass(request: LegacyRequest, problems: Problem[]): string | undefined {
  const given = request.formatClass
  if (given === undefined) return undefined
  const known = ['C', 'D', 'checkDthenC'].find((name) => name.toLowerCase() === given.toLowerCase())
  if (known === undefined) {
    problems.push({
      message: `formatClass '${shown(given)}' is unknown`,
      hint: 'there are C, D and checkDthenC',
    })
  }
  return known
}

function checkFormat({ format }: LegacyRequest, problems: Problem[]): void {
  if (format === undefined || isStandard(format) || /^(?:xml|csv)$/i.test(format)) return
  problems.push({ message: `format '${shown(format)}' is no v1 format`, hint: 'v1 has XML and CSV' })
}

function isStandard(format: string | undefined): format is '1752A' | '1752B' {
  return format === '1752A' || format === '1752B'
}

function check(
  criteria: Criteria,
  { parts }: LegacyRequest,
  todayMs: number,
  problems: Problem[],
): readonly Notice[] {
  if (criteria.supplier === undefined && parts.length === 0) return []
  const { format, formatClass, supplier, startDate } = criteria
  const checked = checkCriteria(
    { api: 'v2', format, formatClass, supplier, startDate, since: undefined, query: [], parts },
    todayMs,
  )
  if ('criteria' in checked) return checked.notices
  problems.push(...checked.problems)
  return []
}

function commandFor(
  criteria: Criteria,
  parts: readonly string[],
  baseUrl: string,
  output: string | undefined,
): MigratedCommand {
  const { format, formatClass, supplier, startDate } = criteria
  const argv = [
    'matdecl',
    'download',
    ...option('--format', format),
    ...option('--format-class', formatClass),
    ...option('--supplier', supplier),
    ...parts.flatMap((part) => option('--part', part)),
    ...option('--start-date', startDate),
    ...option('--output', output),
  ]
  return {
    ...(supplier === undefined ? {} : { supplier }),
    argv,
    line: argv.map(visibleQuote).join(' '),
    url: downloadUrl(baseUrl, criteria, parts),
  }
}

// A value that begins with a dash would be read as an option.
function option(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return []
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

function configLines(wanted: readonly Criteria[], baseUrl: string): readonly string[] {
  const [first] = wanted
  const { format, formatClass, supplier } = first!
  const lines: readonly (readonly [key: string, value: string | undefined])[] = [
    ['base-url', baseUrl],
    ['format', format],
    ['format-class', formatClass],
    ['supplier', wanted.length === 1 ? supplier : undefined],
  ]
  return lines.flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${tomlText(value)}`]))
}

// A TOML basic string: JSON's, with everything a reader could not see escaped.
function tomlText(value: string): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u00ad\u200b-\u206f\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const MANY_PARTS = 20

function warningsOn(request: LegacyRequest, commands: readonly MigratedCommand[]): readonly string[] {
  const { remarks, unknownFields, parts, output, formatClass } = request
  return [
    ...remarks,
    ...unknownFields.map((field) => `the field '${shown(field)}' is none of v1's and is left out`),
    ...(formatClass === undefined
      ? ['the request names no formatClass: v2 answers class C then; add --format-class for another']
      : []),
    ...(output !== undefined && commands.length > 1
      ? ['curl wrote one file; each command writes its own, named after its supplier']
      : []),
    ...(parts.length > MANY_PARTS
      ? [
          `${parts.length} part numbers are easier to keep in a file, one a line: --parts-file FILE instead of --part`,
        ]
      : []),
  ]
}

function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    ({ message }, index) => problems.findIndex((other) => other.message === message) === index,
  )
}

function shown(text: string): string {
  const safe = escapeUnsafe(text)
  return safe.length > 60 ? `${safe.slice(0, 59)}…` : safe
}
