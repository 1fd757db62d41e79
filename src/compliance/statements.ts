import type { ListEvidence, ListInEffect, Where } from './currency.ts'
import { casOfEntry, entryKey, isCode, type ListEntry, nameKey } from './entry-keys.ts'
import type { ListKind } from './list-identity.ts'
import type { EntryRecord, ListRecord, PartRecord, StatedExemption } from './part-record.ts'
import { recognize, type SubstanceTables } from './recognize.ts'

/** What a file states about one entry of a list, with every value: the form in which declarations are shown and compared. */
export interface Statement {
  /** What its list is. */
  readonly kind: ListKind
  readonly list: string
  /** The groups of RoHS and the entries of the Candidate List that it is recognized as. */
  readonly about: readonly string[]
  readonly key: string
  readonly name: string
  readonly code: string
  readonly cas: readonly string[]
  readonly answer: 'over' | 'not over' | 'no statement' | 'not understood'
  /** The text of an answer that is not understood. */
  readonly quoted: string
  /** The worst case in the part: in percent, or in milligrams. */
  readonly percent: number | undefined
  readonly massMg: number | undefined
  /** The worst case in a homogeneous material, in percent. */
  readonly concentration: number | undefined
  /** The text of the threshold. */
  readonly threshold: string
  readonly exemptions: readonly StatedExemption[]
  /** The sub-product that states it; empty for the part itself. */
  readonly article: string
  readonly decides: boolean
  readonly why: StatementRank
  /** Where that is stated which decides in its place; undefined where it decides itself. */
  readonly instead: Where | undefined
  readonly where: Where
}

/**
 * Why a statement decides: it is the only one about its entry, the newest of several, or one of several of which none replaces the
 * others, so that the worse decides. `stated again`: it does not.
 */
type StatementRank = 'the only one' | 'the newest' | 'one of several' | 'stated again'

/** The records of a part, and what of them is in effect. */
interface JudgedEvidence {
  readonly records: readonly PartRecord[]
  readonly lists: readonly ListEvidence[]
  readonly tables: SubstanceTables | undefined
}

/**
 * All statements of a part, in their order, with whether each decides, and why: what is in effect decides. No other file asks again
 * what is in effect of a declaration.
 */
export function judgedStatements(evidence: JudgedEvidence): readonly Statement[] {
  const all = statementsIn(evidence)
  const keys = evidence.records.flatMap(({ lists }) => lists.map(({ key }) => key))
  // Most parts have one declaration, which states nothing twice.
  if (evidence.records.length < 2 && new Set(keys).size === keys.length) return all
  const alike = statementsAlike(all)
  return all.map((one) => {
    const others = alike(one).filter(({ where }) => where !== one.where)
    const deciding = others.filter(({ decides }) => decides)
    if (!one.decides) return { ...one, why: 'stated again', instead: deciding[0]?.where }
    const why = deciding.length > 0 ? 'one of several' : others.length > 0 ? 'the newest' : 'the only one'
    return { ...one, why }
  })
}

function statementsIn({ records, lists: evidence, tables }: JudgedEvidence): readonly Statement[] {
  const inEffect = evidence.flatMap(({ lists }) => lists)
  return records.flatMap(({ lists }, origin) =>
    lists.flatMap((list) => {
      const left = inEffect.filter((one) => one.origin === origin && isOf(one.list, list))
      const entries = new Set(left.flatMap((one) => entriesOf(one.list)))
      const of = (
        entry: ListEntry,
        answer: Statement['answer'],
        line: number,
        more?: EntryRecord,
      ): Statement => ({
        kind: list.kind,
        list: list.identity,
        about: subjectsOf(list.kind, entry, tables),
        key: entryKey(entry),
        name: entry.name || entry.code,
        code: entry.code,
        cas: casOfEntry(entry),
        answer,
        quoted: more?.text ?? '',
        percent: more?.percent,
        massMg: more?.massMg,
        concentration: more?.concentration,
        threshold: entry.threshold,
        exemptions: more?.exemptions ?? [],
        article: list.article,
        decides: entries.has(entry),
        why: entries.has(entry) ? 'the only one' : 'stated again',
        instead: undefined,
        where: { origin, line, list: list.identity },
      })
      return [
        ...list.plain.map((entry, index) => of(entry, 'not over', list.plainLines[index] ?? list.line)),
        ...list.silent.map(({ entry, line }) => of(entry, 'no statement', line)),
        ...list.marked.map((one) =>
          of(one.entry, one.state === 'unclear' ? 'not understood' : one.state, one.line, one),
        ),
      ]
    }),
  )
}

/** Finds the statements about the same entry as one of this or another part, in their order. */
export function statementsAlike<T extends Statement>(all: readonly T[]): (one: Statement) => readonly T[] {
  const index = new Map<string, T[]>()
  for (const each of all) {
    for (const name of namesOf(each)) {
      const known = index.get(name)
      if (known === undefined) index.set(name, [each])
      else known.push(each)
    }
  }
  return (one) => {
    const found = new Set(namesOf(one).flatMap((name) => index.get(name) ?? []))
    return [...found].filter((other) => isAlike(one, other))
  }
}

/** What an entry may be known by: two statements about the same have one of them in common. */
function namesOf({ about, code, name, cas }: Statement): readonly string[] {
  return [...new Set([...about, code.trim(), nameKey(name), ...cas])]
}

/** Statements about the same entry: as it is recognized; else by its code in the same list, by a CAS number or its name between lists. */
function isAlike(a: Statement, b: Statement): boolean {
  if (a.article !== b.article || familyOf(a) !== familyOf(b)) return false
  const isRecognized = a.about.length > 0 && b.about.length > 0
  if (isRecognized && isLaw(a) && isLaw(b)) return a.about.some((one) => b.about.includes(one))
  const codes = [a, b].map(({ code }) => code.trim())
  // Codes are those of one list; other numbers than those of the standard change from file to file.
  if (a.list.toUpperCase() === b.list.toUpperCase() && codes.every(isCode)) return codes[0] === codes[1]
  return nameKey(a.name) === nameKey(b.name) || a.cas.some((one) => b.cas.includes(one))
}

/** RoHS and the Candidate List have each substance once. */
function isLaw({ kind }: Statement): boolean {
  return kind === 'rohs' || kind === 'reach'
}

/** The name of a list without what tells its versions. */
function familyOf({ list }: Statement): string {
  return list.toUpperCase().replace(/[-_ ]?[\d.]+$/, '')
}

function subjectsOf(
  kind: ListKind,
  entry: ListEntry,
  tables: SubstanceTables | undefined,
): readonly string[] {
  const { groups, entries } = recognize(kind, entry, tables)
  if (kind === 'reach' || kind === 'otherReach') return entries.map((id) => `SVHC ${id}`)
  return [...groups, ...entries.map((id) => `SVHC ${id}`)]
}

function isOf(inEffect: ListInEffect, { key, identity, articleNumber }: ListRecord): boolean {
  return inEffect.key === key && inEffect.identity === identity && inEffect.articleNumber === articleNumber
}

function entriesOf({ plain, silent, marked }: ListRecord): readonly ListEntry[] {
  return [...plain, ...[...silent, ...marked].map(({ entry }) => entry)]
}
