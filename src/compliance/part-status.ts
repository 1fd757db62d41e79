import type { Article } from './declaration.ts'
import {
  because,
  describeExemptions,
  exemptionIdsOf,
  onceEach,
  type RohsFinding,
  type RohsStatus,
  rohsFinding,
  UNKNOWN_EXEMPTION,
} from './rohs.ts'
import { type SvhcFinding, svhcFinding } from './svhc.ts'

/** From best to worst: a part has the worst status of its articles. */
const ORDER: readonly RohsStatus[] = [
  'compliant',
  'compliant with exemptions',
  'not declared',
  'incomplete',
  'not compliant',
]

/** The RoHS status of a part, and whether something stated about it is missing or not recognized. */
export interface PartRohs extends RohsFinding {
  readonly hasGaps: boolean
}

/**
 * The RoHS status of a part: the worst of its own lists and those of its sub-products. Incomplete when the part has no list of its
 * own and only some of its sub-products have one, or when something stated is not recognized. Exemptions stated outside class C
 * are in use too, but excuse nothing; without any RoHS list the status stays `not declared`.
 */
export function partRohs(article: Article): PartRohs {
  const listed = listedRohs(article)
  const all = [article, ...descendants(article)]
  const claims = all.flatMap((part) => part.otherClaims)
  const unread = [
    ...new Set(all.flatMap((part) => part.unread)),
    ...(claims.some((claim) => claim.hasUnknownExemption) ? [UNKNOWN_EXEMPTION] : []),
  ]
  const exemptions = claims.flatMap((claim) => describeExemptions(claim, claim.subject))
  const status = withOthers(listed.status, unread.length > 0, exemptions.length > 0)
  return {
    status,
    list: listed.list,
    exemptions: [...new Set([...listed.exemptions, ...exemptions])],
    exemptionIds: onceEach([...listed.exemptionIds, ...exemptionIdsOf(claims)]),
    hasGaps: status === 'incomplete' || unread.length > 0,
    notes: [
      ...listed.notes,
      ...unread.map((reason) => because(status, reason)),
      ...(exemptions.length > 0 ? [`exemptions stated outside class C: ${exemptions.length}`] : []),
    ],
  }
}

function withOthers(status: RohsStatus, isUnread: boolean, hasExemptions: boolean): RohsStatus {
  if (status === 'not declared') return status
  if (isUnread) return worse(status, 'incomplete')
  return hasExemptions ? worse(status, 'compliant with exemptions') : status
}

function listedRohs(article: Article): RohsFinding {
  const own = rohsFinding(article.lists)
  const declaring = [...descendants(article)].map((part) => ({ part, finding: rohsFinding(part.lists) }))
  const stated = declaring.filter(({ finding }) => finding.status !== 'not declared')
  if (stated.length === 0) return own
  const silent = declaring.length - stated.length
  const isPartial = own.status === 'not declared' && silent > 0
  const findings = [
    ...(own.status === 'not declared' ? [] : [own]),
    ...stated.map(({ part, finding }) => named(finding, part)),
  ]
  const worst = findings.map((finding) => finding.status).reduce(worse)
  return {
    status: isPartial ? worse(worst, 'incomplete') : worst,
    list: [...new Set(findings.map((finding) => finding.list))].join('; '),
    exemptions: findings.flatMap((finding) => finding.exemptions),
    exemptionIds: onceEach(findings.flatMap((finding) => finding.exemptionIds)),
    notes: [
      ...findings.flatMap((finding) => finding.notes),
      ...(isPartial ? [`${silent} of ${declaring.length} sub-products declare no RoHS list`] : []),
    ],
  }
}

/**
 * The SVHC statements of a part and its sub-products together: the limit of 0.1 % applies to each article, not to the finished
 * product (Court of Justice of the EU, C-106/14).
 */
export function partSvhc(article: Article): SvhcFinding {
  const isUnread = [article, ...descendants(article)].some((part) => part.unread.length > 0)
  const own = svhcFinding(article.lists, isUnread)
  const declaring = [...descendants(article)].map((part) => ({
    part,
    finding: svhcFinding(part.lists, isUnread),
  }))
  const stated = declaring.filter(({ finding }) => finding.list !== '')
  if (stated.length === 0) return own
  const silent = declaring.length - stated.length
  const isPartial = own.list === '' && silent > 0
  const findings = [
    ...(own.list === '' ? [] : [own]),
    ...stated.map(({ part, finding }) => ({
      ...finding,
      notes: finding.notes.map((note) => `${label(part)}: ${note}`),
    })),
  ]
  const once = worstOfEach(findings)
  return {
    count: findings.every((finding) => finding.count === undefined) ? undefined : once.length,
    substances: once.map(({ text }) => text),
    names: once.map(({ name }) => name),
    keys: once.map(({ key }) => key),
    shares: once.map(({ share }) => share),
    list: [...new Set(findings.map((finding) => finding.list))].join('; '),
    stated: Math.min(...findings.map((finding) => finding.stated)),
    isIncomplete: isPartial || findings.some((finding) => finding.isIncomplete),
    notes: [
      ...findings.flatMap((finding) => finding.notes),
      ...(isPartial ? [`${silent} of ${declaring.length} sub-products declare no REACH list`] : []),
    ],
  }
}

interface SvhcOver {
  readonly key: string
  readonly name: string
  readonly text: string
  readonly share: number
}

// A code is unique in its list only, and two articles may use two lists: the same substance has the same code and name.
function worstOfEach(findings: readonly SvhcFinding[]): readonly SvhcOver[] {
  const worst = new Map<string, SvhcOver>()
  for (const { keys, names, substances, shares } of findings) {
    for (const [index, key] of keys.entries()) {
      const next = { key, name: names[index]!, text: substances[index]!, share: shares[index]! }
      const known = worst.get(`${key}\n${next.name}`)
      if (known === undefined || next.share > known.share) worst.set(`${key}\n${next.name}`, next)
    }
  }
  return [...worst.values()]
}

/**
 * The RoHS status of several parts together: the worst. Incomplete when only some declare one; `not declared` when none does.
 */
export function worstRohs(statuses: Iterable<RohsStatus>): RohsStatus {
  const all = new Set(statuses)
  const isPartial = all.delete('not declared') && all.size > 0
  if (all.size === 0) return 'not declared'
  const worst = [...all].reduce(worse)
  return isPartial ? worse(worst, 'incomplete') : worst
}

/** The classes whose elements the part has, as letters in order; a file may announce others. */
export function partClasses(article: Article): string {
  const all = [article, ...descendants(article)]
  return [
    all.some((part) => part.queryLists.length > 0) ? 'A' : '',
    all.some((part) => part.hasMaterialGroups) ? 'B' : '',
    all.some((part) => part.lists.length > 0) ? 'C' : '',
    all.some((part) => part.materials.length > 0) ? 'D' : '',
  ].join('')
}

/** The sub-products of an article, at any depth. */
export function* descendants(article: Article): Generator<Article> {
  for (const part of article.subProducts) {
    yield part
    yield* descendants(part)
  }
}

function named(finding: RohsFinding, part: Article): RohsFinding {
  return { ...finding, notes: finding.notes.map((note) => `${label(part)}: ${note}`) }
}

/** A sub-product in a note. */
export function label(part: Article): string {
  return part.ids[0]?.itemNumber || part.ids[0]?.itemName || 'sub-product'
}

function worse(a: RohsStatus, b: RohsStatus): RohsStatus {
  return ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b
}
