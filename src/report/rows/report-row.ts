import { plural } from '../../base/units.ts'
import { replaces, type Standing, speaksForAll, withOneKeyEach } from '../../compliance/currency.ts'
import { unpackKeys } from '../../compliance/entry-keys.ts'
import type { ExemptionLookup } from '../../compliance/exemptions.ts'
import { type AnswerText, judge, NOTHING_DECLARED, type PartJudgement } from '../../compliance/judge.ts'
import { isAnswered, type ListRecord } from '../../compliance/part-record.ts'
import { readMoment } from '../../compliance/response-date.ts'
import type { RowFinding, Verdict } from '../findings.ts'
import type { RowLine } from '../lines.ts'
import { standingOf } from './current-declarations.ts'
import type { PartDeclaration } from './part-declaration.ts'

export type ReportStatus = 'declared' | 'assembly' | 'superseded' | 'missing' | 'unreadable' | 'not fitted'

/** A row of a report: what is known of a part, as values. `columns.ts` makes the texts of its cells. Part numbers are as written. */
export interface JudgedRow {
  readonly status: ReportStatus
  readonly part: string
  readonly requesterPart: string
  readonly name: string
  readonly supplier: string
  readonly companyIds: readonly string[]
  /** The oldest day of the declarations that count, `YYYY-MM-DD`; empty where none has a date. */
  readonly date: string
  readonly standard: '' | '1752A' | '1752B'
  readonly classes: string
  /** Every statement behind the row; `NOTHING_DECLARED` in a row that is no declaration. */
  readonly judged: PartJudgement
  readonly massMg: number | undefined
  readonly declaredPercent: number | undefined
  /** The unit that masses are for: `Each`, `Meter` and so on; empty where the file has none. */
  readonly unitType: string
  readonly notes: readonly string[]
  readonly sources: readonly string[]
  /** Identifies the part of its supplier; undefined without a part number. */
  readonly key: string | undefined
  /** The supplier has not accepted a declaration that counts. */
  readonly isUnaccepted: boolean
  /** A declaration that counts has no date that can be compared. */
  readonly isUndated: boolean
  /** The manufacturers that the parts list has for it, where none of them is the supplier. */
  readonly otherManufacturers: readonly string[]
  /** The earliest date known for an exemption in use, `YYYY-MM-DD`; empty where none is known. */
  readonly exemptionExpires: string
  /** Entries that the newest known Candidate List has more than the one declared against. */
  readonly listBehind: number | undefined
  /** Worst first. */
  readonly findings: readonly RowFinding[]
  readonly verdict: Verdict
  readonly gate: RowGate
  /** The line of the parts list that the row is about. */
  readonly line: RowLine | undefined
}

/** What a gate matches in a row: its rules in their order, and the findings that only waivers keep from them. */
export interface RowGate {
  readonly open: readonly string[]
  readonly waived: readonly RowFinding[]
}

/** A row that is being made: it is completed in place, for a report has one for every part. */
export type OpenRow = { -readonly [Name in keyof JudgedRow]: JudgedRow[Name] }

/** A row for a requested part that no source declares. */
export function missingRow(part: string, ...notes: readonly string[]): OpenRow {
  return { ...EMPTY_ROW, status: 'missing', part, notes }
}

/** A row for a file that cannot be read as a declaration. */
export function unreadableRow(source: string, reason: string): OpenRow {
  return { ...EMPTY_ROW, status: 'unreadable', sources: [source], notes: [reason] }
}

const EMPTY_ROW: JudgedRow = {
  status: 'missing',
  part: '',
  requesterPart: '',
  name: '',
  supplier: '',
  companyIds: [],
  date: '',
  standard: '',
  classes: '',
  judged: NOTHING_DECLARED,
  massMg: undefined,
  declaredPercent: undefined,
  unitType: '',
  notes: [],
  sources: [],
  key: undefined,
  isUnaccepted: false,
  isUndated: false,
  otherManufacturers: [],
  exemptionExpires: '',
  listBehind: undefined,
  findings: [],
  verdict: '',
  gate: { open: [], waived: [] },
  line: undefined,
}

/** What a judgement depends on beside the declarations. */
export interface JudgeContext {
  readonly nowMs: number
  /** What is known about exemptions, their substances included. */
  readonly lookup: ExemptionLookup | undefined
}

const LISTED_NOTES = 30

/** The row of a part, from all the declarations that count for it, in any order. */
export function judgedRow(
  declarations: readonly PartDeclaration[],
  { nowMs, lookup }: JudgeContext,
): OpenRow {
  const all = newestFirst(declarations, nowMs)
  const judged = judge(all, lookup)
  const left = all.filter((one, index) => judged.origins[index]!.length > 0 || hasUnread(one, all))
  // Where none states anything, only the newest counts.
  const counting = left.length > 0 ? left : all.filter((one) => !all.some((other) => replaces(other, one)))
  if (counting.length < all.length) return judgedRow(counting, { nowMs, lookup })
  const newest = all[0]!
  return {
    ...EMPTY_ROW,
    status: 'declared',
    part: newest.part,
    requesterPart: firstText(all, ({ requesterPart }) => requesterPart),
    name: firstText(all, ({ name }) => name),
    supplier: newest.supplier,
    companyIds: [...new Set(all.flatMap(({ companyIds }) => companyIds))],
    date: all.flatMap(({ dateText }) => readMoment(dateText)?.day ?? []).sort()[0] ?? '',
    standard: newest.standard,
    classes: [...new Set(all.flatMap(({ classes }) => [...classes]))].sort().join(''),
    judged,
    massMg: all.find(({ massMg }) => massMg !== undefined)?.massMg,
    // The composition that counts is that of the newest declaration with one.
    declaredPercent: all.find(({ composition }) => composition !== undefined)?.declaredPercent,
    unitType: firstText(all, ({ unitType }) => unitType),
    notes: notesOf(all, judged),
    sources: all.map(({ source }) => source),
    key: newest.key,
    isUnaccepted: all.some(({ isUnaccepted }) => isUnaccepted === true),
    isUndated: all.some(({ moment }) => moment === undefined),
  }
}

/** True when something in it is not understood, and none speaks for the part again. */
function hasUnread(one: DatedDeclaration, all: readonly DatedDeclaration[]): boolean {
  return (
    one.record.unread.length > 0 && !all.some((other) => speaksForAll(other.record) && replaces(other, one))
  )
}

function firstText(all: readonly PartDeclaration[], textOf: (one: PartDeclaration) => string): string {
  return all.map(textOf).find((text) => text !== '') ?? ''
}

/** The row of a declaration that newer ones replace, in whole or in part. */
export function supersededRow(declaration: PartDeclaration, by: string, context: JudgeContext): OpenRow {
  const row = judgedRow([declaration], context)
  row.status = 'superseded'
  row.notes = [by, ...row.notes]
  return row
}

/** What of a declaration newer ones replace although it counts for the rest; empty for nothing. */
export function replacedPart(
  declaration: PartDeclaration,
  declarations: readonly PartDeclaration[],
  nowMs: number,
): string {
  const all = withOneKeyEach(declarations.map((one) => dated(one, nowMs)))
  const own = all[declarations.indexOf(declaration)]!
  const { record, composition } = own
  const parts = all.flatMap((other) => {
    if (!replaces(other, own)) return []
    const newer = other.record
    const isAsked = new Set(newer.answers.filter(isAnswered).map(({ list }) => list.toUpperCase()))
    const what = [
      ...record.lists.flatMap((list) => restatedPart(list, newer.lists)),
      ...(record.answers.some(({ list }) => isAsked.has(list.toUpperCase())) ? ['class A'] : []),
      ...(other.composition?.isConclusive && composition !== undefined ? ['class D'] : []),
    ]
    return what.length === 0 ? [] : [`${[...new Set(what)].join(', ')} by the declaration of ${dayOf(other)}`]
  })
  return parts.length === 0 ? '' : `superseded in ${declaration.source}: ${parts.join(', ')}`
}

/** The list, with its entries that newer lists state where that is not all of them. */
function restatedPart(list: ListRecord, newer: readonly ListRecord[]): readonly string[] {
  const marked = list.marked.map(({ key }) => key)
  const own = [...new Set([...unpackKeys(list.stated), ...unpackKeys(list.silent), ...marked])]
  const same = newer.filter(({ key }) => key === list.key)
  const again = own.filter((key) => same.some(({ stated }) => unpackKeys(stated).has(key)))
  if (again.length === 0) return []
  if (again.length === own.length) return [list.identity]
  const what = list.family === 'rohs' ? again.join(', ') : plural(again.length, 'entry', 'entries')
  return [`${list.identity} (${what})`]
}

/** A declaration with what decides which of two replaces the other. */
type DatedDeclaration = PartDeclaration & Standing

function dated(one: PartDeclaration, nowMs: number): DatedDeclaration {
  return { ...one, ...standingOf(one, nowMs) }
}

function newestFirst(declarations: readonly PartDeclaration[], nowMs: number): readonly DatedDeclaration[] {
  const rank = ({ moment }: Standing): number => moment?.fromMs ?? Number.MIN_SAFE_INTEGER
  return declarations.map((one) => dated(one, nowMs)).sort((a, b) => rank(b) - rank(a))
}

function dayOf({ dateText }: PartDeclaration): string {
  return readMoment(dateText)?.day ?? 'an unknown date'
}

function notesOf(all: readonly DatedDeclaration[], judged: PartJudgement): readonly string[] {
  const { part, requesterPart } = all[0]!
  const notes = [
    ...judged.contradictions.map((text) => `contradictory: ${text}`),
    ...(part !== '' ? [] : [requesterPart === '' ? 'no part number' : "only the buyer's part number"]),
    ...all.flatMap(dateNote),
    ...originNotes(all, judged),
    ...judged.rohs.notes,
    ...judged.reach.notes,
    ...judged.otherLists.flatMap(({ list, gaps }) =>
      gaps.length > 0 ? [`${list}: ${gaps.join(', ')}`] : [],
    ),
    ...judged.answers.map(answerNote),
    ...(judged.notScreened > 0
      ? [`${plural(judged.notScreened, 'substance')} without a CAS number or share: not screened`]
      : []),
    ...all.flatMap(({ record, notes, headNotes }) => [...record.remarks, ...notes, ...headNotes]),
  ]
  const once = [...new Set(notes.filter((note) => note !== ''))]
  const more = once.length - LISTED_NOTES
  return more > 0 ? [...once.slice(0, LISTED_NOTES), plural(more, 'more remark')] : once
}

function dateNote({ dateText, moment }: DatedDeclaration): readonly string[] {
  if (dateText === '' || moment !== undefined) return []
  const why = readMoment(dateText) === undefined ? 'is not a date' : 'is in the future'
  return [`response date "${dateText}" ${why}`]
}

/** Which statement comes from which file, and where their age cannot be compared. */
function originNotes(all: readonly DatedDeclaration[], { origins }: PartJudgement): readonly string[] {
  if (all.length === 1) return []
  const from = all.flatMap((one, index) => {
    const own = origins[index]!
    return own.length === 0 ? [] : [`${own.join(', ')} from ${one.source} (${dayOf(one)})`]
  })
  const open = all.flatMap((one, index) =>
    all
      .slice(index + 1)
      .filter((other) => !replaces(one, other) && !replaces(other, one) && shareStatements(one, other))
      .map((other) => incomparable(one, other)),
  )
  return [...from, ...new Set(open)]
}

function incomparable(one: DatedDeclaration, other: DatedDeclaration): string {
  if (one.moment !== undefined && other.moment !== undefined) {
    const isUnaccepted = !one.isAccepted || !other.isAccepted
    const why = isUnaccepted
      ? 'a declaration that is not accepted replaces no accepted one'
      : `declarations of the same moment (${one.dateText})`
    return `${why}: both count, the worse decides`
  }
  return 'declarations whose dates cannot be compared: both count, the worse decides'
}

function shareStatements(one: PartDeclaration, other: PartDeclaration): boolean {
  const keys = new Set(one.record.lists.map(({ key }) => key))
  return (
    other.record.lists.some(({ key }) => keys.has(key)) ||
    (one.record.answers.length > 0 && other.record.answers.length > 0) ||
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
