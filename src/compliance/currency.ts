import { nameKey, oneKeyFor, packKeys, unpackKeys } from './entry-keys.ts'
import type { Screening } from './indications.ts'
import { type EntryRecord, isAnswered, type ListRecord, type PartRecord, withKey } from './part-record.ts'
import { isLater, type Moment } from './response-date.ts'

/** When a declaration was made, and whether its supplier stands by it. */
export interface Standing {
  /** Undefined where the date cannot be compared: it neither replaces nor is replaced. */
  readonly moment: Pick<Moment, 'fromMs' | 'toMs'> | undefined
  readonly isAccepted: boolean
}

/** True when what `newer` states replaces what `older` states of the same thing. */
export function replaces(newer: Standing, older: Standing): boolean {
  if (newer.moment === undefined || older.moment === undefined) return false
  return isLater(newer.moment, older.moment) && (newer.isAccepted || !older.isAccepted)
}

const stated = new WeakMap<PartRecord, string>()

/**
 * What a declaration states, as text: a newer one with the same text takes back all of it. Empty where it has something that stating
 * the same again does not take back, such as an entry without a statement.
 */
export function statedText(record: PartRecord, composition: Screening | undefined): string {
  const text = stated.get(record) ?? textOf(record)
  stated.set(record, text)
  if (text === '' || composition?.isConclusive === false) return ''
  return composition === undefined ? text : `${text} composition`
}

function textOf({ lists, answers, unread }: PartRecord): string {
  const isOpen =
    unread.length > 0 ||
    !answers.every(isAnswered) ||
    lists.some(
      ({ silent, size, marked }) =>
        silent !== '' || size === 0 || marked.some(({ state }) => state === 'unclear'),
    )
  if (isOpen) return ''
  return JSON.stringify([
    lists.map(({ key, stated }) => [key, stated]),
    answers.map(({ list }) => list.toUpperCase()),
  ])
}

/** True for a declaration with RoHS and REACH, all of it understood: it speaks for the part again. */
export function speaksForAll({ lists, unread }: PartRecord): boolean {
  return unread.length === 0 && ['rohs', 'reach'].every((family) => lists.some(({ key }) => key === family))
}

/** True when a list states an entry in a way that is understood. */
function statesEntry({ stated }: Pick<ListRecord, 'stated'>, { key, name }: EntryRecord): boolean {
  const keys = unpackKeys(stated)
  return keys.has(key) || keys.has(nameKey(name))
}

/** A declaration that counts for a part, with its record. The newest comes first. */
export interface Evidence extends Standing {
  readonly record: PartRecord
}

/** The same declarations, in which an entry of the Candidate List that is stated by its code and by its name has one key. */
export function withOneKeyEach<T extends Evidence>(all: readonly T[]): readonly T[] {
  const lists = all.flatMap(({ record }) => record.lists.filter(({ family }) => family === 'reach'))
  if (lists.length < 2 || !lists.some(hasNamesAsKeys) || lists.every(({ names }) => names === '')) return all
  const keyOf = oneKeyFor(lists.map(({ names }) => names))
  return all.map((one) => ({
    ...one,
    record: { ...one.record, lists: one.record.lists.map((list) => withKeys(list, keyOf)) },
  }))
}

function hasNamesAsKeys({ stated, silent, marked }: ListRecord): boolean {
  return [stated, silent, ...marked.map(({ key }) => key)].some((keys) => keys.includes('~'))
}

function withKeys(list: ListRecord, keyOf: (key: string) => string): ListRecord {
  if (list.family !== 'reach' || !hasNamesAsKeys(list)) return list
  const renamed = (packed: string): string => packKeys([...unpackKeys(packed)].map(keyOf))
  return {
    ...list,
    stated: renamed(list.stated),
    silent: renamed(list.silent),
    marked: list.marked.map((entry) => withKey(entry, keyOf)),
  }
}

/** The lists of one kind in all declarations that count, and what of them is in effect. */
export interface ListEvidence {
  /** Those that still state something. */
  readonly lists: readonly ListRecord[]
  /** Every entry that any of them states. */
  readonly stated: ReadonlySet<string>
  /** The names of entries that are known by their codes. */
  readonly names: readonly string[]
  /** Entries without a statement in a list, and none in a newer one. */
  readonly silent: ReadonlySet<string>
  /** Entries with more than a plain "not over", without those that a newer declaration states again. */
  readonly marked: readonly EntryRecord[]
  /** For each declaration that still states something, by its index, the entries that it decides. */
  readonly origins: ReadonlyMap<number, ReadonlySet<string>>
  /** The categories of each marked entry's list, by entry. */
  readonly listOf: ReadonlyMap<EntryRecord, ListRecord>
}

/** Collects the lists with this key (`rohs`, `reach`, or that of another list). */
export function listEvidence(
  all: readonly Evidence[],
  isChosen: (list: ListRecord) => boolean,
): ListEvidence {
  const found = all.flatMap((evidence, origin) =>
    evidence.record.lists.filter(isChosen).map((list) => ({ list, evidence, origin })),
  )
  const inEffect = found
    .map(({ list, evidence, origin }) => ({
      list,
      origin,
      newer: found
        .filter((other) => other.list.key === list.key && replaces(other.evidence, evidence))
        .map((other) => other.list),
    }))
    .filter(({ list, newer }) => !isReplaced(list, newer))
  const listOf = new Map<EntryRecord, ListRecord>()
  const origins = new Map<number, Set<string>>()
  const silent = new Set<string>()
  for (const { list, origin, newer } of inEffect) {
    const restated = union(newer.map(({ stated }) => stated))
    const decided = origins.get(origin) ?? new Set()
    origins.set(origin, decided)
    if (all.length > 1) {
      for (const key of union([list.stated, list.silent])) if (!restated.has(key)) decided.add(key)
    }
    for (const key of unpackKeys(list.silent)) if (!restated.has(key)) silent.add(key)
    for (const entry of list.marked) {
      if (!newer.some((one) => statesEntry(one, entry))) listOf.set(entry, list)
    }
  }
  return {
    lists: inEffect.map(({ list }) => list),
    stated: union(inEffect.map(({ list }) => list.stated)),
    names: found.map(({ list }) => list.names),
    silent,
    marked: [...listOf.keys()],
    origins,
    listOf,
  }
}

/** True when newer lists with the same key state all that a list has. */
function isReplaced({ stated, silent, marked }: ListRecord, newer: readonly ListRecord[]): boolean {
  const restated = union(newer.map((list) => list.stated))
  const isLeft = (packed: string): boolean => [...unpackKeys(packed)].some((key) => !restated.has(key))
  if (restated.size === 0 || isLeft(stated) || isLeft(silent)) return false
  return marked.every((entry) => newer.some((list) => statesEntry(list, entry)))
}

function union(packed: readonly string[]): ReadonlySet<string> {
  const different = [...new Set(packed)].filter((text) => text !== '')
  if (different.length < 2) return unpackKeys(different[0] ?? '')
  return new Set(different.flatMap((text) => [...unpackKeys(text)]))
}
