import { calendarDate } from '../../base/units.ts'
import { plainName } from '../../compliance/entry-keys.ts'

/** One thing that a rule matches, by all its names: the first is shown. */
export type GateSubject = readonly string[]

/** A rule that a row matches, and with what. */
export interface GateFinding {
  readonly word: string
  readonly subjects: readonly GateSubject[]
}

/** A finding of a part that somebody accepts until a day. */
export interface Waiver {
  /** The supplier's or the buyer's number, compared exactly. */
  readonly part: string
  /** A rule to fail on; `stale` or `exemption-expires` alone stands for it with any value. */
  readonly rule: string
  readonly reason: string
  readonly owner: string
  /** The last day on which it counts, `YYYY-MM-DD`, UTC. */
  readonly until: string
}

/**
 * A rule that a row matches, or with `:` one thing that it matches it with, and the waiver that excludes it from the gate: of several
 * the one that is valid longest.
 */
export interface WaivedFinding {
  readonly word: string
  readonly waiver: Waiver
  /** All waivers for this finding. */
  readonly all: readonly Waiver[]
}

/** The waivers of a report. */
export interface Waivers {
  /** The file, as the user named it. */
  readonly file: string
  readonly all: readonly Waiver[]
  /** Finds the waivers that are valid on the day of the report for these findings of a row. */
  readonly find: (
    row: { readonly part: string; readonly requester_part: string },
    findings: readonly GateFinding[],
  ) => WaivedRow
  readonly hasRunOut: (waiver: Waiver) => boolean
}

/** What of a row stays in the gate, and what is waived. */
export interface WaivedRow {
  readonly open: readonly string[]
  readonly waived: readonly WaivedFinding[]
}

/** The used, expired and unmatched waivers of a report. */
export interface WaiverFacts {
  readonly file: string
  /** Findings that a waiver excluded from the gate. */
  readonly findings: number
  /** The waivers for them, also where several are for one finding. */
  readonly used: readonly Waiver[]
  readonly runOut: readonly Waiver[]
  /** Valid, but without a matching finding. */
  readonly unmatched: readonly Waiver[]
}

/** Waivers for a report that is created at `nowMs`. Part numbers are compared as written. */
export function createWaivers(file: string, all: readonly Waiver[], nowMs: number): Waivers {
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
    find({ part, requester_part }, findings) {
      const own = [...new Set([...(byPart.get(part) ?? []), ...(byPart.get(requester_part) ?? [])])]
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

/** A waived finding as a gate cell shows it: `svhc (waived until 2027-01-31: last time buy)`. */
export function waivedText({ word, waiver }: WaivedFinding): string {
  return `${word} (waived until ${waiver.until}: ${waiver.reason})`
}

/** True for a word of a gate cell that is not waived. */
export function isOpen(word: string): boolean {
  return !/ \(waived until \d{4}-\d{2}-\d{2}: /.test(word)
}

/** Counts what waivers did. */
export interface WaiverCounter {
  readonly add: (waived: readonly WaivedFinding[]) => void
  readonly result: () => WaiverFacts
}

export function createWaiverCounter({ file, all, hasRunOut }: Waivers): WaiverCounter {
  const used = new Set<Waiver>()
  let findings = 0
  return {
    add(waived) {
      findings += waived.length
      for (const finding of waived) for (const waiver of finding.all) used.add(waiver)
    },
    result: () => ({
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
