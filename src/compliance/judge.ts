import { calendarDate, plural } from '../base/units.ts'
import { contradictoryLists } from './compare-lists.ts'
import { type Evidence, judgedLists, replaces, speaksForAll } from './currency.ts'
import type { Unread } from './declaration.ts'
import { type ExemptionLookup, NO_DATES } from './exemptions.ts'
import { covers, type Indication, type NotScreened, type Screening } from './indications.ts'
import { groupLimit, SVHC_LIMIT } from './legal-limits.ts'
import type { ListKind, SvhcUpdate } from './list-identity.ts'
import { type AnswersRecord, isAnswered, type PartRecord, UNKNOWN_EXEMPTION } from './part-record.ts'
import { readThreshold, tidy } from './quantity.ts'
import { type ReachFinding, reachFinding, type SvhcOver } from './reach.ts'
import { recognize, type SubstanceTables } from './recognize.ts'
import {
  decidingOf,
  doubts,
  entryName,
  type Gap,
  hasUnknownExemption,
  label,
  named,
  partial,
  type RohsFinding,
  rohsFinding,
  silence,
  texts,
  type UsedExemption,
  unique,
  unreadGaps,
  type Wording,
} from './rohs.ts'
import { groupNamed } from './rohs-groups.ts'
import { isAnswer, isReach, type JudgedList, keysStated, type Statement, type Where } from './statements.ts'
import { substanceNames } from './substance-identity.ts'

/** What a judgement knows beside the declarations. */
export interface JudgeContext {
  readonly nowMs: number
  /** What is known about exemptions, their substances included. */
  readonly lookup?: ExemptionLookup | undefined
  /** The update of the Candidate List that a list names; without it, it is not asked whether a list is whole. */
  readonly updateOf?: ((identity: string) => SvhcUpdate | undefined) | undefined
  readonly substances?: SubstanceTables | undefined
}

/** A declaration that counts for a part, with the composition it declares and the part's mass. */
export interface PartEvidence extends Evidence {
  readonly composition: Screening | undefined
  readonly massMg: number | undefined
  /** What its file has outside the products and is not understood; lines are counted from the product's. */
  readonly fileUnread: readonly Unread[]
}

/** Statements that contradict each other, in words, and by the names of what they are about. */
interface Contradiction extends Wording {
  readonly text: string
  readonly subject: string
  readonly names: readonly string[]
  readonly where?: Where | undefined
}

/** An indication, and where its material is declared. */
interface PlacedIndication extends Indication {
  readonly at: Where
}

/** A restricted substance that cannot be screened, and where its material is declared. */
export interface PlacedNotScreened extends NotScreened {
  readonly at: Where
}

/** What is known about a part: every status, derived once, from the declarations that count. */
export interface PartJudgement {
  readonly rohs: RohsFinding
  readonly reach: ReachFinding
  readonly otherLists: readonly OtherListFinding[]
  /** Every statement of the declarations, in their order, and whether it decides; made when it is read, for there may be a thousand. */
  readonly statements: readonly Statement[]
  /** The class A statements that are made, with their lists. */
  readonly answers: readonly AnswerText[]
  readonly contradictions: readonly Contradiction[]
  /** What class D has above a threshold and no list declares as such. */
  readonly indications: readonly PlacedIndication[]
  /** What class D has that the tables restrict, but whose share is not known, and no list declares as over. */
  readonly notScreened: readonly PlacedNotScreened[]
  /** How many other substances of class D are not known. */
  readonly notKnown: number
  /** Something stated is missing or not understood. */
  readonly hasGaps: boolean
  /** For each declaration which statements are from it: `RoHS`, `REACH (3 entries)`, `Prop_65`, `class A`, `class D`. */
  readonly origins: readonly (readonly string[])[]
}

/** The class A statements about one list: those that are made, and those without an answer that is understood. */
export interface AnswerText {
  readonly list: string
  readonly count: number
  readonly made: readonly string[]
  readonly open: readonly string[]
  readonly where: Where
}

/**
 * Judges a part by the declarations that count for it, the newest first. Each statement is taken from the newest declaration that
 * makes it; of statements whose age cannot be compared the worse counts.
 */
export function judge(all: readonly PartEvidence[], context: JudgeContext): PartJudgement {
  const [only] = all
  // Most parts have one declaration, and most of these state the same: nothing of it is over.
  if (
    all.length > 1 ||
    only!.composition !== undefined ||
    only!.fileUnread.length > 0 ||
    only!.record.lists.some(({ marked }) => marked.length > 0)
  ) {
    return judgeAll(all, context)
  }
  const judged = plain.get(context) ?? new WeakMap<PartRecord, PartJudgement>()
  plain.set(context, judged)
  const known = judged.get(only!.record) ?? judgeAll(all, context)
  judged.set(only!.record, known)
  return known
}

const plain = new WeakMap<JudgeContext, WeakMap<PartRecord, PartJudgement>>()

/** What is known of a part without any declaration. */
export const NOTHING_DECLARED = judgeAll([], { nowMs: 0 })

function judgeAll(all: readonly PartEvidence[], context: JudgeContext): PartJudgement {
  const today = calendarDate(context.nowMs)
  const tables = context.substances
  const listContext = { month: today.slice(0, 7), tables }
  const lists = judgedLists(all, listContext)
  const counting = lists.filter(({ counts }) => counts)
  const ofKind = (kind: ListKind): readonly JudgedList[] => counting.filter((list) => list.kind === kind)
  const rohsLists = ofKind('rohs')
  const reachLists = ofKind('reach')
  const misnamed = ofKind('otherReach')
  const likeRohs = ofKind('otherRohs')
  const unread = unreadOf(all)
  // Those of a substance are replaced with the composition that has it.
  const otherExemptions = all.flatMap((one, origin) =>
    one.record.otherExemptions
      .filter(({ subject }) => subject === '' || !isReplacedComposition(one, all))
      .map((exemption): UsedExemption => ({ ...exemption, where: { origin, line: 0, list: '' } })),
  )
  const answers = currentAnswers(all)
  const rohsContext = { lookup: context.lookup ?? NO_DATES, today, tables }
  const openRohs = rohsLists.length > 0 ? unreadAnswers(answers, 'rohs') : []
  const openReach = unreadAnswers(answers, 'reach')
  const rohsBy = (gaps: readonly Gap[]) =>
    rohsFinding(rohsLists, likeRohs, otherExemptions, gaps, rohsContext)
  const reachBy = (gaps: readonly Gap[]) => reachFinding(reachLists, misnamed, gaps, context)
  // What the lists say, and that beside answers that may be against it.
  const [rohsListed, reachListed] = [rohsBy(unread), reachBy(unread)]
  const rohs = openRohs.length === 0 ? rohsListed : rohsBy([...unread, ...openRohs])
  const reach = openReach.length === 0 ? reachListed : reachBy([...unread, ...openReach])
  const otherKeys = counting.filter(isOther).map(({ key }) => key)
  const otherLists = unique(otherKeys).map((key) => counting.filter((list) => list.key === key))
  const screenings = all.flatMap((one, origin) =>
    one.composition === undefined ? [] : [{ ...screeningInEffect(one, all), origin }],
  )
  const composed = new Set(screenings.filter(({ isLeft }) => isLeft).map(({ origin }) => origin))
  return {
    rohs,
    reach,
    get statements() {
      return lists.flatMap((list) => list.statements)
    },
    otherLists: otherLists.map(otherListFinding),
    answers: answers.map(({ record, origin }) => answerText(record, origin)),
    contradictions: once([
      ...valueContradictions([...rohsLists, ...reachLists, ...otherLists.flat()], all),
      ...answerContradictions(answerClaims(answers), rohsListed, reachListed),
      ...contradictoryLists([rohsLists, reachLists, ...otherLists]),
      ...reachAgainstRohs(rohs, reach, all, tables),
    ]),
    indications: undeclared(screenings, rohs, reach),
    notScreened: undeclaredOpen(screenings, rohs, reach),
    notKnown: screenings.reduce((sum, { notScreened }) => sum + notScreened, 0),
    hasGaps: rohs.gaps.length > 0 || reach.gaps.length > 0 || rohs.status === 'incomplete',
    origins: all.map((_, index) => [
      ...originOf('RoHS', rohsLists, index, (keys) => named(keys.map(entryName))),
      ...originOf('REACH', reachLists, index, (keys) => plural(keys.length, 'entry', 'entries')),
      ...otherLists
        .filter((own) => own.some(({ where }) => where.origin === index))
        .map(([list]) => list!.identity),
      ...(answers.some(({ origin }) => origin === index) ? ['class A'] : []),
      ...(composed.has(index) ? ['class D'] : []),
    ]),
  }
}

/** The declarations of a part that still count, of those that were judged together: where some do not, judge the others again. */
export function stillCounting<T extends PartEvidence>(
  all: readonly T[],
  { origins }: PartJudgement,
): readonly T[] {
  const stating = all.filter((one, index) => origins[index]!.length > 0 || hasUnread(one, all))
  // Where none states anything, only the newest counts.
  if (stating.length === 0) return all.filter((one) => !all.some((other) => replaces(other, one)))
  // What one has taken back stays so, although it is taken back itself, by a company that is not known to be that of the first.
  return all.filter(
    (one) =>
      stating.includes(one) ||
      stating.some((older) => replaces(one, older) && !stating.some((newer) => replaces(newer, older))),
  )
}

/** True when something in it is not understood, and none speaks for the part again. */
function hasUnread(one: PartEvidence, all: readonly PartEvidence[]): boolean {
  return (
    one.record.unread.length + one.fileUnread.length > 0 &&
    !all.some((other) => speaksForAll(other.record) && other.fileUnread.length === 0 && replaces(other, one))
  )
}

/** Declarations that state the same things, of which neither replaces the other: both count, the worse decides. */
export function incomparablePairs<T extends PartEvidence>(
  all: readonly T[],
): readonly (readonly [one: T, other: T])[] {
  return all.flatMap((one, index) =>
    all
      .slice(index + 1)
      .filter((other) => !replaces(one, other) && !replaces(other, one) && shareStatements(one, other))
      .map((other) => [one, other] as const),
  )
}

function shareStatements(one: PartEvidence, other: PartEvidence): boolean {
  const keys = new Set(one.record.lists.map(({ key }) => key))
  return (
    other.record.lists.some(({ key }) => keys.has(key)) ||
    (one.record.answers.length > 0 && other.record.answers.length > 0) ||
    (one.composition !== undefined && other.composition !== undefined)
  )
}

function once(all: readonly Contradiction[]): readonly Contradiction[] {
  return [...new Map(all.map((one) => [one.text, one])).values()]
}

/** What is not understood outside any list, in a product or beside it. */
function unreadOf(all: readonly PartEvidence[]): readonly Gap[] {
  const found = all.flatMap(({ record, fileUnread }, origin) => [
    ...record.unread.map(({ text, line }): Gap => ({ text, where: { origin, line, list: '' } })),
    ...fileUnread.map(({ text, line }): Gap => ({ text, where: { origin, line, list: '' } })),
  ])
  return [...new Map(found.map((gap) => [gap.text, gap])).values()]
}

/** What a declaration states of a family of lists: what exactly, where others state the rest. */
function originOf(
  family: string,
  lists: readonly JudgedList[],
  index: number,
  what: (keys: readonly string[]) => string,
): readonly string[] {
  const own = lists.filter(({ where }) => where.origin === index)
  if (own.length === 0) return []
  if (own.length === lists.length) return [family]
  const deciding = decidingOf(own).filter(({ answer }) => answer !== 'not understood')
  const keys = unique(deciding.flatMap((one) => one.keys))
  const isWhole = keys.length === 0 || keys.length === keysStated(lists).size
  return [isWhole ? family : `${family} (${what(keys)})`]
}

function isOther({ kind }: JudgedList): boolean {
  return kind !== 'rohs' && kind !== 'reach'
}

/** True where newer compositions speak for the whole part again. */
function isReplacedComposition(one: PartEvidence, all: readonly PartEvidence[]): boolean {
  return all.some(
    (other) => other.composition !== undefined && covers(other.composition, '') && replaces(other, one),
  )
}

/** What of a composition newer ones leave: they speak for the articles that they cover. */
function screeningInEffect(one: PartEvidence, all: readonly PartEvidence[]) {
  const { indications, open, notScreened } = one.composition!
  const newer = all.flatMap((other) =>
    other.composition !== undefined && replaces(other, one) ? [other.composition] : [],
  )
  const isOpen = ({ article }: { readonly article: string }): boolean =>
    !newer.some((composition) => covers(composition, article))
  return {
    indications: indications.filter(isOpen),
    open: open.filter(isOpen),
    notScreened: notScreened.filter(isOpen).reduce((sum, { count }) => sum + count, 0),
    isLeft: isOpen({ article: '' }),
  }
}

/** The answers about each list from the newest declaration with one that is understood. */
function currentAnswers(all: readonly PartEvidence[]) {
  const found = all.flatMap((evidence, origin) =>
    evidence.record.answers.map((record) => ({ record, evidence, origin })),
  )
  return found.filter(
    (one) =>
      !found.some(
        (other) =>
          other.record.list.toUpperCase() === one.record.list.toUpperCase() &&
          isAnswered(other.record) &&
          replaces(other.evidence, one.evidence),
      ),
  )
}

/** Answers and statements about a regulation in words that are not understood: they may be against its lists. */
function unreadAnswers(
  answers: readonly { readonly record: AnswersRecord; readonly origin: number }[],
  about: AnswerClaim['about'],
): readonly Gap[] {
  return answers.flatMap(({ record: { list, line, statements }, origin }): readonly Gap[] => {
    const own = statements.filter(({ text }) => subjectOf(`${list} ${text}`) === about)
    const where = { origin, line, list }
    const gap = (what: string, ask: string): readonly Gap[] => [
      { text: `class A, ${list}: ${what}`, ask: `${ask} in the class A statements ${list}`, where },
    ]
    const open = named(unique(own.filter(({ quoted }) => quoted !== '').map(({ quoted }) => `"${quoted}"`)))
    const unclear = own.filter(
      ({ text, answer }) => answer === true && meaningOf(text) === undefined && !NO_INFORMATION.test(text),
    )
    const words = named(unclear.map(statementName))
    // Of several statements one is true.
    const isNone = own.length > 1 && own.every(({ answer }) => answer === false)
    return [
      ...(open === ''
        ? []
        : gap(`answer not understood (${open})`, `please send "true" or "false" in place of ${open}`)),
      ...(words === ''
        ? []
        : gap(`statement not understood (${words})`, `please say in words what ${words} means`)),
      ...(isNone ? gap(`none of ${own.length} statements is true`, 'please say which one is true') : []),
    ]
  })
}

function answerText({ list, count, line, statements }: AnswersRecord, origin: number): AnswerText {
  return {
    list,
    count,
    made: statements.filter(({ answer }) => answer === true).map(statementName),
    open: statements.filter(({ answer }) => answer === undefined).map(statementName),
    where: { origin, line, list },
  }
}

/** An amount or concentration above the threshold beside "not over". */
function valueContradictions(
  lists: readonly JudgedList[],
  all: readonly PartEvidence[],
): readonly Contradiction[] {
  const marked = lists.flatMap((list) => list.marked.filter(isAnswer))
  const keyed = marked.flatMap((one) => one.keys.map((key) => ({ key, one })))
  return keyed.flatMap(({ key, one }): readonly Contradiction[] => {
    const limit = limitOf(one, key)
    if (one.answer !== 'not over' || limit === undefined) return []
    const share = shareAbove(one, limit, all)
    if (share === undefined) return []
    const text = `${label(one)}: ${share} beside "not over" in ${one.list}`
    const [kind, ...value] = share.split(' ')
    const what = `${kind === 'amount' ? 'an' : 'a'} ${kind} of ${value.join(' ')}`
    const ask = `{declaration} states ${label(one)} as not over ${limit} %, with ${what}. Which is right?`
    const names = [key, one.code, ...one.cas].filter((name) => name !== '')
    return [{ text, ask, subject: one.name, names, where: one.where }]
  })
}

function shareAbove(
  { concentration, percent, massMg }: Statement,
  limit: number,
  all: readonly PartEvidence[],
): string | undefined {
  if (concentration !== undefined && concentration > limit) return `concentration ${concentration} %`
  if (percent !== undefined && percent > limit) return `amount ${tidy(percent)} %`
  const part = all.find(({ massMg: mass }) => mass !== undefined && mass > 0)?.massMg
  if (massMg === undefined || part === undefined) return undefined
  return (massMg / part) * 100 > limit ? `amount ${massMg} mg of ${part} mg` : undefined
}

/** The limit of a RoHS group, 0.1 % for the Candidate List, or the threshold that another list states. */
function limitOf({ kind, threshold }: Statement, key: string): number | undefined {
  if (kind === 'rohs') return groupLimit(key).percent
  return isReach(kind) ? SVHC_LIMIT.percent : readThreshold(threshold).percent
}

/**
 * A substance above 0.1 % of the article on the Candidate List whose RoHS group is stated "not over": an article above the limit on
 * average has a material above it.
 */
function reachAgainstRohs(
  rohs: RohsFinding,
  reach: ReachFinding,
  all: readonly PartEvidence[],
  tables: SubstanceTables | undefined,
): readonly Contradiction[] {
  return reach.over.flatMap((over): readonly Contradiction[] =>
    restrictedElements(over, tables).flatMap(({ group, share }): readonly Contradiction[] => {
      const answer = rohs.groups.find((one) => one.group === group)
      if (answer?.answer !== 'not over') return []
      const stated = over.percent ?? percentOfPart(over.massMg, all)
      const percent = Math.max(stated ?? 0, SVHC_LIMIT.percent)
      const limit = groupLimit(group).percent
      // "Over" is more than 0.1 %, however little.
      const isAbove = percent > SVHC_LIMIT.percent ? percent * share > limit : percent * share >= limit
      if (!isAbove) return []
      const amount = stated === undefined ? 'above 0.1 %' : `${tidy(stated)} %`
      // "Over" beside an amount that is not is the first thing to clear up.
      const isLess = stated !== undefined && stated <= SVHC_LIMIT.percent
      const text = isLess
        ? `${over.name}: "over ${SVHC_LIMIT.percent} %" beside an amount of ${tidy(stated)} %`
        : `${over.name}: ${amount} of the article in ${over.where.list}, ${group} "not over" in ${answer.statement?.list}`
      const ask = `{declaration} states ${text}. Which is right?`
      return [
        {
          text,
          ask,
          subject: over.name,
          names: [group, over.code, ...over.cas].filter(Boolean),
          where: answer.statement?.where,
        },
      ]
    }),
  )
}

function percentOfPart(massMg: number | undefined, all: readonly PartEvidence[]): number | undefined {
  const part = all.find((one) => one.massMg !== undefined && one.massMg > 0)?.massMg
  return massMg === undefined || part === undefined ? undefined : (massMg / part) * 100
}

/** The restricted groups that an SVHC is of, each with the mass share of the restricted element. */
function restrictedElements(
  { name, cas }: SvhcOver,
  tables: SubstanceTables | undefined,
): readonly { readonly group: string; readonly share: number }[] {
  const own =
    groupNamed(name) ??
    recognize('reach', { name, code: '', authority: '', cas, threshold: '' }, tables).groups[0]
  if (own !== undefined) return [{ group: own, share: 1 }]
  if (tables === undefined) return []
  const all = new Set([
    ...cas,
    ...substanceNames(name).flatMap((one) => tables.named.get(one)?.substances.map((row) => row.cas) ?? []),
  ])
  const least = new Map<string, number>()
  for (const { group, share } of [...all].flatMap((one) => tables.rohs.get(one) ?? [])) {
    const key = groupNamed(group)
    if (key !== undefined && share !== undefined) least.set(key, Math.min(share, least.get(key) ?? 1))
  }
  return [...least].map(([group, share]) => ({ group, share }))
}

/** A class A answer against the class C list, or against another answer. */
function answerContradictions(
  claims: readonly AnswerClaim[],
  rohs: RohsFinding,
  reach: ReachFinding,
): readonly Contradiction[] {
  const against = ({ about, says, words }: AnswerClaim): string | undefined => {
    if (about === 'rohs' && rohs.lists.length > 0) {
      const names = unique(rohs.over.map(({ name }) => name)).join(', ')
      if (says === 'none' && names !== '')
        return `class A ${words} against ${names} over in ${rohs.lists.join(', ')}`
      if (says === 'exempt' && rohs.status === 'not compliant')
        return `class A ${words} against ${names} over without exemption in ${rohs.lists.join(', ')}`
      const isClean = names === '' && rohs.status !== 'incomplete'
      if (says === 'over' && rohs.status !== 'not compliant' && rohs.status !== 'incomplete')
        return `class A ${words} against RoHS ${rohs.status} in ${rohs.lists.join(', ')}`
      if (says === 'exempt' && isClean && rohs.exemptions.length === 0)
        return `class A ${words} against none over in ${rohs.lists.join(', ')}`
    }
    if (about === 'reach' && reach.lists.length > 0) {
      const names = unique(reach.over.map(({ name }) => name)).join(', ')
      if (says === 'none' && names !== '')
        return `class A ${words} against ${names} over in ${reach.lists.join(', ')}`
      if (says !== 'none' && reach.status === 'no SVHC')
        return `class A ${words} against no SVHC in ${reach.lists.join(', ')}`
    }
    return undefined
  }
  const each = (['rohs', 'reach'] as const).flatMap((about) => {
    const own = claims.filter((claim) => claim.about === about)
    const different = own.find(({ says }) => says !== own[0]!.says)
    const text = `class A ${own[0]?.words} against class A ${different?.words}`
    return different === undefined ? [] : [contradiction(text, about, different.where)]
  })
  const found = claims.flatMap((claim) => {
    const text = against(claim)
    return text === undefined ? [] : [contradiction(text, claim.about, claim.where)]
  })
  return [...found, ...each]
}

function contradiction(text: string, about: AnswerClaim['about'], where: Where): Contradiction {
  return { text, subject: 'class A', names: [about === 'rohs' ? 'RoHS' : 'REACH'], where }
}

/** What cannot be screened, without what a list declares as over anyway. */
function undeclaredOpen(
  screenings: readonly { readonly open: readonly NotScreened[]; readonly origin: number }[],
  rohs: RohsFinding,
  reach: ReachFinding,
): readonly PlacedNotScreened[] {
  const over = new Set(rohs.over.flatMap(({ keys }) => keys))
  const names = new Set(reach.over.flatMap(({ name }) => substanceNames(name)))
  const numbers = new Set(reach.over.flatMap(({ cas }) => cas))
  return screenings.flatMap(({ open, origin }) =>
    open.flatMap((one): readonly PlacedNotScreened[] => {
      const groups = one.groups.filter((group) => !over.has(group))
      const isOver = one.cas.some((cas) => numbers.has(cas))
      const entries = isOver ? [] : one.entries.filter((own) => !own.some((name) => names.has(name)))
      if (groups.length + entries.length + one.lists.length === 0) return []
      return [{ ...one, groups, entries, at: { origin, line: one.line, list: '' } }]
    }),
  )
}

/** The indications that no list declares as over, by code, CAS number or name. */
function undeclared(
  screenings: readonly { readonly indications: readonly Indication[]; readonly origin: number }[],
  rohs: RohsFinding,
  reach: ReachFinding,
): readonly PlacedIndication[] {
  const groups = new Set(rohs.over.flatMap(({ keys }) => keys))
  const names = new Set(reach.over.flatMap(({ name }) => substanceNames(name)))
  const numbers = new Set(reach.over.flatMap(({ cas }) => cas))
  const isDeclared = ({ about, group, names: own, cas }: Indication): boolean => {
    if (about === 'list') return false
    if (about === 'rohs') return groups.has(group)
    return own.some((name) => names.has(name)) || cas.some((one) => numbers.has(one))
  }
  const worst = new Map<string, PlacedIndication>()
  for (const { indications, origin } of screenings) {
    for (const one of indications) {
      if (isDeclared(one)) continue
      const key = `${one.about} ${one.group} ${one.cas.join(' ')} ${one.where}`
      const known = worst.get(key)
      if (known === undefined || (known.percent ?? 0) < (one.percent ?? 0)) {
        worst.set(key, { ...one, at: { origin, line: one.line, list: '' } })
      }
    }
  }
  return [...worst.values()]
}

/** What a class A answer says about a regulation: nothing above the limits, something by exemption, or something above. */
interface AnswerClaim {
  readonly about: 'rohs' | 'reach'
  readonly says: 'none' | 'exempt' | 'over'
  /** The statement as it is quoted. */
  readonly words: string
  readonly where: Where
}

/** What the answers claim, as far as their texts are understood. */
export function answerClaims(
  answers: readonly { readonly record: AnswersRecord; readonly origin: number }[],
): readonly AnswerClaim[] {
  return answers.flatMap(({ record: { list, line, statements }, origin }) => {
    const where = { origin, line, list }
    const read = statements.flatMap(({ code, text, answer }) => {
      const about = subjectOf(`${list} ${text}`)
      const says = meaningOf(text)
      return about === undefined || says === undefined || answer === undefined
        ? []
        : [{ about, says, answer, words: statementName({ code, text }) }]
    })
    return read.flatMap(({ about, says, answer, words }): AnswerClaim[] => {
      if (answer) return [{ about, says, words, where }]
      // A question that is asked alone is answered by "no" too; of several statements one is true.
      if (read.length > 1 || says === 'exempt') return []
      return [{ about, says: says === 'none' ? 'over' : 'none', words: `${words}: no`, where }]
    })
  })
}

/** A statement in a text. */
function statementName({ code, text }: { readonly code: string; readonly text: string }): string {
  return (
    [code, text === '' ? '' : `"${text}"`].filter((part) => part !== '').join(' ') ||
    'a statement without a code'
  )
}

function subjectOf(text: string): AnswerClaim['about'] | undefined {
  if (/rohs|2011\/65/i.test(text)) return 'rohs'
  return /reach|svhc|candidate list|very high concern/i.test(text) ? 'reach' : undefined
}

const NO_INFORMATION = /obsolete|unknown|no information|not (?:known|available|determined)/i

/** The statements of class A differ in their words from version to version; what is not understood says nothing. */
function meaningOf(text: string): AnswerClaim['says'] | undefined {
  const words = text.toLowerCase()
  if (NO_INFORMATION.test(words)) return undefined
  if (/\b(?:not|n't) (?:meet|comply|conform)|\bnon-?(?:compliant|conform)|\bnot compliant/.test(words))
    return 'over'
  const isWithout = /(?:\bno\b|\bnot\b|\bnon\b|without)[ -]*(?:any |an |under |under an? |by )?exempt/.test(
    words,
  )
  const isExempt = !isWithout && /exempt|\bexcept\b/.test(words)
  if (/\b(?:meets?|compl(?:y|ies|iant)|conforms?)\b/.test(words)) return isExempt ? 'exempt' : 'none'
  if (!/\b(?:contains?|containing|above|exceeds?|over|present|has|have|free|below)\b/.test(words))
    return undefined
  const isNegated =
    /\b(?:not|n't) (?:contain|exceed|above|over|present|have)|^\W*(?:\d\W+)?(?:no|none)\b|\b(?:contains?|has|have) no\b|\bfree (?:of|from)\b|\bbelow\b/.test(
      words,
    )
  if (isNegated) return isExempt ? 'exempt' : 'none'
  return isExempt ? 'exempt' : 'over'
}

/** What a list that is neither RoHS nor the Candidate List states. */
export interface OtherListFinding {
  readonly list: string
  readonly status: 'over' | 'none over' | 'incomplete'
  /** The statements above their thresholds. */
  readonly over: readonly Statement[]
  /** Why it is incomplete; also where something is over. */
  readonly gaps: readonly Gap[]
  /** Those of them that may say that something is over. */
  readonly doubts: readonly Gap[]
  readonly where: Where
}

/** `none over` needs a statement for every category. */
function otherListFinding(lists: readonly JudgedList[]): OtherListFinding {
  const { identity, where } = lists[0]!
  const marked = lists.flatMap((list) => list.marked.filter(({ decides }) => decides))
  const over = marked.filter(({ answer }) => answer === 'over')
  const isEmpty = marked.length === 0 && lists.every(({ plain }) => plain.length === 0)
  const open = [...doubts('categories', marked), ...unreadGaps('categories', lists)]
  const gaps = [
    ...(isEmpty ? [{ text: 'without categories', where }] : []),
    ...partial(lists, 'such'),
    ...silence('', 'categories', lists),
    ...open,
    ...(hasUnknownExemption(lists) ? [{ text: UNKNOWN_EXEMPTION, where }] : []),
  ]
  const status = over.length > 0 ? 'over' : gaps.length > 0 ? 'incomplete' : 'none over'
  return { list: identity, status, over, gaps, doubts: open, where }
}

/** The reasons why another list is incomplete, as text. */
export function otherListGaps({ gaps }: OtherListFinding): readonly string[] {
  return texts(gaps)
}
