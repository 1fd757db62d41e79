import { calendarDate } from '../base/units.ts'
import { listsInEffect, states } from './currency.ts'
import { casOfEntry, type Entry, entryKey } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord, StatedExemption } from './part-record.ts'

/** What a file states about one entry of a list, with every value: the form in which declarations are shown and compared. */
export interface Statement {
  readonly list: string
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
  /** Counted from the line of the product. */
  readonly line: number
}

/** The statements of a record, of which newer ones state some again. */
export function statementsOfRecord(
  record: PartRecord,
  newer: readonly PartRecord[],
  nowMs: number,
): readonly Statement[] {
  const month = calendarDate(nowMs).slice(0, 7)
  const inEffect = listsInEffect(record, month)
  const others = newer.flatMap((one) => listsInEffect(one, month))
  return record.lists.flatMap((list) => {
    const left = inEffect.filter(
      ({ key, identity, articleNumber }) =>
        key === list.key && identity === list.identity && articleNumber === list.articleNumber,
    )
    const decides = (entry: Entry): boolean =>
      left.some((one) => hasEntryOf(one, entry)) &&
      !others.some((one) => one.key === list.key && states(one, entry, list.identity))
    return [
      ...list.plain.map((entry, index) => ({
        ...statement(list, entry, 'not over', list.plainLines[index] ?? list.line),
        decides: decides(entry),
      })),
      ...list.silent.map(({ entry, line }) => ({
        ...statement(list, entry, 'no statement', line),
        decides: decides(entry),
      })),
      ...list.marked.map((one) => ({ ...markedStatement(list, one), decides: decides(one.entry) })),
    ]
  })
}

function hasEntryOf({ plain, silent, marked }: ListRecord, entry: Entry): boolean {
  return (
    plain.includes(entry) ||
    silent.some((one) => one.entry === entry) ||
    marked.some((one) => one.entry === entry)
  )
}

function statement(
  list: ListRecord,
  entry: Entry,
  answer: Statement['answer'],
  line: number,
): Omit<Statement, 'decides'> {
  return {
    list: list.identity,
    key: entryKey(entry),
    name: entry.name || entry.code,
    code: entry.code,
    cas: casOfEntry(entry),
    answer,
    quoted: '',
    percent: undefined,
    massMg: undefined,
    concentration: undefined,
    threshold: entry.threshold,
    exemptions: [],
    article: list.article,
    line,
  }
}

function markedStatement(list: ListRecord, one: EntryRecord): Omit<Statement, 'decides'> {
  const { state, text, percent, massMg, concentration, exemptions } = one
  const answer = state === 'unclear' ? 'not understood' : state
  return {
    ...statement(list, one.entry, answer, one.line),
    quoted: text,
    percent,
    massMg,
    concentration,
    exemptions,
  }
}
