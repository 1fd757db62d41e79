import type { CategoryList, Exemption, SubstanceCategory } from './declaration.ts'
import { compareListAge, type ListIdentity, readListIdentity } from './list-identity.ts'
import { readDecimal } from './quantity.ts'

/** The five words of the `rohs` column. */
export type RohsStatus =
  | 'compliant'
  | 'compliant with exemptions'
  | 'not compliant'
  | 'incomplete'
  | 'not declared'

/** A RoHS status with what led to it. */
export interface RohsFinding {
  readonly status: RohsStatus
  /** The identity of the list the status rests on; empty when none was declared. */
  readonly list: string
  readonly exemptions: readonly string[]
  readonly notes: readonly string[]
}

/** Restricted groups since 2015/863: ten, of which the four phthalates are the younger ones. */
const GROUPS = 10
const PHTHALATES_SINCE = readListIdentity('EUROHS-1506')

/**
 * The RoHS status that the class C lists of one article state: the newest EUROHS list decides; what is not stated is never
 * compliant.
 */
export function rohsFinding(lists: readonly CategoryList[]): RohsFinding {
  const { newest, categories, older } = newestOf(lists, 'rohs')
  if (!newest) return { status: 'not declared', list: '', exemptions: [], notes: ['no RoHS list declared'] }
  const notes = older.length > 0 ? [`older RoHS list also declared: ${older.join(', ')}`] : []
  const over = categories.filter((category) => isOver(category) === true)
  const unstated = categories.filter((category) => isOver(category) === undefined)
  const exemptions = categories.flatMap(describeExemptions)
  const status = decide(categories, over, unstated, exemptions)
  return {
    status,
    list: newest.identity,
    exemptions,
    notes: [...reasons(status, categories, over, unstated), ...coverage(newest, categories), ...notes],
  }
}

/** What a category states: over its threshold, not over, or (undefined) nothing that can be understood. */
export function isOver(category: SubstanceCategory): boolean | undefined {
  if (category.over === 'false') return false
  const text = category.over?.trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** The newest list of a family with all its categories, and the identities of the others. */
export function newestOf(
  lists: readonly CategoryList[],
  family: 'rohs' | 'svhc',
): {
  readonly newest: ListIdentity | undefined
  readonly categories: readonly SubstanceCategory[]
  readonly older: readonly string[]
} {
  const known = lists
    .map((list) => ({ list, id: readListIdentity(list.identity) }))
    .filter(({ id }) => id.family === family)
  const newest = known.map(({ id }) => id).reduce<ListIdentity | undefined>(newer, undefined)
  if (!newest) return { newest, categories: [], older: [] }
  const isNewest = (id: ListIdentity): boolean => sameName(id.identity, newest.identity)
  return {
    newest: { ...newest, identity: newest.identity.trim() },
    categories: known.filter(({ id }) => isNewest(id)).flatMap(({ list }) => list.categories),
    older: [...new Set(known.filter(({ id }) => !isNewest(id)).map(({ id }) => id.identity.trim()))],
  }
}

/** `6(c) (EL2011/534/EU, Lead/lead compounds)`: an exemption with its list and the category that claims it. */
function describeExemptions(category: SubstanceCategory): string[] {
  return claimed(category).map((exemption) => {
    const name = exemption.identity || exemption.description
    return `${name} (${[exemption.list, category.name].filter((part) => part !== '').join(', ')})`
  })
}

/** The exemptions that say which one they are. */
function claimed(category: SubstanceCategory): readonly Exemption[] {
  return category.exemptions.filter((exemption) => exemption.identity !== '' || exemption.description !== '')
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

function newer(best: ListIdentity | undefined, next: ListIdentity): ListIdentity {
  return best && compareListAge(best, next) >= 0 ? best : next
}

function sameName(a: string, b: string): boolean {
  return a.trim().toUpperCase() === b.trim().toUpperCase()
}
