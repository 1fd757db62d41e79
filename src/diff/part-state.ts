import { isUnaccepted } from '../compliance/declaration.ts'
import { nameKey } from '../compliance/entry-keys.ts'
import { type Finding, indicationText } from '../compliance/finding.ts'
import type { ListKind } from '../compliance/list-identity.ts'
import { svhcCount } from '../compliance/reach.ts'
import { cellOf, valuesOf } from '../report/columns.ts'
import { findingWord, isSilent, verdictChange } from '../report/row-findings.ts'
import type { JudgedRow } from '../report/rows/report-row.ts'
import {
  type ComparedStatements,
  compareStatements,
  NOT_STATED,
  NOTHING_COMPARED,
  substanceChanges,
  valueChanges,
} from './statement-changes.ts'

/** A value before and after. */
export interface Move<T> {
  readonly old: T
  readonly new: T
}

/** What a download states about one part, as far as it is compared. */
export interface PartState {
  readonly row: JudgedRow
  readonly rohs_list: string
  readonly reach_list: string
  readonly exemptions: ReadonlySet<string>
}

/** Identifies a part of a supplier on its line; without a part number or a supplier, by all that is known of it. */
export function stateKey({ key, companyIds, supplier, part, requesterPart, name, line }: JudgedRow): string {
  const own = key ?? [companyIds.join(' ') || supplier, part, requesterPart, oneSpace(name)].join('\n')
  return line === undefined ? own : `${line.product}:${line.line}\n${own}`
}

/** The state by a row. */
export function stateOf(row: JudgedRow): PartState {
  return {
    row,
    rohs_list: String(cellOf(row, 'rohs_list')).toUpperCase(),
    reach_list: String(cellOf(row, 'reach_list')).toUpperCase(),
    exemptions: new Set(valuesOf(row, 'exemptions').map(oneSpace)),
  }
}

/** What changed in a part; only changed fields are present. */
export type PartChanges = ReturnType<typeof changesOf>

/** What changed in a part, statement by statement. */
export function changesOf(then: PartState, now: PartState) {
  const [a, b] = [then.row, now.row]
  const compared = isSameFile(a, b) ? NOTHING_COMPARED : compareStatements(a, b)
  const values = valueChanges(compared)
  const substances = isSameFile(a, b) ? [] : substanceChanges(a, b)
  const [before, after] = [svhcCount(a.judged.reach), svhcCount(b.judged.reach)]
  return {
    ...move('verdict', a.verdict, b.verdict),
    ...some('findings', findingChange(a.findings, b.findings)),
    ...move('date', a.date, b.date),
    ...move('classes', a.classes, b.classes),
    ...move('unit_type', a.unitType, b.unitType),
    ...move('acceptance', a.acceptance, b.acceptance),
    ...some('comments', textChange(commentsOf(a), commentsOf(b))),
    ...some('values', { changed: values }),
    ...some('substances', { changed: substances }),
    ...move('rohs', a.judged.rohs.status, b.judged.rohs.status),
    ...some('exemptions', textChange([...then.exemptions], [...now.exemptions])),
    ...some('rohs_groups', groupChange(a, b)),
    ...some('svhc', svhcChange(a, b, compared)),
    ...move('reach', a.judged.reach.status, b.judged.reach.status),
    ...some('reach_entries', entryChange(a, b, compared)),
    // A changed count is not listed: the substances show it.
    ...((before === undefined) === (after === undefined)
      ? {}
      : move('svhc_count', before ?? null, after ?? null)),
    ...move('rohs_list', then.rohs_list, now.rohs_list),
    ...move('reach_list', then.reach_list, now.reach_list),
    ...some('other_lists', otherListChange(a, b, compared)),
    // The class A statements that are made.
    ...some('answers', textChange(answers(a), answers(b))),
    ...some(
      'contradictions',
      textChange(
        a.judged.contradictions.map(({ text }) => text),
        b.judged.contradictions.map(({ text }) => text),
      ),
    ),
    ...some('indications', indicationChange(a, b)),
    ...move('mass_mg', a.massMg ?? null, b.massMg ?? null),
    ...move('declared_percent', a.declaredPercent ?? null, b.declaredPercent ?? null),
    ...move('has_gaps', a.judged.hasGaps, b.judged.hasGaps),
    ...move('unaccepted', isUnaccepted(a.acceptance), isUnaccepted(b.acceptance)),
  }
}

/** Parts whose declarations say the same, word for word. */
function isSameFile(a: JudgedRow, b: JudgedRow): boolean {
  return (
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

function commentsOf({ declarations }: JudgedRow): readonly string[] {
  return declarations.flatMap(({ comments }) => comments)
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

/** Groups that are stated, or above their thresholds, on one side only, and shares that grew. */
function groupChange({ judged: then }: JudgedRow, { judged: now }: JudgedRow) {
  const [before, after] = [then.rohs.stated, now.rohs.stated]
  const known = new Map(then.rohs.over.map((one) => [one.key, one]))
  return {
    noLongerStated: before.filter((group) => !after.includes(group)),
    newlyStated: after.filter((group) => !before.includes(group)),
    newlyOver: now.rohs.over.filter(({ key }) => !known.has(key)).map(({ name }) => name),
    noLongerOver: [...known.values()]
      .filter(({ key }) => after.includes(key) && !now.rohs.over.some((one) => one.key === key))
      .map(({ name }) => name),
    grown: now.rohs.over.flatMap(({ key, name, percent }) => grown(name, known.get(key)?.percent, percent)),
  }
}

/** `lost` are those that are above 0.1 % no more; of them `noLongerStated` have no statement now. */
function svhcChange({ judged: then }: JudgedRow, { judged: now }: JudgedRow, { lost }: ComparedStatements) {
  const [before, after] = [then.reach.over, now.reach.over]
  const same = (a: (typeof before)[number], b: (typeof before)[number]): boolean =>
    a.key === b.key || nameKey(a.name) === nameKey(b.name) || a.cas.some((one) => b.cas.includes(one))
  const gone = before.filter((one) => !after.some((other) => same(one, other)))
  const isLost = ({ key, name }: (typeof before)[number]): boolean =>
    lost.some((one) => isOfReach(one) && (one.key === key || nameKey(one.name) === nameKey(name)))
  return {
    gained: after.filter((one) => !before.some((other) => same(one, other))).map(({ name }) => name),
    lost: gone.map(({ name }) => name),
    noLongerStated: gone.filter(isLost).map(({ name }) => name),
    grown: after.flatMap((one) =>
      grown(one.name, before.find((other) => same(one, other))?.percent, one.percent),
    ),
  }
}

function isOfReach({ kind }: { readonly kind: ListKind }): boolean {
  return kind === 'reach'
}

/** Entries that have no statement any more, where the list itself is still stated; those above 0.1 % are named as SVHCs. */
function entryChange(_: JudgedRow, { judged: now }: JudgedRow, { lost }: ComparedStatements) {
  const isStated = now.reach.stated.size > 0
  const entries = lost.filter((one) => isOfReach(one) && one.answer === 'not over')
  return { noLongerStated: isStated ? named(entries) : [] }
}

const MOST_KEYS = 20

function named(entries: readonly { readonly name: string; readonly code: string }[]): readonly string[] {
  const more = entries.length - MOST_KEYS
  const names = entries.slice(0, MOST_KEYS).map(({ name, code }) => name || code)
  return [...names, ...(more > 0 ? [`${more} more entries`] : [])]
}

/** Entries of lists that are neither RoHS nor REACH, each after the name of its list; and such lists. */
function otherListChange(
  { judged: then }: JudgedRow,
  { judged: now }: JudgedRow,
  { lost }: ComparedStatements,
) {
  const lists = (side: typeof then) => new Map(side.otherLists.map((one) => [nameKey(one.list), one]))
  const [before, after] = [lists(then), lists(now)]
  const over = (sides: typeof before): readonly string[] =>
    [...sides.values()].flatMap(({ list, over: names }) => names.map((name) => `${list}: ${name}`))
  const stated = (sides: typeof before, other: typeof before): readonly string[] =>
    [...sides].filter(([key]) => !other.has(key)).map(([, { list }]) => list)
  const noLongerStated = stated(before, after)
  const isLeft = (list: string): boolean => before.has(nameKey(list)) && after.has(nameKey(list))
  const ofLists = [...new Set(lost.map(({ list }) => list))].filter(isLeft)
  const unstated = new Set(lost.map(({ list, name }) => `${list}: ${name}`))
  return {
    newlyOver: without(over(after), over(before)),
    noLongerOver: without(over(before), over(after)).filter(
      (text) => !unstated.has(text) && !noLongerStated.some((list) => text.startsWith(`${list}: `)),
    ),
    noLongerStated: [
      ...noLongerStated,
      ...ofLists.flatMap((list) =>
        named(lost.filter((one) => one.list === list)).map((entry) => `${list}: ${entry}`),
      ),
    ],
    newlyStated: stated(after, before),
  }
}

function indicationChange({ judged: then }: JudgedRow, { judged: now }: JudgedRow) {
  const texts = (side: typeof then): readonly string[] => side.indications.map(indicationText)
  return textChange(texts(then), texts(now))
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
  return [...new Set(texts)].filter((text) => !known.has(text))
}

/** A share in percent that is larger than before. */
function grown(name: string, old: number | undefined, now: number | undefined) {
  return old !== undefined && now !== undefined && now > old ? [{ name, old, new: now }] : []
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
