import papaparse from 'papaparse'
import table from './headings.csv'

/** What a column of a parts list holds. */
export type Meaning =
  | 'manufacturer part number'
  | 'part number'
  | 'internal part number'
  | 'supplier part number'
  | 'possible part number'
  | 'parent part number'
  | 'quantity per assembly'
  | 'quantity'
  | 'total quantity'
  | 'unit'
  | 'level'
  | 'item'
  | 'manufacturer'
  | 'designator'
  | 'fitted'
  | 'not fitted'
  | 'description'
  | 'other'

/** Headings of one meaning in one language, and the systems whose lists have them. */
interface HeadingGroup {
  readonly meaning: Meaning
  readonly language: string
  readonly seen: string
  readonly headings: readonly string[]
}

/**
 * Every heading that is known, by meaning and language. Compared by `headingKey`, so case, spaces and punctuation do not matter. A
 * heading in two groups means the first one unless the values of its column decide otherwise.
 */
export function headingGroups(): readonly HeadingGroup[] {
  return papaparse
    .parse<string[]>(table.trim(), { delimiter: ',' })
    .data.slice(1)
    .map(([meaning, language, seen, headings]) => ({
      meaning: meaning as Meaning,
      language: language!,
      seen: seen!,
      headings: headings!.split(' | '),
    }))
}

/** A heading without case, spaces and punctuation; `#` reads as "no". */
export function headingKey(heading: string): string {
  return heading
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'no')
    .replaceAll('n°', 'no')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

let byKey: Map<string, Meaning[]> | undefined

/** What a heading with this key can mean. Made when it is first needed: a report without a parts list needs none of it. */
function meaningsOf(key: string): readonly Meaning[] | undefined {
  byKey ??= meaningsByKey()
  return byKey.get(key)
}

function meaningsByKey(): Map<string, Meaning[]> {
  const meanings = new Map<string, Meaning[]>()
  for (const { meaning, headings } of headingGroups()) {
    for (const key of headings.map(headingKey)) {
      const known = meanings.get(key) ?? []
      meanings.set(key, known)
      if (!known.includes(meaning)) known.push(meaning)
    }
  }
  return meanings
}

/** A heading that was recognized. */
interface KnownHeading {
  /** What it can mean, the usual meaning first. */
  readonly meanings: readonly Meaning[]
  /** Its number among choices such as `Manufacturer Part Number 2`; 0 without one. */
  readonly choice: number
}

/** Recognizes a heading: as it is, without a number at its end, or without what is in parentheses. A label with a colon is none. */
export function knownHeading(text: string): KnownHeading | undefined {
  if (text.length > 80) return undefined
  const plain = text.trim()
  if (plain === '') return undefined
  const key = headingKey(plain)
  const exact = meaningsOf(key)
  if (exact !== undefined) return { meanings: exact, choice: 0 }
  const numbered = /^(.*\D)([1-9])$/.exec(key)
  const base = numbered === null ? undefined : meaningsOf(numbered[1]!)
  if (base !== undefined) return { meanings: base, choice: Number(numbered![2]) }
  const bare = meaningsOf(headingKey(plain.replace(/[([（【].*$/su, '')))
  return bare === undefined ? undefined : { meanings: bare, choice: 0 }
}

/** The columns (from 0) with this heading: exactly, else without case, spaces and punctuation. */
export function namedColumns(headings: readonly string[], name: string): readonly number[] {
  const indexes = (matches: (heading: string) => boolean): number[] =>
    headings.flatMap((heading, index) => (matches(heading) ? [index] : []))
  const exact = indexes((heading) => heading.trim() === name.trim())
  if (exact.length > 0) return exact
  const key = headingKey(name)
  return key === '' ? [] : indexes((heading) => headingKey(heading) === key)
}
