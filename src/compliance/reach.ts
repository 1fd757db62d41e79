import { memoized } from '../base/memoized.ts'
import { plural } from '../base/units.ts'
import { casOfEntry, entryKey, isCode, type ListEntry } from './entry-keys.ts'
import { SVHC_LIMIT, weakApplication, weakThreshold, weakValue } from './legal-limits.ts'
import { compareListAge, listDate, readListIdentity, type SvhcUpdate } from './list-identity.ts'
import { UNKNOWN_EXEMPTION } from './part-record.ts'
import { plainName } from './plain-name.ts'
import { entriesUntil, recognize, type SubstanceTables } from './recognize.ts'
import {
  doubts,
  type Gap,
  hasUnknownExemption,
  label,
  listNotes,
  named,
  partial,
  silence,
  texts,
  unique,
  unreadGaps,
} from './rohs.ts'
import { remembered } from './shared-entries.ts'
import type { JudgedList, Statement, Where } from './statements.ts'

/** The four values of the `reach` column. */
export type ReachStatus = 'no SVHC' | 'SVHC' | 'incomplete' | 'not declared'

/** A statement that a substance of very high concern is above 0.1 %, with the worst values of all that are about it. */
export type SvhcOver = Pick<Statement, 'key' | 'name' | 'code' | 'cas' | 'percent' | 'massMg' | 'where'>

/** How much of a Candidate List is stated. */
interface ListCount {
  readonly list: string
  readonly stated: number
  /** How many entries that update of the list has; undefined where no table knows it. */
  readonly expected: number | undefined
  /** The names of those that lack, as far as the tables have them. */
  readonly lacking: readonly string[]
  /** Hardly any lacks; undefined where it is not known. */
  readonly isWhole: boolean | undefined
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
  readonly gaps: readonly Gap[]
  readonly notes: readonly string[]
}

/** What the Candidate List is looked up in. */
interface JudgeTables {
  readonly updateOf?: ((identity: string) => SvhcUpdate | undefined) | undefined
  readonly substances?: SubstanceTables | undefined
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
  lists: readonly JudgedList[],
  misnamed: readonly JudgedList[],
  unread: readonly Gap[],
  context: JudgeTables,
): ReachFinding {
  if (lists.length === 0 && misnamed.length === 0) {
    const none = { over: [], lists: [], count: undefined, unidentified: [], gaps: [] }
    return { status: 'not declared', ...none, notes: ['no REACH list declared'] }
  }
  const marked = lists.flatMap((list) => list.marked.filter(({ decides }) => decides))
  const over = worstOfEach(marked.filter(({ answer }) => answer === 'over'))
  const count = lists.length === 0 ? undefined : countOf(lists, context)
  const isPartial = lists.some(({ silentArticles }) => silentArticles !== undefined)
  const gaps = [
    ...(lists.length > 0 && lists.every(({ size }) => size === 0)
      ? [{ text: 'REACH list without categories', where: lists[0]!.where }]
      : []),
    ...partial(lists, 'REACH'),
    // A sub-product without a list leaves all of the others' entries open: that is said once.
    ...(isPartial
      ? []
      : [
          ...silence('REACH: ', 'entries', lists),
          ...(count === undefined || context.updateOf === undefined ? [] : lackOf(count)),
        ]),
    ...weakAnswers(lists),
    ...doubts('REACH', marked),
    ...(hasUnknownExemption(lists)
      ? [{ text: `REACH list: ${UNKNOWN_EXEMPTION}`, where: lists[0]!.where }]
      : []),
    ...unreadGaps('REACH', lists),
    ...(lists.length > 0 ? unread : []),
    ...misnamedGaps(misnamed, lists.length === 0),
  ]
  const status = over.length > 0 ? 'SVHC' : gaps.length > 0 ? 'incomplete' : 'no SVHC'
  return {
    status,
    over,
    lists: unique(lists.map(({ identity }) => identity)),
    count: count && (isPartial ? { ...count, expected: undefined, isWhole: undefined } : count),
    unidentified: unique(misnamed.map(({ identity }) => identity)),
    gaps,
    notes: [
      ...(count === undefined || isPartial ? [] : summary(status, over.length, count)),
      ...texts(gaps),
      ...listNotes('REACH', lists),
      ...codeNotes(lists, context),
    ],
  }
}

/** Entries that are stated "not over" in a way that does not show that they are within the limit: one gap for each way. */
function weakAnswers(lists: readonly JudgedList[]): readonly Gap[] {
  const found = [
    ...lists.flatMap(({ plain, where }) =>
      weakEntries(plain).map(({ entry, why }) => ({
        name: entry.name || entry.code,
        cas: casOfEntry(entry),
        why,
        where,
      })),
    ),
    ...lists.flatMap(({ marked, entries }) =>
      marked.flatMap((one) => {
        if (!one.decides || one.isPartial || one.answer !== 'not over') return []
        const why =
          weakThreshold(one, SVHC_LIMIT) ??
          weakValue(one, SVHC_LIMIT) ??
          weakApplication(one, namedAlike(one, entries))
        return why === undefined ? [] : [{ name: label(one), cas: one.cas, why, where: one.where }]
      }),
    ),
  ]
  return unique(found.map(({ why }) => why)).map((why) => {
    const own = found.filter((one) => one.why === why)
    const names = unique(own.map(({ name }) => name))
    const what = names.length > MOST_LACKING ? `${names.length} entries` : names.join(', ')
    // A waiver for one of several does not accept the others.
    const isOne = names.length === 1
    const finding = {
      rule: 'threshold',
      subject: isOne ? names[0]! : 'REACH',
      names: isOne ? own[0]!.cas : [],
    } as const
    return { text: `REACH: ${what}: ${why}`, where: own[0]!.where, finding }
  })
}

const weakEntries = remembered((entries: readonly ListEntry[]) =>
  entries.flatMap((entry) => {
    const why = weakThreshold(entry, SVHC_LIMIT) ?? weakApplication(entry, namedAlike(entry, entries))
    return why === undefined ? [] : [{ entry, why }]
  }),
)

/** Entries with its name: for other uses of the same. */
function namedAlike(
  { name, application }: Pick<ListEntry, 'name' | 'application'>,
  entries: readonly ListEntry[],
): readonly ListEntry[] {
  return application ? entries.filter((one) => one.name === name) : []
}

/** So many in a hundred may lack. */
const MAY_LACK = 1
const MOST_LACKING = 5

/** How many entries of the newest list are recognized, in all of them together. */
function countOf(lists: readonly JudgedList[], { updateOf, substances }: JudgeTables): ListCount {
  const { identity, where } = lists.reduce((a, b) => (compareListAge(b, a) > 0 ? b : a))
  const update = updateOf?.(identity)
  if (update === undefined || substances === undefined) {
    const names = new Set(lists.flatMap(({ entries }) => entries.map(entryKey)))
    return { list: identity, stated: names.size, expected: undefined, lacking: [], isWhole: undefined, where }
  }
  const stated = new Set(lists.flatMap(({ entries }) => [...entriesRecognized(substances)(entries)]))
  const known = entriesUntil(substances)(update.date)
  const lacking = known.filter(({ entry }) => !stated.has(entry)).map(({ name }) => name)
  // A table that ends before the update does not have all of its entries.
  const isCovered = substances.newest >= update.date
  const expected = isCovered ? Math.min(update.entries, known.length) : update.entries
  const count = Math.min(known.length, expected) - lacking.length
  const isWhole = (expected - count) * 100 <= expected * MAY_LACK
  return { list: identity, stated: Math.max(0, count), expected, lacking, isWhole, where }
}

const entriesRecognized = remembered((tables: SubstanceTables) =>
  remembered(
    (entries: readonly ListEntry[]): ReadonlySet<string> =>
      new Set(entries.flatMap(recognizedEntries(tables))),
  ),
)

/** Lists have many entries in common, also where one of them states more. */
const recognizedEntries = remembered((tables: SubstanceTables) =>
  memoized((entry: ListEntry) => recognize('reach', entry, tables).entries, 10_000),
)

function lackOf(count: ListCount): readonly Gap[] {
  const { list, expected, isWhole, where } = count
  if (expected === undefined) {
    return [
      { text: `REACH: ${list} is not in the table of updates: it is not known whether it is whole`, where },
    ]
  }
  if (isWhole) return []
  const { stated } = count
  return [{ text: `REACH: ${countText(count)}`, brief: `${stated} of ${expected} entries`, where }]
}

/** `214 of 253 entries of EUREACH-0226 (February 2026); not stated: Lead, …`: how much is stated, and what lacks. */
function countText(count: ListCount): string {
  const { list, stated, expected, lacking } = count
  const of = ` of ${listName(list)}`
  const lack = (expected ?? 0) - stated
  if (expected === undefined || lack === 0) return `${plural(stated, 'entry', 'entries')}${of}`
  const first = lacking.slice(0, MOST_LACKING)
  const names =
    first.length === 0 ? '' : `; not stated: ${first.join(', ')}${lack > first.length ? ', …' : ''}`
  return `${stated} of ${plural(expected, 'entry', 'entries')}${of}${names}`
}

/** `not stated: Lead`: what a Candidate List lacks, in full where that is little. */
export function notStatedText({ stated, expected = 0, lacking, isWhole }: ListCount): string {
  if (stated >= expected || lacking.length === 0) return ''
  const shown = isWhole ? lacking : lacking.slice(0, MOST_LACKING)
  return `not stated: ${shown.join(', ')}${lacking.length > shown.length ? ', …' : ''}`
}

/** What is lacking where it says that there is no SVHC; empty where nothing is. */
export function lackText({ status, count }: ReachFinding): string {
  return status === 'no SVHC' && count !== undefined ? notStatedText(count) : ''
}

/** Codes of one list that two declarations have under the names of different entries: the names count. */
function codeNotes(lists: readonly JudgedList[], { substances }: JudgeTables): readonly string[] {
  if (lists.length < 2 || substances === undefined) return []
  const known = new Map<string, { readonly name: string; readonly entries: readonly string[] }>()
  const notes = new Set<string>()
  for (const list of lists) {
    for (const entry of list.entries) {
      const { entries } = recognize('reach', entry, substances)
      const code = entry.code.trim()
      if (!isCode(code) || entries.length === 0) continue
      const key = `${list.identity.toUpperCase()} ${code}`
      const other = known.get(key)
      if (other === undefined) known.set(key, { name: entry.name, entries })
      else if (!entries.some((one) => other.entries.includes(one))) {
        notes.add(`REACH: code ${code} has the names "${other.name}" and "${entry.name}", which count`)
      }
    }
  }
  return [...notes].slice(0, 3)
}

/** A list that says that it is about SVHCs, but is no `EUREACH-MMYY`: what it is of is not known. */
function misnamedGaps(lists: readonly JudgedList[], isAlone: boolean): readonly Gap[] {
  return lists.flatMap(({ identity, marked, where }) => {
    const over = marked.filter(({ answer, decides }) => decides && answer === 'over')
    if (over.length === 0 && !isAlone) return []
    const what = over.length > 0 ? `: states over ${named(over.map(label))}` : ''
    const text = `list ${identity} is not identified as a Candidate List (EUREACH-MMYY)${what}`
    const ask = `the list "${identity}" of {declaration} is not one we can judge; please state the entries of the Candidate List in a list EUREACH-MMYY`
    return [{ text, ask, where: over[0]?.where ?? where }]
  })
}

function summary(status: ReachStatus, over: number, count: ListCount): readonly string[] {
  if (over > 0) return [`${over} SVHC above 0.1 %: ${countText(count)}`]
  if (status === 'no SVHC')
    return [`no SVHC ${count.lacking.length === 0 ? 'of the ' : 'above 0.1 %: '}${countText(count)}`]
  // What is not whole is said by its gap.
  return count.isWhole === false ? [] : [`REACH: ${countText(count)}`]
}

function listName(identity: string): string {
  const date = listDate(readListIdentity(identity))
  return date === undefined ? identity : `${identity} (${date})`
}

/** A substance that is listed for several applications, articles or files counts once, with its worst case. */
function worstOfEach(over: readonly Statement[]): readonly SvhcOver[] {
  const worst = new Map<string, SvhcOver>()
  for (const one of over) {
    const id = `${one.key}\n${plainName(one.name)}`
    const known = worst.get(id)
    worst.set(id, known === undefined ? one : withWorst(known, one))
  }
  return [...worst.values()]
}

function withWorst(known: SvhcOver, { percent, massMg }: Statement): SvhcOver {
  return { ...known, percent: larger(known.percent, percent), massMg: larger(known.massMg, massMg) }
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
