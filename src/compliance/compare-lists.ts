import { groupLimit, SVHC_LIMIT } from './legal-limits.ts'
import { type ListKind, saysRohs } from './list-identity.ts'
import { readThreshold, type ThresholdBase } from './quantity.ts'
import { label, type Wording } from './rohs.ts'
import { remembered } from './shared-entries.ts'
import { isAnswer, isLaw, isReach, type JudgedList, type Statement, type Where } from './statements.ts'

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

/** Lists that state the same substance over and not over for the same limit, whatever they are called. */
export function contradictoryLists(lists: readonly (readonly JudgedList[])[]): readonly ListContradiction[] {
  if (lists.length < 2) return []
  const over = lists.flat().flatMap(({ key, marked }) => overIn(marked).map((one) => ({ key, one })))
  return over.flatMap(({ key, one }) => {
    const about = substancesOf(one)
    if (about.length === 0) return []
    const against = lists
      .flatMap((other) => (other.some((list) => list.key === key) ? [] : other))
      .filter((list) => {
        const { notOver, overSubjects } = answersOf(list)
        return about.some(
          ({ subject, limit }) =>
            !overSubjects.has(subject) &&
            notOver.some((one) => one.subject === subject && excludes(one.limit, limit, list.kind)),
        )
      })
    const others = [...new Set(against.map(({ identity }) => identity))].join(', ')
    const text = `${label(one)} over in ${one.list}, not over in ${others}`
    const isOfOne = against.every(({ where }) => where.origin === one.where.origin)
    const ask = isOfOne
      ? {}
      : {
          ask: `{declaration} states ${label(one)} as over in ${one.list}; another declaration of the part has it as not over in ${others}. Which is right?`,
        }
    const names = [one.code, ...one.cas, ...about.map(({ subject }) => subject.replace(SVHC, '')), one.list]
    return against.length === 0
      ? []
      : [{ text, subject: one.name, names: names.filter((name) => name !== ''), where: one.where, ...ask }]
  })
}

function overIn(statements: readonly Statement[]): readonly Statement[] {
  return statements.filter(({ decides, answer }) => decides && answer === 'over')
}

/** What a list answers about substances. An entry for each application of one: where it is over, that speaks for the list. */
const answersOf = remembered(({ statements, marked }: JudgedList) => ({
  notOver: statements.filter((one) => isAnswer(one) && one.answer === 'not over').flatMap(substancesOf),
  overSubjects: new Set(
    overIn(marked)
      .flatMap(substancesOf)
      .map(({ subject }) => subject),
  ),
}))

const SVHC = /^SVHC /

/** The substances that a statement is about, each with the limit of its answer; none where it has no limit in percent. */
function substancesOf({
  kind,
  list,
  about,
  threshold,
}: Statement): readonly { readonly subject: string; readonly limit: AnswerLimit }[] {
  const { percent, base } = readThreshold(threshold)
  const isRohs = kind === 'rohs' || saysRohs(list)
  return about.flatMap((subject) => {
    const isSvhc = SVHC.test(subject)
    const isLaw = isSvhc ? isReach(kind) : isRohs
    if (isLaw) {
      const law = isSvhc ? SVHC_LIMIT : groupLimit(subject)
      return [{ subject, limit: { percent: percent ?? law.percent, base: base ?? law.of } }]
    }
    return percent === undefined || isRohs ? [] : [{ subject, limit: { percent, base } }]
  })
}

const LEVELS = { material: 0, article: 1, product: 2 } as const

/** True where "not over" one limit excludes "over" another one: what is over in a product is so in an article and a material of it. */
function excludes(not: AnswerLimit, over: AnswerLimit, kind: ListKind): boolean {
  const isReached = isLaw({ kind }) ? over.percent >= not.percent : over.percent === not.percent
  const [inside, around] = [LEVELS[not.base ?? 'material'], LEVELS[over.base ?? 'product']]
  return isReached && around >= inside
}
