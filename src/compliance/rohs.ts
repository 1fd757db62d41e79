import type { ListEvidence } from './currency.ts'
import type { ExemptionLookup } from './exemptions.ts'
import { claimsExemption, type ExemptionId, exemptionLabel, exemptionNumbers } from './exemptions.ts'
import {
  type EntryRecord,
  isPlaceholder,
  type PartRecord,
  type StatedExemption,
  UNKNOWN_EXEMPTION,
} from './part-record.ts'
import { groupNamed, ROHS_GROUPS } from './rohs-groups.ts'

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

/** A RoHS status with what it rests on. */
export interface RohsFinding {
  readonly status: RohsStatus
  /** The identities of the lists that count. */
  readonly lists: readonly string[]
  /** What each entry above its threshold states, by its key: a group, or a category that is none of the ten. */
  readonly over: readonly RohsOver[]
  /** The groups with a statement. */
  readonly stated: readonly string[]
  readonly exemptions: readonly StatedExemption[]
  /** The same, once each, whatever they are stated for: their dates are looked up by them. */
  readonly exemptionIds: readonly ExemptionId[]
  /** Why something is incomplete, whatever the status. */
  readonly gaps: readonly string[]
  readonly notes: readonly string[]
}

interface RohsOver {
  readonly key: string
  readonly name: string
  /** The share of the material in percent. */
  readonly percent: number | undefined
}

const MOST_NAMED = 10
const MOST_EXEMPTIONS = 500

/**
 * The RoHS status by the lists that count: `compliant` only where all ten groups are stated. An exemption is listed, not judged: it
 * expires, and a file does not show whether it still applies.
 */
export function rohsFinding(
  evidence: ListEvidence,
  { otherExemptions, unread }: Pick<PartRecord, 'otherExemptions' | 'unread'>,
  lookup: ExemptionLookup,
): RohsFinding {
  const { lists, stated, silent, marked } = evidence
  if (lists.length === 0) {
    const notes = ['no RoHS list declared', ...unread, ...otherNotes(otherExemptions)]
    const used = exemptionsInUse(otherExemptions)
    return { status: 'not declared', lists: [], over: [], stated: [], ...used, gaps: unread, notes }
  }
  const listExemptions = lists.flatMap((list) => list.exemptions)
  const listUnknown = lists.some((list) => list.hasUnknownExemption)
  const judged = marked.map((entry) => ({ entry, ...judgeEntry(entry, listUnknown, lookup) }))
  const failing = judged.filter(({ verdict }) => verdict === 'failing')
  const over = marked.filter(({ state }) => state === 'over')
  const unclear = marked.filter(({ state }) => state === 'unclear')
  const unclearKeys = new Set(unclear.map(({ key }) => key))
  const missing = ROHS_GROUPS.filter(
    (group) => !stated.has(group) && !silent.has(group) && !unclearKeys.has(group),
  )
  const gaps = [
    ...(lists.every(({ size }) => size === 0) ? ['RoHS list without categories'] : []),
    ...partial(lists, 'RoHS'),
    ...(missing.length > 0 && lists.some(({ size }) => size > 0)
      ? [`RoHS: not stated: ${missing.join(', ')}`]
      : []),
    ...(silent.size > 0 ? [`RoHS: without a statement: ${named([...silent].map(entryName))}`] : []),
    ...doubts('RoHS', marked),
    ...judged.flatMap(({ gap }) => gap),
    ...(listUnknown ? [UNKNOWN_EXEMPTION] : []),
    ...wholeListGap(over),
    ...unread,
  ]
  const own = marked.flatMap(({ exemptions }) => exemptions)
  const ofLists = listExemptions.filter((one) => !own.includes(one))
  const used = exemptionsInUse([...own, ...ofLists, ...otherExemptions])
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
    over: over.map(({ key, name, concentration }) => ({ key, name, percent: concentration })),
    stated: ROHS_GROUPS.filter((group) => stated.has(group)),
    ...used,
    gaps,
    notes: [
      ...unique(
        failing.map(
          ({ entry, reason }) => `${label(entry)} over the RoHS threshold${shareOf(entry)}, ${reason}`,
        ),
      ),
      ...summaryNotes(status, over),
      ...gaps.map((gap) => (status === 'incomplete' && !gap.startsWith('RoHS') ? `incomplete: ${gap}` : gap)),
      ...otherNotes(otherExemptions),
      ...listNotes('RoHS', lists),
    ],
  }
}

function summaryNotes(status: RohsStatus, over: readonly EntryRecord[]): readonly string[] {
  if (status === 'compliant') return ['RoHS: all ten groups stated, none over']
  if (status !== 'compliant with exemptions') return []
  const names = new Set(over.map(({ name, code }) => `${code} ${name}`)).size
  const what =
    names === 0 ? 'none over; exemptions are listed nevertheless' : `${names} over, each with an exemption`
  return [`RoHS: all ten groups stated, ${what} (validity not judged)`]
}

/** What an entry means for the status: its exemption counts when it is a number for this substance. */
function judgeEntry(
  entry: EntryRecord,
  isListUnknown: boolean,
  lookup: ExemptionLookup,
): {
  readonly verdict: 'failing' | 'fine' | 'open'
  readonly gap: readonly string[]
  readonly reason: string
} {
  const { state, exemptions, hasUnknownExemption, mayBeExempt, key } = entry
  const unknown = hasUnknownExemption ? [UNKNOWN_EXEMPTION] : []
  const fine = { verdict: 'fine', gap: unknown, reason: '' } as const
  const texts = exemptions.filter((exemption) => !claimsExemption(exemption))
  if (state !== 'over') {
    const odd = texts.filter(({ identity }) => !isPlaceholder(identity))
    return odd.length === 0
      ? fine
      : { ...fine, gap: [...unknown, ...odd.map((one) => notNumber(entry, one))] }
  }
  const numbers = exemptions.filter(claimsExemption)
  const others = numbers.flatMap((exemption) => otherSubstance(exemption, key, lookup))
  const isExempt = numbers.length > others.length
  const gap = [...unknown, ...texts.map((one) => notNumber(entry, one))]
  if (isExempt) return { verdict: gap.length > 0 ? 'open' : 'fine', gap, reason: '' }
  if (gap.length > 0 || mayBeExempt || (isListUnknown && exemptions.length === 0)) {
    return { verdict: 'open', gap, reason: '' }
  }
  return { verdict: 'failing', gap: [], reason: others.length > 0 ? others.join(', ') : 'no exemption' }
}

function notNumber(entry: EntryRecord, { identity }: ExemptionId): string {
  return `exemption "${identity}" of ${label(entry)} is not an exemption number`
}

/** Says that an exemption is for another substance than this group, where the table knows its substances. */
function otherSubstance(
  exemption: StatedExemption,
  group: string,
  lookup: ExemptionLookup,
): readonly string[] {
  const known = lookup(exemption)
  const substances = known.flatMap(({ substances: each }) => each)
  const isKnown = known.every(({ substances: each }) => each.length > 0)
  if (!isKnown || !ROHS_GROUPS.some((one) => one === group)) return []
  if (substances.some((substance) => groupNamed(substance) === group)) return []
  const numbers = exemptionNumbers(exemption.identity, exemption.list).map(exemptionLabel)
  return [`exemption ${numbers.join(', ')} is for ${unique(substances).join(', ')}`]
}

/** The exemptions that are claimed: numbers, and texts that are more than "none". */
function inUse(exemptions: readonly StatedExemption[]): readonly StatedExemption[] {
  return exemptions.filter(({ identity }) => !isPlaceholder(identity))
}

function exemptionsInUse(
  stated: readonly StatedExemption[],
): Pick<RohsFinding, 'exemptions' | 'exemptionIds'> {
  const exemptions = inUse(stated)
  const once = new Map(
    exemptions.map(({ identity, list }) => [`${list}\n${identity}`, { identity, list }] as const),
  )
  return { exemptions, exemptionIds: [...once.values()].slice(0, MOST_EXEMPTIONS) }
}

function otherNotes(exemptions: readonly StatedExemption[]): readonly string[] {
  const used = inUse(exemptions)
  return used.length > 0 ? [`exemptions stated outside class C: ${used.length}`] : []
}

function wholeListGap(over: readonly EntryRecord[]): readonly string[] {
  const open = over.filter(({ mayBeExempt }) => mayBeExempt).length
  if (open === 0) return []
  const what = open === 1 ? '1 category is over' : `${open} categories are over`
  return [`exemptions are stated for the whole RoHS list, and ${what}`]
}

/** Entries whose statement is not understood, and those stated not over beside a value that may say something else. */
export function doubts(what: string, marked: readonly EntryRecord[]): readonly string[] {
  const unclear = marked.filter(({ state }) => state === 'unclear')
  const words = unique(unclear.map(({ text }) => `"${text}"`))
  const shown = `${words.slice(0, 3).join(', ')}${words.length > 3 ? ', …' : ''}`
  const unread = marked.filter((entry) => entry.state === 'not over' && entry.hasUnreadValue)
  return [
    [`statement not recognized (${shown})`, unclear] as const,
    ['"not over" beside a value that is not recognized', unread] as const,
  ].flatMap(([text, entries]) =>
    entries.length === 0 ? [] : [`${what}: ${text}: ${named(entries.map(label))}`],
  )
}

/** How many entries of all that are mentioned have no statement. */
export function silence(
  prefix: string,
  what: string,
  { stated, silent, marked }: ListEvidence,
): readonly string[] {
  if (silent.size === 0) return []
  const total = stated.size + silent.size + marked.filter(({ state }) => state === 'unclear').length
  return [`${prefix}${silent.size} of ${total} ${what} without a statement`]
}

/** True where an exemption is stated in a form that is not known, for a list or an entry. */
export function hasUnknownExemption({ lists, marked }: ListEvidence): boolean {
  return [...lists, ...marked].some((one) => one.hasUnknownExemption)
}

/** What is said of lists that count in part, or no longer. */
export function listNotes(what: string, lists: ListEvidence['lists']): readonly string[] {
  const older = unique(lists.flatMap((list) => list.older))
  const revisions = unique(lists.map(({ revision }) => revision).filter((text) => text !== ''))
  return [
    ...(older.length > 0 ? [`older ${what} list also declared: ${older.join(', ')}`] : []),
    ...(revisions.length > 0 ? [`${what} list dated by its revision ${revisions.join(', ')}`] : []),
  ]
}

/** Sub-products without a list of a kind that the part itself has none of. */
export function partial(lists: ListEvidence['lists'], what: string): readonly string[] {
  return unique(
    lists.flatMap(({ silentArticles }) =>
      silentArticles === undefined
        ? []
        : [`${silentArticles.silent} of ${silentArticles.all} sub-products declare no ${what} list`],
    ),
  )
}

export function named(names: readonly string[], most = MOST_NAMED): string {
  const once = unique(names)
  const more = once.length > most ? ` and ${once.length - most} more` : ''
  return `${once.slice(0, most).join(', ')}${more}`
}

/** An entry in a text, with the sub-product that states it. */
export function label({ name, article }: EntryRecord): string {
  return article === '' ? name : `${article}: ${name}`
}

export function entryName(key: string): string {
  return key.startsWith('~') ? key.slice(1) : key
}

function shareOf({ concentration }: EntryRecord): string {
  return concentration === undefined ? '' : ` (${concentration} % in the material)`
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
