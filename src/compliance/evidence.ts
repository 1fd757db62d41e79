import { replaces, type Standing, statesEntry } from './currency.ts'
import { unpackKeys } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord } from './part-record.ts'

/** A declaration that counts for a part, with its record. The newest comes first. */
export interface Evidence extends Standing {
  readonly record: PartRecord
}

/** The lists of one kind in all declarations that count, and what of them is in effect. */
export interface ListEvidence {
  /** Those that still state something. */
  readonly lists: readonly ListRecord[]
  /** Every entry that any of them states. */
  readonly stated: ReadonlySet<string>
  /** Entries without a statement in a list, and none in a newer one. */
  readonly silent: ReadonlySet<string>
  /** Entries with more than a plain "not over", without those that a newer declaration states again. */
  readonly marked: readonly EntryRecord[]
  /** The declaration of each list, as an index. */
  readonly origins: readonly number[]
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
  const newerThan = ({ evidence }: (typeof found)[number]): readonly (typeof found)[number][] =>
    found.filter((other) => other.evidence !== evidence && replaces(other.evidence, evidence))
  const inEffect = found.filter((one) => {
    const newer = newerThan(one)
    return (
      newer.length === 0 ||
      !isReplaced(
        one.list,
        newer.map(({ list }) => list),
      )
    )
  })
  const stated = union(inEffect.map(({ list }) => list.stated))
  const listOf = new Map<EntryRecord, ListRecord>()
  for (const one of inEffect) {
    const newer = newerThan(one).map(({ list }) => list)
    for (const entry of one.list.marked) {
      if (!newer.some((list) => list.key === one.list.key && statesEntry(list, entry)))
        listOf.set(entry, one.list)
    }
  }
  const silent = new Set<string>()
  for (const one of inEffect) {
    if (one.list.silent === '') continue
    const newer = newerThan(one).filter(({ list }) => list.key === one.list.key)
    for (const key of unpackKeys(one.list.silent)) {
      if (!newer.some(({ list }) => unpackKeys(list.stated).has(key))) silent.add(key)
    }
  }
  return {
    lists: inEffect.map(({ list }) => list),
    stated,
    silent,
    marked: [...listOf.keys()],
    origins: inEffect.map(({ origin }) => origin),
    listOf,
  }
}

function isReplaced(list: ListRecord, newer: readonly ListRecord[]): boolean {
  const same = newer.filter(({ key, stated }) => key === list.key && stated !== '')
  if (same.length === 0) return false
  const left = (packed: string): boolean =>
    [...unpackKeys(packed)].some((key) => !same.some(({ stated }) => unpackKeys(stated).has(key)))
  if (left(list.stated) || left(list.silent)) return false
  return list.marked.every((entry) => same.some((one) => statesEntry(one, entry)))
}

function union(packed: readonly string[]): ReadonlySet<string> {
  const different = [...new Set(packed)].filter((text) => text !== '')
  if (different.length < 2) return unpackKeys(different[0] ?? '')
  return new Set(different.flatMap((text) => [...unpackKeys(text)]))
}
