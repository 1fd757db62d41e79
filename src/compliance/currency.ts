import { type CompanyIdentity, isSameCompany } from './company-names.ts'
import type { ListEntry } from './entry-keys.ts'
import { covers, type Screening } from './indications.ts'
import { compareListAge } from './list-identity.ts'
import { isAnswered, type ListRecord, type PartRecord } from './part-record.ts'
import { findEntry, groupsOfEach, NO_TABLES, recognize, type SubstanceTables } from './recognize.ts'
import { isLater, type Moment } from './response-date.ts'
import { digestOfEntries, remembered } from './shared-entries.ts'
import { type JudgedList, judgedList, type ListInEffect, type Stated, statedEntries } from './statements.ts'

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
    lists.map(({ key, identity, articleNumber, plain, marked }) => {
      const entries = marked.length === 0 ? plain : [...plain, ...marked.map(({ entry }) => entry)]
      return [key, identity, articleNumber, digestOfEntries(entries)]
    }),
    answers.map(({ list }) => list.toUpperCase()),
  ])
}

/** True for a declaration with RoHS and REACH, all of it understood: it speaks for the part again. */
export function speaksForAll({ lists, unread }: PartRecord): boolean {
  return unread.length === 0 && ['rohs', 'reach'].every((family) => lists.some(({ key }) => key === family))
}

/** What decides which of several lists counts. */
interface ListContext {
  /** That of the report, `YYYY-MM`: a list dated later hides nothing. */
  readonly month: string
  readonly tables: SubstanceTables | undefined
}

/** A declaration that counts for a part, with its record. The newest comes first. */
export interface Evidence extends Standing {
  readonly record: PartRecord
}

/**
 * All lists of the declarations of a part, in their order, with what each states, and of each statement whether it decides: those that
 * no newer list, and no newer declaration, states again.
 */
export function judgedLists(all: readonly Evidence[], context: ListContext): readonly JudgedList[] {
  const { tables } = context
  const found = all.flatMap((evidence, origin) =>
    listsInEffect(evidence.record, context).map((list) => ({ list, evidence, origin })),
  )
  if (all.length === 1) return found.map(({ list }) => judgedList(list, 0, tables))
  return found.map(({ list, evidence, origin }) => {
    const newer = found.filter(
      (one) => one.list.counts && one.list.key === list.key && replaces(one.evidence, evidence),
    )
    if (newer.length === 0) return judgedList(list, origin, tables)
    const left = statedAgain(list, newer, tables)
    // A list without anything is taken back by one that states something.
    const isLeft = isEmpty(list) ? newer.every((one) => statedEntries(one.list).length === 0) : !isEmpty(left)
    return judgedList({ ...left, counts: list.counts && isLeft }, origin, tables)
  })
}

/** The lists of one file: a newer one replaces what it states again, and those of sub-products are brought together. */
function listsInEffect(record: PartRecord, context: ListContext): readonly ListInEffect[] {
  const { month, tables } = context
  const known = inEffect.get(record)
  if (known?.month === month && known.tables === tables) return known.lists
  const lists = mergedArticles(record, context)
  inEffect.set(record, { ...context, lists })
  return lists
}

const inEffect = new WeakMap<PartRecord, ListContext & { readonly lists: readonly ListInEffect[] }>()

const MOST_SILENT = 5

/**
 * The lists of the part, and those of its sub-products as far as the part has none of the family: an entry is stated where every
 * sub-product states it, and over where any is.
 */
function mergedArticles({ lists, articles }: PartRecord, context: ListContext): readonly ListInEffect[] {
  const byArticle = groupedBy(lists, ({ articleNumber }) => articleNumber)
  const left = [...byArticle.values()].flatMap((all) => notReplaced(all, context))
  if (lists.every(({ articleNumber }) => articleNumber === 0)) return left
  const families = groupedBy(
    left.filter(({ counts }) => counts),
    ({ key }) => key,
  )
  const merged = [...families.values()].flatMap((family) => {
    const declaring = groupedBy(family, ({ articleNumber }) => articleNumber)
    const isOwn = declaring.has(0)
    const without = isOwn ? [] : articles.filter((_, index) => !declaring.has(index + 1))
    const silent = without.length
    const isStated = (list: ListInEffect, entry: ListEntry): boolean =>
      !isOwn &&
      silent === 0 &&
      [...declaring.values()].every((all) =>
        all.some((one) => statedBy(one, entry, list.identity, context.tables) !== undefined),
      )
    const inside = family.filter(({ articleNumber }) => articleNumber > 0)
    // What the part states itself is not asked of its sub-products.
    const partial = { isPartial: true, decides: !isOwn }
    const silentArticles = { silent, all: articles.length, names: without.slice(0, MOST_SILENT) }
    return inside.map(
      (list) =>
        [
          list.record,
          {
            ...outOfBlock(list, (entry) => (isStated(list, entry) ? undefined : partial)),
            ...(silent > 0 ? { silentArticles } : {}),
          },
        ] as const,
    )
  })
  const byRecord = new Map([...left.map((list) => [list.record, list] as const), ...merged])
  return lists.map((list) => byRecord.get(list)!)
}

/** An older list counts for what no newer one states; lists without a readable date neither replace nor are replaced. */
function notReplaced(lists: readonly ListRecord[], { month, tables }: ListContext): readonly ListInEffect[] {
  const all = lists.map(listAlone)
  if (all.length < 2) return all
  const left = new Map<ListInEffect, ListInEffect>()
  const newestFirst = all.toSorted((a, b) => compareListAge(b, a))
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
    const rest = statedAgain(
      list,
      newer.map((one) => ({ list: one })),
      tables,
    )
    left.set(list, { ...rest, counts: !isEmpty(rest) })
    if (isEmpty(rest)) newer[0]!.older.push(list.identity)
  }
  return all.map((list) => left.get(list) ?? list)
}

function groupedBy<K, T>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const found = new Map<K, T[]>()
  for (const one of all) {
    const known = found.get(keyOf(one))
    if (known === undefined) found.set(keyOf(one), [one])
    else known.push(one)
  }
  return found
}

/** A list as it is stated. */
function listAlone(record: ListRecord): ListInEffect {
  const { silent, marked } = record
  return {
    ...record,
    record,
    older: [],
    counts: true,
    others: [
      ...silent.map((one): Stated => ({ ...one, answer: 'no statement', decides: true })),
      ...marked.map(
        (more): Stated => ({
          entry: more.entry,
          line: more.line,
          answer: more.state === 'unclear' ? 'not understood' : more.state,
          more,
          decides: true,
        }),
      ),
    ],
  }
}

function isEmpty(list: ListInEffect): boolean {
  return statesNothing(list) && list.unread.length === 0
}

/** True where none of its statements decides. */
function statesNothing({ plain, others }: ListInEffect): boolean {
  return plain.length === 0 && !others.some(({ decides }) => decides)
}

/** A list that may state an entry of an older one again; of another declaration, or of the same. */
interface NewerList {
  readonly list: ListInEffect
  readonly origin?: number
}

/** The list, with what newer ones state again. */
function statedAgain(
  list: ListInEffect,
  newer: readonly NewerList[],
  tables: SubstanceTables | undefined,
): ListInEffect {
  const again = ({ entry }: Pick<Stated, 'entry'>): Partial<Stated> | undefined => {
    for (const one of newer) {
      const by = statedBy(one.list, entry, list.identity, tables)
      if (by === undefined) continue
      const { plain, plainLines, others, line } = one.list
      const known = others.find((other) => other.entry === by)?.line ?? plainLines[plain.indexOf(by)]
      return { decides: false, by: { origin: one.origin, line: known ?? line, list: one.list.identity } }
    }
    return undefined
  }
  const others = list.others.map((one): Stated => ({ ...one, ...again(one) }))
  const left = outOfBlock({ ...list, others }, (entry) => again({ entry }))
  // What is not understood in a list is taken back with the whole list.
  const isTakenBack = statesNothing(left) && newer.some((one) => one.list.unread.length === 0)
  return isTakenBack ? { ...left, unread: [] } : left
}

/** The list, with those entries of its block apart that are not stated plainly. */
function outOfBlock(
  list: ListInEffect,
  changeOf: (entry: ListEntry) => Partial<Stated> | undefined,
): ListInEffect {
  const changes = list.plain.map(changeOf)
  if (changes.every((change) => change === undefined)) return list
  const stays = (_: unknown, index: number): boolean => changes[index] === undefined
  const apart = changes.flatMap((change, index): readonly Stated[] => {
    if (change === undefined) return []
    const line = list.plainLines[index] ?? list.line
    return [{ entry: list.plain[index]!, line, answer: 'not over', decides: true, ...change }]
  })
  return {
    ...list,
    plain: list.plain.filter(stays),
    plainLines: list.plainLines.filter(stays),
    others: [...apart, ...list.others],
  }
}

/** The entry by which a list states an entry of another one with this identity, in a way that is understood. */
function statedBy(
  list: ListInEffect,
  entry: ListEntry,
  identity: string,
  tables: SubstanceTables | undefined,
): ListEntry | undefined {
  const all = statedEntries(list)
  if (list.kind === 'rohs') {
    const { groups } = recognize('rohs', entry, tables)
    if (groups.length > 0) {
      const known = groupsStated(tables ?? NO_TABLES)(all)
      return groups.every((group) => known.has(group)) ? known.get(groups[0]!) : undefined
    }
  }
  const isSameList = list.identity.toUpperCase() === identity.toUpperCase()
  return findEntry(all, entry, { kind: list.kind, isSameList, tables })
}

const groupsStated = remembered((tables: SubstanceTables) =>
  remembered(
    (entries: readonly ListEntry[]): ReadonlyMap<string, ListEntry> =>
      new Map(
        groupsOfEach(entries, tables).flatMap((groups, index) =>
          groups.map((group) => [group, entries[index]!] as const),
        ),
      ),
  ),
)
