import { isOver, newestList } from './category-list.ts'
import type { CategoryList, Exemption, SubstanceCategory } from './declaration.ts'
import { compareListAge, type ListIdentity, readListIdentity } from './list-identity.ts'
import { readDecimal } from './quantity.ts'

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

/**
 * The RoHS status that the class C lists of one article state. The newest EUROHS list decides; a missing statement is never
 * compliant. Exemptions are listed, not judged: they expire, and a file does not show whether they still apply.
 */
export function rohsFinding(lists: readonly CategoryList[]): RohsFinding {
  const { newest, categories, older } = newestList(lists, 'rohs')
  if (!newest) {
    return {
      status: 'not declared',
      list: '',
      exemptions: [],
      exemptionIds: [],
      notes: ['no RoHS list declared'],
    }
  }
  const notes = older.length > 0 ? [`older RoHS list also declared: ${older.join(', ')}`] : []
  const over = categories.filter((category) => isOver(category) === true)
  const unstated = categories.filter((category) => isOver(category) === undefined)
  const exemptions = categories.flatMap(describeExemptions)
  const status = decide(categories, over, unstated, exemptions)
  return {
    status,
    list: newest.identity,
    exemptions,
    exemptionIds: onceEach(categories.flatMap(claimed).map(exemptionId)),
    notes: [...reasons(status, categories, over, unstated), ...coverage(newest, categories), ...notes],
  }
}

/** `6(c) (EL2011/534/EU, Lead/lead compounds)`: an exemption with its list and the category that claims it. */
function describeExemptions(category: SubstanceCategory): string[] {
  return claimed(category).map((exemption) => {
    const name = exemption.identity || exemption.description
    return `${name} (${[exemption.list, category.name].filter((part) => part !== '').join(', ')})`
  })
}

/** The exemptions that are named by an identity or a description. */
function claimed(category: SubstanceCategory): readonly Exemption[] {
  return category.exemptions.filter((exemption) => exemption.identity !== '' || exemption.description !== '')
}

function exemptionId({ identity, description, list }: Exemption): ExemptionId {
  return { identity: identity || description, list }
}

/** Each exemption of a list once, in the order of their first use. */
export function onceEach(exemptions: readonly ExemptionId[]): readonly ExemptionId[] {
  return [...new Map(exemptions.map((one) => [`${one.list}\n${one.identity}`, one])).values()]
}

function decide(
  categories: readonly SubstanceCategory[],
  over: readonly SubstanceCategory[],
  unstated: readonly SubstanceCategory[],
  exemptions: readonly string[],
): RohsStatus {
  if (over.some((category) => claimed(category).length === 0)) return 'not compliant'
  if (categories.length === 0 || unstated.length > 0) return 'incomplete'
  return exemptions.length > 0 ? 'compliant with exemptions' : 'compliant'
}

function reasons(
  status: RohsStatus,
  categories: readonly SubstanceCategory[],
  over: readonly SubstanceCategory[],
  unstated: readonly SubstanceCategory[],
): string[] {
  if (categories.length === 0) return ['RoHS list without categories']
  const notes = over
    .filter((category) => claimed(category).length === 0)
    .map(
      (category) =>
        `${category.name || category.code} over the RoHS threshold${share(category)}, no exemption`,
    )
  if (status === 'compliant') notes.push(`RoHS: ${categories.length} categories, none over`)
  if (status === 'compliant with exemptions') {
    const what =
      over.length === 0
        ? 'none over; exemptions are listed all the same'
        : `${over.length} over, each with an exemption`
    notes.push(`RoHS: ${categories.length} categories, ${what} (validity not judged)`)
  }
  if (unstated.length > 0) {
    notes.push(`RoHS: ${unstated.length} of ${categories.length} categories without a statement`)
  }
  return notes
}

function share(category: SubstanceCategory): string {
  const percent = readDecimal(category.concentration)
  return percent ? ` (${percent.value} % in the material)` : ''
}

function coverage(list: ListIdentity, categories: readonly SubstanceCategory[]): string[] {
  const groups = new Set(categories.map((category) => category.code || category.name)).size
  if (groups === 0 || (groups >= GROUPS && compareListAge(list, PHTHALATES_SINCE) >= 0)) return []
  return [`old list: phthalates not covered (${groups} categories)`]
}
