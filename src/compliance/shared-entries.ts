import { hash } from 'node:crypto'
import type { SubstanceCategory } from './declaration.ts'
import type { Entry } from './entry-keys.ts'

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

/** All that a file says of an entry beside its answer. */
export function textOfEntry({ code, name, threshold, authority, cas }: Entry): string {
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

/** Identifies entries, in whatever order. */
export const digestOfEntries = remembered((all: readonly Entry[]): string =>
  digestOf(all.map(textOfEntry).sort()),
)

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
