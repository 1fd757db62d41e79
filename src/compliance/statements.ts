import { memoized } from '../base/memoized.ts'
import { casOfEntry, entryKey, entryKeys, isCode, type ListEntry, nameKey } from './entry-keys.ts'
import type { ListKind } from './list-identity.ts'
import type { EntryRecord, ListRecord, StatedExemption } from './part-record.ts'
import { NO_TABLES, recognize, type SubstanceTables } from './recognize.ts'
import { remembered } from './shared-entries.ts'

/** Where a statement is made: in which of the declarations of a part, on which line from that of the product, in which list. */
export interface Where {
  readonly origin: number
  readonly line: number
  readonly list: string
}

type Answer = 'over' | 'not over' | 'no statement' | 'not understood'

/** What a file states about one entry of a list, with every value, and whether it decides: all that is found, shown or compared. */
export interface Statement {
  /** What its list is. */
  readonly kind: ListKind
  readonly list: string
  /** The groups of RoHS and the entries of the Candidate List that it is recognized as. */
  readonly about: readonly string[]
  readonly key: string
  /** How it is known in its list: a category of RoHS by its groups. */
  readonly keys: readonly string[]
  readonly name: string
  readonly code: string
  readonly cas: readonly string[]
  readonly answer: Answer
  /** The text of an answer that is not understood. */
  readonly quoted: string
  /** The worst case in the part: in percent, or in milligrams. */
  readonly percent: number | undefined
  readonly massMg: number | undefined
  /** The worst case in a homogeneous material, in percent. */
  readonly concentration: number | undefined
  /** The highest upper bound in percent, such as that of `< 0.1`. */
  readonly upTo: number | undefined
  /** A value that cannot be read, with what it is: `concentration "n.s."`; empty without one. */
  readonly unreadValue: string
  /** The text of the threshold. */
  readonly threshold: string
  /** The uses that it is about; empty for all. */
  readonly application: string
  readonly exemptions: readonly StatedExemption[]
  /** An exemption is stated in a form that is not known. */
  readonly hasUnknownExemption: boolean
  /** An exemption of the whole list covers this entry or another one. */
  readonly mayBeExempt: boolean
  /** The sub-product that states it; empty for the part itself. */
  readonly article: string
  /** Another sub-product does not state it: "not over" is said of this one alone. */
  readonly isPartial: boolean
  readonly decides: boolean
  /** Where that is stated which decides in its place; undefined where it decides itself. */
  readonly instead: Where | undefined
  readonly where: Where
}

/** A statement as its file has it, with whether it decides. */
export interface Stated extends Pick<Statement, 'answer' | 'decides'> {
  readonly entry: ListEntry
  readonly line: number
  /** What is stated beside the answer. */
  readonly more?: EntryRecord
  readonly isPartial?: boolean
  /** Where it is stated again; without an origin in the same file. */
  readonly by?: Omit<Where, 'origin'> & { readonly origin: number | undefined }
}

/** A list of a file, with what of it newer ones leave. */
export interface ListInEffect extends Omit<ListRecord, 'silent' | 'marked'> {
  readonly record: ListRecord
  /** All but the plain "not over" that decide: these are a block, for there may be hundreds, which lists share. */
  readonly others: readonly Stated[]
  /** The identities of older lists that this one replaces as a whole. */
  readonly older: string[]
  /** Of so many sub-products so many have no such list, and the part has none of its own. */
  readonly silentArticles?:
    | { readonly silent: number; readonly all: number; readonly names: readonly string[] }
    | undefined
  /** False where newer ones replace it as a whole. */
  readonly counts: boolean
}

/** A list of the declarations of a part, with its statements. */
export interface JudgedList extends Omit<ListInEffect, 'record' | 'others' | 'unread'> {
  readonly where: Where
  /** All but those of the block. */
  readonly marked: readonly Statement[]
  /** Every statement; made when it is read, for there may be hundreds. */
  readonly statements: readonly Statement[]
  /** The entries that it states in a way that is understood. */
  readonly entries: readonly ListEntry[]
  /** Answers that are not understood. */
  readonly unread: readonly { readonly text: string; readonly where: Where }[]
}

/** The list with its statements, in the declaration with this number. */
export function judgedList(
  inEffect: ListInEffect,
  origin: number,
  tables: SubstanceTables | undefined,
): JudgedList {
  const { line, identity, plain, plainLines } = inEffect
  const marked = inEffect.others.map((one) => statementOf(inEffect, one, origin, tables))
  let all: readonly Statement[] | undefined
  return {
    ...inEffect,
    where: { origin, line, list: identity },
    unread: inEffect.unread.map((one) => ({
      text: one.text,
      where: { origin, line: one.line, list: identity },
    })),
    marked,
    get entries() {
      return statedEntries(inEffect)
    },
    get statements() {
      all ??= [
        ...plain.map((entry, index) => {
          const one = { entry, line: plainLines[index] ?? line, answer: 'not over', decides: true } as const
          return statementOf(inEffect, one, origin, tables)
        }),
        ...marked,
      ]
      return all
    },
  }
}

function statementOf(
  list: Pick<ListRecord, 'kind' | 'identity' | 'article'>,
  { entry, line, answer, more, decides, by, isPartial = false }: Stated,
  origin: number,
  tables: SubstanceTables | undefined,
): Statement {
  const { about, key, keys, cas } = subjectOf(list.kind, entry, tables)
  // Without a spread: that takes ten times as long.
  return {
    kind: list.kind,
    list: list.identity,
    about,
    key,
    keys,
    cas,
    name: more?.name ?? (entry.name || entry.code),
    code: more?.code ?? entry.code,
    answer,
    quoted: more?.text ?? '',
    percent: more?.percent,
    massMg: more?.massMg,
    concentration: more?.concentration,
    upTo: more?.upTo,
    unreadValue: more?.unreadValue ?? '',
    threshold: entry.threshold,
    application: entry.application ?? '',
    exemptions: more?.exemptions ?? [],
    hasUnknownExemption: more?.hasUnknownExemption ?? false,
    mayBeExempt: more?.mayBeExempt ?? false,
    article: list.article,
    isPartial,
    decides,
    instead: by && { ...by, origin: by.origin ?? origin },
    where: { origin, line, list: list.identity },
  }
}

type Subject = Pick<Statement, 'about' | 'key' | 'keys' | 'cas'>

/** What an entry of a list is about. */
export function subjectOf(kind: ListKind, entry: ListEntry, tables: SubstanceTables = NO_TABLES): Subject {
  return subjects(tables)(kind)(entry)
}

/** Declarations have most entries in common. */
const subjects = remembered((tables: SubstanceTables) =>
  memoized(
    (kind: ListKind) =>
      remembered((entry: ListEntry): Subject => {
        const { groups, entries } = recognize(kind, entry, tables)
        const key = entryKey(entry)
        return {
          about: [...(isReach(kind) ? [] : groups), ...entries.map((id) => `SVHC ${id}`)],
          key,
          keys: kind === 'rohs' && groups.length > 0 ? groups : [key],
          cas: casOfEntry(entry),
        }
      }),
    6,
  ),
)

/** True for a list that is, or says that it is, the Candidate List. */
export function isReach(kind: ListKind): boolean {
  return kind === 'reach' || kind === 'otherReach'
}

/** True where an answer that is understood decides for the part. */
export function isAnswer({ answer, isPartial = false, decides }: Answered): boolean {
  return decides && !isPartial && (answer === 'over' || answer === 'not over')
}

/** True where it decides that nothing is stated of the part. */
export function isOpen({ answer, isPartial = false, decides }: Answered): boolean {
  return decides && (answer === 'no statement' || isPartial)
}

type Answered = Pick<Stated, 'answer' | 'isPartial' | 'decides'>

/** The entries that a list states in a way that is understood. */
export const statedEntries = remembered(({ plain, others }: ListInEffect): readonly ListEntry[] => {
  const more = others.filter(isAnswer)
  return more.length === 0 ? plain : [...plain, ...more.map(({ entry }) => entry)]
})

/** The keys of what lists state in a way that is understood. */
export function keysStated(lists: readonly JudgedList[]): ReadonlySet<string> {
  const all = lists.map(({ kind, statements, entries }) =>
    kind === 'rohs' ? statements.filter(isAnswer).flatMap(({ keys }) => keys) : [...entryKeys(entries)],
  )
  return new Set(all.flat())
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
export function isLaw({ kind }: Pick<Statement, 'kind'>): boolean {
  return kind === 'rohs' || kind === 'reach'
}

/** The name of a list without what tells its versions. */
function familyOf({ list }: Statement): string {
  return list.toUpperCase().replace(/[-_ ]?[\d.]+$/, '')
}
