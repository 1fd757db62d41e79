import { nameKey } from '../compliance/entry-keys.ts'
import { statementsAlike } from '../compliance/statements.ts'
import type { StatedContents } from '../report/rows/part-declaration.ts'
import { type JudgedRow, type PlacedStatement, statementsOf } from '../report/rows/report-row.ts'

/** A value of one statement, before and after. */
interface ValueChange {
  /** `REACH EUREACH-0624 Lead: amount`. */
  readonly what: string
  readonly old: string
  readonly new: string
  /** The number grew. */
  readonly grown: boolean
}

/** Stands for a value or a substance that only the old side states. */
export const NOT_STATED = 'no longer stated'
const NOT_STATED_BEFORE = 'not stated'
/** Most changes of one part that are kept; the rest are counted in a last one. */
const MOST = 200

type Field = readonly [
  name: string,
  textOf: (one: PlacedStatement) => string,
  numberOf?: (one: PlacedStatement) => number | undefined,
]

/** Every value of a statement, in the order in which a change is named. */
const FIELDS: readonly Field[] = [
  ['answer', ({ answer, quoted }) => (quoted === '' ? answer : `${answer} ("${quoted}")`)],
  ['share', ({ percent }) => withUnit(percent, '%'), ({ percent }) => percent],
  ['amount', ({ massMg }) => withUnit(massMg, 'mg'), ({ massMg }) => massMg],
  [
    'concentration',
    ({ concentration }) => withUnit(concentration, '%'),
    ({ concentration }) => concentration,
  ],
  ['threshold', ({ threshold }) => threshold],
  [
    'exemptions',
    ({ exemptions }) =>
      exemptions
        .map(({ identity, list }) => [identity, list].filter(Boolean).join(' '))
        .sort()
        .join(', '),
  ],
]

/** The statements of both sides: those about the same entry, and those that only the old side makes. */
export interface ComparedStatements {
  readonly pairs: readonly (readonly [old: PlacedStatement, now: PlacedStatement])[]
  /** Entries with an answer that is understood, and none now. */
  readonly lost: readonly PlacedStatement[]
}

export const NOTHING_COMPARED: ComparedStatements = { pairs: [], lost: [] }

export function compareStatements(then: JudgedRow, now: JudgedRow): ComparedStatements {
  const before = decidingStatements(then)
  const alike = statementsAlike(before)
  const left = new Set(before)
  const pairs: [PlacedStatement, PlacedStatement][] = []
  for (const after of decidingStatements(now)) {
    const old = alike(after).find((one) => left.has(one))
    if (old === undefined) continue
    left.delete(old)
    pairs.push([old, after])
  }
  const silent = pairs.filter(([old, after]) => isAnswered(old) && !isAnswered(after)).map(([old]) => old)
  return { pairs, lost: [...[...left].filter(isAnswered), ...silent] }
}

function isAnswered({ answer }: PlacedStatement): boolean {
  return answer === 'over' || answer === 'not over'
}

/** What differs in statements that both sides make, value by value; answers that change to or from "over" are told apart elsewhere. */
export function valueChanges({ pairs }: ComparedStatements): readonly ValueChange[] {
  return shortened(pairs.flatMap(([old, now]) => FIELDS.flatMap((field) => fieldChange(field, old, now))))
}

function decidingStatements(row: JudgedRow): PlacedStatement[] {
  return statementsOf(row).filter(({ decides }) => decides)
}

function fieldChange(
  [name, textOf, numberOf]: Field,
  old: PlacedStatement,
  now: PlacedStatement,
): readonly ValueChange[] {
  const [before, after] = [textOf(old), textOf(now)]
  if (before === after) return []
  // What is over, and no more, is told apart elsewhere; its amount has gone with it.
  const isOther = old.answer !== now.answer && (old.answer === 'over' || now.answer === 'over')
  if (isOther && (name === 'answer' || before === '' || after === '')) return []
  const [a, b] = [numberOf?.(old), numberOf?.(now)]
  return [
    {
      what: `${now.list} ${now.name || now.code}${now.article === '' ? '' : ` in ${now.article}`}: ${name}`,
      old: before || NOT_STATED_BEFORE,
      new: after || NOT_STATED,
      grown: a !== undefined && b !== undefined && b > a,
    },
  ]
}

function withUnit(value: number | undefined, unit: string): string {
  return value === undefined ? '' : `${value} ${unit}`
}

function shortened(changes: readonly ValueChange[]): readonly ValueChange[] {
  const left = changes.length - MOST
  if (left <= 0) return changes
  const more = {
    what: `${left} more values`,
    old: '',
    new: '',
    grown: changes.slice(MOST).some(({ grown }) => grown),
  }
  return [...changes.slice(0, MOST), more]
}

/** What differs in class D: each substance by its material, name and CAS number. */
export function substanceChanges(then: JudgedRow, now: JudgedRow): readonly ValueChange[] {
  const [a, b] = [contentsOf(then), contentsOf(now)]
  if (a?.digest === b?.digest) return []
  const [before, after] = [bySubstance(a), bySubstance(b)]
  const changes: ValueChange[] = []
  const add = (what: string, old: string, next: string, grown = false): void => {
    if (old !== next) changes.push({ what: `class D ${what}`, old, new: next, grown })
  }
  for (const [key, one] of before) {
    const next = after.get(key)
    if (next === undefined) add(nameOf(one), amountOf(one), NOT_STATED)
    else add(nameOf(one), amountOf(one), amountOf(next), isMore(one, next))
  }
  for (const [key, one] of after)
    if (!before.has(key)) add(nameOf(one), NOT_STATED_BEFORE, amountOf(one), true)
  const [hidden, hiddenNow] = [a?.confidential ?? 0, b?.confidential ?? 0]
  add('substances that are confidential', String(hidden), String(hiddenNow), hiddenNow > hidden)
  add('number of substances', String(a?.count ?? 0), String(b?.count ?? 0))
  if (changes.length === 0) add('amounts', 'as before', 'others', true)
  return shortened(changes)
}

type Contained = StatedContents['substances'][number]

/** The class D that counts: that of the newest declaration with one. */
function contentsOf({ declarations }: JudgedRow): StatedContents | undefined {
  return declarations.find(({ contents }) => contents !== undefined)?.contents
}

function bySubstance(contents: StatedContents | undefined): ReadonlyMap<string, Contained> {
  const found = new Map<string, Contained>()
  for (const one of contents?.substances ?? []) {
    let key = [one.material, one.cas || nameKey(one.name)].join('\n')
    while (found.has(key)) key += '\nand'
    found.set(key, one)
  }
  return found
}

function nameOf({ name, cas, material }: Contained): string {
  const own = name === '' ? cas || 'a substance without a name' : cas === '' ? name : `${name} (${cas})`
  return `${own} in ${material || 'the part'}`
}

function amountOf({ massMg, percent }: Contained): string {
  return (
    [withUnit(massMg, 'mg'), withUnit(percent, '%')].filter((text) => text !== '').join(', ') || 'no amount'
  )
}

function isMore(a: Contained, b: Contained): boolean {
  return (b.massMg ?? 0) > (a.massMg ?? 0) || (b.percent ?? 0) > (a.percent ?? 0)
}
