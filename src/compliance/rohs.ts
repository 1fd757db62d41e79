import { cleanText } from '../base/clean-text.ts'
import { plural } from '../base/units.ts'
import type { ExemptionLookup } from './exemptions.ts'
import {
  claimsExemption,
  type ExemptionId,
  exemptionLabel,
  exemptionNumbers,
  isOfOtherLaw,
} from './exemptions.ts'
import type { FindingRule } from './finding-rules.ts'
import { groupLimit, weakApplication, weakThreshold, weakValue } from './legal-limits.ts'
import { isPlaceholder, type StatedExemption, UNKNOWN_EXEMPTION } from './part-record.ts'
import type { SubstanceTables } from './recognize.ts'
import { groupNamed, groupOfCode, ROHS_GROUPS, type RohsGroup } from './rohs-groups.ts'
import {
  isAnswer,
  isOpen,
  type JudgedList,
  keysStated,
  type Statement,
  subjectOf,
  type Where,
} from './statements.ts'

/** From best to worst: a product has the worst status of its parts. */
const STATUSES = [
  'compliant',
  'compliant with exemptions',
  'not declared',
  'incomplete',
  'not compliant',
] as const

/** The five values of the `rohs` column. */
export type RohsStatus = (typeof STATUSES)[number]

/** A finding in other words than its sentence, where that has too many for a column, or too few for a letter. */
export interface Wording {
  /** What a column has room for. */
  readonly brief?: string | undefined
  /** What its supplier is asked; empty for what a supplier cannot answer. `{declaration}` stands for the declaration that is meant. */
  readonly ask?: string | undefined
}

/** A reason why something is incomplete, with the place of what it is about. */
export interface Gap extends Wording {
  readonly text: string
  readonly where?: Where | undefined
  /** Where it is not that something is missing or not understood, but of a rule of its own. */
  readonly finding?: {
    readonly rule: FindingRule
    readonly subject: string
    readonly names: readonly string[]
  }
}

/** What is stated about one of the ten groups: of several statements in effect the worst. */
interface GroupAnswer {
  readonly group: RohsGroup
  readonly answer:
    | 'not over'
    | 'exempt'
    | 'over'
    | 'not proven'
    | 'not understood'
    | 'no statement'
    | 'not stated'
  /** Undefined where none is about it. */
  readonly statement: Statement | undefined
  /** Those in use. */
  readonly exemptions: readonly StatedExemption[]
}

/** An exemption in use. */
export interface UsedExemption extends StatedExemption {
  readonly where: Where | undefined
}

/** A statement above the threshold, without an exemption for what it is about: a group, or a category that is none of the ten. */
interface Failing {
  readonly key: string
  readonly statement: Statement
  readonly reason: string
}

/** A RoHS status with what it rests on. */
export interface RohsFinding {
  readonly status: RohsStatus
  /** The identities of the lists that count. */
  readonly lists: readonly string[]
  readonly groups: readonly GroupAnswer[]
  /** The statements above their thresholds. */
  readonly over: readonly Statement[]
  readonly failing: readonly Failing[]
  readonly exemptions: readonly UsedExemption[]
  /** The same, once each, whatever they are stated for: their dates are looked up by them. */
  readonly exemptionIds: readonly ExemptionId[]
  /** Why something is incomplete, whatever the status. */
  readonly gaps: readonly Gap[]
  readonly notes: readonly string[]
}

/** Why an entry fails that claims none; another reason names an exemption for another substance. */
export const NO_EXEMPTION = 'no exemption'

const MOST_NAMED = 10
const MOST_EXEMPTIONS = 500

/** What a judgement looks up. */
interface RohsContext {
  readonly lookup: ExemptionLookup
  /** `YYYY-MM-DD` */
  readonly today: string
  readonly tables: SubstanceTables | undefined
}

/**
 * The RoHS status by the lists that count: `compliant` only where all ten groups are stated. An exemption is listed, not judged: it
 * expires, and a file does not show whether it still applies.
 */
export function rohsFinding(
  lists: readonly JudgedList[],
  otherLists: readonly JudgedList[],
  otherExemptions: readonly UsedExemption[],
  unread: readonly Gap[],
  context: RohsContext,
): RohsFinding {
  if (lists.length === 0) {
    const isNamed = otherLists.length > 0
    const gaps = [...otherListGaps(otherLists), ...unread]
    const notes = [
      ...(isNamed ? [] : ['no RoHS list declared']),
      ...texts(gaps),
      ...otherNotes(otherExemptions),
    ]
    const used = exemptionsInUse(otherExemptions.filter((one) => claimsExemption(one, context.today)))
    const none = { lists: [], groups: [], over: [], failing: [] }
    return { status: isNamed ? 'incomplete' : 'not declared', ...none, ...used, gaps, notes }
  }
  const listUnknown = lists.some((list) => list.hasUnknownExemption)
  const all = decidingOf(lists)
  const judged = all.flatMap((statement) =>
    statement.keys.map((key) => judgeStatement(statement, key, listUnknown, context)),
  )
  const over = all.filter(({ answer }) => answer === 'over')
  const silent = judged.filter(({ statement }) => isOpen(statement))
  const missing = ROHS_GROUPS.filter((group) => judged.every(({ key }) => key !== group))
  const first = lists[0]!.where
  const gaps: readonly Gap[] = [
    ...(lists.every(({ size }) => size === 0)
      ? [{ text: 'RoHS list without categories', where: first }]
      : []),
    ...partial(lists, 'RoHS'),
    ...(missing.length > 0 && lists.some(({ size }) => size > 0)
      ? [
          {
            text: `RoHS: ${missing.join(', ')} not stated${otherNames(missing, lists, context.tables)}`,
            where: first,
          },
        ]
      : []),
    // A sub-product without a list leaves all of the others' entries open: that is said once.
    ...(silent.length > 0 && lists.every(({ silentArticles }) => silentArticles === undefined)
      ? [
          {
            text: `RoHS: ${named(silent.map(({ key }) => entryName(key)))} without a statement`,
            where: silent[0]!.statement.where,
          },
        ]
      : []),
    ...judged.flatMap((one) => weakAnswer(one, judged)),
    ...doubts('RoHS', all),
    ...judged.flatMap(({ gap }) => gap),
    ...(listUnknown ? [{ text: UNKNOWN_EXEMPTION, where: first }] : []),
    ...wholeListGap(over),
    ...unreadGaps('RoHS', lists),
    ...unread,
  ]
  const own = judged.flatMap(({ statement: { where }, inUse }) => inUse.map((one) => ({ ...one, where })))
  // What a list claims as a whole is in use for what it states over, else for what it may be.
  const ofLists = lists.flatMap(({ marked, exemptions, where }) => {
    const isApplied = marked.some((one) => one.decides && one.answer === 'over' && !one.mayBeExempt)
    return isApplied ? [] : exemptions.map((one) => ({ ...one, where }))
  })
  const isClaimed = (one: UsedExemption): boolean => claimsExemption(one, context.today)
  const used = exemptionsInUse([...own, ...ofLists.filter(isClaimed), ...otherExemptions.filter(isClaimed)])
  const failing = judged.filter(({ verdict }) => verdict === 'failing')
  const status =
    failing.length > 0
      ? 'not compliant'
      : gaps.length > 0
        ? 'incomplete'
        : used.exemptions.length > 0
          ? 'compliant with exemptions'
          : 'compliant'
  return {
    status,
    lists: unique(lists.map(({ identity }) => identity)),
    groups: ROHS_GROUPS.map((group) => groupAnswer(group, judged)),
    over,
    failing,
    ...used,
    gaps,
    notes: [
      ...unique(failing.map(failingText)),
      ...summaryNotes(status, over),
      ...texts(gaps).map((gap) =>
        status === 'incomplete' && !gap.startsWith('RoHS') ? `incomplete: ${gap}` : gap,
      ),
      ...otherNotes(otherExemptions),
      ...listNotes('RoHS', lists),
      ...codeNotes(lists, context.tables),
    ],
  }
}

export function decidingOf(lists: readonly JudgedList[]): readonly Statement[] {
  return lists.flatMap(({ statements }) => statements.filter(({ decides }) => decides))
}

/** Lists that say RoHS, but are none of IPC: what they are of is not known, and their answers are quoted. */
function otherListGaps(lists: readonly JudgedList[]): readonly Gap[] {
  return lists.map(({ identity, statements, where }) => {
    const stated = statements.filter(isAnswer)
    const groups = new Set(stated.flatMap(({ about }) => about.filter(isGroup)))
    const over = stated.filter(({ answer }) => answer === 'over')
    const answers = over.length === 0 ? 'none over' : `over: ${named(over.map(label))}`
    return {
      text: `RoHS: list ${identity} is not identified as a RoHS list of IPC (EUROHS-YYMM): states ${groups.size} of ten groups, ${answers}`,
      brief: `list ${identity} is none of IPC: ${answers}`,
      ask: `the list "${identity}" of {declaration} is not one we can judge; please state the ten groups in list EUROHS-1907`,
      where: over[0]?.where ?? where,
    }
  })
}

/** `Lead over the RoHS threshold (8.5 % in the material), no exemption`. */
export function failingText({ statement, reason }: Failing): string {
  const share = statement.concentration === undefined ? '' : ` (${statement.concentration} % in the material)`
  return `${label(statement)} over the RoHS threshold${share}, ${reason}`
}

/** Codes under the name of another group: the name counts. */
function codeNotes(lists: readonly JudgedList[], tables: SubstanceTables | undefined): readonly string[] {
  const found = misnamedCodes(lists, tables).filter(({ isGroup: is }) => is)
  return unique(found.map(({ text }) => `RoHS: ${text}, which counts`)).slice(0, 3)
}

/** ` (the code of Lead has the name "Melamine")`: why a group is not stated although its code is there. */
function otherNames(
  missing: readonly RohsGroup[],
  lists: readonly JudgedList[],
  tables: SubstanceTables | undefined,
): string {
  const found = misnamedCodes(lists, tables).filter((one) => !one.isGroup && missing.includes(one.group))
  return found.length === 0
    ? ''
    : ` (${named(
        found.map(({ text }) => text),
        3,
      )})`
}

/** Entries that have the code of a group, and the name of another one or of none. */
function misnamedCodes(lists: readonly JudgedList[], tables: SubstanceTables | undefined) {
  return lists.flatMap(({ entries }) =>
    entries.flatMap((entry) => {
      const group = groupOfCode(entry)
      if (group === undefined) return []
      const groups = subjectOf('rohs', entry, tables).about.filter(isGroup)
      if (groups.includes(group)) return []
      const text = `the code of ${group} has the name "${cleanText(entry.name, 60)}"`
      return [{ group, text, isGroup: groups.length > 0 }]
    }),
  )
}

/** A group that is stated "not over" in a way that does not show that it is within the limit. */
function weakAnswer({ key, statement }: JudgedKey, judged: readonly JudgedKey[]): readonly Gap[] {
  const why = weakness(key, statement, judged)
  if (why === undefined) return []
  const finding = { rule: 'threshold', subject: key, names: [] } as const
  return [{ text: `RoHS: ${key}: ${why}`, where: statement.where, finding }]
}

function weakness(key: string, statement: Statement, judged: readonly JudgedKey[]): string | undefined {
  if (statement.answer !== 'not over' || statement.isPartial || !isGroup(key)) return undefined
  const limit = groupLimit(key)
  const alike = judged.filter((one) => one.key === key).map((one) => one.statement)
  return weakThreshold(statement, limit) ?? weakValue(statement, limit) ?? weakApplication(statement, alike)
}

function isGroup(key: string): boolean {
  return ROHS_GROUPS.some((group) => group === key)
}

/** A statement as it is judged for one of its groups. */
interface JudgedKey {
  readonly key: string
  readonly statement: Statement
  readonly verdict: 'failing' | 'fine' | 'open'
  readonly gap: readonly Gap[]
  readonly reason: string
  /** Those of its exemptions that are claimed for it. */
  readonly inUse: readonly StatedExemption[]
}

/** From worst to best. */
const ANSWERS = ['over', 'not understood', 'no statement', 'not proven', 'exempt', 'not over'] as const

function groupAnswer(group: RohsGroup, judged: readonly JudgedKey[]): GroupAnswer {
  const own = judged
    .filter(({ key }) => key === group)
    .map((one) => ({ ...one, answer: answerOf(one, judged) }))
  const worst = ANSWERS.find((answer) => own.some((one) => one.answer === answer))
  const found = own.find(({ answer }) => answer === worst)
  if (found === undefined) return { group, answer: 'not stated', statement: undefined, exemptions: [] }
  return { group, answer: found.answer, statement: found.statement, exemptions: found.inUse }
}

function answerOf(
  { key, statement, verdict }: JudgedKey,
  judged: readonly JudgedKey[],
): (typeof ANSWERS)[number] {
  if (isOpen(statement)) return 'no statement'
  if (statement.answer === 'not over')
    return weakness(key, statement, judged) === undefined ? 'not over' : 'not proven'
  if (statement.answer !== 'over' || verdict === 'open') return 'not understood'
  return verdict === 'failing' ? 'over' : 'exempt'
}

function summaryNotes(status: RohsStatus, over: readonly Statement[]): readonly string[] {
  if (status === 'compliant') return ['RoHS: all ten groups stated, none over']
  if (status !== 'compliant with exemptions') return []
  const names = new Set(over.map(({ name, code }) => `${code} ${name}`)).size
  const what =
    names === 0 ? 'none over; exemptions are listed nevertheless' : `${names} over, each with an exemption`
  return [`RoHS: all ten groups stated, ${what} (validity not judged)`]
}

const NO_GAP: readonly Gap[] = []
const NO_EXEMPTIONS: readonly StatedExemption[] = []

/** What a statement means for the status: its exemption counts when it is a number for this substance. */
function judgeStatement(
  statement: Statement,
  key: string,
  isListUnknown: boolean,
  { lookup, today }: RohsContext,
): JudgedKey {
  const { answer, exemptions, hasUnknownExemption, mayBeExempt, where } = statement
  const fine: JudgedKey = { key, statement, verdict: 'fine', gap: NO_GAP, reason: '', inUse: NO_EXEMPTIONS }
  // Most are.
  if (answer !== 'over' && exemptions.length === 0 && !hasUnknownExemption) return fine
  const unknown = hasUnknownExemption ? [{ text: UNKNOWN_EXEMPTION, where }] : []
  // An exemption for another substance exempts nothing, whatever else is said of it.
  const others = exemptions.flatMap((exemption) => otherSubstance(exemption, key, lookup))
  const own = exemptions.filter((one) => others.every(({ exemption }) => exemption !== one))
  const inUse = own.filter((exemption) => claimsExemption(exemption, today))
  const texts = own.filter((one) => !inUse.includes(one))
  if (answer !== 'over') {
    const odd = texts.filter(({ identity }) => !isPlaceholder(identity))
    return { ...fine, gap: [...unknown, ...odd.map((one) => notNumber(statement, one))], inUse }
  }
  const gap = [...unknown, ...texts.map((one) => notNumber(statement, one))]
  if (inUse.length > 0) return { ...fine, verdict: gap.length > 0 ? 'open' : 'fine', gap, inUse }
  if (gap.length > 0 || mayBeExempt || (isListUnknown && exemptions.length === 0)) {
    return { ...fine, verdict: 'open', gap, inUse }
  }
  const reason = others.length > 0 ? others.map(({ text }) => text).join(', ') : NO_EXEMPTION
  return { ...fine, verdict: 'failing', reason, inUse }
}

function notNumber(statement: Statement, exemption: ExemptionId): Gap {
  const { where, answer } = statement
  const { identity, list } = exemption
  const name = label(statement)
  if (isOfOtherLaw(exemption)) {
    return {
      text: `exemption "${identity}" of ${name} is from the list "${list}", not of RoHS`,
      brief: `exemption "${identity}" of "${list}"`,
      ask: `{declaration} claims exemption "${identity}" of the list "${list}" for ${name}; please give the number of one in Annex III or IV of the RoHS directive`,
      where,
    }
  }
  const [number] = exemptionNumbers(identity)
  if (number !== undefined) {
    const claim = `exemption ${exemptionLabel(number)}`
    const remark = identity.replace(NUMBER_FIRST, '')
    const claimed = `${claim} with the remark "${remark}"`
    return {
      text: `exemption "${identity}" of ${name} has a remark that negates or postpones it`,
      brief: `${claim} "${remark}"`,
      ask: `{declaration} claims ${claimed} for ${name}: does it apply? If not, which does?`,
      where,
    }
  }
  const threshold = answer === 'over' ? 'over the threshold' : 'not over the threshold'
  return {
    text: `exemption "${identity}" of ${name} has no number`,
    brief: `exemption "${identity}"`,
    ask: `{declaration} states ${name} ${threshold} with the exemption "${identity}"; please give its number in Annex III or IV, such as 6(c)`,
    where,
  }
}

const NUMBER_FIRST =
  /^\W*(?:(?:annex|anhang|annexe|ex\.?|exemption|ausnahme)\W*)?(?:(?:iii|iv)\b\W*)?\d+\s*(?:\([a-z]\)|[a-z]\b)?(?:\s*-\s*[ivx]+\b)?[\s:;,–—-]*/i

/** Says that an exemption is for another substance than this group, where the table knows its substances. */
function otherSubstance(
  exemption: StatedExemption,
  group: string,
  lookup: ExemptionLookup,
): readonly { readonly exemption: StatedExemption; readonly text: string }[] {
  if (isOfOtherLaw(exemption)) return []
  const known = lookup(exemption)
  const substances = known.flatMap(({ substances: each }) => each)
  const isKnown = known.every(({ substances: each }) => each.length > 0)
  if (!isKnown || !isGroup(group)) return []
  if (substances.some((substance) => groupNamed(substance) === group)) return []
  const numbers = exemptionNumbers(exemption.identity, exemption.list).map(exemptionLabel)
  return [{ exemption, text: `exemption ${numbers.join(', ')} is for ${unique(substances).join(', ')}` }]
}

/** The exemptions that are claimed: numbers, and texts that are more than "none". */
function claimed(exemptions: readonly UsedExemption[]): readonly UsedExemption[] {
  return exemptions.filter(({ identity }) => !isPlaceholder(identity))
}

function exemptionsInUse(stated: readonly UsedExemption[]): Pick<RohsFinding, 'exemptions' | 'exemptionIds'> {
  const exemptions = claimed(stated)
  const once = new Map(
    exemptions.map(({ identity, list }) => [`${list}\n${identity}`, { identity, list }] as const),
  )
  return { exemptions, exemptionIds: [...once.values()].slice(0, MOST_EXEMPTIONS) }
}

function otherNotes(exemptions: readonly UsedExemption[]): readonly string[] {
  const used = claimed(exemptions)
  return used.length > 0 ? [`exemptions stated outside class C: ${used.length}`] : []
}

function wholeListGap(over: readonly Statement[]): readonly Gap[] {
  const open = over.filter(({ mayBeExempt }) => mayBeExempt)
  if (open.length === 0) return []
  const what = open.length === 1 ? '1 category is over' : `${open.length} categories are over`
  return [{ text: `exemptions are stated for the whole RoHS list, and ${what}`, where: open[0]!.where }]
}

/** Entries whose statement is not understood, and those stated not over beside a value that may say something else. */
export function doubts(what: string, deciding: readonly Statement[]): readonly Gap[] {
  const unclear = deciding.filter(({ answer }) => answer === 'not understood')
  const words = unique(unclear.map(({ quoted }) => `"${quoted}"`))
  const shown = `${words.slice(0, 3).join(', ')}${words.length > 3 ? ', …' : ''}`
  const unread = deciding.filter(({ answer, unreadValue }) => answer === 'not over' && unreadValue !== '')
  return [
    ...(unclear.length === 0
      ? []
      : [
          {
            text: `${what}: statement not recognized (${shown}): ${named(unclear.map(label))}`,
            ask: unclear
              .slice(0, MOST_ASKED)
              .map((one) => `overThreshold="${one.quoted}" for ${label(one)}: please send "true" or "false"`)
              .join('\n'),
            where: unclear[0]!.where,
          },
        ]),
    ...unique(unread.map(({ unreadValue }) => unreadValue))
      .slice(0, MOST_ASKED)
      .map((value) => {
        const own = unread.filter(({ unreadValue }) => unreadValue === value)
        const quoted = `${named(own.map(label))}: "not over", with the ${value}`
        const readings = readingsOf(value)
        return {
          text: `${what}: ${quoted}, which cannot be read`,
          ask: readings === undefined ? `${quoted}, which we cannot read` : `${quoted}: ${readings}?`,
          where: own[0]!.where,
        }
      }),
  ]
}

/** Questions of one kind in a letter. */
const MOST_ASKED = 20

/** `1500 or 1.5`: what a number such as `1,500` may be. */
function readingsOf(value: string): string | undefined {
  const [, whole, , rest] = /"\D*(\d{1,3})([.,])(\d{3})(?!\d)/.exec(value) ?? []
  return whole === undefined ? undefined : `${whole}${rest} or ${Number(`${whole}.${rest}`)}`
}

/** Answers of lists that are not understood. */
export function unreadGaps(what: string, lists: readonly JudgedList[]): readonly Gap[] {
  return lists.flatMap(({ unread }) => unread.map(({ text, where }) => ({ text: `${what}: ${text}`, where })))
}

/** How many entries of all that are mentioned have no statement. */
export function silence(prefix: string, what: string, lists: readonly JudgedList[]): readonly Gap[] {
  const deciding = lists.flatMap(({ marked }) => marked.filter(({ decides }) => decides))
  const silent = deciding.filter(isOpen)
  if (silent.length === 0) return []
  const keys = new Set(silent.map(({ key }) => key))
  const unclear = deciding.filter(({ answer }) => answer === 'not understood')
  const total = new Set([...keysStated(lists), ...keys, ...unclear.map(({ key }) => key)]).size
  return [{ text: `${prefix}${keys.size} of ${total} ${what} without a statement`, where: silent[0]!.where }]
}

/** True where an exemption is stated in a form that is not known, for a list or an entry. */
export function hasUnknownExemption(lists: readonly JudgedList[]): boolean {
  return lists.some(
    (list) => list.hasUnknownExemption || list.marked.some((one) => one.decides && one.hasUnknownExemption),
  )
}

export function texts(gaps: readonly Gap[]): readonly string[] {
  return gaps.map(({ text }) => text)
}

/** What is said of lists that count in part, or no longer. */
export function listNotes(what: string, lists: readonly JudgedList[]): readonly string[] {
  const older = unique(lists.flatMap((list) => list.older))
  const revisions = unique(lists.map(({ revision }) => revision).filter((text) => text !== ''))
  return [
    ...(older.length > 0 ? [`older ${what} list also declared: ${older.join(', ')}`] : []),
    ...(revisions.length > 0 ? [`${what} list dated by its revision ${revisions.join(', ')}`] : []),
  ]
}

/** Sub-products without a list of a kind that the part itself has none of. */
export function partial(lists: readonly JudgedList[], what: string): readonly Gap[] {
  const found = new Map<string, Gap>()
  for (const { silentArticles, article, size, where } of lists) {
    if (silentArticles === undefined) continue
    const { silent, all, names } = silentArticles
    const who = names.length === silent ? names.join(', ') : `${silent} of ${all} sub-products`
    const others =
      article === '' || size === 0 ? '' : `; ${article} states ${plural(size, 'entry', 'entries')}`
    const text = `${who} ${silent === 1 ? 'has' : 'have'} no ${what} list${others}`
    found.set(text, { text, where })
  }
  return [...found.values()]
}

export function named(names: readonly string[], most = MOST_NAMED): string {
  const once = unique(names)
  const more = once.length > most ? ` and ${once.length - most} more` : ''
  return `${once.slice(0, most).join(', ')}${more}`
}

/** An entry in a text, with the sub-product that states it. */
export function label({ name, article }: Pick<Statement, 'name' | 'article'>): string {
  return article === '' ? name : `${article}: ${name}`
}

export function entryName(key: string): string {
  return key.startsWith('~') ? key.slice(1) : key
}

export function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/**
 * The RoHS status of several parts together: the worst. Incomplete when only some declare one; `not declared` when none does.
 */
export function worstRohs(statuses: Iterable<RohsStatus>): RohsStatus {
  const all = new Set(statuses)
  const isSilent = all.delete('not declared')
  if (all.size === 0) return 'not declared'
  if (isSilent) all.add('incomplete')
  return STATUSES.findLast((status) => all.has(status))!
}
