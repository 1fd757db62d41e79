import type { ListEvidence } from './currency.ts'
import { plainName } from './entry-keys.ts'
import { listDate, readListIdentity } from './list-identity.ts'
import { type EntryRecord, UNKNOWN_EXEMPTION } from './part-record.ts'
import { doubts, hasUnknownExemption, label, listNotes, named, partial, silence, unique } from './rohs.ts'

/** The four values of the `reach` column. */
export type ReachStatus = 'no SVHC' | 'SVHC' | 'incomplete' | 'not declared'

/** A substance of very high concern above 0.1 %, with its worst case in the part. */
export interface SvhcOver {
  readonly key: string
  /** Its code where it has no name. */
  readonly name: string
  readonly code: string
  /** In percent of the article; undefined where it is not given as a share. */
  readonly percent: number | undefined
  readonly massMg: number | undefined
}

/** What a part states about substances of very high concern (SVHC) above 0.1 % by weight (REACH, Article 33). */
export interface ReachFinding {
  readonly status: ReachStatus
  readonly over: readonly SvhcOver[]
  /** The identities of the Candidate Lists that count. */
  readonly lists: readonly string[]
  /** Lists that seem to be the Candidate List, but have another name. */
  readonly unidentified: readonly string[]
  /** The entries with a statement, by their keys, and the names of those that are known by their codes. */
  readonly stated: ReadonlySet<string>
  readonly names: readonly string[]
  readonly gaps: readonly string[]
  readonly notes: readonly string[]
}

/** How many substances are above 0.1 %; undefined where nothing complete is stated about them. */
export function svhcCount({ status, over }: ReachFinding): number | undefined {
  return status === 'SVHC' || status === 'no SVHC' ? over.length : undefined
}

/**
 * The SVHC statement: of the Candidate List, and of lists that seem to be one but have another name, whose statements are named.
 * The limit applies to each article, not to the finished product (Court of Justice of the EU, C-106/14).
 */
export function reachFinding(
  evidence: ListEvidence,
  misnamed: ListEvidence,
  unread: readonly string[],
): ReachFinding {
  const { lists, stated, names, marked } = evidence
  if (lists.length === 0 && misnamed.lists.length === 0) {
    const notes = ['no REACH list declared']
    return { status: 'not declared', over: [], lists: [], unidentified: [], stated, names, gaps: [], notes }
  }
  const over = worstOfEach(marked.filter(({ state }) => state === 'over'))
  const gaps = [
    ...(lists.length > 0 && lists.every(({ size }) => size === 0) ? ['REACH list without categories'] : []),
    ...partial(lists, 'REACH'),
    ...silence('REACH: ', 'entries', evidence),
    ...doubts('REACH', marked),
    ...(hasUnknownExemption(evidence) ? [`REACH list: ${UNKNOWN_EXEMPTION}`] : []),
    ...(lists.length > 0 ? unread : []),
    ...misnamedGaps(misnamed),
  ]
  const status = over.length > 0 ? 'SVHC' : gaps.length > 0 ? 'incomplete' : 'no SVHC'
  return {
    status,
    over,
    lists: unique(lists.map(({ identity }) => identity)),
    unidentified: unique(misnamed.lists.map(({ identity }) => identity)),
    stated,
    names,
    gaps,
    notes: [
      ...(lists.length === 0 ? [] : [summary(status, over.length, lists.map(listName), stated.size)]),
      ...gaps,
      ...listNotes('REACH', lists),
    ],
  }
}

/** A list that says that it is about SVHCs, but is no `EUREACH-MMYY`: what it is of is not known. */
function misnamedGaps({ lists, marked }: ListEvidence): readonly string[] {
  return lists.map(({ identity, marked: own }) => {
    const over = own.filter((entry) => entry.state === 'over' && marked.includes(entry))
    const what = over.length > 0 ? `: states over ${named(over.map(label))}` : ''
    return `list ${identity} is not identified as a Candidate List (EUREACH-MMYY)${what}`
  })
}

function summary(status: ReachStatus, over: number, lists: readonly string[], stated: number): string {
  const entries = `${stated} ${stated === 1 ? 'entry' : 'entries'} stated`
  const names = unique(lists).join(', ')
  if (over > 0) return `${over} SVHC above 0.1 % per ${names}: ${entries}`
  return status === 'no SVHC'
    ? `no SVHC above 0.1 % per ${names}: ${entries}`
    : `REACH list ${names}: ${entries}`
}

function listName({ identity }: { readonly identity: string }): string {
  const date = listDate(readListIdentity(identity))
  return date === undefined ? identity : `${identity} (${date})`
}

/** A substance that is listed for several applications, articles or files counts once, with its worst case. */
function worstOfEach(entries: readonly EntryRecord[]): readonly SvhcOver[] {
  const worst = new Map<string, SvhcOver>()
  for (const { key, name, code, percent, massMg } of entries) {
    const id = `${key}\n${plainName(name)}`
    const known = worst.get(id)
    worst.set(id, {
      ...(known ?? { key, name, code }),
      percent: larger(known?.percent, percent),
      massMg: larger(known?.massMg, massMg),
    })
  }
  return [...worst.values()]
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/** The REACH status of several parts together: an SVHC in any; incomplete where any is, or where only some declare one. */
export function worstReach(statuses: Iterable<ReachStatus>): ReachStatus {
  const all = new Set(statuses)
  if (all.has('SVHC')) return 'SVHC'
  const isSilent = all.delete('not declared')
  if (all.size === 0) return 'not declared'
  return isSilent || all.has('incomplete') ? 'incomplete' : 'no SVHC'
}
