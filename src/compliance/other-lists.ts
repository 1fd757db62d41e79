import { listStatements } from './category-list.ts'
import type { Article, CategoryList } from './declaration.ts'
import { readListIdentity } from './list-identity.ts'
import { descendants, label } from './part-status.ts'
import { UNKNOWN_EXEMPTION } from './rohs.ts'

const LISTED = 5

/** What the lists of a part and its sub-products state that are neither RoHS nor REACH: a note for each. */
export function otherListNotes(product: Article): string[] {
  return [
    ...others(product).map(describe),
    ...[...descendants(product)].flatMap((part) =>
      others(part).map((list) => `${label(part)}: ${describe(list)}`),
    ),
  ]
}

function others({ lists }: Article): readonly CategoryList[] {
  return lists.filter((list) => readListIdentity(list.identity).family === 'other')
}

function describe(list: CategoryList): string {
  const name = list.identity || 'a list without identity'
  if (list.categories.length === 0) return `${name}: without categories`
  const { over, unstated, gaps } = listStatements(list.categories)
  const names = over.slice(0, LISTED).map((category) => category.name || category.code)
  const more = over.length > names.length ? ` and ${over.length - names.length} more` : ''
  const isUnknown =
    list.hasUnknownExemption || list.categories.some((category) => category.hasUnknownExemption)
  const statement =
    over.length > 0
      ? `${over.length} over (${names.join(', ')}${more})`
      : unstated.length === list.categories.length
        ? ''
        : unstated.length > 0
          ? 'none of the others over'
          : 'none over'
  // "none over" alone reads as a statement about the whole list: what is missing comes first.
  const parts = over.length > 0 ? [statement, ...gaps] : [...gaps, statement]
  return `${name}: ${[...parts, isUnknown ? UNKNOWN_EXEMPTION : ''].filter((part) => part !== '').join(', ')}`
}
