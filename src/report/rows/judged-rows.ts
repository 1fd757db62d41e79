import { plural } from '../../base/units.ts'
import { replaces } from '../../compliance/currency.ts'
import type { ExemptionLookup } from '../../compliance/exemption-dates.ts'
import type { Indication } from '../../compliance/indications.ts'
import { type AnswerText, judge, type PartEvidence, type PartJudgement } from '../../compliance/judge.ts'
import { otherListText } from '../../compliance/other-lists.ts'
import { readRecord, type StatedExemption } from '../../compliance/part-record.ts'
import { tidy } from '../../compliance/quantity.ts'
import type { SvhcOver } from '../../compliance/reach.ts'
import { readMoment } from '../../compliance/response-date.ts'
import { momentOf, standingOf } from './current-declarations.ts'
import type { PartDeclaration } from './part-declaration.ts'
import { partKey } from './part-key.ts'
import { type JudgedRow, joinValues, missingRow } from './report-row.ts'

/** What a judgement depends on beside the declarations. */
export interface JudgeContext {
  readonly nowMs: number
  /** What is known about exemptions, their substances included. */
  readonly lookup: ExemptionLookup | undefined
}

const LISTED_VALUES = 500
const LISTED_NOTES = 30

/** The row of a part, from all the declarations that count for it, in any order. */
export function judgedRow(
  declarations: readonly PartDeclaration[],
  { nowMs, lookup }: JudgeContext,
): JudgedRow {
  const all = newestFirst(declarations, nowMs)
  const evidence = all.map(
    (one): PartEvidence => ({
      ...standingOf(one, nowMs),
      record: readRecord(one.record),
      composition: one.composition,
      massMg: one.massMg,
    }),
  )
  const judged = judge(evidence, lookup)
  const [newest] = all as [PartDeclaration]
  const first = <T>(value: (one: PartDeclaration) => T | undefined | ''): T | undefined =>
    all.map(value).find((text) => text !== undefined && text !== '') as T | undefined
  const { rohs, reach } = judged
  const hasCount = reach.status === 'SVHC' || reach.status === 'no SVHC'
  return {
    ...missingRow(newest.part, ''),
    requester_part: first(({ requesterPart }) => requesterPart) ?? '',
    name: first(({ name }) => name) ?? '',
    supplier: newest.supplier,
    company_id: joinValues([...new Set(all.flatMap(({ companyIds }) => companyIds))]),
    date: oldestDay(all),
    standard: newest.standard,
    classes: [...new Set(all.flatMap(({ classes }) => [...classes]))].sort().join(''),
    rohs: rohs.status,
    exemptions: cells([...new Set(rohs.exemptions.map(exemptionText))]),
    rohs_list: joinValues(rohs.lists),
    svhc_count: hasCount ? reach.over.length : null,
    svhc: cells(reach.over.map(svhcText)),
    reach_list: joinValues(reach.lists),
    mass_mg: first(({ massMg }) => massMg) ?? null,
    declared_percent: composed(all, evidence)?.declaredPercent ?? null,
    status: 'declared',
    note: noteText(all, evidence, judged, nowMs),
    source: joinValues(all.map(({ source }) => source)),
    unit_type: first(({ unitType }) => unitType) ?? '',
    reach: reach.status,
    other_lists: cells(judged.otherLists.map(otherListText)),
    indications: cells(judged.indications.map(indicationText)),
    has_gaps: judged.hasGaps,
    svhc_stated: reach.stated.size,
    unaccepted: all.some(({ isUnaccepted }) => isUnaccepted === true),
    undated: all.some((one) => momentOf(one, nowMs) === undefined),
    svhc_names: reach.over.map(({ name, code }) => name || code).slice(0, LISTED_VALUES),
    svhc_keys: reach.over.map(({ code, name }) => code || name).slice(0, LISTED_VALUES),
    exemption_ids: exemptionIds(rohs.exemptions),
    part_key: partKey(newest),
    judged,
  }
}

/** The row of a declaration that newer ones replace, in whole or in part. */
export function supersededRow(declaration: PartDeclaration, by: string, context: JudgeContext): JudgedRow {
  const row = judgedRow([declaration], context)
  return withNotes({ ...row, status: 'superseded' }, [by])
}

/** The row with more notes before its own. */
export function withNotes(row: JudgedRow, notes: readonly string[]): JudgedRow {
  return { ...row, note: joinNotes([...notes, row.note]) }
}

/** What of a declaration newer ones replace although it counts for the rest; empty for nothing. */
export function replacedPart(
  declaration: PartDeclaration,
  declarations: readonly PartDeclaration[],
  nowMs: number,
): string {
  const own = standingOf(declaration, nowMs)
  const record = readRecord(declaration.record)
  const parts = declarations.flatMap((other) => {
    if (other === declaration || !replaces(standingOf(other, nowMs), own)) return []
    const newer = readRecord(other.record)
    const stated = new Set(newer.lists.filter((list) => list.stated !== '').map(({ key }) => key))
    const lists = record.lists.filter(({ key }) => stated.has(key)).map(({ identity }) => identity)
    const answers = newer.answers.length > 0 && record.answers.length > 0
    const what = [
      ...new Set(lists),
      ...(answers ? ['class A'] : []),
      ...(other.composition !== undefined && declaration.composition !== undefined ? ['class D'] : []),
    ]
    return what.length === 0 ? [] : [`${what.join(', ')} by the declaration of ${dayOf(other)}`]
  })
  return parts.length === 0 ? '' : `superseded in ${declaration.source}: ${parts.join(', ')}`
}

function newestFirst(declarations: readonly PartDeclaration[], nowMs: number): readonly PartDeclaration[] {
  const rank = (one: PartDeclaration): number => momentOf(one, nowMs)?.fromMs ?? Number.NEGATIVE_INFINITY
  return [...declarations].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)]
    return first === second ? 0 : second - first
  })
}

/** The composition that counts is that of the newest declaration with one. */
function composed(
  all: readonly PartDeclaration[],
  evidence: readonly PartEvidence[],
): PartDeclaration | undefined {
  const index = evidence.findIndex(({ composition }) => composition !== undefined)
  return index === -1 ? undefined : all[index]
}

function oldestDay(all: readonly PartDeclaration[]): string {
  const days = all.map((one) => readMoment(one.dateText)?.day ?? '').filter((day) => day !== '')
  return days.reduce((a, b) => (b < a ? b : a), days[0] ?? '')
}

function dayOf({ dateText }: PartDeclaration): string {
  return readMoment(dateText)?.day ?? 'an unknown date'
}

function noteText(
  all: readonly PartDeclaration[],
  evidence: readonly PartEvidence[],
  judged: PartJudgement,
  nowMs: number,
): string {
  const [{ part, requesterPart }] = all as [PartDeclaration]
  const notes = [
    ...judged.contradictions.map((text) => `contradictory: ${text}`),
    ...(part !== '' ? [] : [requesterPart === '' ? 'no part number' : "only the buyer's part number"]),
    ...all.flatMap((one) => dateNote(one, nowMs)),
    ...originNotes(all, evidence, judged),
    ...judged.rohs.notes,
    ...judged.reach.notes,
    ...judged.otherLists.flatMap(({ list, gaps }) =>
      gaps.length > 0 ? [`${list}: ${gaps.join(', ')}`] : [],
    ),
    ...judged.answers.map(answerNote),
    ...(judged.notScreened > 0
      ? [`${plural(judged.notScreened, 'substance')} without a CAS number or share: not screened`]
      : []),
    ...all.flatMap(({ notes, headNotes }, index) => [
      ...evidence[index]!.record.remarks,
      ...notes,
      ...headNotes,
    ]),
  ]
  return joinNotes(notes)
}

/** Notes on one line; more than some are counted. */
function joinNotes(notes: readonly string[]): string {
  const once = [...new Set(notes.filter((note) => note !== ''))]
  const more = once.length - LISTED_NOTES
  return [...once.slice(0, LISTED_NOTES), ...(more > 0 ? [`${plural(more, 'more remark')}`] : [])].join('; ')
}

function dateNote(one: PartDeclaration, nowMs: number): readonly string[] {
  const { dateText } = one
  if (dateText === '' || momentOf(one, nowMs) !== undefined) return []
  const why = readMoment(dateText) === undefined ? 'is not a date' : 'is in the future'
  return [`response date "${dateText}" ${why}`]
}

/** Which statement comes from which file, and where their age cannot be compared. */
function originNotes(
  all: readonly PartDeclaration[],
  evidence: readonly PartEvidence[],
  { origins }: PartJudgement,
): readonly string[] {
  if (all.length === 1) return []
  const from = all.flatMap((one, index) => {
    const own = origins[index]!
    return own.length === 0 ? [] : [`${own.join(', ')} from ${one.source} (${dayOf(one)})`]
  })
  const open = evidence.flatMap((one, index) =>
    evidence
      .slice(index + 1)
      .filter((other) => !replaces(one, other) && !replaces(other, one) && shareStatements(one, other))
      .map((other) => incomparable(one, other, all[index]!)),
  )
  return [...from, ...new Set(open)]
}

function incomparable(one: PartEvidence, other: PartEvidence, { dateText }: PartDeclaration): string {
  if (one.moment !== undefined && other.moment !== undefined) {
    const isUnaccepted = !one.isAccepted || !other.isAccepted
    const why = isUnaccepted
      ? 'a declaration that is not accepted replaces no accepted one'
      : `declarations of the same moment (${dateText})`
    return `${why}: both count, the worse decides`
  }
  return 'declarations whose dates cannot be compared: both count, the worse decides'
}

function shareStatements(
  { record: a, ...one }: PartEvidence,
  { record: b, ...other }: PartEvidence,
): boolean {
  const keys = new Set(a.lists.map(({ key }) => key))
  return (
    b.lists.some(({ key }) => keys.has(key)) ||
    (a.answers.length > 0 && b.answers.length > 0) ||
    (one.composition !== undefined && other.composition !== undefined)
  )
}

function answerNote({ list, count, made, open }: AnswerText): string {
  const name = list === '' ? 'class A' : `class A, ${list}`
  const parts = [
    made.length > 0 ? `states ${made.join(', ')}` : '',
    open.length > 0 ? `no answer understood for ${open.join(', ')}` : '',
  ].filter((part) => part !== '')
  if (parts.length > 0) return `${name}: ${parts.join(', ')}`
  return `${name}: ${count === 0 ? 'without a statement' : `none of ${count} statements is true`}`
}

/** `6(c) (EL2011/534/EU, Lead/lead compounds)`: an exemption with its list and what it is stated for. */
function exemptionText({ identity, list, subject }: StatedExemption): string {
  const details = [list, subject].filter((part) => part !== '').join(', ')
  return details === '' ? identity : `${identity} (${details})`
}

/** `Lead (00167, 0.25 %)`: name, code, and the worst case in its unit. */
function svhcText({ name, code, percent, massMg }: SvhcOver): string {
  const amount = percent !== undefined ? `${tidy(percent)} %` : massMg !== undefined ? `${massMg} mg` : ''
  const details = [code, amount].filter((part) => part !== '')
  if (name === '' || name === code) return [code, ...(amount === '' ? [] : [`(${amount})`])].join(' ')
  return details.length > 0 ? `${name} (${details.join(', ')})` : name
}

/** `Lead oxide (1317-36-8): Lead 3.2 % of Solder`. */
export function indicationText({ about, group, substance, cas, percent, where }: Indication): string {
  const share = `${Number(percent.toPrecision(4))} %`
  const place = where === '' ? 'the part' : where
  const what = about === 'rohs' ? `RoHS ${group} ${share}` : `SVHC ${share}`
  return `${substance} (${cas.join(', ')}): ${what} of ${place}`
}

function exemptionIds(exemptions: readonly StatedExemption[]): JudgedRow['exemption_ids'] {
  const once = new Map(
    exemptions.map(({ identity, list }) => [`${list}\n${identity}`, { identity, list }] as const),
  )
  return [...once.values()].slice(0, LISTED_VALUES)
}

function cells(values: readonly string[]): string {
  const more = values.length - LISTED_VALUES
  return joinValues([...values.slice(0, LISTED_VALUES), more > 0 ? `and ${more} more` : ''])
}
