import { cleanText } from '../base/clean-text.ts'
import type { ArticleShare, Composition, MaterialShare, SubstanceShare } from './composition.ts'
import { groupLimit, SVHC_LIMIT } from './legal-limits.ts'
import { tidy } from './quantity.ts'
import {
  createSubstanceTables,
  type RohsSubstance,
  type SubstanceList,
  type SubstanceTables,
  type SvhcSubstance,
} from './recognize.ts'
import { groupNamed } from './rohs-groups.ts'
import { casNumber } from './substance-identity.ts'

/** A substance that class D has above a threshold: it indicates a finding, and changes no status. */
export interface Indication {
  /** Above the limit of a restricted group in a homogeneous material, above 0.1 % of an article, or above that of a user's list. */
  readonly about: 'rohs' | 'svhc' | 'list'
  /** The restricted group, the name of the Candidate List entry, or that of the user's list. */
  readonly group: string
  /** How a class C list may call it, without case, spaces and punctuation. */
  readonly names: readonly string[]
  readonly substance: string
  readonly cas: readonly string[]
  /** Of the material, or of the article; undefined where no share is stated and any amount counts. */
  readonly percent: number | undefined
  /** The material, or the article; empty for the part itself. */
  readonly where: string
  /** The sub-product that it is in; empty for the part itself. */
  readonly article: string
  /** The line of its material. */
  readonly line: number
}

/** What the substances of a part indicate, and how many of them cannot be looked up. */
export interface Screening {
  readonly indications: readonly Indication[]
  /** For each article, by its path, how many substances have no CAS number or no share. */
  readonly notScreened: readonly { readonly article: string; readonly count: number }[]
  /** The articles of which at least 95 % of the mass is declared with CAS numbers: these it speaks for. */
  readonly covers: readonly string[]
}

/** Most indications of one group or entry: what is said of one hides no other one. */
const MOST_OF_GROUP = 50
const COVERED_PERCENT = 95

/** True when a composition takes back what an older one says of an article: that of the part speaks for all that is in it. */
export function covers({ covers: own }: Screening, article: string): boolean {
  return own.some((path) => article.startsWith(path))
}

/** Screens a composition by CAS number: the restricted groups in each material, the Candidate List in each article. */
export function screen({ materials, articles: wholes }: Composition, tables: SubstanceTables): Screening {
  const unknown = new Map<string, number>()
  const namedMg = new Map<string, number>()
  const open = new Set<string>()
  const found: Indication[] = []
  const articles = new Map<ArticleShare, Map<string, Total>>()
  for (const material of materials) {
    const { path } = material.article
    const groups = new Map<string, Total>()
    const limited = new Map<string, Total>()
    const skip = (): void => void unknown.set(path, (unknown.get(path) ?? 0) + 1)
    for (const share of material.substances) {
      const cas = casOf(share, tables)
      if (cas === undefined) {
        skip()
        continue
      }
      namedMg.set(path, (namedMg.get(path) ?? 0) + (share.massMg ?? 0))
      const restricted = tables.rohs.get(cas) ?? []
      const listed = tables.svhc.get(cas) ?? []
      const ofArticle = percentOfArticle(share, material)
      const totals = articles.get(material.article) ?? new Map<string, Total>()
      articles.set(material.article, totals)
      const own = tables.lists.flatMap(({ name, byCas: rows }) =>
        (rows.get(cas) ?? []).map((row) => ({ name, row })),
      )
      const isOpen =
        (share.percentOfMaterial === undefined &&
          (restricted.length > 0 ||
            own.some(({ row }) => row.percent !== undefined && row.of === 'material'))) ||
        (ofArticle === undefined && share.percentOfMaterial === undefined && listed.length + own.length > 0)
      if (isOpen) {
        skip()
        open.add(path)
      }
      for (const { group, share: element = 1 } of restricted) {
        const name = groupNamed(group) ?? group
        add(groups, name, { name, share, cas, material }, (share.percentOfMaterial ?? 0) * element)
      }
      for (const { entry, entryName } of listed) {
        add(totals, entry, { name: entryName, share, cas, material }, ofArticle ?? 0)
      }
      for (const { name, row } of own) {
        const what = { name, share, cas, material, limit: row.percent }
        const key = `${name}\n${row.cas}\n${row.percent}`
        if (row.of !== 'article') add(limited, key, what, share.percentOfMaterial)
        else add(totals, `own\n${key}`, what, ofArticle)
        if (row.of === 'any' && share.percentOfMaterial === undefined && ofArticle !== undefined) {
          add(totals, `own\n${key}`, what, ofArticle)
        }
      }
    }
    for (const [group, total] of groups) {
      if ((total.percent ?? 0) <= groupLimit(group).percent) continue
      found.push({ about: 'rohs', group, names: [], ...shown(total), where: material.name, article: path })
    }
    for (const total of limited.values()) {
      if (isAbove(total))
        found.push({
          about: 'list',
          group: total.name,
          names: [],
          ...shown(total),
          where: material.name,
          article: path,
        })
    }
  }
  for (const [{ path }, totals] of articles) {
    for (const [entry, total] of totals) {
      const place = { where: path.replace(/ \/ $/, ''), article: path }
      if (entry.startsWith('own\n')) {
        if (isAbove(total))
          found.push({ about: 'list', group: total.name, names: [], ...shown(total), ...place })
        continue
      }
      if ((total.percent ?? 0) <= SVHC_LIMIT.percent) continue
      const names = [...(tables.entryNames.get(entry) ?? [])]
      found.push({ about: 'svhc', group: cleanText(total.name, 120), names, ...shown(total), ...place })
    }
  }
  const counts = new Map<string, number>()
  const indications = found.filter(({ about, group }) => {
    const count = (counts.get(`${about} ${group}`) ?? 0) + 1
    counts.set(`${about} ${group}`, count)
    return count <= MOST_OF_GROUP
  })
  return {
    indications,
    notScreened: [...unknown].map(([article, count]) => ({ article, count })),
    covers: wholes.flatMap(({ path, massMg }) => {
      if ([...open].some((article) => article.startsWith(path))) return []
      const inside = [...namedMg].filter(([article]) => article.startsWith(path))
      const named = inside.reduce((sum, [, mg]) => sum + mg, 0)
      return massMg && (named / massMg) * 100 >= COVERED_PERCENT ? [path] : []
    }),
  }
}

/** Above the user's limit, or there at all where any amount counts. */
function isAbove({ percent, limit }: Total): boolean {
  return limit === undefined ? percent !== 0 : percent !== undefined && percent > limit
}

/** What of a group, an entry or a listed substance is in a material or an article. */
interface Total {
  readonly name: string
  readonly cas: Set<string>
  readonly substance: string
  readonly line: number
  /** The user's limit in percent; undefined for any amount. */
  readonly limit: number | undefined
  percent: number | undefined
}

function add(
  totals: Map<string, Total>,
  key: string,
  {
    name,
    share,
    cas,
    material,
    limit,
  }: {
    readonly name: string
    readonly share: SubstanceShare
    readonly cas: string
    readonly material: MaterialShare
    readonly limit?: number | undefined
  },
  percent: number | undefined,
): void {
  const total = totals.get(key) ?? {
    name,
    cas: new Set(),
    substance: cleanText(share.substance.name, 120),
    line: material.line,
    limit,
    percent: undefined,
  }
  totals.set(key, total)
  total.cas.add(cas)
  if (percent !== undefined) total.percent = (total.percent ?? 0) + percent
}

function shown({
  cas,
  percent,
  substance,
  line,
}: Total): Pick<Indication, 'cas' | 'percent' | 'substance' | 'line'> {
  return { cas: [...cas], percent: percent === undefined ? undefined : tidy(percent), substance, line }
}

/** A CAS number of the substance: one of the tables where it has several. Undefined without a valid one. */
function casOf({ substance }: SubstanceShare, { rohs, svhc, lists }: SubstanceTables): string | undefined {
  const all = substance.ids.map(({ identity }) => casNumber(identity)).filter((cas) => cas !== undefined)
  const isKnown = (cas: string): boolean =>
    rohs.has(cas) || svhc.has(cas) || lists.some(({ byCas: rows }) => rows.has(cas))
  return all.find(isKnown) ?? all[0]
}

function percentOfArticle(
  { massMg, percentOfMaterial }: SubstanceShare,
  material: MaterialShare,
): number | undefined {
  const { article, percentOfArticle: whole } = material
  if (massMg !== undefined && article.totalMg) return (massMg / article.totalMg) * 100
  return percentOfMaterial === undefined || whole === undefined
    ? undefined
    : (percentOfMaterial * whole) / 100
}

/** The substance tables as one text, which is sent to other threads and identifies what was screened with. */
export function screeningText(
  rohs: readonly RohsSubstance[],
  svhc: readonly SvhcSubstance[],
  lists: readonly SubstanceList[] = [],
): string {
  return JSON.stringify(
    [rohs, svhc, lists],
    ['group', 'share', 'entry', 'cas', 'name', 'entryName', 'substances', 'percent', 'of'],
  )
}

let last: { readonly text: string; readonly tables: SubstanceTables } | undefined

/** Stands for the text that was read last on a thread. */
export const KNOWN_TABLES = 'known'

/** The tables in such a text; undefined for an empty one. */
export function screeningTables(text: string): SubstanceTables | undefined {
  if (text === '') return undefined
  if (text !== KNOWN_TABLES && last?.text !== text) {
    const [rohs, svhc, lists] = JSON.parse(text) as [
      readonly RohsSubstance[],
      readonly SvhcSubstance[],
      readonly SubstanceList[],
    ]
    last = { text, tables: createSubstanceTables(rohs, svhc, lists) }
  }
  return last?.tables
}
