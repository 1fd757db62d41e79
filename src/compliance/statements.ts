import type { ListEvidence, ListInEffect, Where } from './currency.ts'
import { casOfEntry, type Entry, entryKey } from './entry-keys.ts'
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
  /** False where a newer list or declaration states it again. */
  readonly decides: boolean
  readonly where: Where
}

/** The records of a part, and what of them is in effect. */
export interface JudgedEvidence {
  readonly records: readonly PartRecord[]
  readonly lists: readonly ListEvidence[]
  readonly tables: SubstanceTables | undefined
}

/** All statements of a part, in their order: what is in effect decides. */
export function judgedStatements({ records, lists: evidence, tables }: JudgedEvidence): readonly Statement[] {
  const inEffect = evidence.flatMap(({ lists }) => lists)
  return records.flatMap(({ lists }, origin) =>
    lists.flatMap((list) => {
      const left = inEffect.filter((one) => one.origin === origin && isOf(one.list, list))
      const entries = new Set(left.flatMap((one) => entriesOf(one.list)))
      const of = (
        entry: Entry,
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

function subjectsOf(kind: ListKind, entry: Entry, tables: SubstanceTables | undefined): readonly string[] {
  const { groups, entries } = recognize(kind, entry, tables)
  if (kind === 'reach' || kind === 'otherReach') return entries.map((id) => `SVHC ${id}`)
  return [...groups, ...entries.map((id) => `SVHC ${id}`)]
}

function isOf(inEffect: ListInEffect, { key, identity, articleNumber }: ListRecord): boolean {
  return inEffect.key === key && inEffect.identity === identity && inEffect.articleNumber === articleNumber
}

function entriesOf({ plain, silent, marked }: ListRecord): readonly Entry[] {
  return [...plain, ...[...silent, ...marked].map(({ entry }) => entry)]
}
