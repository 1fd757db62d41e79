import { calendarDate } from '../../base/calendar-date.ts'

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

/** A rule that a row matches, and the waiver that excludes it from the gate: of several the one that is valid longest. */
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
  /** Finds the waivers that are valid on the day of the report for these words of a row. */
  readonly find: (
    row: { readonly part: string; readonly requester_part: string },
    words: readonly string[],
  ) => readonly WaivedFinding[]
  readonly hasRunOut: (waiver: Waiver) => boolean
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
    find({ part, requester_part }, words) {
      const own = [...(byPart.get(part) ?? []), ...(byPart.get(requester_part) ?? [])]
      if (own.length === 0) return []
      return words.flatMap((word) => {
        const all = own.filter((one) => covers(one, word))
        const waiver = all.reduce(later, undefined)
        return waiver === undefined ? [] : [{ word, waiver, all }]
      })
    },
  }
}

/** The words of a row as its gate cell shows them: `svhc (waived until 2027-01-31: last time buy)`. */
export function shownWords(words: readonly string[], waived: readonly WaivedFinding[]): readonly string[] {
  return words.map((word) => {
    const waiver = waived.find((finding) => finding.word === word)?.waiver
    return waiver === undefined ? word : `${word} (waived until ${waiver.until}: ${waiver.reason})`
  })
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

function later(best: Waiver | undefined, next: Waiver): Waiver {
  return best !== undefined && best.until >= next.until ? best : next
}
