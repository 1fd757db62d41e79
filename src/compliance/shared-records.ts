import type { Entry } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord, SilentEntry } from './part-record.ts'
import { digestOf, digestOfEntries, remembered, textOfEntry } from './shared-entries.ts'

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

function sortedTexts(all: readonly object[]): readonly string[] {
  return all.map((one) => JSON.stringify(one)).sort()
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
