import { hash } from 'node:crypto'
import type { SubstanceCategory } from './declaration.ts'
import type { Entry } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord, SilentEntry } from './part-record.ts'

/*
 * Most files of a report state the same about the same entries. So equal entries, lists and records of a thread are one object each,
 * and what is derived from one of them is derived once.
 */

/** Most of them that are kept; then it starts again, which costs time only. */
const MOST_ENTRIES = 50_000
const MOST_LISTS = 2_000
const MOST_RECORDS = 2_000

/** A value that is kept once, with a number by which others name it. */
class Shared<T extends object> {
  readonly #known = new Map<string, T>()
  readonly #numbers = new WeakMap<T, number>()
  readonly #most: number
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  of(text: string, make: () => T): T {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= this.#most) this.#known.clear()
    const value = make()
    this.#known.set(text, value)
    this.#numbers.set(value, this.#next)
    this.#next += 1
    return value
  }

  numberOf = (value: T): number => this.#numbers.get(value)!
}

const entries = new Shared<Entry>(MOST_ENTRIES)
const lists = new Shared<ListRecord>(MOST_LISTS)
const records = new Shared<PartRecord>(MOST_RECORDS)
const NO_CAS: readonly string[] = []

/** The entry that a category is about. */
export function sharedEntry(
  category: Pick<SubstanceCategory, 'code' | 'authority' | 'name' | 'substances' | 'threshold'>,
): Entry {
  const { code, authority, name, substances, threshold } = category
  const more = substances.length === 0 ? '' : `\n${substances.join('\n')}`
  return entries.of(`${code}\t${name}\t${threshold}\t${authority}${more}`, () => ({
    code,
    authority,
    name,
    cas: substances.length === 0 ? NO_CAS : [...substances],
    threshold,
  }))
}

/** The list with this content. */
export function sharedList(list: ListRecord): ListRecord {
  const { plain, silent, marked, ...rest } = list
  const text = [
    plain.map(entries.numberOf).join(),
    JSON.stringify([rest, numbered(silent), numbered(marked)]),
  ].join('\n')
  return lists.of(text, () => list)
}

function numbered(all: readonly { readonly entry: Entry }[]): readonly object[] {
  return all.map((one) => ({ ...one, entry: entries.numberOf(one.entry) }))
}

/** The record with this content. */
export function sharedRecord(record: PartRecord): PartRecord {
  const { lists: own, ...rest } = record
  return records.of(`${own.map(lists.numberOf).join()}\n${JSON.stringify(rest)}`, () => record)
}

/** About how much memory a record takes that shares nothing. */
export const sizeOfRecord = remembered(
  (record: PartRecord): number =>
    500 + record.lists.reduce((sum, list) => sum + 200 * list.marked.length + 16 * list.size, 0),
)

/** Identifies what a record states, in whatever order and on whatever lines. */
export const digestOfRecord = remembered(({ lists: own, answers, unread, ...rest }: PartRecord): string =>
  digestOf([
    JSON.stringify([
      rest,
      own.map(digestOfList).sort(),
      answers.map((one) => ({ ...one, line: 0 })),
      unread.map(({ text }) => text),
    ]),
  ]),
)

const digestOfList = remembered(({ plain, silent, marked, unread, ...rest }: ListRecord): string => {
  const sorted = (all: readonly object[]): readonly string[] => all.map((one) => JSON.stringify(one)).sort()
  return digestOf([
    JSON.stringify({ ...rest, line: 0, plainLines: [], unread: unread.map(({ text }) => text) }),
    ...sorted(plain),
    ...sorted(silent.map(({ entry }) => entry)),
    ...sorted(marked.map((one) => ({ ...one, line: 0 }))),
  ])
})

function remembered<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const value = compute(key)
    known.set(key, value)
    return value
  }
}

/** 64 bits, as hexadecimal digits: enough to know a file that was downloaded again. */
export function digestOf(texts: readonly string[]): string {
  return hash('sha1', texts.join('\n')).slice(0, 16)
}

/** Records to be sent or kept: each entry and list is in it once, and named by its index. */
export interface PackedRecords {
  readonly entries: readonly (readonly [
    code: string,
    name: string,
    threshold: string,
    authority: string,
    ...cas: string[],
  ])[]
  readonly lists: readonly object[]
  readonly records: readonly object[]
}

/** Collects the records of a batch. */
export class RecordPacker {
  readonly #entries = new Map<Entry, number>()
  readonly #lists = new Map<ListRecord, number>()
  readonly #records = new Map<PartRecord, number>()

  /** The index of a record. */
  add(record: PartRecord): number {
    for (const list of record.lists) indexIn(this.#lists, list)
    return indexIn(this.#records, record)
  }

  packed(): PackedRecords {
    const entry = (one: Entry): number => indexIn(this.#entries, one)
    const inside = <T extends SilentEntry | EntryRecord>(one: T): object => ({
      ...one,
      entry: entry(one.entry),
    })
    const packedLists = [...this.#lists.keys()].map(({ plain, silent, marked, ...rest }) => ({
      ...rest,
      plain: plain.map(entry),
      silent: silent.map(inside),
      marked: marked.map(inside),
    }))
    return {
      lists: packedLists,
      records: [...this.#records.keys()].map((record) => ({
        ...record,
        lists: record.lists.map((list) => this.#lists.get(list)!),
      })),
      entries: [...this.#entries.keys()].map(
        ({ code, name, threshold, authority, cas }) => [code, name, threshold, authority, ...cas] as const,
      ),
    }
  }
}

/** The records in their order, sharing what others of this thread have too. */
export function unpackRecords(packed: PackedRecords): readonly PartRecord[] {
  const all = packed.entries.map(([code, name, threshold, authority, ...substances]) =>
    sharedEntry({ code, name, threshold, authority, substances }),
  )
  const outside = (one: { readonly entry: number }): object => ({ ...one, entry: all[one.entry]! })
  const unpacked = (packed.lists as readonly PackedList[]).map((list) =>
    sharedList({
      ...list,
      plain: list.plain.map((index) => all[index]!),
      silent: list.silent.map(outside) as SilentEntry[],
      marked: list.marked.map(outside) as EntryRecord[],
    }),
  )
  return (packed.records as readonly PackedRecord[]).map((record) =>
    sharedRecord({ ...record, lists: record.lists.map((index) => unpacked[index]!) }),
  )
}

type PackedEntry = { readonly entry: number }
type PackedList = Omit<ListRecord, 'plain' | 'silent' | 'marked'> & {
  readonly plain: readonly number[]
  readonly silent: readonly PackedEntry[]
  readonly marked: readonly PackedEntry[]
}
type PackedRecord = Omit<PartRecord, 'lists'> & { readonly lists: readonly number[] }

function indexIn<T>(known: Map<T, number>, value: T): number {
  const index = known.get(value) ?? known.size
  known.set(value, index)
  return index
}
