import { plural } from '../../base/units.ts'
import { isSameCompany } from '../../compliance/company-names.ts'
import type { Standing } from '../../compliance/currency.ts'
import { isUnaccepted, worstAcceptance } from '../../compliance/declaration.ts'
import { declaredFindings, notScreenedText } from '../../compliance/finding.ts'
import {
  type AnswerText,
  incomparablePairs,
  type JudgeContext,
  judge,
  otherListGaps,
  type PartEvidence,
  type PartJudgement,
  stillCounting,
} from '../../compliance/judge.ts'
import { readMoment } from '../../compliance/response-date.ts'
import type { Statement } from '../../compliance/statements.ts'
import { type FailOnRule, gateOf } from '../gate/fail-on.ts'
import type { Waivers } from '../gate/waivers.ts'
import { addDates } from '../regulations/reference-facts.ts'
import {
  addedFindings,
  type FindingContext,
  type RowFinding,
  sortedFindings,
  verdictOf,
} from '../row-findings.ts'
import { standingOf } from './current-declarations.ts'
import type { PartDeclaration } from './part-declaration.ts'
import { EMPTY_ROW, type JudgedRow, type OpenRow, placeOf } from './report-row.ts'

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
    findings: declaredFindings(judged, unacceptedOf(own), (where) => placeOf({ declarations: own }, where)),
    declarations: own,
    massMg: own.find(({ massMg }) => massMg !== undefined)?.massMg,
    // The composition that counts is that of the newest declaration with one.
    declaredPercent: own.find(({ composition }) => composition !== undefined)?.declaredPercent,
    unitType: firstText(own, ({ unitType }) => unitType),
    notes: notesOf(all, judged),
    sources: own.map(({ source }) => source),
    // Declarations of companies with another identifier or name have other keys.
    key: own.flatMap(({ key }) => key ?? []).sort()[0],
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
    ...(part.trim() !== ''
      ? []
      : [requesterPart.trim() === '' ? 'no part number' : "only the buyer's part number"]),
    ...all.flatMap(dateNote),
    ...originNotes(all, judged),
    ...judged.rohs.notes,
    ...judged.reach.notes,
    ...judged.otherLists.flatMap((list) =>
      list.gaps.length > 0 ? [`${list.list}: ${otherListGaps(list).join(', ')}`] : [],
    ),
    // What makes a status incomplete is said with it.
    ...judged.answers
      .map(answerNote)
      .filter((note) => ![...judged.rohs.notes, ...judged.reach.notes].some((one) => one.endsWith(note))),
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

// What is added to a row

/** What decorates a row, beside its own content. Nothing of it is known while a file is read. */
export interface RowContext extends FindingContext {
  /** Undefined without a gate. */
  readonly failOn: readonly FailOnRule[] | undefined
  readonly waivers?: Waivers | undefined
  /** What the sources are, where they are a library. */
  readonly place?: string | undefined
}

/**
 * Completes a row. Everything that depends on the date, on reference tables or on settings is added here; what is read from a file
 * depends on the file alone. A declaration that is superseded and a line that is not fitted are not judged.
 */
export function finishRow(row: OpenRow, context: RowContext): JudgedRow {
  const { dates, failOn = [], waivers } = context
  if (dates !== undefined && row.status === 'declared') addDates(row, dates)
  const isJudged = row.status !== 'superseded' && row.status !== 'not fitted'
  if (!isJudged) {
    row.findings = NONE
    return row
  }
  const found: readonly RowFinding[] = [
    ...row.findings,
    ...addedFindings(row, context),
    ...(row.status === 'declared' ? failOn.flatMap(({ find }) => find?.(row, context) ?? []) : []),
  ]
  const findings = found.length === 0 ? NONE : sortedFindings(found)
  row.findings = waivers?.apply(row, findings, dates?.casNumbers) ?? findings
  row.verdict = verdictOf(findings)
  row.gate = gateOf(row.findings, failOn)
  return row
}

const NONE: readonly never[] = []
