import { memoized } from '../base/memoized.ts'
import { casOfEntry, isCode, type ListEntry, namesOfEntry } from './entry-keys.ts'
import type { ListKind } from './list-identity.ts'
import { groupNamed, groupsOf, type RohsGroup } from './rohs-groups.ts'
import { remembered } from './shared-entries.ts'
import { substanceName, substanceNames } from './substance-identity.ts'

/** A substance of a restricted group, by CAS number. */
export interface RohsSubstance {
  readonly group: string
  readonly cas: string
  /** The mass share of the restricted element; undefined where the composition varies. */
  readonly share: number | undefined
  readonly name?: string | undefined
}

/** A substance of an entry of the Candidate List, by name and CAS number. */
export interface SvhcSubstance {
  readonly entry: string
  readonly cas: string
  readonly name: string
  readonly entryName: string
  /** The day of its inclusion, `YYYY-MM-DD`; empty where the table does not say. */
  readonly included?: string | undefined
}

/** A list of the user's own. */
export interface SubstanceList {
  readonly name: string
  readonly substances: readonly ListedSubstance[]
}

/** What a user's own list limits. */
export interface ListedSubstance {
  readonly cas: string
  readonly name: string
  /** In percent; undefined for any amount. */
  readonly percent: number | undefined
  /** A share of the material, of the article, or of either. */
  readonly of: 'material' | 'article' | 'any'
}

/** An entry of the Candidate List. */
interface SvhcEntry {
  readonly entry: string
  readonly name: string
  /** Empty where the table does not say. */
  readonly included: string
}

/** The tables of substances, prepared for looking up. */
export interface SubstanceTables {
  readonly rohs: ReadonlyMap<string, readonly RohsSubstance[]>
  /** The groups that it has by their own names. */
  readonly groups: ReadonlySet<RohsGroup>
  /** The same by the names of the table. */
  readonly rohsNamed: ReadonlyMap<string, readonly RohsSubstance[]>
  readonly svhc: ReadonlyMap<string, readonly SvhcSubstance[]>
  /** What of the Candidate List a name is of: of an entry as a whole, which may be a group, or of a substance. */
  readonly named: ReadonlyMap<string, Named>
  /** The Candidate List, in its order. */
  readonly entries: readonly SvhcEntry[]
  /** The newest day of inclusion; empty where the table has none. */
  readonly newest: string
  /** The names of each entry of the Candidate List and of its substances. */
  readonly entryNames: ReadonlyMap<string, ReadonlySet<string>>
  readonly lists: readonly {
    readonly name: string
    readonly byCas: ReadonlyMap<string, readonly ListedSubstance[]>
    readonly byName: ReadonlyMap<string, readonly ListedSubstance[]>
  }[]
}

export function createSubstanceTables(
  rohs: readonly RohsSubstance[],
  svhc: readonly SvhcSubstance[],
  lists: readonly SubstanceList[] = [],
): SubstanceTables {
  const entryNames = new Map<string, Set<string>>()
  const entries = new Map<string, SvhcEntry>()
  for (const { entry, name, entryName, included = '' } of svhc) {
    const names = entryNames.get(entry) ?? new Set()
    entryNames.set(entry, names)
    for (const one of [...substanceNames(name), ...substanceNames(entryName)]) names.add(one)
    if (!entries.has(entry)) entries.set(entry, { entry, name: entryName, included })
  }
  return {
    rohs: grouped(rohs, casOf),
    groups: new Set(
      rohs.flatMap(({ group, name = '' }) => {
        const own = groupsOf(nameOnly(name), NAMES_ONLY)
        return own.includes(groupNamed(group)!) ? own : []
      }),
    ),
    rohsNamed: grouped(rohs, ({ name = '' }) => substanceNames(name)),
    svhc: grouped(svhc, casOf),
    named: namedIn(svhc),
    entries: [...entries.values()],
    newest: [...entries.values()].reduce((day, { included }) => (included > day ? included : day), ''),
    entryNames,
    lists: lists.map(({ name, substances }) => ({
      name,
      byCas: strictest(grouped(substances, casOf)),
      byName: strictest(grouped(substances, (row) => substanceNames(row.name))),
    })),
  }
}

function namedIn(svhc: readonly SvhcSubstance[]): ReadonlyMap<string, Named> {
  const own = grouped(svhc, ({ name }) => substanceNames(name))
  const wholes = grouped(svhc, ({ entryName }) => substanceNames(entryName))
  return new Map(
    [...new Set([...own.keys(), ...wholes.keys()])].map((name) => {
      const substances = own.get(name) ?? []
      const whole = unique((wholes.get(name) ?? []).map(({ entry }) => entry))
      return [
        name,
        { substances, whole, entries: unique([...whole, ...substances.map(({ entry }) => entry)]) },
      ]
    }),
  )
}

/** Of the rows of each substance those with the lowest limit: what is below it is below the others. */
function strictest(
  all: ReadonlyMap<string, readonly ListedSubstance[]>,
): ReadonlyMap<string, readonly ListedSubstance[]> {
  const limitOf = ({ percent }: ListedSubstance): number => percent ?? Number.NEGATIVE_INFINITY
  const lowest = (rows: readonly ListedSubstance[]): readonly ListedSubstance[] => {
    const byShare = new Map<ListedSubstance['of'], ListedSubstance>()
    for (const row of rows) {
      const known = byShare.get(row.of)
      if (known === undefined || limitOf(row) < limitOf(known)) byShare.set(row.of, row)
    }
    return [...byShare.values()]
  }
  return new Map([...all].map(([key, rows]) => [key, lowest(rows)]))
}

const NAMES_ONLY = { hasRohsCodes: false, hasOtherName: true }

function nameOnly(name: string): ListEntry {
  return { name, code: '', authority: '', cas: [], threshold: '' }
}

function casOf({ cas }: { readonly cas: string }): readonly string[] {
  return cas === '' ? [] : [cas]
}

function grouped<T>(
  rows: readonly T[],
  keysOf: (row: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const all = new Map<string, T[]>()
  for (const row of rows) {
    for (const key of new Set(keysOf(row))) {
      const known = all.get(key)
      if (known === undefined) all.set(key, [row])
      else known.push(row)
    }
  }
  return all
}

function unique<T>(all: readonly T[]): readonly T[] {
  return [...new Set(all)]
}

/** What an entry of a list is about, as far as it is known. */
interface Recognized {
  /** The restricted groups of RoHS. */
  readonly groups: readonly RohsGroup[]
  /** The entries of the Candidate List, also where only a member of a group is named. */
  readonly entries: readonly string[]
  /** Those that are named as a whole. */
  readonly whole: readonly string[]
  /** The rows of the table of the Candidate List. */
  readonly substances: readonly SvhcSubstance[]
}

/** What a name alone says of the Candidate List. */
type Named = Omit<Recognized, 'groups'>

const NOT_RECOGNIZED: Named = { entries: [], whole: [], substances: [] }

/**
 * What an entry of a list is about: by its name and its CAS numbers; by its code only in IPC's RoHS list, whose codes are fixed, and
 * only without a name. A name that the tables have for another substance wins over a code or a CAS number.
 */
export function recognize(kind: ListKind, entry: ListEntry, tables: SubstanceTables = NO_TABLES): Recognized {
  const named = lookUpName(entry.name, tables)
  const listed = casOfEntry(entry).flatMap((cas) => tables.svhc.get(cas) ?? [])
  const isNamed = named.entries.length > 0
  if (listed.length === 0) return new Recognition(kind, entry, named, isNamed)
  const numbered = { whole: [], substances: listed, entries: unique(listed.map((one) => one.entry)) }
  if (!isNamed) return new Recognition(kind, entry, numbered, false)
  const agrees = numbered.entries.some((one) => named.entries.includes(one))
  const substances = agrees ? unique([...named.substances, ...listed]) : named.substances
  return new Recognition(kind, entry, { ...named, substances }, !agrees)
}

/** Most entries are not asked for their groups. */
class Recognition implements Recognized {
  readonly #kind: ListKind
  readonly #entry: ListEntry
  readonly #named: Named
  readonly #hasOtherName: boolean

  constructor(kind: ListKind, entry: ListEntry, named: Named, hasOtherName: boolean) {
    this.#kind = kind
    this.#entry = entry
    this.#named = named
    this.#hasOtherName = hasOtherName
  }

  get entries(): readonly string[] {
    return this.#named.entries
  }

  get whole(): readonly string[] {
    return this.#named.whole
  }

  get substances(): readonly SvhcSubstance[] {
    return this.#named.substances
  }

  get groups(): readonly RohsGroup[] {
    const hasRohsCodes = this.#kind === 'rohs'
    return groupsOf(this.#entry, { hasRohsCodes, hasOtherName: this.#hasOtherName })
  }
}

/** The groups of each entry of a RoHS list. Lists that share their entries are looked up once. */
export function groupsOfEach(
  entries: readonly ListEntry[],
  tables: SubstanceTables = NO_TABLES,
): readonly (readonly RohsGroup[])[] {
  return rohsGroups(tables)(entries)
}

const rohsGroups = remembered((tables: SubstanceTables) =>
  remembered((entries: readonly ListEntry[]) =>
    entries.map((entry) => recognize('rohs', entry, tables).groups),
  ),
)

/** Nothing is known but the groups. */
export const NO_TABLES = createSubstanceTables([], [])

/** The entries of the Candidate List, and their substances, that a name is one of. */
function lookUpName(name: string, tables: SubstanceTables): Named {
  const whole = tables.named.get(substanceName(name))
  if (whole !== undefined || !HAS_MORE.test(name)) return whole ?? NOT_RECOGNIZED
  for (const names of spellings(name)) {
    const found = names.flatMap((one) => tables.named.get(one) ?? [])
    if (found.length > 0) return joined(found)
  }
  return NOT_RECOGNIZED
}

function joined(all: readonly Named[]): Named {
  const [first, ...more] = all
  if (more.length === 0) return first!
  const whole = unique(all.flatMap((one) => one.whole))
  const substances = unique(all.flatMap((one) => one.substances))
  return { whole, substances, entries: unique([...whole, ...substances.map(({ entry }) => entry)]) }
}

/** What a name alone is recognized as: of a substance in a material, which many files have. */
export const recognizeName = remembered((tables: SubstanceTables) =>
  memoized((name: string) => recognize('named', nameOnly(name), tables), 5_000),
)

/** A name with something behind it: a remark in brackets, or a clause. */
const HAS_MORE = /[)\]]\s*$|with |covering|containing /i

/** An abbreviation: two capitals at least. */
const SHORT = /^(?=(?:[^A-Z]*[A-Z]){2})[A-Za-z\d][\w.-]*$/

/** What follows limits an entry to what the law covers anyway. */
const HAS_CLAUSE = /with |covering|containing /i
const CLAUSE = /,?\s+(?:with (?:≥|>=|greater than|more than)|covering|containing (?:≥|>=))\s?/i

/** How else a name may be written in a table: without a remark at its end; an abbreviation in it; names that it counts up. */
function* spellings(name: string): Generator<readonly string[]> {
  let front = name.trimEnd()
  const inside: string[] = []
  for (let at = remarkStart(front); at > 0; at = remarkStart(front)) {
    for (const part of front.slice(at + 1, -1).split(';')) inside.push(part)
    front = front.slice(0, at).trimEnd()
    yield [substanceName(front)]
  }
  const [shorter = ''] = HAS_CLAUSE.test(front) ? front.split(CLAUSE) : [front]
  if (shorter !== front) yield [substanceName(shorter)]
  // [1], [2] number what one entry covers.
  const parts = front.includes('[1]') ? front.split(/\s*\[\d\][\s,;]*/).filter((part) => part !== '') : []
  if (parts.length > 1) yield parts.map(substanceName)
  if (inside.length === 0) return
  const brief = inside.map((one) => one.trim()).filter((one) => SHORT.test(one) && one.length > 2)
  yield brief.map(substanceName)
  if (!/[a-z]/i.test(front)) yield inside.map(substanceName)
}

/** Where a remark in brackets at the end of a name starts; 0 or less where it has none. */
function remarkStart(name: string): number {
  if (name.endsWith(')')) {
    const at = name.lastIndexOf('(')
    return name.lastIndexOf(')', name.length - 2) > at ? -1 : at
  }
  return name.endsWith(']') ? name.lastIndexOf('[') : -1
}

/** The entries of a list, to be found by another list's entry. */
interface EntryIndex {
  readonly codes: ReadonlyMap<string, readonly ListEntry[]>
  readonly names: ReadonlyMap<string, ListEntry>
  readonly cas: ReadonlyMap<string, ListEntry>
  readonly substances: ReadonlyMap<SvhcSubstance, ListEntry>
  /** Entries of the Candidate List that are stated as a whole: for all their members. */
  readonly whole: ReadonlyMap<string, ListEntry>
}

const indexes = remembered((tables: SubstanceTables) =>
  remembered((entries: readonly ListEntry[]): EntryIndex => {
    const known = new Map(entries.map((entry) => [entry, recognize('named', entry, tables)]))
    const by = <K>(keysOf: (entry: ListEntry) => readonly K[]): ReadonlyMap<K, ListEntry> =>
      new Map(entries.flatMap((entry) => keysOf(entry).map((key) => [key, entry] as const)))
    return {
      codes: grouped(entries, ({ code }) => (isCode(code.trim()) ? [code.trim()] : [])),
      names: by(namesOfEntry),
      cas: by(casOfEntry),
      substances: by((entry) => known.get(entry)!.substances),
      whole: by((entry) => known.get(entry)!.whole),
    }
  }),
)

/**
 * Which entry of a list states again what an entry of another one states: by its code in the same list, where the names do not contradict
 * it; as the whole of which it is a member; or by a name or a CAS number.
 */
export function findEntry(
  entries: readonly ListEntry[],
  entry: ListEntry,
  { kind, isSameList, tables = NO_TABLES }: ListsCompared,
): ListEntry | undefined {
  const index = indexes(tables)(entries)
  const code = entry.code.trim()
  const coded = isSameList ? (index.codes.get(code) ?? []) : []
  const same = coded.find((one) => !areContrary(one, entry, kind, tables))
  if (same !== undefined) return same
  // Other lists have the same substance once for each of its applications.
  if (isSameList && kind !== 'reach' && index.codes.size > 0 && isCode(code)) return undefined
  const { substances, entries: about } = recognize('named', entry, tables)
  return (
    firstOf(substances, index.substances) ??
    (about.every((one) => index.whole.has(one)) ? firstOf(about, index.whole) : undefined) ??
    firstOf(namesOfEntry(entry), index.names) ??
    firstOf(casOfEntry(entry), index.cas)
  )
}

function firstOf<K>(keys: readonly K[], index: ReadonlyMap<K, ListEntry>): ListEntry | undefined {
  const key = keys.find((one) => index.has(one))
  return key === undefined ? undefined : index.get(key)
}

/** What decides whether entries of two lists are the same. */
interface ListsCompared {
  readonly kind: ListKind
  readonly isSameList: boolean
  readonly tables: SubstanceTables | undefined
}

/**
 * True where two entries with the same code have names that are not of the same substance. In RoHS and the Candidate List a name that is
 * not known is not that of one that is.
 */
function areContrary(a: ListEntry, b: ListEntry, kind: ListKind, tables: SubstanceTables): boolean {
  if (a.name.trim() === '' || b.name.trim() === '') return false
  const names = namesOfEntry(a)
  if (namesOfEntry(b).some((name) => names.includes(name))) return false
  const subjectsOf = (entry: ListEntry): readonly string[] => {
    const { groups, entries } = recognize('named', entry, tables)
    return [...groups, ...entries]
  }
  const [one, other] = [subjectsOf(a), subjectsOf(b)]
  if (one.length > 0 && other.length > 0) return !one.some((subject) => other.includes(subject))
  return one.length + other.length > 0 && kind !== 'named' && kind !== 'unnamed'
}

/** The entries of the Candidate List that a table has until a day; all of a table without days. */
export const entriesUntil = remembered((tables: SubstanceTables) =>
  memoized(
    (day: string): readonly SvhcEntry[] => tables.entries.filter(({ included }) => included <= day),
    50,
  ),
)
