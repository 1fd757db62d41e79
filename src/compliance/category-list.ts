import { cleanText } from '../base/clean-text.ts'
import type { CategoryList, ExemptionClaims, SubstanceCategory } from './declaration.ts'
import { compareListAge, type ListIdentity, readListIdentity } from './list-identity.ts'

/** Whether a category is declared over its threshold; undefined without a statement, or with an unknown one. */
export function isOver(category: Pick<SubstanceCategory, 'over'>): boolean | undefined {
  if (category.over === 'false') return false
  const text = category.over?.trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** What is stated in the categories of a list, or is not. */
export interface ListStatements {
  readonly over: readonly SubstanceCategory[]
  /** Categories without a statement, or with one that is not recognized. */
  readonly unstated: readonly SubstanceCategory[]
  /** The gaps in words, such as `2 of 10 categories without a statement`. */
  readonly gaps: readonly string[]
}

/** Sorts the categories of a list by what they state. */
export function listStatements(categories: readonly SubstanceCategory[]): ListStatements {
  const over = categories.filter((category) => isOver(category) === true)
  const unstated = categories.filter((category) => isOver(category) === undefined)
  const silent = unstated.filter((category) => (category.over ?? '').trim() === '')
  const odd = unstated.filter((category) => (category.over ?? '').trim() !== '')
  const words = [...new Set(odd.map((category) => `"${cleanText(category.over!, 40)}"`))]
  const more = words.length > 3 ? ', …' : ''
  return {
    over,
    unstated,
    gaps: [
      silent.length > 0 ? `${silent.length} of ${categories.length} categories without a statement` : '',
      odd.length > 0
        ? `${odd.length} of ${categories.length} categories with a statement not recognized: ${words.slice(0, 3).join(', ')}${more}`
        : '',
    ].filter((gap) => gap !== ''),
  }
}

/** The newest list of a family, with all that the lists of this identity state. */
export interface NewestList extends ExemptionClaims {
  readonly newest: ListIdentity | undefined
  readonly categories: readonly SubstanceCategory[]
  /** The identities of older lists. */
  readonly older: readonly string[]
  /** The identities of lists without a readable date: which list is newer is not known. */
  readonly undated: readonly string[]
  /** A list without a readable date states a category over its threshold. */
  readonly isUndatedOver: boolean
  /** What dates the list where its identity does not. */
  readonly revision: string
}

/** The newest list of a family with all its categories, and the identities of the others. */
export function newestList(lists: readonly CategoryList[], family: 'rohs' | 'svhc'): NewestList {
  const known = lists
    .map((list) => ({ list, id: readListIdentity(list.identity, list.revision) }))
    .filter(({ id }) => id.family === family)
  const newest = known.map(({ id }) => id).reduce<ListIdentity | undefined>(newer, undefined)
  if (!newest) {
    return { newest, ...NO_LIST }
  }
  const isNewest = (id: ListIdentity): boolean => compareListAge(id, newest) === 0
  const used = known.filter(({ id }) => isNewest(id)).map(({ list }) => list)
  const others = known.filter(({ id }) => !isNewest(id))
  const undated = others.filter(({ id }) => id.month === undefined)
  const isRevised = used.every((list) => !sameName(list.identity, newest.identity))
  return {
    newest: { ...newest, identity: newest.identity.trim() },
    categories: used.flatMap((list) => list.categories),
    older: identitiesOf(others.filter(({ id }) => id.month !== undefined)),
    undated: identitiesOf(undated),
    isUndatedOver: undated.some(({ list }) => list.categories.some((category) => isOver(category) === true)),
    revision: isRevised ? cleanText(used[0]!.revision, 40) : '',
    exemptions: used.flatMap((list) => list.exemptions),
    hasUnknownExemption: used.some((list) => list.hasUnknownExemption),
  }
}

const NO_LIST = {
  categories: [],
  older: [],
  undated: [],
  isUndatedOver: false,
  revision: '',
  exemptions: [],
  hasUnknownExemption: false,
}

function identitiesOf(lists: readonly { readonly id: ListIdentity }[]): readonly string[] {
  return [...new Set(lists.map(({ id }) => id.identity.trim()))]
}

/** Why a status is `incomplete` although the newest list is complete. */
export const UNDATED_OVER = 'a list without a readable date states something over its threshold'

/** What is said of the lists that do not count. */
export function otherListNotes(
  name: string,
  { older, undated }: Pick<NewestList, 'older' | 'undated'>,
): readonly string[] {
  return [
    ...(older.length > 0 ? [`older ${name} list also declared: ${older.join(', ')}`] : []),
    ...(undated.length > 0
      ? [`${name} list without a readable date also declared: ${undated.join(', ')}`]
      : []),
  ]
}

/** The newer of two lists; of two with the same date, always the same one, whatever their order. */
function newer(best: ListIdentity | undefined, next: ListIdentity): ListIdentity {
  const order = best === undefined ? -1 : compareListAge(best, next)
  if (best === undefined || order < 0) return next
  return order > 0 || best.identity <= next.identity ? best : next
}

function sameName(a: string, b: string): boolean {
  return a.trim().toUpperCase() === b.trim().toUpperCase()
}
