import { hash } from 'node:crypto'
import { memoized } from '../base/memoized.ts'
import type { SubstanceCategory } from './declaration.ts'
import type { ListEntry } from './entry-keys.ts'

/*
 * Most files of a report state the same entries. So an entry, and the entries that a list has in common with others, are one object for
 * a thread: what is derived from them is derived once.
 */

/** Most of them that are kept; then it starts again, which costs time only. */
const MOST_ENTRIES = 10_000
const MOST_SETS = 100

/** By their names, which few of them share. */
const entries = new Map<string, SharedEntry[]>()
const sets = new Map<string, readonly ListEntry[]>()
const digests = new WeakMap<readonly ListEntry[], string>()

/** An entry with the number by which sets are known in this thread: it is not sent to another one. */
class SharedEntry implements ListEntry {
  static #count = 0
  readonly code: string
  readonly authority: string
  readonly name: string
  readonly cas: readonly string[]
  readonly threshold: string
  readonly application: string
  readonly #number = SharedEntry.#count++

  constructor({ code, authority, name, cas, threshold, application = '' }: ListEntry) {
    this.code = code
    this.authority = authority
    this.name = name
    this.cas = cas
    this.threshold = threshold
    this.application = application
  }

  static keyOf(all: readonly SharedEntry[]): string {
    return Float64Array.from(all, (entry) => entry.#number)
      .sort()
      .join()
  }
}

/** The entry that a category is about. */
export function sharedEntry({
  code,
  authority,
  name,
  substances,
  threshold,
  application,
}: Pick<
  SubstanceCategory,
  'code' | 'authority' | 'name' | 'substances' | 'threshold' | 'application'
>): SharedEntry {
  const alike = entries.get(name)
  const known = alike?.find(
    (one) =>
      one.code === code &&
      one.threshold === threshold &&
      one.application === application &&
      one.authority === authority &&
      one.cas.length === substances.length &&
      one.cas.every((cas, index) => cas === substances[index]),
  )
  if (known !== undefined) return known
  const entry = new SharedEntry({ code, authority, name, cas: substances, threshold, application })
  if (alike !== undefined) alike.push(entry)
  else {
    if (entries.size >= MOST_ENTRIES) entries.clear()
    entries.set(name, [entry])
  }
  return entry
}

/** All that a file says of an entry beside its answer. */
export function textOfEntry({ code, name, threshold, application = '', authority, cas }: ListEntry): string {
  const text = `${code}\t${name}\t${threshold}\t${application}\t${authority}`
  return cas.length === 0 ? text : `${text}\n${cas.join('\n')}`
}

/** Entries in the order of their texts, whatever that of the file, and the lines beside them in the same order. */
export function sharedEntries(
  all: readonly SharedEntry[],
  lines: readonly number[] = [],
): { readonly entries: readonly ListEntry[]; readonly lines: readonly number[] } {
  const key = SharedEntry.keyOf(all)
  const known = sets.get(key) ?? inOrder(all)
  if (sets.size >= MOST_SETS) sets.clear()
  sets.set(key, known)
  if (lines.length === 0) return { entries: known, lines }
  const texts = all.map(textOfEntry)
  const order = [...texts.keys()].sort((a, b) => (texts[a]! < texts[b]! ? -1 : Number(texts[a]! > texts[b]!)))
  return { entries: known, lines: order.map((index) => lines[index]!) }
}

function inOrder(all: readonly ListEntry[]): readonly ListEntry[] {
  const texts = all.map(textOfEntry)
  const byText = new Map(texts.map((text, index) => [text, all[index]!]))
  texts.sort()
  const ordered = texts.map((text) => byText.get(text)!)
  digests.set(ordered, digestOf(texts))
  return ordered
}

/** The entries with this digest as one object, also where several batches bring them. */
export const entriesOf = memoized(
  (_digest: string, make: () => readonly ListEntry[]): readonly ListEntry[] => make(),
  MOST_SETS,
)

/** Identifies entries, in whatever order. */
export function digestOfEntries(all: readonly ListEntry[]): string {
  const digest = digests.get(all) ?? digestOf(all.map(textOfEntry).sort())
  digests.set(all, digest)
  return digest
}

/** The function, which computes once for each object. */
export function remembered<K extends object, T>(compute: (key: K) => T): (key: K) => T {
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
