import { type CompanyIdentity, isSameCompany } from './company-names.ts'
import { entryKey, entryKeys, type ListEntry } from './entry-keys.ts'
import { covers, type Screening } from './indications.ts'
import { compareListAge, type ListKind } from './list-identity.ts'
import {
  type EntryRecord,
  isAnswered,
  type ListRecord,
  type PartRecord,
  type SilentEntry,
} from './part-record.ts'
import { groupsOfEach, hasEntry, NO_TABLES, recognize, type SubstanceTables } from './recognize.ts'
import { isLater, type Moment } from './response-date.ts'
import { digestOfEntries, remembered } from './shared-entries.ts'

/** When a declaration was made, by whom, and whether its supplier stands by it. */
export interface Standing {
  /** Undefined where the date cannot be compared: it neither replaces nor is replaced. */
  readonly moment: Pick<Moment, 'fromMs' | 'toMs'> | undefined
  readonly isAccepted: boolean
  readonly company: CompanyIdentity
}

/** True when what `newer` states replaces what `older` states of the same thing. */
export function replaces(newer: Standing, older: Standing): boolean {
  if (newer.moment === undefined || older.moment === undefined) return false
  if (!isSameCompany(newer.company, older.company)) return false
  return isLater(newer.moment, older.moment) && (newer.isAccepted || !older.isAccepted)
}

/**
 * True when a newer declaration takes back all of an older one: it states the same things, and the older one has nothing that stating
 * the same again does not take back, such as an entry without a statement. Two with the same text do.
 */
export function statedText(record: PartRecord, composition: Screening | undefined): string {
  const text = stated.get(record) ?? textOf(record)
  stated.set(record, text)
  if (text === '' || composition === undefined) return text
  return covers(composition, '') ? `${text} composition` : ''
}

const stated = new WeakMap<PartRecord, string>()

function textOf({ lists, answers, unread, articles }: PartRecord): string {
  const isOpen =
    unread.length > 0 ||
    !answers.every(isAnswered) ||
    lists.some(
      ({ silent, size, marked, unread: own }) =>
        silent.length > 0 || size === 0 || own.length > 0 || marked.some(({ state }) => state === 'unclear'),
    )
  if (isOpen) return ''
  return JSON.stringify([
    articles.length,
    lists.map((list) => [list.key, list.identity, list.articleNumber, digestOfEntries(statedEntries(list))]),
    answers.map(({ list }) => list.toUpperCase()),
  ])
}

/** True for a declaration with RoHS and REACH, all of it understood: it speaks for the part again. */
export function speaksForAll({ lists, unread }: PartRecord): boolean {
  return unread.length === 0 && ['rohs', 'reach'].every((family) => lists.some(({ key }) => key === family))
}

/** A list of a declaration as far as newer lists of the same file leave it, with those of the sub-products brought together. */
export interface ListInEffect extends ListRecord {
  /** The identities of older lists that this one replaces as a whole. */
  readonly older: readonly string[]
  /** Of so many sub-products so many have no such list, and the part has none of its own. */
  readonly silentArticles?:
    | { readonly silent: number; readonly all: number; readonly names: readonly string[] }
    | undefined
}

/** The lists of one file in effect in this month, `YYYY-MM`: a list dated later hides nothing. */
export function listsInEffect(record: PartRecord, context: ListContext): readonly ListInEffect[] {
  const { month, tables } = context
  const known = inEffect.get(record)
  if (known?.month === month && known.tables === tables) return known.lists
  const lists = mergedArticles(record, context)
  inEffect.set(record, { ...context, lists })
  return lists
}

/** What decides which of several lists counts. */
interface ListContext {
  /** That of the report, `YYYY-MM`. */
  readonly month: string
  readonly tables: SubstanceTables | undefined
}

const inEffect = new WeakMap<PartRecord, ListContext & { readonly lists: readonly ListInEffect[] }>()

/**
 * The lists of the part, and those of its sub-products as far as the part has none of the family: an entry is stated where every
 * sub-product states it, and over where any is.
 */
const MOST_SILENT = 5

function mergedArticles({ lists, articles }: PartRecord, context: ListContext): readonly ListInEffect[] {
  const byArticle = new Map<number, ListRecord[]>()
  for (const list of lists) {
    byArticle.set(list.articleNumber, [...(byArticle.get(list.articleNumber) ?? []), list])
  }
  const own = notReplaced(byArticle.get(0) ?? [], context)
  byArticle.delete(0)
  if (byArticle.size === 0) return own
  const inside = [...byArticle.values()].map((all) => notReplaced(all, context))
  const merged = [...new Set(inside.flat().map(({ key }) => key))].flatMap((key) => {
    const declaring = inside
      .map((all) => all.filter((list) => list.key === key))
      .filter((all) => all.length > 0)
    const isOwn = own.some((list) => list.key === key)
    const numbers = new Set(declaring.flat().map(({ articleNumber }) => articleNumber))
    const without = isOwn ? [] : articles.filter((_, index) => !numbers.has(index + 1))
    const silent = without.length
    const isStated = (list: ListInEffect, entry: ListEntry): boolean =>
      !isOwn &&
      silent === 0 &&
      declaring.every((all) => all.some((one) => states(one, entry, list.identity, context.tables)))
    return declaring.flat().map((list) => {
      const stated = list.plain.map((entry) => isStated(list, entry))
      const open = list.plain.filter((_, index) => !stated[index])
      return {
        ...list,
        plain: list.plain.filter((_, index) => stated[index]),
        plainLines: list.plainLines.filter((_, index) => stated[index]),
        silent: isOwn ? list.silent : [...list.silent, ...open.map((entry) => ({ entry, line: list.line }))],
        ...(silent > 0
          ? { silentArticles: { silent, all: articles.length, names: without.slice(0, MOST_SILENT) } }
          : {}),
      }
    })
  })
  return [...own, ...merged]
}

/** An older list counts for what no newer one states; lists without a readable date neither replace nor are replaced. */
function notReplaced(lists: readonly ListRecord[], { month, tables }: ListContext): readonly ListInEffect[] {
  const all = lists.map((list) => ({ ...list, older: [] as string[] }))
  if (all.length < 2) return all
  const newestFirst = [...all].sort((a, b) => compareListAge(b, a))
  const replaced = new Set<ListInEffect>()
  const left = new Map(all.map((list) => [list, list]))
  for (const list of newestFirst) {
    const newer = newestFirst.filter(
      (one) =>
        one.key === list.key &&
        one.month !== undefined &&
        list.month !== undefined &&
        one.month > list.month &&
        one.month <= month,
    )
    if (newer.length === 0) continue
    const rest = withoutStated(list, newer, tables)
    if (isEmpty(rest)) {
      replaced.add(list)
      newer[0]!.older.push(list.identity)
    } else left.set(list, rest)
  }
  return all.filter((list) => !replaced.has(list)).map((list) => left.get(list)!)
}

function isEmpty({ plain, silent, marked, unread }: ListRecord): boolean {
  return plain.length + silent.length + marked.length + unread.length === 0
}

/** The list without the entries that one of others states. */
function withoutStated<T extends ListRecord>(
  list: T,
  others: readonly ListRecord[],
  tables: SubstanceTables | undefined,
): T {
  const isOpen = (entry: ListEntry): boolean =>
    !others.some((one) => states(one, entry, list.identity, tables))
  const kept = list.plain.map(isOpen)
  const isWhole = kept.every((is) => is)
  const marked = list.marked.filter(({ entry }) => isOpen(entry))
  const silent = list.silent.filter(({ entry }) => isOpen(entry))
  // What is not understood in a list is taken back with the whole list.
  const isTakenBack = marked.length === 0 && silent.length === 0 && !kept.includes(true)
  if (
    isWhole &&
    marked.length === list.marked.length &&
    silent.length === list.silent.length &&
    !isTakenBack
  ) {
    return list
  }
  return {
    ...list,
    plain: isWhole ? list.plain : list.plain.filter((_, index) => kept[index]),
    plainLines: isWhole ? list.plainLines : list.plainLines.filter((_, index) => kept[index]),
    silent,
    marked,
    unread: isTakenBack && others.some((one) => one.unread.length === 0) ? [] : list.unread,
  }
}

const understood = new WeakMap<ListRecord, readonly ListEntry[]>()

/** The entries that a list states in a way that is understood. */
export function statedEntries(list: ListRecord): readonly ListEntry[] {
  const { plain, marked } = list
  if (marked.length === 0) return plain
  const known = understood.get(list)
  if (known !== undefined) return known
  const all = [...plain, ...marked.filter(({ state }) => state !== 'unclear').map(({ entry }) => entry)]
  understood.set(list, all)
  return all
}

/** True when a list states an entry of another one with this identity, in a way that is understood. */
export function states(
  list: ListRecord,
  entry: ListEntry,
  identity: string,
  tables: SubstanceTables | undefined,
): boolean {
  const all = statedEntries(list)
  if (list.kind === 'rohs') {
    const { groups } = recognize('rohs', entry, tables)
    if (groups.length > 0) {
      const known = groupsStated(tables ?? NO_TABLES)(all)
      return groups.every((group) => known.has(group))
    }
  }
  const isSameList = list.identity.toUpperCase() === identity.toUpperCase()
  return hasEntry(all, entry, { kind: list.kind, isSameList, tables })
}

const groupsStated = remembered((tables: SubstanceTables) =>
  remembered(
    (entries: readonly ListEntry[]): ReadonlySet<string> => new Set(groupsOfEach(entries, tables).flat()),
  ),
)

/** How an entry is known in a list of a family: a RoHS category by its groups. */
function keysOf(kind: ListKind, entry: ListEntry, tables: SubstanceTables | undefined): readonly string[] {
  return keysFrom(kind === 'rohs' ? recognize(kind, entry, tables).groups : [], entry)
}

function keysFrom(groups: readonly string[], entry: ListEntry): readonly string[] {
  return groups.length > 0 ? groups : [entryKey(entry)]
}

/** A declaration that counts for a part, with its record. The newest comes first. */
export interface Evidence extends Standing {
  readonly record: PartRecord
}

/** Where a statement is made: in which of the declarations of a part, on which line from that of the product, in which list. */
export interface Where {
  readonly origin: number
  readonly line: number
  readonly list: string
}

/** A list in effect, with the declaration that has it. */
export interface PlacedList {
  readonly list: ListInEffect
  readonly origin: number
}

/** An entry in effect with more than a plain "not over". */
export interface MarkedEntry extends EntryRecord {
  readonly key: string
  readonly list: ListInEffect
  readonly where: Where
}

/** The lists of one kind in all declarations that count, and what of them is in effect. */
export interface ListEvidence {
  /** Those that still state something. */
  readonly lists: readonly PlacedList[]
  /** The keys of all entries that any of them states; made when they are read, for few need them. */
  readonly stated: ReadonlySet<string>
  /** Entries without a statement in a list, and none in a newer one. */
  readonly silent: readonly { readonly key: string; readonly name: string; readonly where: Where }[]
  readonly marked: readonly MarkedEntry[]
  /** For each declaration that still states something, by its index, the entries that it decides. */
  readonly origins: ReadonlyMap<number, ReadonlySet<string>>
  /** Answers that are not understood. */
  readonly unread: readonly { readonly text: string; readonly where: Where }[]
}

/** Collects the lists that are chosen, without what newer declarations state again. */
export function listEvidence(
  all: readonly Evidence[],
  context: ListContext,
  isChosen: (list: ListRecord) => boolean,
): ListEvidence {
  const { tables } = context
  const found = all.flatMap((evidence, origin) =>
    listsInEffect(evidence.record, context)
      .filter(isChosen)
      .map((list) => ({ list, evidence, origin })),
  )
  const lists = found.flatMap(({ list, evidence, origin }): PlacedList[] => {
    const newer = found
      .filter((other) => other.list.key === list.key && replaces(other.evidence, evidence))
      .map((other) => other.list)
    if (newer.length === 0) return [{ list, origin }]
    const rest = withoutStated(list, newer, tables)
    // A list without anything is taken back by one that states something.
    const isLeft = isEmpty(list) ? newer.every((one) => statedEntries(one).length === 0) : !isEmpty(rest)
    return isLeft ? [{ list: rest, origin }] : []
  })
  const origins = new Map<number, Set<string>>()
  for (const { list, origin } of lists) {
    const decided = origins.get(origin) ?? new Set()
    origins.set(origin, decided)
    if (all.length === 1) continue
    const silent = list.silent.map(({ entry }: SilentEntry) => entry)
    for (const entry of [...statedEntries(list), ...silent]) {
      for (const key of keysOf(list.kind, entry, tables)) decided.add(key)
    }
  }
  const marked = lists.flatMap(({ list, origin }) =>
    list.marked.flatMap((entry) =>
      keysOf(list.kind, entry.entry, tables).map((key) => ({
        key,
        list,
        where: { origin, line: entry.line, list: list.identity },
        ...entry,
      })),
    ),
  )
  let stated: ReadonlySet<string> | undefined
  return {
    lists,
    get stated() {
      stated ??= keysStated(lists, tables ?? NO_TABLES)
      return stated
    },
    silent: lists.flatMap(({ list, origin }) =>
      list.silent.flatMap(({ entry, line }) =>
        keysOf(list.kind, entry, tables).map((key) => ({
          key,
          name: entry.name || entry.code,
          where: { origin, line, list: list.identity },
        })),
      ),
    ),
    marked,
    origins,
    unread: lists.flatMap(({ list, origin }) =>
      list.unread.map(({ text, line }) => ({ text, where: { origin, line, list: list.identity } })),
    ),
  }
}

const rohsKeys = remembered((tables: SubstanceTables) =>
  remembered(
    (entries: readonly ListEntry[]): ReadonlySet<string> =>
      new Set(groupsOfEach(entries, tables).flatMap((groups, index) => keysFrom(groups, entries[index]!))),
  ),
)

function keysStated(lists: readonly PlacedList[], tables: SubstanceTables): ReadonlySet<string> {
  const all = lists.map(({ list }) => {
    const entries = statedEntries(list)
    return list.kind === 'rohs' ? rohsKeys(tables)(entries) : entryKeys(entries)
  })
  return all.length === 1 ? all[0]! : new Set(all.flatMap((keys) => [...keys]))
}
