import { cleanText } from '../base/clean-text.ts'
import type { ArticleShare, Composition, MaterialShare, SubstanceShare } from './composition.ts'
import { tidy } from './quantity.ts'
import { groupLimit, groupNamed } from './rohs-groups.ts'
import { casNumber, substanceNames } from './substance-identity.ts'

/** A substance of a restricted group, by CAS number. */
export interface RohsSubstance {
  readonly group: string
  readonly cas: string
  /** The mass share of the restricted element; undefined where the composition varies. */
  readonly share: number | undefined
}

/** A substance of an entry of the Candidate List, by CAS number. */
export interface SvhcSubstance {
  readonly entry: string
  readonly cas: string
  readonly name: string
  readonly entryName: string
}

/** The two substance tables, prepared for screening. */
export interface SubstanceTables {
  readonly rohs: ReadonlyMap<string, readonly RohsSubstance[]>
  readonly svhc: ReadonlyMap<string, readonly SvhcSubstance[]>
  /** The names of each entry of the Candidate List and of its substances. */
  readonly entryNames: ReadonlyMap<string, ReadonlySet<string>>
}

export function createSubstanceTables(
  rohs: readonly RohsSubstance[],
  svhc: readonly SvhcSubstance[],
): SubstanceTables {
  const entryNames = new Map<string, Set<string>>()
  for (const { entry, name, entryName } of svhc) {
    const names = entryNames.get(entry) ?? new Set()
    entryNames.set(entry, names)
    for (const one of [...substanceNames(name), ...substanceNames(entryName)]) names.add(one)
  }
  return { rohs: byCas(rohs), svhc: byCas(svhc), entryNames }
}

function byCas<T extends { readonly cas: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const all = new Map<string, T[]>()
  for (const row of rows) if (row.cas !== '') all.set(row.cas, [...(all.get(row.cas) ?? []), row])
  return all
}

/** A substance that class D has above a threshold: it indicates a finding, and changes no status. */
export interface Indication {
  /** Above the limit of a restricted group in a homogeneous material, or above 0.1 % of an article. */
  readonly about: 'rohs' | 'svhc'
  /** The restricted group, or the name of the Candidate List entry. */
  readonly group: string
  /** How a class C list may call it, without case, spaces and punctuation. */
  readonly names: readonly string[]
  readonly substance: string
  readonly cas: readonly string[]
  /** Of the material, or of the article. */
  readonly percent: number
  /** The material, or the article; empty for the part itself. */
  readonly where: string
}

/** What the substances of a part indicate, and how many of them cannot be looked up. */
export interface Screening {
  readonly indications: readonly Indication[]
  readonly notScreened: number
  /** It takes back what an older one indicates: something is screened, and nothing that the tables have is without a share. */
  readonly isConclusive: boolean
}

const SVHC_LIMIT = 0.1
/** Most indications of one group or entry: what is said of one hides no other one. */
const MOST_OF_GROUP = 50

/** Screens a composition by CAS number: the restricted groups in each material, the Candidate List in each article. */
export function screen({ materials }: Composition, tables: SubstanceTables): Screening {
  let notScreened = 0
  let screened = 0
  let isOpen = false
  const found: Indication[] = []
  const articles = new Map<ArticleShare, Map<string, Total>>()
  for (const material of materials) {
    const groups = new Map<string, Total>()
    for (const share of material.substances) {
      const cas = casOf(share, tables)
      if (cas === undefined) {
        notScreened += 1
        continue
      }
      const restricted = tables.rohs.get(cas) ?? []
      const listed = tables.svhc.get(cas) ?? []
      const ofArticle = percentOfArticle(share, material)
      if (restricted.length + listed.length === 0) {
        if ((share.percentOfMaterial ?? ofArticle) !== undefined) screened += 1
        continue
      }
      if (share.percentOfMaterial === undefined && (restricted.length > 0 || ofArticle === undefined)) {
        notScreened += 1
        isOpen = true
      } else screened += 1
      for (const { group, share: element = 1 } of restricted) {
        const name = groupNamed(group) ?? group
        add(groups, name, name, share, cas, (share.percentOfMaterial ?? 0) * element)
      }
      for (const { entry, entryName } of listed) {
        const totals = articles.get(material.article) ?? new Map<string, Total>()
        articles.set(material.article, totals)
        add(totals, entry, entryName, share, cas, ofArticle ?? 0)
      }
    }
    for (const [group, total] of groups) {
      if (total.percent <= groupLimit(group)) continue
      found.push({ about: 'rohs', group, names: [], ...shown(total), where: material.name })
    }
  }
  for (const [{ path }, totals] of articles) {
    for (const [entry, total] of totals) {
      if (total.percent <= SVHC_LIMIT) continue
      const names = [...(tables.entryNames.get(entry) ?? [])]
      const where = path.replace(/ \/ $/, '')
      found.push({ about: 'svhc', group: cleanText(total.name, 120), names, ...shown(total), where })
    }
  }
  const counts = new Map<string, number>()
  const indications = found.filter(({ about, group }) => {
    const count = (counts.get(`${about} ${group}`) ?? 0) + 1
    counts.set(`${about} ${group}`, count)
    return count <= MOST_OF_GROUP
  })
  return { indications, notScreened, isConclusive: screened > 0 && !isOpen }
}

/** What of a group or an entry is in a material or an article. */
interface Total {
  readonly name: string
  readonly cas: Set<string>
  readonly substance: string
  percent: number
}

function add(
  totals: Map<string, Total>,
  key: string,
  name: string,
  { substance }: SubstanceShare,
  cas: string,
  percent: number,
): void {
  const total = totals.get(key) ?? {
    name,
    cas: new Set(),
    substance: cleanText(substance.name, 120),
    percent: 0,
  }
  totals.set(key, total)
  total.cas.add(cas)
  total.percent += percent
}

function shown({ cas, percent, substance }: Total): Pick<Indication, 'cas' | 'percent' | 'substance'> {
  return { cas: [...cas], percent: tidy(percent), substance }
}

/** A CAS number of the substance: one of the tables where it has several. Undefined without a valid one. */
function casOf({ substance }: SubstanceShare, { rohs, svhc }: SubstanceTables): string | undefined {
  const all = substance.ids.map(({ identity }) => casNumber(identity)).filter((cas) => cas !== undefined)
  return all.find((cas) => rohs.has(cas) || svhc.has(cas)) ?? all[0]
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
export function screeningText(rohs: readonly RohsSubstance[], svhc: readonly SvhcSubstance[]): string {
  return JSON.stringify([rohs, svhc], ['group', 'share', 'entry', 'cas', 'name', 'entryName'])
}

let last: { readonly text: string; readonly tables: SubstanceTables } | undefined

/** Stands for the text that was read last on a thread. */
export const KNOWN_TABLES = 'known'

/** The tables in such a text; undefined for an empty one. */
export function screeningTables(text: string): SubstanceTables | undefined {
  if (text === '') return undefined
  if (text !== KNOWN_TABLES && last?.text !== text) {
    const [rohs, svhc] = JSON.parse(text) as [readonly RohsSubstance[], readonly SvhcSubstance[]]
    last = { text, tables: createSubstanceTables(rohs, svhc) }
  }
  return last?.tables
}
