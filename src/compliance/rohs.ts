import { cleanText } from '../base/clean-text.ts'
import { plural } from '../base/units.ts'
import {
  type ListEvidence,
  type ListInEffect,
  type MarkedEntry,
  type PlacedList,
  statedEntries,
  type Where,
} from './currency.ts'
import { casOfEntry, type ListEntry } from './entry-keys.ts'
import type { ExemptionLookup } from './exemptions.ts'
import { claimsExemption, type ExemptionId, exemptionLabel, exemptionNumbers } from './exemptions.ts'
import type { FindingRule } from './finding-rules.ts'
import { groupLimit, weakThreshold, weakValue } from './legal-limits.ts'
import { type EntryRecord, isPlaceholder, type StatedExemption, UNKNOWN_EXEMPTION } from './part-record.ts'
import { groupsOfEach, recognize, type SubstanceTables } from './recognize.ts'
import { groupNamed, groupOfCode, ROHS_GROUPS, type RohsGroup } from './rohs-groups.ts'

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
  readonly list: string
  /** The share of the material in percent. */
  readonly percent: number | undefined
  readonly exemptions: readonly StatedExemption[]
  readonly where: Where | undefined
}

/** An exemption in use. */
export interface UsedExemption extends StatedExemption {
  readonly where: Where | undefined
}

/** An entry above its threshold, without an exemption for it. */
interface FailingEntry extends RohsOver {
  readonly reason: string
}

/** An entry above its threshold: a group, or a category that is none of the ten. */
interface RohsOver {
  readonly key: string
  readonly name: string
  readonly code: string
  readonly cas: readonly string[]
  /** The share of the material in percent. */
  readonly percent: number | undefined
  readonly where: Where
}

/** A RoHS status with what it rests on. */
export interface RohsFinding {
  readonly status: RohsStatus
  /** The identities of the lists that count. */
  readonly lists: readonly string[]
  readonly groups: readonly GroupAnswer[]
  readonly over: readonly RohsOver[]
  readonly failing: readonly FailingEntry[]
  /** The groups with a statement. */
  readonly stated: readonly string[]
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
  evidence: ListEvidence,
  otherLists: ListEvidence,
  otherExemptions: readonly UsedExemption[],
  unread: readonly Gap[],
  context: RohsContext,
): RohsFinding {
  const { stated, silent, marked } = evidence
  const lists = evidence.lists.map(({ list }) => list)
  if (lists.length === 0) {
    const isNamed = otherLists.lists.length > 0
    const gaps = [...otherListGaps(otherLists, context.tables), ...unread]
    const notes = [
      ...(isNamed ? [] : ['no RoHS list declared']),
      ...texts(gaps),
      ...otherNotes(otherExemptions),
    ]
    const used = exemptionsInUse(otherExemptions.filter((one) => claimsExemption(one, context.today)))
    const none = { lists: [], groups: [], over: [], failing: [], stated: [] }
    return { status: isNamed ? 'incomplete' : 'not declared', ...none, ...used, gaps, notes }
  }
  const listUnknown = lists.some((list) => list.hasUnknownExemption)
  const judged = marked.map((entry) => ({ entry, ...judgeEntry(entry, listUnknown, context) }))
  const over = marked.filter(({ state }) => state === 'over')
  const unclear = marked.filter(({ state }) => state === 'unclear')
  const open = new Set([...unclear, ...silent].map(({ key }) => key))
  const missing = ROHS_GROUPS.filter((group) => !stated.has(group) && !open.has(group))
  const first = placeOfList(evidence.lists[0]!)
  const gaps: readonly Gap[] = [
    ...(lists.every(({ size }) => size === 0)
      ? [{ text: 'RoHS list without categories', where: first }]
      : []),
    ...partial(evidence.lists, 'RoHS'),
    ...(missing.length > 0 && lists.some(({ size }) => size > 0)
      ? [
          {
            text: `RoHS: ${missing.join(', ')} not stated${otherNames(missing, evidence, context.tables)}`,
            where: first,
          },
        ]
      : []),
    // A sub-product without a list leaves all of the others' entries open: that is said once.
    ...(silent.length > 0 && lists.every(({ silentArticles }) => silentArticles === undefined)
      ? [
          {
            text: `RoHS: ${named(silent.map(({ key }) => entryName(key)))} without a statement`,
            where: silent[0]!.where,
          },
        ]
      : []),
    ...weakAnswers(evidence, context.tables),
    ...doubts('RoHS', marked),
    ...judged.flatMap(({ gap }) => gap),
    ...(listUnknown ? [{ text: UNKNOWN_EXEMPTION, where: first }] : []),
    ...wholeListGap(over),
    ...unreadGaps('RoHS', evidence),
    ...unread,
  ]
  const own = judged.flatMap(({ entry, inUse }) => inUse.map((one) => ({ ...one, where: entry.where })))
  // What a list claims as a whole is in use for what it states over, else for what it may be.
  const ofLists = evidence.lists.flatMap((placed) => {
    const isApplied = over.some(({ list, mayBeExempt }) => list === placed.list && !mayBeExempt)
    return isApplied ? [] : placed.list.exemptions.map((one) => ({ ...one, where: placeOfList(placed) }))
  })
  const isClaimed = (one: UsedExemption): boolean => claimsExemption(one, context.today)
  const used = exemptionsInUse([...own, ...ofLists.filter(isClaimed), ...otherExemptions.filter(isClaimed)])
  const failing = judged.flatMap(({ entry, verdict, reason }) =>
    verdict === 'failing' ? [{ ...overOf(entry), name: label(entry), reason }] : [],
  )
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
    groups: groupAnswers(evidence, judged, context.tables),
    over: over.map(overOf),
    failing,
    stated: ROHS_GROUPS.filter((group) => stated.has(group)),
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

/** Lists that say RoHS, but are none of IPC: what they are of is not known, and their answers are quoted. */
function otherListGaps({ lists, marked }: ListEvidence, tables: SubstanceTables | undefined): readonly Gap[] {
  return lists.map((placed) => {
    const { list } = placed
    const groups = new Set(statedEntries(list).flatMap((entry) => recognize(list.kind, entry, tables).groups))
    const over = marked.filter((one) => one.list === list && one.state === 'over')
    const answers = over.length === 0 ? 'none over' : `over: ${named(over.map(label))}`
    return {
      text: `RoHS: list ${list.identity} is not identified as a RoHS list of IPC (EUROHS-YYMM): states ${groups.size} of ten groups, ${answers}`,
      brief: `list ${list.identity} is none of IPC: ${answers}`,
      ask: `the list "${list.identity}" of {declaration} is not one we can judge; please state the ten groups in list EUROHS-1907`,
      where: over[0]?.where ?? placeOfList(placed),
    }
  })
}

function overOf({ key, name, code, entry, concentration, where }: MarkedEntry): RohsOver {
  return { key, name, code, cas: casOfEntry(entry), percent: concentration, where }
}

/** `Lead over the RoHS threshold (8.5 % in the material), no exemption`. */
export function failingText({
  name,
  percent,
  reason,
}: Pick<FailingEntry, 'name' | 'percent' | 'reason'>): string {
  const share = percent === undefined ? '' : ` (${percent} % in the material)`
  return `${name} over the RoHS threshold${share}, ${reason}`
}

/** Codes under the name of another group: the name counts. */
function codeNotes(lists: readonly ListInEffect[], tables: SubstanceTables | undefined): readonly string[] {
  const found = lists.flatMap((list) => {
    const entries = statedEntries(list)
    const each = groupsOfEach(entries, tables)
    return entries.flatMap((entry, index) => {
      const group = groupOfCode(entry)
      const groups = each[index]!
      if (group === undefined || groups.length === 0 || groups.includes(group)) return []
      return [`RoHS: the code of ${group} has the name "${cleanText(entry.name, 60)}", which counts`]
    })
  })
  return unique(found).slice(0, 3)
}

/** ` (the code of Lead has the name "Melamine")`: why a group is not stated although its code is there. */
function otherNames(
  missing: readonly RohsGroup[],
  { lists }: ListEvidence,
  tables: SubstanceTables | undefined,
): string {
  if (missing.length === 0) return ''
  const found = lists.flatMap(({ list }) => {
    const entries = statedEntries(list)
    const each = groupsOfEach(entries, tables)
    return entries.flatMap((entry, index) => {
      const group = groupOfCode(entry)
      const isOther = each[index]!.length === 0
      return group !== undefined && isOther && missing.includes(group)
        ? [`the code of ${group} has the name "${cleanText(entry.name, 60)}"`]
        : []
    })
  })
  return found.length === 0 ? '' : ` (${named(found, 3)})`
}

/** Groups that are stated "not over" in a way that does not show that they are within the limit. */
function weakAnswers({ lists, marked }: ListEvidence, tables: SubstanceTables | undefined): readonly Gap[] {
  const gap = (group: string, why: string | undefined, where: Where): readonly Gap[] =>
    why === undefined
      ? []
      : [{ text: `RoHS: ${group}: ${why}`, where, finding: { rule: 'threshold', subject: group, names: [] } }]
  return [
    ...lists.flatMap(({ list, origin }) => {
      const each = groupsOfEach(list.plain, tables)
      return list.plain.flatMap((entry, index) =>
        each[index]!.flatMap((group) =>
          gap(group, weakThreshold(entry, groupLimit(group)), {
            origin,
            line: list.plainLines[index] ?? list.line,
            list: list.identity,
          }),
        ),
      )
    }),
    ...marked.flatMap((one) => {
      if (one.state !== 'not over' || !isGroup(one.key)) return []
      const limit = groupLimit(one.key)
      return gap(one.key, weakThreshold(one.entry, limit) ?? weakValue(one, limit), one.where)
    }),
  ]
}

function isGroup(key: string): boolean {
  return ROHS_GROUPS.some((group) => group === key)
}

type JudgedEntry = { readonly entry: MarkedEntry } & ReturnType<typeof judgeEntry>

/** From worst to best. */
const ANSWERS = ['over', 'not understood', 'no statement', 'not proven', 'exempt', 'not over'] as const

function groupAnswers(
  evidence: ListEvidence,
  judged: readonly JudgedEntry[],
  tables: SubstanceTables | undefined,
): readonly GroupAnswer[] {
  const all = new Map<string, Omit<GroupAnswer, 'group'>[]>()
  const add = (key: string, answer: Omit<GroupAnswer, 'group'>): void => {
    const known = all.get(key)
    if (known === undefined) all.set(key, [answer])
    else known.push(answer)
  }
  const plain = { percent: undefined, exemptions: [] }
  const answerOf = (key: string, entry: ListEntry): 'not over' | 'not proven' =>
    weakThreshold(entry, groupLimit(key)) === undefined ? 'not over' : 'not proven'
  for (const { list, origin } of evidence.lists) {
    groupsOfEach(list.plain, tables).forEach((groups, index) => {
      const where = { origin, line: list.plainLines[index] ?? list.line, list: list.identity }
      for (const key of groups)
        add(key, { answer: answerOf(key, list.plain[index]!), list: list.identity, where, ...plain })
    })
  }
  for (const { key, where } of evidence.silent)
    add(key, { answer: 'no statement', list: where.list, where, ...plain })
  for (const { entry, verdict, inUse } of judged) {
    const isOver = entry.state === 'over'
    const answer =
      entry.state === 'unclear' || (isOver && verdict === 'open')
        ? 'not understood'
        : isOver
          ? verdict === 'failing'
            ? 'over'
            : 'exempt'
          : weakValue(entry, groupLimit(entry.key)) === undefined
            ? answerOf(entry.key, entry.entry)
            : 'not proven'
    const { where, concentration: percent } = entry
    add(entry.key, { answer, list: where.list, where, percent, exemptions: inUse })
  }
  return ROHS_GROUPS.map((group) => {
    const own = all.get(group) ?? []
    const worst = ANSWERS.find((answer) => own.some((one) => one.answer === answer))
    const found = own.find(({ answer }) => answer === worst)
    return found === undefined
      ? { group, answer: 'not stated', list: '', where: undefined, ...plain }
      : { group, ...found }
  })
}

function summaryNotes(status: RohsStatus, over: readonly MarkedEntry[]): readonly string[] {
  if (status === 'compliant') return ['RoHS: all ten groups stated, none over']
  if (status !== 'compliant with exemptions') return []
  const names = new Set(over.map(({ name, code }) => `${code} ${name}`)).size
  const what =
    names === 0 ? 'none over; exemptions are listed nevertheless' : `${names} over, each with an exemption`
  return [`RoHS: all ten groups stated, ${what} (validity not judged)`]
}

/** What an entry means for the status: its exemption counts when it is a number for this substance. */
function judgeEntry(
  entry: MarkedEntry,
  isListUnknown: boolean,
  { lookup, today }: RohsContext,
): {
  readonly verdict: 'failing' | 'fine' | 'open'
  readonly gap: readonly Gap[]
  readonly reason: string
  /** Those of its exemptions that are claimed for it. */
  readonly inUse: readonly StatedExemption[]
} {
  const { state, exemptions, hasUnknownExemption, mayBeExempt, key } = entry
  const unknown = hasUnknownExemption ? [{ text: UNKNOWN_EXEMPTION, where: entry.where }] : []
  // An exemption for another substance exempts nothing, whatever else is said of it.
  const others = exemptions.flatMap((exemption) => otherSubstance(exemption, key, lookup))
  const own = exemptions.filter((one) => others.every(({ exemption }) => exemption !== one))
  const inUse = own.filter((exemption) => claimsExemption(exemption, today))
  const texts = own.filter((one) => !inUse.includes(one))
  if (state !== 'over') {
    const odd = texts.filter(({ identity }) => !isPlaceholder(identity))
    return {
      verdict: 'fine',
      gap: [...unknown, ...odd.map((one) => notNumber(entry, one))],
      reason: '',
      inUse,
    }
  }
  const gap = [...unknown, ...texts.map((one) => notNumber(entry, one))]
  if (inUse.length > 0) return { verdict: gap.length > 0 ? 'open' : 'fine', gap, reason: '', inUse }
  if (gap.length > 0 || mayBeExempt || (isListUnknown && exemptions.length === 0)) {
    return { verdict: 'open', gap, reason: '', inUse }
  }
  const reason = others.length > 0 ? others.map(({ text }) => text).join(', ') : NO_EXEMPTION
  return { verdict: 'failing', gap: [], reason, inUse }
}

function notNumber(entry: MarkedEntry, { identity }: ExemptionId): Gap {
  const { where, state } = entry
  const name = label(entry)
  const [number] = exemptionNumbers(identity)
  if (number !== undefined) {
    const exemption = `exemption ${exemptionLabel(number)}`
    const remark = identity.replace(NUMBER_FIRST, '')
    const claimed = `${exemption} with the remark "${remark}"`
    return {
      text: `exemption "${identity}" of ${name} has a remark that negates or postpones it`,
      brief: `${exemption} "${remark}"`,
      ask: `{declaration} claims ${claimed} for ${name}: does it apply? If not, which does?`,
      where,
    }
  }
  const threshold = state === 'over' ? 'over the threshold' : 'not over the threshold'
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

function wholeListGap(over: readonly MarkedEntry[]): readonly Gap[] {
  const open = over.filter(({ mayBeExempt }) => mayBeExempt)
  if (open.length === 0) return []
  const what = open.length === 1 ? '1 category is over' : `${open.length} categories are over`
  return [{ text: `exemptions are stated for the whole RoHS list, and ${what}`, where: open[0]!.where }]
}

/** Entries whose statement is not understood, and those stated not over beside a value that may say something else. */
export function doubts(what: string, marked: readonly MarkedEntry[]): readonly Gap[] {
  const unclear = marked.filter(({ state }) => state === 'unclear')
  const words = unique(unclear.map(({ text }) => `"${text}"`))
  const shown = `${words.slice(0, 3).join(', ')}${words.length > 3 ? ', …' : ''}`
  const unread = marked.filter((entry) => entry.state === 'not over' && entry.unreadValue !== '')
  return [
    ...(unclear.length === 0
      ? []
      : [
          {
            text: `${what}: statement not recognized (${shown}): ${named(unclear.map(label))}`,
            ask: unclear
              .slice(0, MOST_ASKED)
              .map((one) => `overThreshold="${one.text}" for ${label(one)}: please send "true" or "false"`)
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
export function unreadGaps(what: string, { unread }: ListEvidence): readonly Gap[] {
  return unread.map(({ text, where }) => ({ text: `${what}: ${text}`, where }))
}

/** How many entries of all that are mentioned have no statement. */
export function silence(prefix: string, what: string, evidence: ListEvidence): readonly Gap[] {
  const { silent, marked } = evidence
  const keys = new Set(silent.map(({ key }) => key))
  if (keys.size === 0) return []
  const { stated } = evidence
  const unclear = marked.filter(({ state, key }) => state === 'unclear' && !stated.has(key))
  const total = new Set([...stated, ...keys, ...unclear.map(({ key }) => key)]).size
  return [{ text: `${prefix}${keys.size} of ${total} ${what} without a statement`, where: silent[0]!.where }]
}

/** True where an exemption is stated in a form that is not known, for a list or an entry. */
export function hasUnknownExemption({ lists, marked }: ListEvidence): boolean {
  return [...lists.map(({ list }) => list), ...marked].some((one) => one.hasUnknownExemption)
}

/** The place of a list itself. */
export function placeOfList({ list, origin }: PlacedList): Where {
  return { origin, line: list.line, list: list.identity }
}

export function texts(gaps: readonly Gap[]): readonly string[] {
  return gaps.map(({ text }) => text)
}

/** What is said of lists that count in part, or no longer. */
export function listNotes(what: string, lists: readonly ListInEffect[]): readonly string[] {
  const older = unique(lists.flatMap((list) => list.older))
  const revisions = unique(lists.map(({ revision }) => revision).filter((text) => text !== ''))
  return [
    ...(older.length > 0 ? [`older ${what} list also declared: ${older.join(', ')}`] : []),
    ...(revisions.length > 0 ? [`${what} list dated by its revision ${revisions.join(', ')}`] : []),
  ]
}

/** Sub-products without a list of a kind that the part itself has none of. */
export function partial(lists: readonly PlacedList[], what: string): readonly Gap[] {
  const found = new Map<string, Gap>()
  for (const placed of lists) {
    const { silentArticles } = placed.list
    if (silentArticles === undefined) continue
    const { silent, all, names } = silentArticles
    const who = names.length === silent ? names.join(', ') : `${silent} of ${all} sub-products`
    const { article, size } = placed.list
    const others =
      article === '' || size === 0 ? '' : `; ${article} states ${plural(size, 'entry', 'entries')}`
    const text = `${who} ${silent === 1 ? 'has' : 'have'} no ${what} list${others}`
    found.set(text, { text, where: placeOfList(placed) })
  }
  return [...found.values()]
}

export function named(names: readonly string[], most = MOST_NAMED): string {
  const once = unique(names)
  const more = once.length > most ? ` and ${once.length - most} more` : ''
  return `${once.slice(0, most).join(', ')}${more}`
}

/** An entry in a text, with the sub-product that states it. */
export function label({ name, article }: Pick<EntryRecord, 'name' | 'article'>): string {
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
