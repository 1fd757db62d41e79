import { memoized } from '../base/memoized.ts'
import { plainName } from './entry-keys.ts'

/** The ten groups of Annex II, each with its code in EUROHS lists, which count in another order, and how writers name it. */
const GROUPS = [
  ['Cadmium', '1', /\bcd\b|c[ao]dmi/],
  ['Hexavalent chromium', '4', /chrom|\bcr ?\(?(?:vi|6)/],
  ['Lead', '5', /\bpb\b|\blead\b|\bblei|\bplomb/],
  ['Mercury', '6', /\bhg\b|mercur|quecksilber/],
  ['PBB', '2', /\bpbbs?\b|brominated biphenyls?(?! ether)|bromobiphenyls?(?! ether)|bromierte biphenyle/],
  ['PBDE', '3', /\bpbdes?\b|brom\w* ?di-?phenyl ?-?eth/],
  ['DEHP', '7', /\bdehp\b|ethyl-?hexyl/],
  ['BBP', '8', /\bbbp\b|benzyl ?-?butyl|butyl ?-?benzyl/],
  ['DBP', '9', /\bdbp\b|\bdi-?(?:n-?)?butyl/],
  ['DIBP', '10', /\bdibp\b|di-?iso-?butyl/],
] as const

/** The ten groups of Annex II of Directive 2011/65/EU, in its order. */
export const ROHS_GROUPS = GROUPS.map(([group]) => group)
type RohsGroup = (typeof ROHS_GROUPS)[number]

/** The groups that a category of a RoHS list states; empty for one that is none of the ten. */
export const groupsOf = memoized(findGroups, 1_000, (name, code) => `${code}\n${name}`)

function findGroups(name: string, code: string): readonly RohsGroup[] {
  const text = name.normalize('NFKC').toLowerCase()
  const named = GROUPS.filter(([, , pattern]) => pattern.test(text))
  const coded = /^0*(\d{1,2})$/.exec(code.trim())?.[1]
  const found = named.length > 0 ? named : GROUPS.filter(([, number]) => number === coded)
  return found.map(([group]) => group)
}

const GROUP_BY_KEY = new Map(ROHS_GROUPS.map((group) => [plainName(group), group]))

/** The group that a reference table names: `Lead`, `Cr VI`, `pbde`; undefined for other text. */
export function groupNamed(text: string): RohsGroup | undefined {
  return GROUP_BY_KEY.get(plainName(text)) ?? groupsOf(text, '')[0]
}

/** The maximum concentration in a homogeneous material, in percent. */
export function groupLimit(group: string): number {
  return group === 'Cadmium' ? 0.01 : 0.1
}
