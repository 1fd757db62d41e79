import { isOver, newestList } from './category-list.ts'
import type { CategoryList, SubstanceCategory } from './declaration.ts'
import { listDate } from './list-identity.ts'
import { relativePercent, tidy } from './quantity.ts'

/** What an article states about substances of very high concern (SVHC) above 0.1 % by weight (REACH, Article 33). */
export interface SvhcFinding {
  /** How many are above; undefined without a statement of a REACH list. */
  readonly count: number | undefined
  readonly substances: readonly string[]
  /** Their names, without codes and shares. */
  readonly names: readonly string[]
  readonly keys: readonly string[]
  /** The worst case of each in percent; -1 where it is not given as a share. */
  readonly shares: readonly number[]
  readonly list: string
  /** True when a category of the list has no statement. */
  readonly isIncomplete: boolean
  readonly notes: readonly string[]
}

/** The SVHC statement of the newest EUREACH list among the class C lists of one article. */
export function svhcFinding(lists: readonly CategoryList[]): SvhcFinding {
  const { newest, categories, older } = newestList(lists, 'svhc')
  if (!newest) {
    return {
      count: undefined,
      substances: [],
      names: [],
      keys: [],
      shares: [],
      list: '',
      isIncomplete: false,
      notes: ['no REACH list declared'],
    }
  }
  const over = onceEach(categories.filter((category) => isOver(category) === true))
  const unstated = categories.filter((category) => isOver(category) === undefined)
  const date = listDate(newest)
  const name = date ? `${newest.identity} (${date})` : newest.identity
  return {
    count: unstated.length === categories.length ? undefined : over.length,
    substances: over.map(describe),
    names: over.map((category) => category.name || category.code),
    keys: over.map((category) => category.code || category.name),
    shares: over.map(shareOf),
    list: newest.identity,
    isIncomplete: categories.length === 0 || unstated.length > 0,
    notes: [
      summary(name, categories.length, over.length, unstated.length),
      ...(older.length > 0 ? [`older REACH list also declared: ${older.join(', ')}`] : []),
    ],
  }
}

/** A substance that is listed for several applications, or in a list given twice, counts once, with its worst case. */
function onceEach(over: readonly SubstanceCategory[]): readonly SubstanceCategory[] {
  const worst = new Map<string, SubstanceCategory>()
  for (const category of over) {
    const key = `${category.code}\n${category.name}`
    const known = worst.get(key)
    if (known === undefined || shareOf(category) > shareOf(known)) worst.set(key, category)
  }
  return [...worst.values()]
}

function shareOf(category: SubstanceCategory): number {
  return relativePercent(category.amount) ?? -1
}

function summary(list: string, categories: number, over: number, unstated: number): string {
  if (categories === 0) return `REACH list ${list} without categories`
  if (over > 0) return `${over} SVHC above 0.1 % per ${list}${unstated > 0 ? gap(unstated, categories) : ''}`
  if (unstated > 0) return `REACH list ${list}${gap(unstated, categories)}`
  return `no SVHC above 0.1 % per ${list}`
}

function gap(unstated: number, categories: number): string {
  return `: ${unstated} of ${categories} categories without a statement`
}

/** `Lead (00167, 0.25 %)`: name, code, and the worst case where it is given as a share. */
function describe(category: SubstanceCategory): string {
  const percent = relativePercent(category.amount)
  const details = [category.code, percent === undefined ? '' : `${tidy(percent)} %`].filter(
    (part) => part !== '',
  )
  return details.length > 0 ? `${category.name} (${details.join(', ')})` : category.name
}
