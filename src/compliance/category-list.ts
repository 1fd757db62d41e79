import type { CategoryList, SubstanceCategory } from './declaration.ts'
import { compareListAge, type ListIdentity, readListIdentity } from './list-identity.ts'

/** Whether a category is declared over its threshold; undefined without a statement, or with an unknown one. */
export function isOver(category: SubstanceCategory): boolean | undefined {
  if (category.over === 'false') return false
  const text = category.over?.trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** The newest list of a family with all its categories, and the identities of the others. */
export function newestList(
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

function newer(best: ListIdentity | undefined, next: ListIdentity): ListIdentity {
  return best && compareListAge(best, next) >= 0 ? best : next
}

function sameName(a: string, b: string): boolean {
  return a.trim().toUpperCase() === b.trim().toUpperCase()
}
