import svhcSubstances from '../compliance/tables/svhc-substances.csv'
import type { CategoryFacts, ListFacts } from './facts.ts'

/** The first list identities of EU RoHS named four or six groups; from 1506 on there are ten. */
type RohsIdentity = 'EUROHS-0508' | 'EUROHS-1506' | 'EUROHS-1907'
export type ReachIdentity =
  | 'EUREACH-0119'
  | 'EUREACH-0120'
  | 'EUREACH-0620'
  | 'EUREACH-0721'
  | 'EUREACH-0622'
  | 'EUREACH-0624'
  | 'EUREACH-0226'

/** What a part declares for a category, other than "below the threshold". */
export type StatedAnswer = Partial<Omit<CategoryFacts, 'code' | 'name' | 'threshold' | 'application'>>

/** Answers by the category's name. */
export type AnswersByName = Readonly<Record<string, StatedAnswer>>

/** The list of RoHS exemptions such as `6(c)`. */
export const EXEMPTION_LIST = 'EL2011/534/EU'

/** EU RoHS with answers by category name; every other category is below its threshold. */
export function rohsList(identity: RohsIdentity, findings: AnswersByName = {}): ListFacts {
  const categories = identity === 'EUROHS-0508' ? ROHS.slice(0, 6) : ROHS
  return listOf(identity, categories, findings)
}

/** A whole REACH Candidate List: every entry that was on it by then. */
export function reachList(identity: ReachIdentity, findings: AnswersByName = {}): ListFacts {
  const month = `20${identity.slice(-2)}-${identity.slice(-4, -2)}`
  const entries = CANDIDATES.filter((one) => one.month <= month).map((one) => one.category)
  return listOf(identity, entries, findings)
}

// Most parts have lists without findings: they share one.
const CLEAN = new Map<string, ListFacts>()

function listOf(identity: string, categories: readonly CategoryFacts[], findings: AnswersByName): ListFacts {
  const isClean = Object.keys(findings).length === 0
  const known = isClean ? CLEAN.get(identity) : undefined
  if (known !== undefined) return known
  const list = { identity, authority: 'IPC', categories: withFindings(categories, findings) }
  if (isClean) CLEAN.set(identity, list)
  return list
}

/** A list that is neither RoHS nor REACH. One name occurs twice, for two applications, as in the real one. */
export function otherList(): ListFacts {
  const threshold = 'Intentionally added'
  return {
    identity: 'IEC_62474 D19.00',
    authority: 'IEC_62474',
    categories: [
      category(0, 'Asbestos', threshold),
      category(1, 'Lead/lead compounds', '0.1% by weight (1 000 ppm) of the material'),
      {
        ...category(2, 'Lead/lead compounds', '0.004% by weight (40 ppm) of the battery'),
        application: 'Batteries',
      },
      category(3, 'Ozone depleting substances', threshold),
    ],
  }
}

const ROHS: readonly CategoryFacts[] = [
  'Cadmium/cadmium compounds',
  'Polybrominated biphenyls (PBB)',
  'Polybrominated diphenyl ethers (PBDE)',
  'Chromium VI compounds',
  'Lead/lead compounds',
  'Mercury/mercury compounds',
  'Bis(2-ethylhexyl) phthalate (DEHP)',
  'Butyl benzyl phthalate (BBP)',
  'Dibutyl phthalate (DBP)',
  'Diisobutyl phthalate (DIBP)',
].map((name, index) => {
  const limit = index === 0 ? '0.01% by weight (100 ppm)' : '0.1% by weight (1 000 ppm)'
  return category(index, name, `${limit} of homogenous materials`)
})

/** The fields of a line of CSV. */
const FIELD = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g

/** The Candidate List as the built-in table has it, in the order of inclusion: each entry with the month in which it came. */
const CANDIDATES: readonly { readonly month: string; readonly category: CategoryFacts }[] = [
  ...new Map(
    svhcSubstances
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [entry, included, , , , name] = [...line.matchAll(FIELD)].map(
          ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
        )
        const limit = '0.1% by weight (1 000 ppm) of any article'
        return [entry, { month: included!.slice(0, 7), category: category(Number(entry) - 1, name!, limit) }]
      }),
  ).values(),
]

/** Categories without findings are the same objects for all parts, to save memory. */
function withFindings(
  categories: readonly CategoryFacts[],
  findings: AnswersByName,
): readonly CategoryFacts[] {
  return categories.map((known) => {
    const finding = findings[known.name]
    return finding === undefined ? known : { ...known, ...finding }
  })
}

function category(index: number, name: string, threshold: string): CategoryFacts {
  return { code: String(index + 1).padStart(5, '0'), name, threshold, application: 'All', over: false }
}
