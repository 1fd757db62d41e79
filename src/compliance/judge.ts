import { plural } from '../base/units.ts'
import { type Evidence, type ListEvidence, listEvidence, replaces, withOneKeyEach } from './currency.ts'
import { type ExemptionLookup, NO_DATES } from './exemptions.ts'
import type { Indication, Screening } from './indications.ts'
import {
  type AnswersRecord,
  type EntryRecord,
  isAboveLimit,
  isAnswered,
  type PartRecord,
  UNKNOWN_EXEMPTION,
} from './part-record.ts'
import { tidy } from './quantity.ts'
import { type ReachFinding, reachFinding } from './reach.ts'
import {
  doubts,
  entryName,
  hasUnknownExemption,
  label,
  named,
  partial,
  type RohsFinding,
  rohsFinding,
  silence,
  unique,
} from './rohs.ts'
import { substanceNames } from './substance-identity.ts'

/** A declaration that counts for a part, with the composition it declares and the part's mass. */
export interface PartEvidence extends Evidence {
  readonly composition: Screening | undefined
  readonly massMg: number | undefined
}

/** What is known about a part: every status, derived once, from the declarations that count. */
export interface PartJudgement {
  readonly rohs: RohsFinding
  readonly reach: ReachFinding
  readonly otherLists: readonly OtherListFinding[]
  /** The class A statements that are made, with their lists. */
  readonly answers: readonly AnswerText[]
  /** Statements that contradict each other, each in words. */
  readonly contradictions: readonly string[]
  /** What class D has above a threshold and no list declares as such. */
  readonly indications: readonly Indication[]
  /** Substances of class D that cannot be screened. */
  readonly notScreened: number
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
}

/**
 * Judges a part by the declarations that count for it, the newest first. Each statement is taken from the newest declaration that
 * makes it; of statements whose age cannot be compared the worse counts.
 */
export function judge(all: readonly PartEvidence[], lookup: ExemptionLookup = NO_DATES): PartJudgement {
  const [only] = all
  // Most parts have one declaration, and most of these state the same: nothing of it is over.
  if (
    all.length > 1 ||
    only!.composition !== undefined ||
    only!.record.lists.some(({ marked }) => marked.length > 0)
  ) {
    return judgeAll(all, lookup)
  }
  const known = plain.get(only!.record) ?? judgeAll(all, lookup)
  plain.set(only!.record, known)
  return known
}

const plain = new WeakMap<PartRecord, PartJudgement>()

/** What is known of a part without any declaration. */
export const NOTHING_DECLARED = judgeAll([], NO_DATES)

function judgeAll(declared: readonly PartEvidence[], lookup: ExemptionLookup): PartJudgement {
  const all = withOneKeyEach(declared)
  const records = all.map(({ record }) => record)
  const rohsLists = listEvidence(all, ({ family }) => family === 'rohs')
  const reachLists = listEvidence(all, ({ family }) => family === 'reach')
  const misnamed = listEvidence(all, ({ family }) => family === 'misnamed')
  const unread = unique(records.flatMap((record) => record.unread))
  // Those of a substance are replaced with the composition that has it.
  const otherExemptions = all.flatMap((one) =>
    one.record.otherExemptions.filter(({ subject }) => subject === '' || !isReplacedComposition(one, all)),
  )
  const rohs = rohsFinding(rohsLists, { otherExemptions, unread }, lookup)
  const reach = reachFinding(reachLists, misnamed, unread)
  const otherKeys = all.flatMap(({ record }) => record.lists.filter(isOther).map(({ key }) => key))
  const otherLists = unique(otherKeys).map((key) => listEvidence(all, (list) => list.key === key))
  const identified = otherLists.filter(({ lists }) => lists.some(({ family }) => family === 'other'))
  const answers = currentAnswers(all)
  const composed = all.filter((one) => one.composition !== undefined && !isReplacedComposition(one, all))
  const screenings = composed.map(({ composition }) => composition!)
  return {
    rohs,
    reach,
    otherLists: otherLists.map(otherListFinding),
    answers: answers.map(({ record }) => answerText(record)),
    contradictions: unique([
      ...[rohsLists, reachLists, misnamed, ...identified].flatMap((lists) => valueContradictions(lists, all)),
      ...answerContradictions(answerClaims(answers.map(({ record }) => record)), rohs, reach),
    ]),
    indications: undeclared(screenings, rohs, reach),
    notScreened: Math.max(0, ...screenings.map((screening) => screening.notScreened)),
    hasGaps: rohs.gaps.length > 0 || reach.gaps.length > 0 || rohs.status === 'incomplete',
    origins: all.map((one, index) => [
      ...originOf('RoHS', rohsLists, index, (keys) => named(keys.map(entryName))),
      ...originOf('REACH', reachLists, index, (keys) => plural(keys.length, 'entry', 'entries')),
      ...otherLists.filter(({ origins }) => origins.has(index)).map(({ lists }) => lists[0]!.identity),
      ...(answers.some(({ evidence }) => evidence === one) ? ['class A'] : []),
      ...(composed.includes(one) ? ['class D'] : []),
    ]),
  }
}

/** What a declaration states of a family of lists: what exactly, where others state the rest. */
function originOf(
  family: string,
  { origins, stated }: ListEvidence,
  index: number,
  what: (keys: readonly string[]) => string,
): readonly string[] {
  const keys = origins.get(index)
  if (keys === undefined) return []
  const isWhole = origins.size === 1 || keys.size === 0 || keys.size === stated.size
  return [isWhole ? family : `${family} (${what([...keys])})`]
}

function isOther({ family }: PartRecord['lists'][number]): boolean {
  return family === 'other' || family === 'misnamed'
}

/** A newer composition that can be screened replaces an older one as a whole. */
function isReplacedComposition(one: PartEvidence, all: readonly PartEvidence[]): boolean {
  return all.some((other) => other.composition?.isConclusive === true && replaces(other, one))
}

/** The answers about each list from the newest declaration with one that is understood. */
function currentAnswers(all: readonly PartEvidence[]) {
  const found = all.flatMap((evidence) => evidence.record.answers.map((record) => ({ record, evidence })))
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

function answerText({ list, count, statements }: AnswersRecord): AnswerText {
  return {
    list,
    count,
    made: statements.filter(({ answer }) => answer === true).map(statementName),
    open: statements.filter(({ answer }) => answer === undefined).map(statementName),
  }
}

/** An amount or concentration above the threshold beside "not over". */
function valueContradictions(
  { marked, listOf }: ListEvidence,
  all: readonly PartEvidence[],
): readonly string[] {
  return marked.flatMap((entry) => {
    if (entry.state !== 'not over') return []
    const list = listOf.get(entry)!
    const share = shareAbove(entry, list.family, all)
    return share === undefined ? [] : [`${label(entry)}: ${share} beside "not over" in ${list.identity}`]
  })
}

function shareAbove(
  entry: EntryRecord,
  family: PartRecord['lists'][number]['family'],
  all: readonly PartEvidence[],
): string | undefined {
  const { concentration, percent, massMg } = entry
  const isAbove = (value: number): boolean => isAboveLimit({ family }, entry, value)
  if (concentration !== undefined && isAbove(concentration)) return `concentration ${concentration} %`
  if (percent !== undefined && isAbove(percent)) return `amount ${tidy(percent)} %`
  const part = all.find(({ massMg: mass }) => mass !== undefined && mass > 0)?.massMg
  if (massMg === undefined || part === undefined) return undefined
  return isAbove((massMg / part) * 100) ? `amount ${massMg} mg of ${part} mg` : undefined
}

/** A class A answer against the class C list, or against another answer. */
function answerContradictions(
  claims: readonly AnswerClaim[],
  rohs: RohsFinding,
  reach: ReachFinding,
): readonly string[] {
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
    return different === undefined ? [] : [`class A ${own[0]!.words} against class A ${different.words}`]
  })
  return [...claims.map(against).filter((text) => text !== undefined), ...each]
}

/** The indications that no list declares as over. */
function undeclared(
  screenings: readonly Screening[],
  rohs: RohsFinding,
  reach: ReachFinding,
): readonly Indication[] {
  const groups = new Set(rohs.over.map(({ key }) => key))
  const names = new Set(reach.over.flatMap(({ name }) => substanceNames(name)))
  const found = screenings.flatMap(({ indications }) => indications)
  const open = found.filter((one) =>
    one.about === 'rohs' ? !groups.has(one.group) : !one.names.some((name) => names.has(name)),
  )
  const worst = new Map<string, Indication>()
  for (const one of open) {
    const key = `${one.about} ${one.group} ${one.cas.join(' ')} ${one.where}`
    const known = worst.get(key)
    if (known === undefined || known.percent < one.percent) worst.set(key, one)
  }
  return [...worst.values()]
}

/** What a class A answer says about a regulation: nothing above the limits, something by exemption, or something above. */
interface AnswerClaim {
  readonly about: 'rohs' | 'reach'
  readonly says: 'none' | 'exempt' | 'over'
  /** The statement as it is quoted. */
  readonly words: string
}

/** What the answers claim, as far as their texts are understood. */
export function answerClaims(answers: readonly AnswersRecord[]): readonly AnswerClaim[] {
  return answers.flatMap(({ list, statements }) => {
    const read = statements.flatMap(({ code, text, answer }) => {
      const about = subjectOf(`${list} ${text}`)
      const says = meaningOf(text)
      return about === undefined || says === undefined || answer === undefined
        ? []
        : [{ about, says, answer, words: statementName({ code, text }) }]
    })
    return read.flatMap(({ about, says, answer, words }): AnswerClaim[] => {
      if (answer) return [{ about, says, words }]
      // A question that is asked alone is answered by "no" too; of several statements one is true.
      if (read.length > 1 || says === 'exempt') return []
      return [{ about, says: says === 'none' ? 'over' : 'none', words: `${words}: no` }]
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

/** The statements of class A differ in their words from version to version; what is not understood says nothing. */
function meaningOf(text: string): AnswerClaim['says'] | undefined {
  const words = text.toLowerCase()
  if (/obsolete|unknown|no information|not (?:known|available|determined)/.test(words)) return undefined
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
  /** The names of the entries above their thresholds. */
  readonly over: readonly string[]
  /** The entries with a statement, by their keys. */
  readonly stated: ReadonlySet<string>
  /** Why it is incomplete; also where something is over. */
  readonly gaps: readonly string[]
}

/** `none over` needs a statement for every category. */
function otherListFinding(evidence: ListEvidence): OtherListFinding {
  const { lists, silent, stated, marked } = evidence
  const over = unique(marked.filter(({ state }) => state === 'over').map(label))
  const isEmpty = stated.size + silent.size === 0 && marked.every(({ state }) => state !== 'unclear')
  const gaps = [
    ...(isEmpty ? ['without categories'] : []),
    ...partial(lists, 'such'),
    ...silence('', 'categories', evidence),
    ...doubts('categories', marked),
    ...(hasUnknownExemption(evidence) ? [UNKNOWN_EXEMPTION] : []),
  ]
  return {
    list: lists[0]!.identity,
    status: over.length > 0 ? 'over' : gaps.length > 0 ? 'incomplete' : 'none over',
    over,
    stated,
    gaps,
  }
}
