import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import { isFailure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { companyName } from '../../compliance/company-names.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import type { UserTable, UserTables } from '../records.ts'
import type { Waiver, WaiverFacts } from '../report-result.ts'
import { findingWord, type RowFinding } from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { fileName } from '../sources/file-name.ts'
import { isListNamed, readWaiverRule } from './fail-on.ts'

/** The columns of a file of waivers; each must have a value. A column `supplier` may follow. */
export const WAIVER_COLUMNS = ['part', 'rule', 'reason', 'owner', 'until'] as const

const filled = (what: string) => z.string(what).min(1, what)

const waiver = z.object({
  /** The supplier's or the buyer's number, compared exactly. */
  part: filled('expected a part number'),
  /** A rule to fail on; `stale` or `exemption-expires` alone stands for it with any value. */
  rule: filled('expected a rule of the gate').transform((word, context) => {
    try {
      return readWaiverRule(word)
    } catch (error) {
      if (!isFailure(error)) throw error
      context.addIssue({ code: 'custom', message: [error.message, error.hint].filter(Boolean).join('; ') })
      return z.NEVER
    }
  }),
  reason: filled('expected why the finding is accepted').transform((text) => cleanText(text, 300)),
  owner: filled('expected who accepts the finding').transform((text) => cleanText(text, 100)),
  /** Where it is for the part of one supplier. */
  supplier: z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === '' ? undefined : cleanText(text, 200))),
  /** The last day on which it counts, `YYYY-MM-DD`, UTC. */
  until: z
    .string('expected the last day as YYYY-MM-DD')
    .refine((text) => parseCalendarDate(text) !== undefined, 'expected the last day as YYYY-MM-DD'),
})

/** The waivers of a file. One that is not complete, or for an unknown rule, is a `usage` failure with its line. */
export function waiversOf(table: UserTable, name: string, tables: UserTables): readonly Waiver[] {
  return tables.records(table, {
    name,
    schema: waiver,
    columns: WAIVER_COLUMNS,
    optional: ['supplier'],
    hint: `a waiver has ${WAIVER_COLUMNS.join(', ')}`,
    options: ['waivers'],
  })
}

/** The waivers of a report. */
export type Waivers = ReturnType<typeof createWaivers>

/** Waivers of a file, as the user named it, for a report that is created at `nowMs`. Part numbers are compared as written. */
export function createWaivers(file: string, all: readonly Waiver[], nowMs: number) {
  const today = calendarDate(nowMs)
  const hasRunOut = ({ until }: Waiver): boolean => until < today
  const byPart = new Map<string, Waiver[]>()
  for (const waiver of all) {
    if (!hasRunOut(waiver)) byPart.set(waiver.part, [...(byPart.get(waiver.part) ?? []), waiver])
  }
  return {
    file,
    all,
    hasRunOut,
    /** Those that match in another list of the same run. */
    elsewhere: new Set<Waiver>() as ReadonlySet<Waiver>,
    /** The findings of a row, each with the waiver that is valid longest of those for it on the day of the report. */
    apply(
      { part, requesterPart, supplier, status, sources }: Pick<JudgedRow, WaivedBy>,
      findings: readonly RowFinding[],
      casNumbers: CasNumbers = () => [],
    ): readonly RowFinding[] {
      // A file that cannot be read has no part number: it is waived by its name.
      const files = status === 'unreadable' ? sources.flatMap((source) => [source, fileName(source)]) : []
      const numbers = [...new Set([part, requesterPart, ...files])]
      const own = numbers.flatMap((number) => byPart.get(number) ?? [])
      const isFor = (waiver: Waiver): boolean =>
        waiver.supplier === undefined || companyName(waiver.supplier) === companyName(supplier)
      const valid = own.filter(isFor)
      if (valid.length === 0) return findings
      return findings.map((finding) => {
        const waivers = valid.filter((waiver) => covers(waiver, finding, casNumbers))
        return waivers.length === 0 ? finding : { ...finding, waivers: waivers.sort(longestFirst) }
      })
    },
  }
}

type WaivedBy = 'part' | 'requesterPart' | 'supplier' | 'status' | 'sources'

/** Counts what waivers did. */
export function createWaiverCounter({ file, all, hasRunOut, elsewhere }: Waivers) {
  const used = new Set<Waiver>()
  let findings = 0
  return {
    add(all: readonly RowFinding[]): void {
      for (const { waivers = [] } of all) {
        if (waivers.length > 0) findings += 1
        for (const waiver of waivers) used.add(waiver)
      }
    },
    result: (): WaiverFacts => ({
      file,
      findings,
      used: all.filter((waiver) => used.has(waiver)),
      runOut: all.filter(hasRunOut),
      unmatched: all.filter((waiver) => !used.has(waiver) && !hasRunOut(waiver) && !elsewhere.has(waiver)),
    }),
  }
}

/** The CAS numbers of a substance by its name. */
type CasNumbers = (name: string) => readonly string[]

/** True for a waiver of the rule, with any value, or of one thing that was found, such as `svhc:7439-92-1`. */
function covers({ rule }: Waiver, finding: RowFinding, casNumbers: CasNumbers): boolean {
  const { rule: name, subject, names } = finding
  if (rule === name || rule === findingWord(finding)) return true
  if (!rule.startsWith(`${name}:`)) return false
  const about = rule.slice(name.length + 1)
  if (name === 'over') return isListNamed(subject, about)
  const own = [subject, ...names]
  return [...own, ...own.flatMap((one) => casNumbers(one))].some(
    (one) => one !== '' && plainName(one) === plainName(about),
  )
}

function longestFirst(a: Waiver, b: Waiver): number {
  return a.until < b.until ? 1 : a.until > b.until ? -1 : 0
}
