import { plural } from '../../base/units.ts'
import { isSameCompany } from '../../compliance/company-names.ts'
import type { Standing, Where } from '../../compliance/currency.ts'
import { type Acceptance, isUnaccepted, worstAcceptance } from '../../compliance/declaration.ts'
import { declaredFindings, type Finding, notScreenedText, type Place } from '../../compliance/finding.ts'
import type { Verdict } from '../../compliance/finding-rules.ts'
import {
  type AnswerText,
  incomparablePairs,
  type JudgeContext,
  judge,
  NOTHING_DECLARED,
  otherListGaps,
  type PartEvidence,
  type PartJudgement,
  stillCounting,
} from '../../compliance/judge.ts'
import { readMoment } from '../../compliance/response-date.ts'
import type { Statement } from '../../compliance/statements.ts'
import type { RowLine } from '../lines.ts'
import type { Waiver } from '../report-result.ts'
import { standingOf } from './current-declarations.ts'
import type { PartDeclaration } from './part-declaration.ts'

export type { Verdict } from '../../compliance/finding-rules.ts'
export type { JudgeContext } from '../../compliance/judge.ts'

export type ReportStatus =
  | 'declared'
  | 'assembly'
  | 'superseded'
  | 'missing'
  | 'unknown'
  | 'unreadable'
  | 'not fitted'

/** A finding of a row of a report. */
export interface RowFinding extends Finding {
  /** The waivers that take it out of the gate, the one that is valid longest first. */
  readonly waivers?: readonly Waiver[]
}

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
  /** The declarations that count, the newest first. */
  readonly declarations: readonly PartDeclaration[]
  readonly massMg: number | undefined
  readonly declaredPercent: number | undefined
  /** The unit that masses are for: `Each`, `Meter` and so on; empty where the file has none. */
  readonly unitType: string
  readonly notes: readonly string[]
  readonly sources: readonly string[]
  /** Identifies the part of its supplier; undefined without a part number. */
  readonly key: string | undefined
  /** The keys of all declarations that count: their companies may have another identifier or name. */
  readonly keys: readonly string[]
  /** The worst of the declarations that count. */
  readonly acceptance: Acceptance
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
export function missingRow(part: string, notes: readonly string[] = []): OpenRow {
  return { ...EMPTY_ROW, status: 'missing', part, notes }
}

/** A row for a requested part whose request failed: whether it is declared is not known. */
export function unknownRow(part: string): OpenRow {
  return { ...EMPTY_ROW, status: 'unknown', part, notes: ['not known: its request failed'] }
}

/** A row for a file that cannot be read as a declaration. */
export function unreadableRow(source: string, reason: string): OpenRow {
  const finding: Finding = { rule: 'unreadable', subject: '', names: [], sentence: reason, place: { source } }
  return { ...EMPTY_ROW, status: 'unreadable', sources: [source], notes: [reason], findings: [finding] }
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
  declarations: [],
  massMg: undefined,
  declaredPercent: undefined,
  unitType: '',
  notes: [],
  sources: [],
  key: undefined,
  keys: [],
  acceptance: 'not said',
  isUndated: false,
  otherManufacturers: [],
  exemptionExpires: '',
  listBehind: undefined,
  findings: [],
  verdict: '',
  gate: { open: [], waived: [] },
  line: undefined,
}

const LISTED_NOTES = 30

/** The row of a part, from all the declarations that count for it, in any order. */
export function judgedRow(declarations: readonly PartDeclaration[], context: JudgeContext): OpenRow {
  const { nowMs } = context
  const all = newestFirst(declarations, nowMs)
  const judged = judge(all, context)
  const counting = stillCounting(all, judged)
  if (counting.length < all.length)
    return judgedRow(
      counting.map(({ declaration }) => declaration),
      context,
    )
  const own = all.map(({ declaration }) => declaration)
  const newest = own[0]!
  const keys = [...new Set(own.flatMap(({ key }) => key ?? []))].sort()
  const acceptance = worstAcceptance(own.map((one) => one.acceptance))
  return {
    ...EMPTY_ROW,
    status: 'declared',
    part: newest.part,
    requesterPart: firstText(own, ({ requesterPart }) => requesterPart),
    name: firstText(own, ({ name }) => name),
    supplier: newest.supplier,
    companyIds: [...new Set(own.flatMap(({ companyIds }) => companyIds))],
    date: own.flatMap(({ dateText }) => readMoment(dateText)?.day ?? []).sort()[0] ?? '',
    standard: newest.standard,
    classes: [...new Set(own.flatMap(({ classes }) => [...classes]))].sort().join(''),
    judged,
    findings: declaredFindings(judged, unacceptedOf(own), (where) => placeIn(own, where)),
    declarations: own,
    massMg: own.find(({ massMg }) => massMg !== undefined)?.massMg,
    // The composition that counts is that of the newest declaration with one.
    declaredPercent: own.find(({ composition }) => composition !== undefined)?.declaredPercent,
    unitType: firstText(own, ({ unitType }) => unitType),
    notes: notesOf(all, judged),
    sources: own.map(({ source }) => source),
    key: keys[0],
    keys,
    acceptance,
    isUndated: all.some(({ moment }) => moment === undefined),
  }
}

/** The declarations whose supplier says no, or not yet: where each is, and what it says. */
function unacceptedOf(
  all: readonly PartDeclaration[],
): readonly { readonly sentence: string; readonly origin: number }[] {
  return all.flatMap(({ acceptance }, origin) => {
    if (!isUnaccepted(acceptance)) return []
    const yet = acceptance === 'not yet' ? ' yet' : ''
    return [{ sentence: `its supplier has not accepted the declaration${yet}`, origin }]
  })
}

/** The place of a statement of a row. */
export function placeOf({ declarations }: Pick<JudgedRow, 'declarations'>, where: Where): Place {
  return placeIn(declarations, where)
}

function placeIn(declarations: readonly PartDeclaration[], { origin, line, list }: Where): Place {
  const { source, dateText, line: start } = declarations[origin]!
  return { source, line: start + line, list, date: readMoment(dateText)?.day ?? '' }
}

/** A statement with its place. */
export type PlacedStatement = Statement & {
  readonly place: Place
  /** Where that is stated which decides in its place. */
  readonly insteadPlace: Place | undefined
}

/** Every statement of the declarations that count, in their order. */
export function statementsOf(row: JudgedRow): readonly PlacedStatement[] {
  return row.judged.statements.map((one) => ({
    ...one,
    place: placeOf(row, one.where),
    insteadPlace: one.instead && placeOf(row, one.instead),
  }))
}

function firstText(all: readonly PartDeclaration[], textOf: (one: PartDeclaration) => string): string {
  return all.map(textOf).find((text) => text !== '') ?? ''
}

/** The row of a declaration that newer ones replace, in whole or in part. */
export function supersededRow(declaration: PartDeclaration, by: string, context: JudgeContext): OpenRow {
  const row = judgedRow([declaration], context)
  row.status = 'superseded'
  row.findings = []
  row.notes = [by, ...row.notes]
  return row
}

/** For each declaration of a row, what of it newer ones replace although it counts for the rest. */
export function replacedParts({ declarations, judged }: JudgedRow): readonly string[] {
  const statements = judged.statements
  return declarations.flatMap(({ source, record, composition }, origin) => {
    const own = statements.filter(({ where }) => where.origin === origin)
    const lists = new Map<string, Statement[]>()
    const replaced = new Map<number, string[]>()
    const replace = (by: number, what: string): void => {
      if (by >= 0) replaced.set(by, [...new Set([...(replaced.get(by) ?? []), what])])
    }
    for (const one of own) lists.set(one.list, [...(lists.get(one.list) ?? []), one])
    for (const [list, all] of lists) {
      const by = new Map<number, Statement[]>()
      for (const one of all) {
        if (one.instead === undefined || one.instead.origin === origin) continue
        by.set(one.instead.origin, [...(by.get(one.instead.origin) ?? []), one])
      }
      for (const [newer, again] of by) replace(newer, restatedText(list, again, all))
    }
    const newest = (what: string): number => judged.origins.findIndex((from) => from.includes(what))
    if (record.answers.length > 0 && !judged.origins[origin]!.includes('class A'))
      replace(newest('class A'), 'class A')
    if (composition !== undefined && !judged.origins[origin]!.includes('class D'))
      replace(newest('class D'), 'class D')
    const texts = [...replaced].map(
      ([by, what]) => `${what.join(', ')} by the declaration of ${dayOf(declarations[by]!)}`,
    )
    return texts.length === 0 ? [] : [`superseded in ${source}: ${texts.join(', ')}`]
  })
}

/** The list, with its entries that are stated again where that is not all of them. */
function restatedText(list: string, again: readonly Statement[], all: readonly Statement[]): string {
  if (again.length === all.length) return list
  const isRohs = again[0]!.kind === 'rohs'
  const groups = new Set(again.flatMap(({ about, name }) => (about.length > 0 ? about : [name])))
  return `${list} (${isRohs ? [...groups].join(', ') : plural(again.length, 'entry', 'entries')})`
}

/** A declaration with what decides which of two replaces the other. */
interface DatedDeclaration extends PartEvidence, Standing {
  readonly declaration: PartDeclaration
}

function evidenceOf(declaration: PartDeclaration, nowMs: number): DatedDeclaration {
  const { record, composition, massMg, line: start } = declaration
  const fileUnread = declaration.fileUnread.map(({ text, line }) => ({ text, line: line - start }))
  return { declaration, record, composition, massMg, fileUnread, ...standingOf(declaration, nowMs) }
}

function newestFirst(declarations: readonly PartDeclaration[], nowMs: number): readonly DatedDeclaration[] {
  const rank = ({ moment }: Standing): number => moment?.fromMs ?? Number.MIN_SAFE_INTEGER
  return declarations.map((one) => evidenceOf(one, nowMs)).sort((a, b) => rank(b) - rank(a))
}

function dayOf({ dateText }: PartDeclaration): string {
  return readMoment(dateText)?.day ?? 'an unknown date'
}

function notesOf(all: readonly DatedDeclaration[], judged: PartJudgement): readonly string[] {
  const { part, requesterPart } = all[0]!.declaration
  const notes = [
    ...judged.contradictions.map(({ text }) => `contradictory: ${text}`),
    ...(part !== '' ? [] : [requesterPart === '' ? 'no part number' : "only the buyer's part number"]),
    ...all.flatMap(dateNote),
    ...originNotes(all, judged),
    ...judged.rohs.notes,
    ...judged.reach.notes,
    ...judged.otherLists.flatMap((list) =>
      list.gaps.length > 0 ? [`${list.list}: ${otherListGaps(list).join(', ')}`] : [],
    ),
    ...judged.answers.map(answerNote),
    ...judged.notScreened.map(notScreenedText),
    ...(judged.notKnown > 0
      ? [`${plural(judged.notKnown, 'substance')} without a CAS number: not screened`]
      : []),
    ...all.flatMap(({ declaration: { record, notes: own, headNotes, comments } }) => [
      ...record.remarks,
      ...own,
      ...headNotes,
      ...comments.map((comment) => `comment: ${comment}`),
    ]),
  ]
  const once = [...new Set(notes.filter((note) => note !== ''))]
  const more = once.length - LISTED_NOTES
  return more > 0 ? [...once.slice(0, LISTED_NOTES), plural(more, 'more remark')] : once
}

function dateNote({ declaration: { dateText }, moment }: DatedDeclaration): readonly string[] {
  if (dateText === '' || moment !== undefined) return []
  const why = readMoment(dateText) === undefined ? 'is not a date' : 'is in the future'
  return [`response date "${dateText}" ${why}`]
}

/** Which statement comes from which file, and where their age cannot be compared. */
function originNotes(all: readonly DatedDeclaration[], { origins }: PartJudgement): readonly string[] {
  if (all.every((one) => isSameProduct(one, all[0]!))) return []
  const from = all.flatMap(({ declaration }, index) => {
    const own = origins[index]!
    return own.length === 0 ? [] : [`${own.join(', ')} from ${declaration.source} (${dayOf(declaration)})`]
  })
  const open = incomparablePairs(all).flatMap(([one, other]) =>
    isSameProduct(one, other) ? [] : [incomparableText(one, other)],
  )
  return [...from, ...new Set(open)]
}

/** One product with a number twice. */
function isSameProduct(
  { declaration: one }: DatedDeclaration,
  { declaration: other }: DatedDeclaration,
): boolean {
  return one.source === other.source && one.line === other.line && one.dateText === other.dateText
}

function incomparableText(one: DatedDeclaration, other: DatedDeclaration): string {
  const worse = 'both count, the worse decides'
  if (one.moment === undefined || other.moment === undefined)
    return `declarations whose dates cannot be compared: ${worse}`
  if (!isSameCompany(one.company, other.company)) {
    const what = one.company.name === other.company.name ? 'identifier' : 'name'
    return `declarations of companies with another ${what}: ${worse}`
  }
  const isOpen = !one.isAccepted || !other.isAccepted
  const why = isOpen
    ? 'a declaration that is not accepted replaces no accepted one'
    : `declarations of the same moment (${one.declaration.dateText})`
  return `${why}: ${worse}`
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
