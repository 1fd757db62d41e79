import type { CategoryFacts, ListFacts } from './facts.ts'

/** The first list identities of EU RoHS named four or six groups; from 1506 on there are ten. */
export type RohsIdentity = 'EUROHS-0508' | 'EUROHS-1506' | 'EUROHS-1907'
export type ReachIdentity =
  | 'EUREACH-0119'
  | 'EUREACH-0120'
  | 'EUREACH-0620'
  | 'EUREACH-0721'
  | 'EUREACH-0622'
  | 'EUREACH-0624'

/** What a part declares for a category, other than "below the threshold". */
export type Finding = Partial<Omit<CategoryFacts, 'code' | 'name' | 'threshold' | 'application'>>

/** Findings by the category's name. */
export type Findings = Readonly<Record<string, Finding>>

/** The list of RoHS exemptions such as `6(c)`. */
export const EXEMPTION_LIST = 'EL2011/534/EU'

/** EU RoHS with findings by category name; every other category is below its threshold. */
export function rohsList(identity: RohsIdentity, findings: Findings = {}): ListFacts {
  const categories = identity === 'EUROHS-0508' ? ROHS.slice(0, 6) : ROHS
  return listOf(identity, categories, findings)
}

/** A REACH candidate list, shortened: the substances of `CANDIDATES` that were on it by then. */
export function reachList(identity: ReachIdentity, findings: Findings = {}): ListFacts {
  return listOf(identity, CANDIDATES.slice(0, CANDIDATE_COUNTS[identity]), findings)
}

// Most parts have lists without findings: they share one.
const CLEAN = new Map<string, ListFacts>()

function listOf(identity: string, categories: readonly CategoryFacts[], findings: Findings): ListFacts {
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

// A selection of the REACH candidate list in the order of inclusion, so that a later list continues an earlier one.
const CANDIDATES: readonly CategoryFacts[] = [
  'Triethyl arsenate',
  'Sodium dichromate',
  'Hexabromocyclododecane (HBCDD)',
  'Dibutyl phthalate (DBP)',
  'Diarsenic trioxide',
  'Bis (2-ethylhexyl) phthalate (DEHP)',
  'Benzyl butyl phthalate (BBP)',
  'Anthracene',
  'Cobalt dichloride',
  'Diisobutyl phthalate (DIBP)',
  'Tris(2-chloroethyl) phosphate',
  'Lead chromate',
  'Boric acid',
  'Trichloroethylene',
  'N,N-dimethylacetamide',
  'Diboron trioxide',
  '1,2-dimethoxyethane; ethylene glycol dimethyl ether',
  'Lead monoxide (lead oxide)',
  'Lead titanium zirconium oxide',
  'Bis(pentabromophenyl) ether (decaBDE)',
  'Cadmium',
  'Cadmium oxide',
  'Dihexyl phthalate',
  'Bisphenol A',
  'Dechlorane Plus',
  'Lead',
  'Octamethylcyclotetrasiloxane (D4)',
  'Decamethylcyclopentasiloxane (D5)',
  'Dicyclohexyl phthalate (DCHP)',
  'Pyrene',
  'Phenanthrene',
  // 01/2020
  'Tris(4-nonylphenyl, branched and linear) phosphite (TNPP)',
  '2-methoxyethyl acetate',
  '4-tert-butylphenol',
  'Diisohexyl phthalate',
  'Perfluorobutane sulfonic acid (PFBS) and its salts',
  // 06/2020
  '1-vinylimidazole',
  '2-methylimidazole',
  // 07/2021
  'Dioctyltin dilaurate',
  'Medium-chain chlorinated paraffins (MCCP)',
  '1,4-dioxane',
  'Glutaral',
  // 06/2022
  '6,6\u2032-di-tert-butyl-2,2\u2032-methylenedi-p-cresol (DBMC)',
  'N-(hydroxymethyl)acrylamide',
  // 06/2024
  'Melamine',
  '2,2\u2032,6,6\u2032-tetrabromo-4,4\u2032-isopropylidenediphenol (TBBPA)',
  'Bis(4-chlorophenyl) sulphone',
  '2,4,6-tri-tert-butylphenol',
  'Bis(\u03b1,\u03b1-dimethylbenzyl) peroxide',
].map((name, index) => category(index, name, '0.1% by weight (1 000 ppm) of any article'))

const CANDIDATE_COUNTS: Readonly<Record<ReachIdentity, number>> = {
  'EUREACH-0119': 31,
  'EUREACH-0120': 36,
  'EUREACH-0620': 38,
  'EUREACH-0721': 42,
  'EUREACH-0622': 44,
  'EUREACH-0624': 49,
}

/** Categories without findings are the same objects for all parts, to save memory. */
function withFindings(categories: readonly CategoryFacts[], findings: Findings): readonly CategoryFacts[] {
  return categories.map((known) => {
    const finding = findings[known.name]
    return finding === undefined ? known : { ...known, ...finding }
  })
}

function category(index: number, name: string, threshold: string): CategoryFacts {
  return { code: String(index + 1).padStart(5, '0'), name, threshold, application: 'All', over: false }
}
