import type { ListEvidence, Where } from './currency.ts'
import { casOfEntry, type ListEntry } from './entry-keys.ts'
import { groupLimit, SVHC_LIMIT } from './legal-limits.ts'
import { type ListKind, saysRohs } from './list-identity.ts'
import { readThreshold, type ThresholdBase } from './quantity.ts'
import { NO_TABLES, recognize, type SubstanceTables } from './recognize.ts'
import { label, type Wording } from './rohs.ts'
import { remembered } from './shared-entries.ts'

/** A substance that one list states over and another one not over. */
interface ListContradiction extends Wording {
  readonly text: string
  readonly subject: string
  readonly names: readonly string[]
  readonly where: Where
}

/** The limit that an answer is about. */
interface AnswerLimit {
  readonly percent: number
  readonly base: ThresholdBase
}

/** What a list is, as far as its entries are read by it. */
interface ListName {
  readonly kind: ListKind
  readonly identity: string
}

/** Lists that state the same substance over and not over for the same limit, whatever they are called. */
export function contradictoryLists(
  lists: readonly ListEvidence[],
  tables: SubstanceTables | undefined = NO_TABLES,
): readonly ListContradiction[] {
  if (lists.length < 2) return []
  const over = lists.flatMap(({ marked }) => marked.filter(({ state }) => state === 'over'))
  return over.flatMap((one) => {
    const about = substancesOf(one.list, one.entry, tables)
    if (about.length === 0) return []
    const against = lists
      .filter((other) => other.lists.every(({ list }) => list.key !== one.list.key))
      .flatMap((other) => {
        const names = other.lists.filter(({ list }) => {
          const answers = notOver(list, tables)
          return about.some(
            ({ subject, limit }) =>
              answers.some(
                (answer) => answer.subject === subject && excludes(answer.limit, limit, list.kind),
              ) && !isOver(list, subject, tables),
          )
        })
        return names.map(({ list, origin }) => ({ name: list.identity, origin }))
      })
    const others = [...new Set(against.map(({ name }) => name))].join(', ')
    const text = `${label(one)} over in ${one.where.list}, not over in ${others}`
    const isOfOne = against.every(({ origin }) => origin === one.where.origin)
    const ask = isOfOne
      ? {}
      : {
          ask: `{declaration} states ${label(one)} as over in ${one.where.list}; another declaration of the part has it as not over in ${others}. Which is right?`,
        }
    const names = [
      one.code,
      ...casOfEntry(one.entry),
      ...about.map(({ subject }) => subject.replace(/^\w+ /, '')),
      one.where.list,
    ]
    return against.length === 0
      ? []
      : [{ text, subject: one.name, names: names.filter((name) => name !== ''), where: one.where, ...ask }]
  })
}

type StatedList = ListEvidence['lists'][number]['list']

/** The substances that an entry is about, each with the limit of its answer; none where it has no limit in percent. */
function substancesOf(
  list: ListName,
  entry: ListEntry,
  tables: SubstanceTables,
): readonly { readonly subject: string; readonly limit: AnswerLimit }[] {
  const known = recognize(list.kind, entry, tables)
  const { percent, base } = readThreshold(entry.threshold)
  const isRohs = list.kind === 'rohs' || saysRohs(list.identity)
  const isReach = list.kind === 'reach' || list.kind === 'otherReach'
  const stated = (law: AnswerLimit): AnswerLimit => ({
    percent: percent ?? law.percent,
    base: base ?? law.base,
  })
  const ofGroup = (group: string): AnswerLimit | undefined => {
    const { percent: limit, of } = groupLimit(group)
    if (isRohs) return stated({ percent: limit, base: of })
    return percent === undefined ? undefined : { percent, base }
  }
  const ofEntry = (): AnswerLimit | undefined => {
    if (isReach) return stated({ percent: SVHC_LIMIT.percent, base: SVHC_LIMIT.of })
    return percent === undefined || isRohs ? undefined : { percent, base }
  }
  return [
    ...(isReach ? [] : known.groups.map((group) => ({ subject: `RoHS ${group}`, limit: ofGroup(group) }))),
    ...known.entries.map((id) => ({ subject: `SVHC ${id}`, limit: ofEntry() })),
  ].flatMap(({ subject, limit }) => (limit === undefined ? [] : [{ subject, limit }]))
}

type Answers = ReturnType<typeof substancesOf>

/** What a list states "not over". */
function notOver(list: StatedList, tables: SubstanceTables): Answers {
  return [
    ...plainAnswers(tables)(list),
    ...list.marked
      .filter(({ state }) => state === 'not over')
      .flatMap(({ entry }) => substancesOf(list, entry, tables)),
  ]
}

const plainAnswers = remembered((tables: SubstanceTables) =>
  remembered((list: StatedList): Answers => list.plain.flatMap((entry) => substancesOf(list, entry, tables))),
)

/** An entry for each application of a substance: one that is over speaks for the list. */
function isOver(list: StatedList, subject: string, tables: SubstanceTables): boolean {
  return list.marked.some(
    ({ state, entry }) =>
      state === 'over' && substancesOf(list, entry, tables).some((one) => one.subject === subject),
  )
}

const LEVELS = { material: 0, article: 1, product: 2 } as const

/** True where "not over" one limit excludes "over" another one: what is over in a product is so in an article and a material of it. */
function excludes(not: AnswerLimit, over: AnswerLimit, kind: ListKind): boolean {
  const isLaw = kind === 'rohs' || kind === 'reach'
  const isReached = isLaw ? over.percent >= not.percent : over.percent === not.percent
  const [inside, around] = [LEVELS[not.base ?? 'material'], LEVELS[over.base ?? 'product']]
  return isReached && around >= inside
}
