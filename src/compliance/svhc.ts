import { isOver, listStatements, newestList, otherListNotes, UNDATED_OVER } from './category-list.ts'
import type { CategoryList, SubstanceCategory } from './declaration.ts'
import { joinableName, listDate } from './list-identity.ts'
import { absoluteMassMg, readingRemarks, relativePercent, tidy } from './quantity.ts'
import { UNKNOWN_EXEMPTION } from './rohs.ts'

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
  /** How many entries of the list have a statement; 0 without a list. */
  readonly stated: number
  /** True when the list has no category, or one without a statement. */
  readonly isIncomplete: boolean
  readonly notes: readonly string[]
}

/**
 * The SVHC statement of the newest EUREACH list among the class C lists of one article. With `isPartial`, more is declared that
 * is not read: then there may be others.
 */
export function svhcFinding(lists: readonly CategoryList[], isPartial = false): SvhcFinding {
  const all = newestList(lists, 'svhc')
  const { newest, categories, revision, hasUnknownExemption, isUndatedOver } = all
  if (!newest) {
    return {
      count: undefined,
      substances: [],
      names: [],
      keys: [],
      shares: [],
      list: '',
      stated: 0,
      isIncomplete: false,
      notes: ['no REACH list declared'],
    }
  }
  const { over: allOver, unstated, gaps } = listStatements(categories)
  const over = onceEach(allOver)
  const stated = countStated(categories)
  const date = listDate(newest)
  const name = date ? `${newest.identity} (${date})` : newest.identity
  return {
    count: unstated.length === categories.length ? undefined : over.length,
    substances: over.map(describe),
    names: over.map((category) => category.name || category.code),
    keys: over.map((category) => category.code || category.name),
    shares: over.map(shareOf),
    list: joinableName(newest),
    stated,
    isIncomplete:
      isPartial || categories.length === 0 || unstated.length > 0 || hasUnknownExemption || isUndatedOver,
    notes: [
      summary(name, { over: over.length, stated, gaps, isPartial }),
      ...over.flatMap(amountRemarks),
      ...(hasUnknownExemption ? [`REACH list: ${UNKNOWN_EXEMPTION}`] : []),
      ...otherListNotes('REACH', all),
      ...(isUndatedOver ? [`REACH list: ${UNDATED_OVER}`] : []),
      ...(revision === '' ? [] : [`REACH list dated by its revision ${revision}`]),
    ],
  }
}

/** How many entries have a statement; one that is given for several applications counts once. */
function countStated(categories: readonly SubstanceCategory[]): number {
  const keys = new Set<string>()
  for (const category of categories) {
    if (isOver(category) !== undefined) keys.add(category.code || category.name)
  }
  return keys.size
}

function entryKey({ code, name }: SubstanceCategory): string {
  return `${code}\n${name}`
}

/** A substance that is listed for several applications, or in a list given twice, counts once, with its worst case. */
function onceEach(over: readonly SubstanceCategory[]): readonly SubstanceCategory[] {
  const worst = new Map<string, SubstanceCategory>()
  for (const category of over) {
    const key = entryKey(category)
    const known = worst.get(key)
    if (known === undefined || shareOf(category) > shareOf(known)) worst.set(key, category)
  }
  return [...worst.values()]
}

function shareOf(category: SubstanceCategory): number {
  return relativePercent(category.amount) ?? -1
}

function amountRemarks({ amount, name, code }: SubstanceCategory): readonly string[] {
  const isRead = relativePercent(amount) !== undefined || absoluteMassMg(amount) !== undefined
  return readingRemarks(amount, isRead, 'amount', name || code)
}

function summary(
  list: string,
  {
    over,
    stated,
    gaps,
    isPartial,
  }: {
    readonly over: number
    readonly stated: number
    readonly gaps: readonly string[]
    readonly isPartial: boolean
  },
): string {
  if (stated === 0 && gaps.length === 0) return `REACH list ${list} without categories`
  const entries = `${stated} ${stated === 1 ? 'entry' : 'entries'} stated`
  const rest = [...gaps, ...(stated > 0 ? [entries] : [])].join(', ')
  if (over > 0) return `${over} SVHC above 0.1 % per ${list}: ${rest}`
  if (gaps.length > 0) return `REACH list ${list}: ${rest}`
  return `no SVHC ${isPartial ? 'stated ' : ''}above 0.1 % per ${list}: ${rest}`
}

/** `Lead (00167, 0.25 %)`: name, code, and the worst case where it is given as a share. */
function describe(category: SubstanceCategory): string {
  const percent = relativePercent(category.amount)
  const details = [category.code, percent === undefined ? '' : `${tidy(percent)} %`].filter(
    (part) => part !== '',
  )
  return details.length > 0 ? `${category.name} (${details.join(', ')})` : category.name
}
