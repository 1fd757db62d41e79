import { cleanText } from '../base/clean-text.ts'
import type { ArticleShare, Composition, MaterialShare, SubstanceShare } from './composition.ts'
import type { Substance } from './declaration.ts'
import { groupLimit, SVHC_LIMIT } from './legal-limits.ts'
import { tidy } from './quantity.ts'
import {
  createSubstanceTables,
  type ListedSubstance,
  type RohsSubstance,
  recognizeName,
  type SubstanceList,
  type SubstanceTables,
  type SvhcSubstance,
} from './recognize.ts'
import { casNamed, groupNamed } from './rohs-groups.ts'
import { casNumbersIn, substanceNames } from './substance-identity.ts'

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

/** A substance of class D that the tables restrict, but whose share is not known. */
export interface NotScreened {
  readonly substance: string
  readonly cas: readonly string[]
  /** The restricted groups that it may be above the limit of. */
  readonly groups: readonly string[]
  /** The names of the entries of the Candidate List, one list of them for each entry. */
  readonly entries: readonly (readonly string[])[]
  /** The lists of the user. */
  readonly lists: readonly string[]
  /** Its material. */
  readonly where: string
  /** The sub-product that it is in; empty for the part itself. */
  readonly article: string
  /** The line of its material. */
  readonly line: number
}

/** What the substances of a part indicate, and which of them cannot be screened. */
export interface Screening {
  readonly indications: readonly Indication[]
  /** Those that the tables restrict. */
  readonly open: readonly NotScreened[]
  /** For each article, by its path, how many others have no CAS number. */
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

/** Screens a composition by CAS number and name: the restricted groups in each material, the Candidate List in each article. */
export function screen({ materials, articles: wholes }: Composition, tables: SubstanceTables): Screening {
  const unknown = new Map<string, number>()
  const namedMg = new Map<string, number>()
  const found: Indication[] = []
  const unscreened: NotScreened[] = []
  const articles = new Map<ArticleShare, Map<string, Total>>()
  for (const material of materials) {
    const { path } = material.article
    const groups = new Map<string, Total>()
    const limited = new Map<string, Total>()
    for (const one of material.substances) {
      const found = lookUp(one, tables)
      const { cas, restricted, listed, own } = found
      const isRenamed = found.name !== one.substance.name
      const share = isRenamed ? { ...one, substance: { ...one.substance, name: found.name } } : one
      if (!isKnown(found)) {
        unknown.set(path, (unknown.get(path) ?? 0) + 1)
        continue
      }
      namedMg.set(path, (namedMg.get(path) ?? 0) + (share.massMg ?? 0))
      const ofArticle = percentOfArticle(share, material)
      const totals = articles.get(material.article) ?? new Map<string, Total>()
      articles.set(material.article, totals)
      const { percentOfMaterial, mostPercent } = share
      const open = {
        groups: restricted
          .filter(
            ({ group, share: element = 1 }) => !isAtMost(mostPercent, groupLimit(group).percent / element),
          )
          .map(({ group }) => groupNamed(group) ?? group),
        entries: listed
          .filter(() => ofArticle === undefined && !isAtMost(mostPercent, SVHC_LIMIT.percent))
          .map(({ entry }) => entry),
        lists: own
          .filter(({ row }) => {
            if (row.percent === undefined || isAtMost(mostPercent, row.percent)) return false
            const ofMaterial = row.of === 'article' ? undefined : percentOfMaterial
            return ofMaterial === undefined && (row.of === 'material' || ofArticle === undefined)
          })
          .map(({ name }) => name),
      }
      if (percentOfMaterial !== undefined) open.groups.length = 0
      if (open.groups.length + open.entries.length + open.lists.length > 0) {
        unscreened.push({
          substance: cleanText(share.substance.name, 120) || (cas ?? ''),
          cas: cas === undefined ? [] : [cas],
          groups: [...new Set(open.groups)],
          entries: [...new Set(open.entries)].map((entry) => [
            entry,
            ...(tables.entryNames.get(entry) ?? []),
          ]),
          lists: [...new Set(open.lists)],
          where: material.name,
          article: path,
          line: material.line,
        })
      }
      for (const { group, share: element = 1 } of restricted) {
        const name = groupNamed(group) ?? group
        add(groups, name, { name, share, cas, material }, share.leastPercent * element)
      }
      for (const { entry, entryName } of listed) {
        const whole = material.percentOfArticle
        const least = ofArticle ?? (whole === undefined ? 0 : (share.leastPercent * whole) / 100)
        add(totals, entry, { name: entryName, share, cas, material }, least)
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
  const indicated = new Set<string>()
  for (const [{ path }, totals] of articles) {
    for (const [entry, total] of totals) {
      const place = { where: path.replace(/ \/ $/, ''), article: path }
      if (entry.startsWith('own\n')) {
        if (isAbove(total))
          found.push({ about: 'list', group: total.name, names: [], ...shown(total), ...place })
        continue
      }
      if ((total.percent ?? 0) <= SVHC_LIMIT.percent) continue
      indicated.add(`${path}\n${entry}`)
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
  // What is indicated anyway is no longer open.
  const isIndicated = (group: string, { where, article }: NotScreened): boolean =>
    found.some(
      (one) => one.about === 'rohs' && one.group === group && one.where === where && one.article === article,
    )
  const open = unscreened
    .map((one) => ({
      ...one,
      groups: one.groups.filter((group) => !isIndicated(group, one)),
      entries: one.entries.filter(([entry]) => !indicated.has(`${one.article}\n${entry}`)),
    }))
    .filter(({ groups, entries, lists }) => groups.length + entries.length + lists.length > 0)
  return {
    indications,
    open: open
      .slice(0, MOST_OPEN)
      .map((one) => ({ ...one, entries: one.entries.map((names) => names.slice(1)) })),
    notScreened: [...unknown].map(([article, count]) => ({ article, count })),
    covers: wholes.flatMap(({ path, massMg }) => {
      if (unscreened.some(({ article }) => article.startsWith(path))) return []
      const inside = [...namedMg].filter(([article]) => article.startsWith(path))
      const named = inside.reduce((sum, [, mg]) => sum + mg, 0)
      return massMg && (named / massMg) * 100 >= COVERED_PERCENT ? [path] : []
    }),
  }
}

/** Most that are named: one is enough for a doubt. */
const MOST_OPEN = 50

function isAtMost(percent: number | undefined, limit: number): boolean {
  return percent !== undefined && percent <= limit
}

/** What the tables have for a substance, by its CAS numbers and by its name; one that is not known is what its category is. */
function lookUp({ substance }: SubstanceShare, tables: SubstanceTables): LookedUp {
  const own = lookUpNamed(substance, tables)
  const { category = '' } = substance
  if (isKnown(own) || category === '') return own
  const ofCategory = lookUpNamed({ name: category, ids: [] }, tables)
  return isKnown(ofCategory) ? { ...ofCategory, name: `${substance.name} (${category})` } : own
}

function isKnown({ cas, restricted, listed, own }: LookedUp): boolean {
  return cas !== undefined || restricted.length + listed.length + own.length > 0
}

interface LookedUp {
  /** The name of the substance, with the category that it is known by. */
  readonly name: string
  readonly cas: string | undefined
  readonly restricted: readonly RohsSubstance[]
  readonly listed: readonly SvhcSubstance[]
  /** What the user's lists have. */
  readonly own: readonly { readonly name: string; readonly row: ListedSubstance }[]
}

function lookUpNamed({ name, ids }: Pick<Substance, 'name' | 'ids'>, tables: SubstanceTables): LookedUp {
  const all = [...ids.map(({ identity }) => identity), name].flatMap(casNumbersIn)
  const isListed = (cas: string): boolean =>
    tables.rohs.has(cas) || tables.svhc.has(cas) || tables.lists.some(({ byCas: rows }) => rows.has(cas))
  const cas = all.find(isListed) ?? all[0]
  const { substances, entries, groups } = recognizeName(tables)(name)
  const names = substanceNames(name)
  const named = groups
    .filter((group) => tables.groups.has(group))
    .map((group): RohsSubstance => ({ group, cas: '', share: 1 }))
  const restricted = unique([
    ...all.flatMap((one) => tables.rohs.get(one) ?? []),
    ...names.flatMap((one) => tables.rohsNamed.get(one) ?? []),
  ])
  const listed = unique([
    ...substances,
    ...[...all, ...(groups.length === 1 ? casNamed(name) : [])].flatMap((one) => tables.svhc.get(one) ?? []),
  ])
  const byEntry = new Map(listed.map((row) => [row.entry, row]))
  for (const entry of entries) {
    const known = tables.entries.find((one) => one.entry === entry)!
    if (!byEntry.has(entry)) byEntry.set(entry, { entry, cas: '', name: known.name, entryName: known.name })
  }
  return {
    name,
    cas,
    restricted: oneOfGroup([...restricted, ...named]),
    listed: [...byEntry.values()],
    own: tables.lists.flatMap((list) =>
      unique([
        ...(cas === undefined ? [] : (list.byCas.get(cas) ?? [])),
        ...names.flatMap((one) => list.byName.get(one) ?? []),
      ]).map((row) => ({ name: list.name, row })),
    ),
  }
}

/** A substance is in a group once, with its largest share. */
function oneOfGroup(rows: readonly RohsSubstance[]): readonly RohsSubstance[] {
  const byGroup = new Map<string, RohsSubstance>()
  for (const row of rows) {
    const group = groupNamed(row.group) ?? row.group
    if (!byGroup.has(group)) byGroup.set(group, row)
  }
  return [...byGroup.values()]
}

function unique<T>(all: readonly T[]): readonly T[] {
  return [...new Set(all)]
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
    readonly cas: string | undefined
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
  if (cas !== undefined) total.cas.add(cas)
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
    ['group', 'share', 'entry', 'cas', 'name', 'entryName', 'included', 'substances', 'percent', 'of'],
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
