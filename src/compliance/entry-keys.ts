import { plainName } from './plain-name.ts'
import { casNumber } from './substance-identity.ts'

export { plainName } from './plain-name.ts'

/** How a list names one of its entries: what a file says of it beside its answer. */
export interface ListEntry {
  readonly code: string
  readonly authority: string
  readonly name: string
  readonly cas: readonly string[]
  /** The text of its threshold. */
  readonly threshold: string
  /** The uses that it is about; empty for all. */
  readonly application?: string
}

/** The key of an entry by its name. */
export function nameKey(name: string): string {
  return `~${plainName(name)}`
}

/**
 * How an entry is known within its list: by its code, else by its name. Codes that are not of the standard may be numbers of the writer,
 * which change from file to file: then the name counts too.
 */
export function entryKey({ code, name }: Pick<ListEntry, 'code' | 'name'>): string {
  const key = code.trim().toUpperCase()
  return isCode(key) ? key : `${key}${nameKey(name)}`
}

/** True for a code of the standard. */
export function isCode(key: string): boolean {
  return key.length === 5 && /^\d{5}$/.test(key)
}

/** A CAS number in a name: `Lead (7439-92-1)`. */
const CAS_IN_NAME = /(?<![\d-])\d{2,7}-\d{2}-\d(?![\d-])/g
/** Few names have one: most are done with this. */
const MAY_HAVE_CAS = /\d-\d\d-\d/
const NONE: readonly never[] = []

/** The CAS numbers of an entry: of its substances, of its code, of its name. */
export function casOfEntry({ code, name, cas }: ListEntry): readonly string[] {
  const inName = MAY_HAVE_CAS.test(name) ? (name.match(CAS_IN_NAME) ?? NONE) : NONE
  const coded = casNumber(code)
  if (cas.length + inName.length === 0) return coded === undefined ? NONE : [coded]
  return [...new Set([...cas, code, ...inName].flatMap((text) => casNumber(text) ?? []))]
}

/** An abbreviation behind a name, such as `(DEHP)`. */
const ABBREVIATION = /^(.*\S)\s*\(([A-Z][A-Za-z0-9-]*[A-Z0-9][A-Za-z0-9-]*)\)\s*$/s

/** How the same entry may be named in another list, without case and punctuation; the name before an abbreviation, and that. */
export function namesOfEntry({ name }: Pick<ListEntry, 'name'>): readonly string[] {
  const [, front, abbreviation = ''] = ABBREVIATION.exec(name) ?? []
  const all = [
    name,
    ...(front === undefined ? [] : [front]),
    ...(abbreviation.length > 2 ? [abbreviation] : []),
  ]
  return [...new Set(all.map(plainName))].filter((text) => text !== '')
}

const keys = new WeakMap<readonly ListEntry[], ReadonlySet<string>>()

export function entryKeys(entries: readonly ListEntry[]): ReadonlySet<string> {
  const known = keys.get(entries) ?? new Set(entries.map(entryKey))
  keys.set(entries, known)
  return known
}
