import {
  type ListStatements,
  listStatements,
  type NewestList,
  newestList,
  otherListNotes,
  UNDATED_OVER,
} from './category-list.ts'
import type { CategoryList, Exemption, ExemptionClaims, SubstanceCategory } from './declaration.ts'
import { compareListAge, joinableName, type ListIdentity, readListIdentity } from './list-identity.ts'
import { concentrationPercent, readingRemarks } from './quantity.ts'

/** The five values of the `rohs` column. */
export type RohsStatus =
  | 'compliant'
  | 'compliant with exemptions'
  | 'not compliant'
  | 'incomplete'
  | 'not declared'

/** An exemption in use, as declared: its number, or its description where the number is missing, and the list that it is from. */
export interface ExemptionId {
  readonly identity: string
  readonly list: string
}

/** A RoHS status and its reasons. */
export interface RohsFinding {
  readonly status: RohsStatus
  /** The identity of the deciding list; empty when none was declared. */
  readonly list: string
  readonly exemptions: readonly string[]
  /** The same exemptions, once each, for looking them up. */
  readonly exemptionIds: readonly ExemptionId[]
  readonly notes: readonly string[]
}

/** Groups of Annex II of Directive 2011/65/EU since Delegated Directive (EU) 2015/863, which added the four phthalates. */
const GROUPS = 10
const PHTHALATES_SINCE = readListIdentity('EUROHS-1506')

/** Why a status is `incomplete` although every category has a statement. */
export const UNKNOWN_EXEMPTION = 'an exemption is stated in a form this tool does not know'

/**
 * The RoHS status that the class C lists of one article state. The newest EUROHS list decides; a missing statement is never
 * compliant. Exemptions are listed, not judged: they expire, and a file does not show whether they still apply.
 */
export function rohsFinding(lists: readonly CategoryList[]): RohsFinding {
  const list = newestList(lists, 'rohs')
  if (!list.newest) {
    return {
      status: 'not declared',
      list: '',
      exemptions: [],
      exemptionIds: [],
      notes: ['no RoHS list declared'],
    }
  }
  const facts = factsOf(list)
  const status = decide(facts)
  const claims = [
    ...list.categories.map((category) => [category, category.name] as const),
    [list, ''] as const,
  ]
  return {
    status,
    list: joinableName(list.newest),
    exemptions: claims.flatMap(([claim, subject]) => describeExemptions(claim, subject)),
    exemptionIds: exemptionIdsOf(claims.map(([claim]) => claim)),
    notes: [
      ...reasons(status, facts),
      ...coverage(list.newest, list.categories),
      ...otherListNotes('RoHS', list),
      ...(list.revision === '' ? [] : [`RoHS list dated by its revision ${list.revision}`]),
    ],
  }
}

/** `6(c) (EL2011/534/EU, Lead/lead compounds)`: each exemption with its list and what it is stated for. */
export function describeExemptions(claims: ExemptionClaims, subject: string): string[] {
  return claimed(claims).map((exemption) => {
    const name = nameOf(exemption)
    const details = [exemption.list, subject].filter((part) => part !== '').join(', ')
    return details === '' ? name : `${name} (${details})`
  })
}

/** The exemptions of several places, once each. */
export function exemptionIdsOf(claims: readonly ExemptionClaims[]): readonly ExemptionId[] {
  return onceEach(claims.flatMap(claimed).map(exemptionId))
}

/** The exemptions that are named by an identity or a description. */
function claimed(claims: ExemptionClaims): readonly Exemption[] {
  return claims.exemptions.filter((exemption) => nameOf(exemption) !== '')
}

function exemptionId(exemption: Exemption): ExemptionId {
  return { identity: nameOf(exemption), list: exemption.list }
}

/** What some writers give where no exemption is claimed. */
const PLACEHOLDER =
  /^(?:[\W_]*|0|n\.?[/ ]?a\.?|none|no|nil|null|(?:none|not?) (?:applicable|available|required|exemptions?)|unknown|tbd)$/i

/** The identity, or else the description; empty where both are missing or placeholders such as `N/A`. */
function nameOf({ identity, description }: Exemption): string {
  return [identity, description].find((text) => !PLACEHOLDER.test(text.trim())) ?? ''
}

/** Each exemption of a list once, in the order of their first use. */
export function onceEach(exemptions: readonly ExemptionId[]): readonly ExemptionId[] {
  return [...new Map(exemptions.map((one) => [`${one.list}\n${one.identity}`, one])).values()]
}

/** What decides about a list, and explains its status. */
interface ListFacts extends ListStatements {
  readonly categories: readonly SubstanceCategory[]
  /** Over, and neither their own exemption nor one of the list may cover them. */
  readonly failing: readonly SubstanceCategory[]
  /** Over, and an exemption that is stated for the whole list covers one of them, but which is not stated. */
  readonly uncertain: readonly SubstanceCategory[]
  readonly exemptionCount: number
  readonly hasUnknownExemption: boolean
  readonly isUndatedOver: boolean
}

function factsOf(list: NewestList): ListFacts {
  const { categories } = list
  const statements = listStatements(categories)
  const ofList = claimed(list).length
  const bare = statements.over.filter((category) => claimed(category).length === 0)
  const mayBeCovered = (category: SubstanceCategory): boolean =>
    category.hasUnknownExemption || list.hasUnknownExemption || ofList > 0
  return {
    categories,
    failing: bare.filter((category) => !mayBeCovered(category)),
    isUndatedOver: list.isUndatedOver,
    uncertain: ofList > 0 && bare.length > 1 ? bare : [],
    exemptionCount: categories.reduce((count, category) => count + claimed(category).length, ofList),
    hasUnknownExemption:
      list.hasUnknownExemption || categories.some((category) => category.hasUnknownExemption),
    ...statements,
  }
}

function decide(facts: ListFacts): RohsStatus {
  if (facts.failing.length > 0) return 'not compliant'
  const isComplete = facts.categories.length > 0 && facts.unstated.length === 0
  const isUncertain = facts.uncertain.length > 0 || facts.isUndatedOver
  if (!isComplete || facts.hasUnknownExemption || isUncertain) return 'incomplete'
  return facts.exemptionCount > 0 ? 'compliant with exemptions' : 'compliant'
}

function reasons(status: RohsStatus, facts: ListFacts): string[] {
  const { categories, over, failing, uncertain, gaps, hasUnknownExemption } = facts
  if (categories.length === 0) return ['RoHS list without categories']
  const notes = failing.map(
    (category) => `${category.name || category.code} over the RoHS threshold${share(category)}, no exemption`,
  )
  if (status === 'compliant') notes.push(`RoHS: ${categories.length} categories, none over`)
  if (status === 'compliant with exemptions') {
    const what =
      over.length === 0
        ? 'none over; exemptions are listed nevertheless'
        : `${over.length} over, each with an exemption`
    notes.push(`RoHS: ${categories.length} categories, ${what} (validity not judged)`)
  }
  notes.push(...gaps.map((gap) => `RoHS: ${gap}`))
  notes.push(...over.flatMap(concentrationRemarks))
  if (hasUnknownExemption) notes.push(because(status, UNKNOWN_EXEMPTION))
  if (facts.isUndatedOver) notes.push(because(status, UNDATED_OVER))
  if (uncertain.length > 0) {
    const reason = `exemptions are stated for the whole RoHS list, and ${uncertain.length} categories are over`
    notes.push(because(status, reason))
  }
  return notes
}

/** A reason against completeness, marked as such where it decides. */
export function because(status: RohsStatus, reason: string): string {
  return status === 'incomplete' ? `incomplete: ${reason}` : reason
}

function share(category: SubstanceCategory): string {
  const percent = concentrationPercent(category.concentration)
  return percent === undefined ? '' : ` (${percent} % in the material)`
}

function concentrationRemarks({ concentration, name, code }: SubstanceCategory): readonly string[] {
  const isRead = concentrationPercent(concentration) !== undefined
  return readingRemarks(concentration, isRead, 'concentration', name || code)
}

function coverage(list: ListIdentity, categories: readonly SubstanceCategory[]): string[] {
  const groups = new Set(categories.map((category) => category.code || category.name)).size
  const isOld = list.month !== undefined && compareListAge(list, PHTHALATES_SINCE) < 0
  if (groups === 0 || (groups >= GROUPS && !isOld)) return []
  return [`old list: phthalates not covered (${groups} categories)`]
}
