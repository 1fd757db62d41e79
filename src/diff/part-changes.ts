import { isUnaccepted } from '../compliance/declaration.ts'
import { nameKey } from '../compliance/entry-keys.ts'
import { type Finding, indicationText } from '../compliance/finding.ts'
import { svhcCount } from '../compliance/reach.ts'
import { label, unique } from '../compliance/rohs.ts'
import { ROHS_GROUPS } from '../compliance/rohs-groups.ts'
import { isAnswer, isLaw, type Statement, statementsAlike } from '../compliance/statements.ts'
import { cellOf, valuesOf } from '../report/columns.ts'
import { findingWord, isSilent, verdictChange } from '../report/row-findings.ts'
import type { StatedContents } from '../report/rows/part-declaration.ts'
import type { JudgedRow } from '../report/rows/report-row.ts'

/** A value before and after. */
export interface Move<T> {
  readonly old: T
  readonly new: T
}

/** Identifies a part of a supplier on its line; without a part number or a supplier, by all that is known of it. */
export function stateKey({ key, companyIds, supplier, part, requesterPart, name, line }: JudgedRow): string {
  const own = key ?? [companyIds.join(' ') || supplier, part, requesterPart, oneSpace(name)].join('\n')
  return line === undefined ? own : `${line.product}:${line.line}\n${own}`
}

/** What changed in a part; only changed fields are present. */
export type PartChanges = ReturnType<typeof changesOf>

/** What changed in a part, statement by statement. */
export function changesOf(a: JudgedRow, b: JudgedRow) {
  const pairs = isSameFile(a, b) ? [] : comparedStatements(a, b)
  const subjects = subjectsOf(pairs)
  const [before, after] = [svhcCount(a.judged.reach), svhcCount(b.judged.reach)]
  const texts = (of: (row: JudgedRow) => readonly string[]) => textChange(of(a), of(b))
  const lists = (row: JudgedRow, column: string): string => String(cellOf(row, column)).toUpperCase()
  return {
    ...move('verdict', a.verdict, b.verdict),
    ...some('findings', findingChange(a.findings, b.findings)),
    ...move('date', a.date, b.date),
    ...move('classes', a.classes, b.classes),
    ...move('unit_type', a.unitType, b.unitType),
    ...move('acceptance', a.acceptance, b.acceptance),
    ...some(
      'comments',
      texts(({ declarations }) => declarations.flatMap(({ comments }) => comments)),
    ),
    ...some('values', { changed: valueChanges(pairs) }),
    ...some('substances', { changed: isSameFile(a, b) ? [] : substanceChanges(a, b) }),
    ...move('rohs', a.judged.rohs.status, b.judged.rohs.status),
    ...some(
      'exemptions',
      texts((row) => valuesOf(row, 'exemptions').map(oneSpace)),
    ),
    ...some('rohs_groups', groupChange(subjects)),
    ...some('svhc', svhcChange(subjects)),
    ...move('reach', a.judged.reach.status, b.judged.reach.status),
    ...some('reach_entries', entryChange(subjects)),
    // A changed count is not listed: the substances show it.
    ...((before === undefined) === (after === undefined)
      ? {}
      : move('svhc_count', before ?? null, after ?? null)),
    ...move('rohs_list', lists(a, 'rohs_list'), lists(b, 'rohs_list')),
    ...move('reach_list', lists(a, 'reach_list'), lists(b, 'reach_list')),
    ...some('other_lists', otherListChange(a, b, subjects)),
    // The class A statements that are made.
    ...some('answers', texts(answers)),
    ...some(
      'contradictions',
      texts(({ judged }) => judged.contradictions.map(({ text }) => text)),
    ),
    ...some(
      'indications',
      texts(({ judged }) => judged.indications.map(indicationText)),
    ),
    ...move('mass_mg', a.massMg ?? null, b.massMg ?? null),
    ...move('declared_percent', a.declaredPercent ?? null, b.declaredPercent ?? null),
    ...move('has_gaps', a.judged.hasGaps, b.judged.hasGaps),
    ...move('unaccepted', isUnaccepted(a.acceptance), isUnaccepted(b.acceptance)),
  }
}

/** Parts whose declarations say the same, word for word. */
function isSameFile(a: JudgedRow, b: JudgedRow): boolean {
  return (
    a.declarations.length > 0 &&
    a.declarations.length === b.declarations.length &&
    a.declarations.every(({ digest }, index) => digest === b.declarations[index]!.digest)
  )
}

/** Findings of the same rule about the same thing, by any of its names, are the same. */
function findingChange(then: readonly Finding[], now: readonly Finding[]) {
  const namesOf = ({ subject, names }: Finding): readonly string[] => [subject, ...names].map(nameKey)
  const isIn = (all: readonly Finding[], one: Finding): boolean => {
    const names = namesOf(one)
    return all.some(
      (other) =>
        findingWord(other) === findingWord(one) && namesOf(other).some((name) => names.includes(name)),
    )
  }
  const missingIn = (some: readonly Finding[], all: readonly Finding[]): readonly string[] => [
    ...new Set(some.filter((one) => !isIn(all, one)).map(findingName)),
  ]
  return { added: missingIn(now, then), removed: missingIn(then, now) }
}

/** A finding as it is named: its rule and what it is about. */
function findingName(finding: Finding): string {
  const word = findingWord(finding)
  return finding.subject === '' || word !== finding.rule ? word : `${word}: ${finding.subject}`
}

/** Whether what changed is worse in any respect, else better in any, else neither. What is no longer stated is not better. */
export function directionOf(changes: PartChanges): 'worse' | 'better' | 'changed' {
  const { verdict, findings, svhc, rohs_groups, values, substances } = changes
  const step = verdict === undefined ? 0 : verdictChange(verdict.old, verdict.new)
  const isGrown = [svhc?.grown, rohs_groups?.grown].some((list = []) => list.length > 0)
  const isMore = [values?.changed, substances?.changed].some((list = []) => list.some(({ grown }) => grown))
  if (step < 0 || (findings?.added.length ?? 0) > 0 || isGrown || isMore) return 'worse'
  const isLess = step > 0 || (findings?.removed.length ?? 0) > 0
  return isLess && !statesLess(changes) ? 'better' : 'changed'
}

/** True where something that was stated is no longer stated, whatever it was. */
export function statesLess(changes: PartChanges): boolean {
  const { rohs_groups, reach, reach_entries, svhc, other_lists, answers, substances } = changes
  const less = [rohs_groups, reach_entries, svhc, other_lists].map((change) => change?.noLongerStated)
  return (
    [...less, answers?.removed].some((list = []) => list.length > 0) ||
    (reach !== undefined && isSilent(reach.new)) ||
    (substances?.changed ?? []).some((one) => one.new === NOT_STATED)
  )
}

function answers({ judged }: JudgedRow): readonly string[] {
  return judged.answers.flatMap(({ list, made }) =>
    made.map((statement) => (list === '' ? statement : `${list}: ${statement}`)),
  )
}

function textChange(then: readonly string[], now: readonly string[]) {
  return { added: without(now, then), removed: without(then, now) }
}

function without(texts: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return unique(texts).filter((text) => !known.has(text))
}

/** A statement that decides, before and now; only one of them where the other side has none about the same entry. */
type StatementPair = readonly [old: Statement | undefined, now: Statement | undefined]

/** The one comparison: every statement that decides on a side is in one pair, those of now first. */
function comparedStatements(then: JudgedRow, now: JudgedRow): readonly StatementPair[] {
  const deciding = ({ judged }: JudgedRow): readonly Statement[] =>
    judged.statements.filter(({ decides }) => decides)
  const left = new Set(deciding(then))
  const alike = statementsAlike([...left])
  const pairs = deciding(now).map((one): StatementPair => {
    // Where several files state it, what is left over must be what nobody states again.
    const open = alike(one).filter((old) => left.has(old))
    const old = open.find(({ answer }) => answer === one.answer) ?? open[0]
    if (old !== undefined) left.delete(old)
    return [old, one]
  })
  return [...pairs, ...[...left].map((old): StatementPair => [old, undefined])]
}

/** What statements are about: a group of RoHS or an SVHC, wherever in the part, or an entry of another list in one sub-product. */
interface Subject {
  readonly kind: Statement['kind']
  /** One of the ten; undefined for another entry. */
  readonly group: string | undefined
  readonly old: Statement[]
  readonly now: Statement[]
  /** What had an answer that is understood, and has none now. */
  readonly lost: Statement[]
}

function subjectsOf(pairs: readonly StatementPair[]): readonly Subject[] {
  const found = new Map<string, Subject>()
  for (const [old, now] of pairs) {
    const { kind, list, about, key, article } = (old ?? now)!
    const groups = kind === 'rohs' ? ROHS_GROUPS.filter((group) => about.includes(group)) : []
    const scope = isLaw((old ?? now)!) ? kind : `${nameKey(list)}\n${article}`
    // An entry of RoHS may be about several groups.
    for (const group of groups.length > 0 ? groups : [undefined]) {
      const id = `${scope}\n${group ?? (about.join() || key)}`
      const subject = found.get(id) ?? { kind, group, old: [], now: [], lost: [] }
      found.set(id, subject)
      if (old !== undefined) subject.old.push(old)
      if (now !== undefined) subject.now.push(now)
      if (old !== undefined && isAnswer(old) && (now === undefined || !isAnswer(now))) subject.lost.push(old)
    }
  }
  return [...found.values()]
}

/** The group, else the entry as it is named where it is over; of another list after its name. */
function nameOf({ group, old, now }: Subject): string {
  const one = (now.find(isOver) ?? old.find(isOver) ?? now[0] ?? old[0])!
  return group ?? (isLaw(one) ? one.name : `${one.list}: ${label(one)}`)
}

function isOver({ answer }: Statement): boolean {
  return answer === 'over'
}

type Becoming = 'newlyOver' | 'notOver' | 'noLongerOver' | 'newlyStated' | 'noLongerStated'

/** What becomes of a subject. One that is not over any more is so by what is stated now, never because a statement is missing. */
const BECOMES: Readonly<Record<Becoming, (one: Subject) => boolean>> = {
  newlyOver: ({ old, now }) => !old.some(isOver) && now.some(isOver),
  notOver: ({ old, now }) => old.some(isOver) && !now.some(isOver),
  noLongerOver: (one) => BECOMES.notOver(one) && !BECOMES.noLongerStated(one),
  newlyStated: ({ old, now }) => !old.some(isAnswer) && now.some(isAnswer),
  noLongerStated: (one) =>
    BECOMES.notOver(one) ? one.lost.some(isOver) : one.old.some(isAnswer) && !one.now.some(isAnswer),
}

function namesOf(
  subjects: readonly Subject[],
  becomes: Becoming,
  isMeant: (one: Subject) => boolean = () => true,
): readonly string[] {
  return subjects.filter((one) => BECOMES[becomes](one) && isMeant(one)).map(nameOf)
}

/** Shares of what is over on both sides that are larger than before. */
function grown(subjects: readonly Subject[], share: 'percent' | 'concentration') {
  const largest = (all: readonly Statement[]): number =>
    all.filter(isOver).reduce((most, one) => Math.max(most, one[share] ?? 0), 0)
  return subjects.flatMap((one) => {
    const [old, now] = [largest(one.old), largest(one.now)]
    return old > 0 && now > old ? [{ name: nameOf(one), old, new: now }] : []
  })
}

/** Groups that are stated, or above their thresholds, on one side only, and shares that grew. */
function groupChange(all: readonly Subject[]) {
  const groups = all.filter(({ kind }) => kind === 'rohs')
  return {
    noLongerStated: namesOf(groups, 'noLongerStated'),
    newlyStated: namesOf(groups, 'newlyStated'),
    newlyOver: namesOf(groups, 'newlyOver'),
    noLongerOver: namesOf(groups, 'noLongerOver'),
    grown: grown(groups, 'concentration'),
  }
}

/** `lost` are those that are above 0.1 % no more; of them `noLongerStated` have no statement now. */
function svhcChange(all: readonly Subject[]) {
  const entries = all.filter(({ kind }) => kind === 'reach')
  return {
    gained: namesOf(entries, 'newlyOver'),
    lost: namesOf(entries, 'notOver'),
    noLongerStated: namesOf(entries, 'noLongerStated', BECOMES.notOver),
    grown: grown(entries, 'percent'),
  }
}

/** Entries that have no statement any more, where the list itself is still stated; those above 0.1 % are named as SVHCs. */
function entryChange(all: readonly Subject[]) {
  const entries = all.filter(({ kind }) => kind === 'reach')
  const isListStated = entries.some(({ now }) => now.some(isAnswer))
  const unstated = entries.flatMap(({ lost }) => lost).filter(({ answer }) => answer === 'not over')
  return { noLongerStated: isListStated ? shortList(unique(unstated.map(label))) : [] }
}

const MOST_KEYS = 20

function shortList(names: readonly string[]): readonly string[] {
  const more = names.length - MOST_KEYS
  return [...names.slice(0, MOST_KEYS), ...(more > 0 ? [`${more} more entries`] : [])]
}

/** Entries of lists that are neither RoHS nor REACH, each after the name of its list; and such lists. */
function otherListChange(then: JudgedRow, now: JudgedRow, all: readonly Subject[]) {
  const lists = ({ judged }: JudgedRow) => new Map(judged.otherLists.map(({ list }) => [nameKey(list), list]))
  const [before, after] = [lists(then), lists(now)]
  const onlyIn = (some: typeof before, others: typeof before): readonly string[] =>
    [...some].filter(([key]) => !others.has(key)).map(([, list]) => list)
  const entries = all.filter((one) => !isLaw(one))
  const isListLeft = ({ old }: Subject): boolean => after.has(nameKey(old[0]!.list))
  return {
    newlyOver: namesOf(entries, 'newlyOver'),
    noLongerOver: namesOf(entries, 'noLongerOver'),
    noLongerStated: [...onlyIn(before, after), ...shortList(namesOf(entries, 'noLongerStated', isListLeft))],
    newlyStated: onlyIn(after, before),
  }
}

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
const NOT_STATED = 'no longer stated'
const NOT_STATED_BEFORE = 'not stated'
/** Most changes of one part that are kept; the rest are counted in a last one. */
const MOST = 200

type Field = readonly [
  name: string,
  textOf: (one: Statement) => string,
  numberOf?: (one: Statement) => number | undefined,
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

/** What differs in statements that both sides make, value by value; answers that change to or from "over" are told apart elsewhere. */
function valueChanges(pairs: readonly StatementPair[]): readonly ValueChange[] {
  return shortened(
    pairs.flatMap(([old, now]) =>
      old === undefined || now === undefined ? [] : FIELDS.flatMap((field) => fieldChange(field, old, now)),
    ),
  )
}

function fieldChange(
  [name, textOf, numberOf]: Field,
  old: Statement,
  now: Statement,
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
function substanceChanges(then: JudgedRow, now: JudgedRow): readonly ValueChange[] {
  const [a, b] = [contentsOf(then), contentsOf(now)]
  if (a?.digest === b?.digest) return []
  const [before, after] = [bySubstance(a), bySubstance(b)]
  const changes: ValueChange[] = []
  const add = (what: string, old: string, next: string, grown = false): void => {
    if (old !== next) changes.push({ what: `class D ${what}`, old, new: next, grown })
  }
  for (const [key, one] of before) {
    const next = after.get(key)
    if (next === undefined) add(substanceName(one), amountOf(one), NOT_STATED)
    else add(substanceName(one), amountOf(one), amountOf(next), isMore(one, next))
  }
  for (const [key, one] of after)
    if (!before.has(key)) add(substanceName(one), NOT_STATED_BEFORE, amountOf(one), true)
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

function substanceName({ name, cas, material }: Contained): string {
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

/** A change with at least one member. */
function some<K extends string, T extends Readonly<Record<string, readonly unknown[]>>>(
  name: K,
  change: T,
): { readonly [key in K]?: T } {
  const isEmpty = Object.values(change).every((list) => list.length === 0)
  return isEmpty ? {} : ({ [name]: change } as { [key in K]?: T })
}

function move<K extends string, T>(name: K, old: T, now: T): { readonly [key in K]?: Move<T> } {
  return old === now ? {} : ({ [name]: { old, new: now } } as { [key in K]?: Move<T> })
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
