import {
  countStated,
  type ListEvidence,
  type MarkedEntry,
  type PlacedList,
  statedEntries,
  type Where,
} from './currency.ts'
import { casOfEntry, countEntries, type Entry, namesOfEntry } from './entry-keys.ts'
import { compareListAge, type ListSizes, listDate, readListIdentity } from './list-identity.ts'
import { UNKNOWN_EXEMPTION } from './part-record.ts'
import { plainName } from './plain-name.ts'
import {
  doubts,
  type Gap,
  hasUnknownExemption,
  label,
  listNotes,
  named,
  partial,
  placeOfList,
  silence,
  texts,
  unique,
  unreadGaps,
} from './rohs.ts'

/** The four values of the `reach` column. */
export type ReachStatus = 'no SVHC' | 'SVHC' | 'incomplete' | 'not declared'

/** A substance of very high concern above 0.1 %, with its worst case in the part. */
export interface SvhcOver {
  readonly key: string
  /** Its code where it has no name. */
  readonly name: string
  readonly code: string
  readonly cas: readonly string[]
  /** In percent of the article; undefined where it is not given as a share. */
  readonly percent: number | undefined
  readonly massMg: number | undefined
  readonly where: Where
}

/** How much of a Candidate List is stated. */
export interface ListCount {
  readonly list: string
  readonly stated: number
  /** How many entries that update of the list has; undefined where no table knows it. */
  readonly expected: number | undefined
  /** The names of the first that lack, where they are known. */
  readonly lacking: readonly string[]
  readonly where: Where
}

/** What a part states about substances of very high concern (SVHC) above 0.1 % by weight (REACH, Article 33). */
export interface ReachFinding {
  readonly status: ReachStatus
  readonly over: readonly SvhcOver[]
  /** The identities of the Candidate Lists that count. */
  readonly lists: readonly string[]
  /** How much is stated of the newest of them, with what older ones add. */
  readonly count: ListCount | undefined
  /** Lists that seem to be the Candidate List, but have another name. */
  readonly unidentified: readonly string[]
  /** The entries with a statement, by their keys. */
  readonly stated: ReadonlySet<string>
  readonly gaps: readonly Gap[]
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
  unread: readonly Gap[],
  sizes: ListSizes | undefined,
): ReachFinding {
  const { stated, marked } = evidence
  const lists = evidence.lists.map(({ list }) => list)
  if (lists.length === 0 && misnamed.lists.length === 0) {
    const notes = ['no REACH list declared']
    const none = { over: [], lists: [], count: undefined, unidentified: [], stated, gaps: [] }
    return { status: 'not declared', ...none, notes }
  }
  const over = worstOfEach(marked.filter(({ state }) => state === 'over'))
  const count = lists.length === 0 ? undefined : countOf(evidence.lists, sizes)
  const gaps = [
    ...(lists.length > 0 && lists.every(({ size }) => size === 0)
      ? [{ text: 'REACH list without categories', where: placeOfList(evidence.lists[0]!) }]
      : []),
    ...partial(evidence.lists, 'REACH'),
    ...silence('REACH: ', 'entries', evidence),
    ...(count === undefined || sizes === undefined ? [] : lackOf(count)),
    ...doubts('REACH', marked),
    ...(hasUnknownExemption(evidence)
      ? [{ text: `REACH list: ${UNKNOWN_EXEMPTION}`, where: placeOfList(evidence.lists[0]!) }]
      : []),
    ...unreadGaps('REACH', evidence),
    ...(lists.length > 0 ? unread : []),
    ...misnamedGaps(misnamed, lists.length === 0),
  ]
  const status = over.length > 0 ? 'SVHC' : gaps.length > 0 ? 'incomplete' : 'no SVHC'
  return {
    status,
    over,
    lists: unique(lists.map(({ identity }) => identity)),
    count,
    unidentified: unique(misnamed.lists.map(({ list }) => list.identity)),
    stated,
    gaps,
    notes: [
      ...(count === undefined ? [] : [summary(status, over.length, lists.map(listName), count.stated)]),
      ...texts(gaps),
      ...listNotes('REACH', lists),
    ],
  }
}

/** Groups are counted differently: a list is whole with one in a hundred fewer. */
const WHOLE = 0.99
const MOST_LACKING = 5

function countOf(lists: readonly PlacedList[], sizes: ListSizes | undefined): ListCount {
  const newestFirst = [...lists].sort((a, b) => compareListAge(b.list, a.list))
  const newest = newestFirst[0]!
  const stated = countStated(newestFirst, countEntries)
  const expected = sizes?.entriesOf(newest.list.identity)
  const { identity } = newest.list
  const isShort = expected !== undefined && stated < expected * WHOLE
  const lacking = isShort ? lackingNames(lists, identity, expected - stated, sizes!) : []
  return { list: identity, stated, expected, lacking, where: placeOfList(newest) }
}

/** The names of entries of the update that no list states; none where the names of stated ones are not those of the table. */
function lackingNames(
  lists: readonly PlacedList[],
  identity: string,
  count: number,
  sizes: ListSizes,
): readonly string[] {
  const known = new Set<string>()
  const add = (entry: Entry): void => {
    for (const one of [...namesOfEntry(entry), ...casOfEntry(entry)]) known.add(one)
  }
  for (const { list } of lists) statedEntries(list).forEach(add)
  const lacking = sizes.substancesOf(identity).filter(({ names }) => !names.some((name) => known.has(name)))
  return lacking.length > count * 1.05 + 1 ? [] : lacking.slice(0, MOST_LACKING).map(({ name }) => name)
}

function lackOf({ list, stated, expected, lacking, where }: ListCount): readonly Gap[] {
  if (expected === undefined) {
    return [
      { text: `REACH: ${list} is not in the table of updates: it is not known whether it is whole`, where },
    ]
  }
  if (stated >= expected * WHOLE) return []
  const first =
    lacking.length === 0
      ? ''
      : `; not stated: ${lacking.join(', ')}${expected - stated > lacking.length ? ', …' : ''}`
  return [{ text: `REACH: ${stated} of ${expected} entries of ${list} stated${first}`, where }]
}

/** A list that says that it is about SVHCs, but is no `EUREACH-MMYY`: what it is of is not known. */
function misnamedGaps({ lists, marked }: ListEvidence, isAlone: boolean): readonly Gap[] {
  return lists.flatMap((placed) => {
    const over = marked.filter(({ state, list }) => state === 'over' && list === placed.list)
    if (over.length === 0 && !isAlone) return []
    const what = over.length > 0 ? `: states over ${named(over.map(label))}` : ''
    const text = `list ${placed.list.identity} is not identified as a Candidate List (EUREACH-MMYY)${what}`
    return [{ text, where: over[0]?.where ?? placeOfList(placed) }]
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
function worstOfEach(entries: readonly MarkedEntry[]): readonly SvhcOver[] {
  const worst = new Map<string, SvhcOver>()
  for (const { key, name, code, entry, percent, massMg, where } of entries) {
    const id = `${key}\n${plainName(name)}`
    const known = worst.get(id)
    worst.set(id, {
      ...(known ?? { key, name, code, cas: casOfEntry(entry), where }),
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
