import type { Entry } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord, SilentEntry } from './part-record.ts'
import { digestOf, digestOfEntries, entriesOf, remembered, textOfEntry } from './shared-entries.ts'

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

/** Records to be sent or kept: each text, each entry and each set of entries is in it once, and named by its index. */
export interface PackedRecords {
  readonly texts: readonly string[]
  readonly entries: readonly (readonly [
    code: number,
    name: number,
    threshold: number,
    authority: number,
    ...cas: number[],
  ])[]
  readonly sets: readonly { readonly digest: string; readonly entries: readonly number[] }[]
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
  readonly #texts = new Map<string, number>()
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
    const sets = [...this.#sets.keys()].map((all) => ({
      digest: digestOfEntries(all),
      entries: all.map(entry),
    }))
    const text = (one: string): number => indexIn(this.#texts, one)
    const entries = [...this.#entries.keys()].map(
      ({ code, name, threshold, authority, cas }) =>
        [text(code), text(name), text(threshold), text(authority), ...cas.map(text)] as const,
    )
    return { records, sets, entries, texts: [...this.#texts.keys()] }
  }
}

/** Adds the entries of a record to those of others, as objects, and the sets of them. */
export function collectEntries(known: Set<object>, { lists }: PartRecord): void {
  for (const { plain } of lists) {
    if (known.has(plain)) continue
    known.add(plain)
    for (const entry of plain) known.add(entry)
  }
}

/** The records in their order; those of a batch share their entries, those of a thread their sets. */
export function unpackRecords(packed: PackedRecords): readonly PartRecord[] {
  const text = (index: number): string => packed.texts[index]!
  const all = packed.entries.map(
    ([code, name, threshold, authority, ...cas]): Entry => ({
      code: text(code),
      authority: text(authority),
      name: text(name),
      cas: cas.map(text),
      threshold: text(threshold),
    }),
  )
  const outside = (one: PackedEntry): object => ({ ...one, entry: all[one.entry]! })
  const unpacked = packed.sets.map(({ digest, entries }) =>
    entriesOf(digest, () => entries.map((index) => all[index]!)),
  )
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
