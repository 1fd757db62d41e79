import { basename, join } from 'node:path'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { portableNameProblem } from '../fs/windows-names.ts'
import { cellOf, NO_SUPPLIER, type PartColumn, supplierOf } from './columns.ts'
import { csvTable } from './formats/delimited.ts'
import { type ReportShape, rowsOf } from './formats/formatter.ts'
import { type FailOnRule, matchedWords, parseFailOn } from './gate/fail-on.ts'
import { createRowDates } from './regulations/reference-facts.ts'
import type { ReferenceTables } from './regulations/reference-tables.ts'
import type { Report } from './report.ts'
import { companyName } from './rows/part-key.ts'
import type { JudgedRow } from './rows/report-row.ts'
import { openReportFile } from './write-report.ts'

// What to ask suppliers for: a text for each of them, ready to be sent, and all of it as CSV.

/** The rules of a gate that are something to ask the supplier for. */
const RULES = 'missing,unreadable,not-declared,incomplete,reach-not-declared,unaccepted,contradictory'
/** When a Candidate List is too old, unless the gate has rules of its own about age. */
const TOO_OLD = 'stale:24m'

interface RequestKind {
  readonly missing: string
  /** What is wrong, as the declaration has it. */
  readonly reason: (row: JudgedRow) => string
  readonly send: string
}

/** By the name of the rule: what is missing, why, and what to send. */
const REQUEST_KINDS: Readonly<Record<string, RequestKind>> = {
  missing: {
    missing: 'declaration',
    reason: () => 'we have no declaration of this part',
    send: 'a declaration with RoHS (all ten groups) and the current REACH Candidate List',
  },
  unreadable: {
    missing: 'readable declaration',
    // Without the directories: the supplier has no use for them.
    reason: (row) => `${basename(cell(row, 'source'))}: ${cell(row, 'note')}`,
    send: 'the declaration as IPC-1752A or IPC-1752B XML',
  },
  'not-declared': {
    missing: 'RoHS list',
    reason: (row) => `${declaration(row)} has no RoHS list`,
    send: 'a declaration with a RoHS list that states all ten groups (Directive 2011/65/EU with 2015/863)',
  },
  incomplete: {
    missing: 'statements',
    reason: (row) => {
      const gaps = new Set([...row.judged.rohs.gaps, ...row.judged.reach.gaps])
      return `${declaration(row)} is incomplete: ${[...gaps].join('; ') || cell(row, 'note')}`
    },
    send: 'a declaration with a statement on each group and entry, and the number of each exemption',
  },
  'reach-not-declared': {
    missing: 'REACH list',
    reason: (row) => `${declaration(row)} has no REACH Candidate List`,
    send: 'a declaration with the current REACH Candidate List (EUREACH-MMYY)',
  },
  unaccepted: {
    missing: 'acceptance',
    reason: (row) => `${declaration(row)} is marked as not accepted by the supplier (supplierAcceptance)`,
    send: 'a declaration that is accepted',
  },
  contradictory: {
    missing: 'one answer',
    reason: (row) => `${declaration(row)} contradicts itself: ${row.judged.contradictions.join('; ')}`,
    send: 'a corrected declaration',
  },
  stale: {
    missing: 'current list',
    reason: (row) => `${declaration(row)} refers to ${cell(row, 'reach_list') || cell(row, 'rohs_list')}`,
    send: 'a declaration with the current REACH Candidate List (EUREACH-MMYY)',
  },
  older: {
    missing: 'current declaration',
    reason: (row) => `${declaration(row)} is too old`,
    send: 'a declaration with a current date',
  },
}

/** The text of a cell, safe to print. */
function cell(row: JudgedRow, column: PartColumn): string {
  return String(cellOf(row, column) ?? '')
}

function declaration({ date }: JudgedRow): string {
  return date === '' ? 'the declaration without a date' : `the declaration of ${date}`
}

const COLUMNS = ['supplier', 'part', 'requester_part', 'name', 'missing', 'reason', 'send', 'source'] as const

/** One thing to ask for: a line of `requests.csv`. */
type Request = Readonly<Record<(typeof COLUMNS)[number], string>>

/** What to ask for about rows, in their order. Waived findings are left out. */
export function requestsOf(
  rows: readonly JudgedRow[],
  { failOn = [], nowMs, tables }: RequestContext,
): readonly Request[] {
  const dates = tables && createRowDates(tables, nowMs)
  const ages = failOn.filter(({ word }) => /^(?:stale|older):/.test(word))
  const rules = [...parseFailOn(RULES), ...(ages.length > 0 ? ages : parseFailOn(TOO_OLD))]
  return rows.flatMap((row) => {
    const words = matchedWords(row, { failOn: rules, nowMs, dates }).filter(
      // A file that cannot be read is incomplete too.
      (word) => word !== 'incomplete' || row.status === 'declared',
    )
    const open = words.filter((word) => !row.gate.waived.some((finding) => finding.word === word))
    return open.map((word): Request => {
      const { missing, reason, send } = REQUEST_KINDS[word.replace(/:.*/, '')]!
      return {
        supplier: supplierOf(row),
        part: cell(row, 'part'),
        requester_part: cell(row, 'requester_part'),
        name: cell(row, 'name'),
        missing,
        reason: reason(row),
        send,
        source: cell(row, 'source'),
      }
    })
  })
}

interface RequestContext {
  readonly failOn?: readonly FailOnRule[] | undefined
  readonly nowMs: number
  readonly tables?: ReferenceTables | undefined
}

/**
 * Writes what to ask for into a directory: a text for each supplier, and last `requests.csv`. An existing directory is refused without
 * `overwrite`; with it, files with the same names are replaced, and a notice names texts that are not of this report.
 */
export async function writeRequests(
  world: World,
  report: Report,
  directory: string,
  options: RequestContext & {
    readonly what: string
    readonly overwrite: boolean
    readonly reporter: Pick<Reporter, 'notice'>
    readonly csv?: ReportShape['csv']
  },
): Promise<{ readonly suppliers: number; readonly parts: number }> {
  const { reporter } = options
  const suppliers = new Map<string, { readonly name: string; readonly requests: Request[] }>()
  for await (const rows of rowsOf(report, 'parts')) {
    for (const request of requestsOf(rows as readonly JudgedRow[], options)) {
      const key = companyName(request.supplier)
      const known = suppliers.get(key) ?? { name: request.supplier || NO_SUPPLIER, requests: [] }
      suppliers.set(key, known)
      known.requests.push(request)
    }
  }
  const all = [...suppliers.values()].sort((a, b) => b.requests.length - a.requests.length)
  const write = async (name: string, text: string): Promise<void> => {
    await using file = await openReportFile(world, join(directory, name), options)
    await file.write(text)
    await file.publish()
  }
  const names = new Set<string>()
  for (const { name, requests } of all) await write(fileName(name, names), requestText(name, requests))
  const table = csvTable(COLUMNS, options.csv)
  const lines = all.flatMap(({ requests }) => requests.map(table.line))
  await write('requests.csv', table.heading + lines.join(''))
  const others = (await world.disk.readdir(directory)).filter(
    (name) => name.endsWith('.txt') && !names.has(name.toLowerCase()),
  )
  if (others.length > 0) {
    const message = `${cleanText(directory)}: ${plural(others.length, 'text')} of an earlier report left: ${others.slice(0, 5).map(escapeUnsafe).join(', ')}`
    reporter.notice({ level: 'warning', event: 'requests.left', message })
  }
  const parts = all.reduce((sum, { requests }) => sum + partCount(requests), 0)
  const message = `requests about ${plural(parts, 'part')} to ${plural(all.length, 'supplier')} in ${cleanText(directory)}`
  reporter.notice({
    level: 'info',
    event: 'requests.written',
    message,
    data: { parts, suppliers: all.length },
  })
  return { suppliers: all.length, parts }
}

function partCount(requests: readonly Request[]): number {
  return new Set(
    requests.map(({ part, requester_part, source }) => [part, requester_part, source].join('\n')),
  ).size
}

/** A message to one supplier, with the parts by what to send; for parts without a supplier, the same as a list to work on. */
function requestText(supplier: string, requests: readonly Request[]): string {
  const count = plural(partCount(requests), 'part')
  const head =
    supplier === NO_SUPPLIER
      ? [`No supplier is known for ${count}.`]
      : [
          `Subject: Material declarations of ${count}`,
          '',
          `To ${supplier}`,
          '',
          `We need material declarations of ${count}, as IPC-1752A or IPC-1752B XML, class C or D.`,
          'A declaration that replaces another one needs a later date.',
        ]
  const sends = [...new Set(requests.map(({ send }) => send))]
  const items = sends.flatMap((send) => [
    '',
    `Please send ${send}:`,
    ...requests
      .filter((request) => request.send === send)
      .map(
        (request) =>
          `- ${request.part || request.requester_part || request.source || 'a part without a number'}${yours(request)}: ${request.reason}`,
      ),
  ])
  return `${[...head, ...items].map(escapeUnsafe).join('\n')}\n`
}

function yours({ part, requester_part }: Request): string {
  return requester_part === '' || requester_part === part || part === ''
    ? ''
    : ` (our number ${requester_part})`
}

/** A name for the text of a supplier that every system has, and none in `taken`, which has them in lower case. */
function fileName(supplier: string, taken: Set<string>): string {
  const plain = supplier
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  const stem = [...plain].slice(0, 40).join('') || 'supplier'
  const safe = portableNameProblem(`${stem}.txt`) === undefined ? stem : `supplier-${stem}`
  for (let number = 1; ; number += 1) {
    const name = `${safe}${number === 1 ? '' : `-${number}`}.txt`
    if (taken.has(name.toLowerCase())) continue
    taken.add(name.toLowerCase())
    return name
  }
}
