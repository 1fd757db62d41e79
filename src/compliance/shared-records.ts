import { hash } from 'node:crypto'
import type { SubstanceCategory } from './declaration.ts'
import type { Entry } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord, SilentEntry } from './part-record.ts'

/*
 * Most files of a report state the same entries. So an entry, and the entries that a list has in common with others, are one object for
 * a thread: what is derived from them is derived once.
 */

/** Most of them that are kept; then it starts again, which costs time only. */
const MOST_ENTRIES = 10_000
const MOST_SETS = 500

/** An entry with a number by which a set of entries is known. */
export interface NumberedEntry extends Entry {
  readonly number: number
}

const entries = new Map<string, NumberedEntry>()
const sets = new Map<string, readonly Entry[]>()
const NO_CAS: readonly string[] = []
let nextNumber = 0

/** The entry that a category is about. */
export function sharedEntry({
  code,
  authority,
  name,
  substances,
  threshold,
}: Pick<SubstanceCategory, 'code' | 'authority' | 'name' | 'substances' | 'threshold'>): NumberedEntry {
  const text = textOfEntry({ code, name, threshold, authority, cas: substances })
  const known = entries.get(text)
  if (known !== undefined) return known
  if (entries.size >= MOST_ENTRIES) entries.clear()
  const cas = substances.length === 0 ? NO_CAS : [...substances]
  const entry = { code, authority, name, cas, threshold, number: nextNumber }
  nextNumber += 1
  entries.set(text, entry)
  return entry
}

function textOfEntry({ code, name, threshold, authority, cas }: Entry): string {
  const text = `${code}\t${name}\t${threshold}\t${authority}`
  return cas.length === 0 ? text : `${text}\n${cas.join('\n')}`
}

/** Entries in an order of their own, whatever that of the file, and the lines beside them in the same order. */
export function sharedEntries(
  all: readonly NumberedEntry[],
  lines: readonly number[] = [],
): { readonly entries: readonly Entry[]; readonly lines: readonly number[] } {
  const order = Uint32Array.from(all.keys())
  if (lines.length > 0) order.sort((a, b) => all[a]!.number - all[b]!.number)
  const text = Float64Array.from(all, ({ number }) => number)
    .sort()
    .join()
  const known = sets.get(text) ?? [...all].sort((a, b) => a.number - b.number)
  if (sets.size >= MOST_SETS) sets.clear()
  sets.set(text, known)
  return { entries: known, lines: lines.length === 0 ? lines : [...order].map((index) => lines[index]!) }
}

/** About how much memory a record takes that shares nothing. */
export function sizeOfRecord({ lists }: PartRecord): number {
  return 500 + lists.reduce((sum, list) => sum + 200 * list.marked.length + 16 * list.size, 0)
}

/** Identifies what a record states, in whatever order and on whatever lines. */
export const digestOfRecord = remembered(({ lists, answers, unread, ...rest }: PartRecord): string =>
  digestOf([
    JSON.stringify([
      rest,
      lists.map(digestOfList).sort(),
      answers.map((one) => ({ ...one, line: 0 })),
      unread.map(({ text }) => text),
    ]),
  ]),
)

function digestOfList({ plain, silent, marked, unread, ...rest }: ListRecord): string {
  return digestOf([
    JSON.stringify({ ...rest, line: 0, plainLines: [], unread: unread.map(({ text }) => text) }),
    digestOfEntries(plain),
    ...silent.map(({ entry }) => textOfEntry(entry)).sort(),
    ...sortedTexts(marked.map((one) => ({ ...one, line: 0, entry: textOfEntry(one.entry) }))),
  ])
}

/** Identifies entries, in whatever order. */
export const digestOfEntries = remembered((all: readonly Entry[]): string =>
  digestOf(all.map(textOfEntry).sort()),
)

function sortedTexts(all: readonly object[]): readonly string[] {
  return all.map((one) => JSON.stringify(one)).sort()
}

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

/** Records to be sent or kept: each entry and each set of entries is in it once, and named by its index. */
export interface PackedRecords {
  readonly entries: readonly (readonly [
    code: string,
    name: string,
    threshold: string,
    authority: string,
    ...cas: string[],
  ])[]
  readonly sets: readonly (readonly number[])[]
  readonly records: readonly PackedRecord[]
}

type PackedEntry = { readonly entry: number }
type PackedList = Omit<ListRecord, 'plain' | 'silent' | 'marked'> & {
  readonly plain: number
  readonly silent: readonly PackedEntry[]
  readonly marked: readonly PackedEntry[]
}
type PackedRecord = Omit<PartRecord, 'lists'> & { readonly lists: readonly PackedList[] }

/** Collects the records of a batch. */
export class RecordPacker {
  readonly #entries = new Map<Entry, number>()
  readonly #sets = new Map<readonly Entry[], number>()
  readonly #records = new Map<PartRecord, number>()

  /** The index of a record. */
  add(record: PartRecord): number {
    return indexIn(this.#records, record)
  }

  packed(): PackedRecords {
    const entry = (one: Entry): number => indexIn(this.#entries, one)
    const inside = <T extends SilentEntry | EntryRecord>(one: T) => ({ ...one, entry: entry(one.entry) })
    const records = [...this.#records.keys()].map(
      (record): PackedRecord => ({
        ...record,
        lists: record.lists.map((list) => ({
          ...list,
          plain: indexIn(this.#sets, list.plain),
          silent: list.silent.map(inside),
          marked: list.marked.map(inside),
        })),
      }),
    )
    const packedSets = [...this.#sets.keys()].map((all) => all.map(entry))
    return {
      records,
      sets: packedSets,
      entries: [...this.#entries.keys()].map(
        ({ code, name, threshold, authority, cas }) => [code, name, threshold, authority, ...cas] as const,
      ),
    }
  }
}

/** The records in their order; those of a batch share their entries and sets. */
export function unpackRecords(packed: PackedRecords): readonly PartRecord[] {
  const all = packed.entries.map(
    ([code, name, threshold, authority, ...cas]): Entry => ({ code, authority, name, cas, threshold }),
  )
  const outside = (one: PackedEntry): object => ({ ...one, entry: all[one.entry]! })
  const unpacked = packed.sets.map((set) => set.map((index) => all[index]!))
  return packed.records.map((record) => ({
    ...record,
    lists: record.lists.map((list) => ({
      ...list,
      plain: unpacked[list.plain]!,
      silent: list.silent.map(outside) as SilentEntry[],
      marked: list.marked.map(outside) as EntryRecord[],
    })),
  }))
}

function indexIn<T>(known: Map<T, number>, value: T): number {
  const index = known.get(value) ?? known.size
  known.set(value, index)
  return index
}
