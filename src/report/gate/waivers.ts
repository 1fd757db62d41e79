import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import { isFailure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import { checkRecords, type FileRecord } from '../records.ts'
import type { Waiver, WaiverFacts } from '../report-result.ts'
import type { JudgedRow, RowGate, WaivedFinding } from '../rows/report-row.ts'
import { type GateFinding, readRuleOrFamily } from './fail-on.ts'

/** The columns of a file of waivers; each must have a value. */
export const WAIVER_COLUMNS = ['part', 'rule', 'reason', 'owner', 'until'] as const

const filled = (what: string) => z.string(what).min(1, what)

const waiver = z.object({
  /** The supplier's or the buyer's number, compared exactly. */
  part: filled('expected a part number'),
  /** A rule to fail on; `stale` or `exemption-expires` alone stands for it with any value. */
  rule: filled('expected a rule of the gate').transform((word, context) => {
    try {
      return readRuleOrFamily(word)
    } catch (error) {
      if (!isFailure(error)) throw error
      context.addIssue({ code: 'custom', message: [error.message, error.hint].filter(Boolean).join('; ') })
      return z.NEVER
    }
  }),
  reason: filled('expected why the finding is accepted').transform((text) => cleanText(text, 300)),
  owner: filled('expected who accepts the finding').transform((text) => cleanText(text, 100)),
  /** The last day on which it counts, `YYYY-MM-DD`, UTC. */
  until: z
    .string('expected the last day as YYYY-MM-DD')
    .refine((text) => parseCalendarDate(text) !== undefined, 'expected the last day as YYYY-MM-DD'),
})

/** The waivers in the records of a file. One that is not complete, or for an unknown rule, is a `usage` failure with its line. */
export function waiversOf(records: readonly FileRecord[], name: string): readonly Waiver[] {
  return checkRecords(records, {
    name,
    schema: waiver,
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
    /** Finds the waivers that are valid on the day of the report for these findings of a row. */
    find(
      { part, requesterPart }: Pick<JudgedRow, 'part' | 'requesterPart'>,
      findings: readonly GateFinding[],
    ): RowGate {
      const own = [...new Set([...(byPart.get(part) ?? []), ...(byPart.get(requesterPart) ?? [])])]
      const open: string[] = []
      const waived: WaivedFinding[] = []
      for (const { word, subjects } of findings) {
        const whole = waivedBy(own, word, (one) => covers(one, word))
        const each = subjects.map((names) =>
          waivedBy(own, `${word}:${names[0]}`, (one) => names.some((name) => isAbout(one, word, name))),
        )
        if (whole !== undefined) {
          waived.push({ ...whole, all: [...new Set([whole, ...each].flatMap((one) => one?.all ?? []))] })
          continue
        }
        if (each.length === 0 || each.includes(undefined)) open.push(word)
        waived.push(...each.filter((one) => one !== undefined))
      }
      return { open, waived }
    },
  }
}

function waivedBy(
  own: readonly Waiver[],
  word: string,
  isFor: (waiver: Waiver) => boolean,
): WaivedFinding | undefined {
  const all = own.filter(isFor)
  const waiver = all.reduce(later, undefined)
  return waiver === undefined ? undefined : { word, waiver, all }
}

/** Counts what waivers did. */
export function createWaiverCounter({ file, all, hasRunOut }: Waivers) {
  const used = new Set<Waiver>()
  let findings = 0
  return {
    add(waived: readonly WaivedFinding[]): void {
      findings += waived.length
      for (const finding of waived) for (const waiver of finding.all) used.add(waiver)
    },
    result: (): WaiverFacts => ({
      file,
      findings,
      used: all.filter((waiver) => used.has(waiver)),
      runOut: all.filter(hasRunOut),
      unmatched: all.filter((waiver) => !used.has(waiver) && !hasRunOut(waiver)),
    }),
  }
}

function covers({ rule }: Waiver, word: string): boolean {
  return word === rule || word.startsWith(`${rule}:`)
}

/** True for a waiver of one thing that a rule matches, such as `svhc:7439-92-1`. */
function isAbout({ rule }: Waiver, word: string, name: string): boolean {
  return rule.startsWith(`${word}:`) && plainName(rule.slice(word.length + 1)) === plainName(name)
}

function later(best: Waiver | undefined, next: Waiver): Waiver {
  return best !== undefined && best.until >= next.until ? best : next
}
