import { memoized } from '../base/memoized.ts'
import { plainName } from './entry-keys.ts'

/** The ten groups of Annex II of Directive 2011/65/EU, in its order. */
export const ROHS_GROUPS = [
  'Cadmium',
  'Hexavalent chromium',
  'Lead',
  'Mercury',
  'PBB',
  'PBDE',
  'DEHP',
  'BBP',
  'DBP',
  'DIBP',
] as const

type RohsGroup = (typeof ROHS_GROUPS)[number]

/** Groups by their codes in EUROHS lists, which do not count in the order of the annex. */
const BY_CODE: Readonly<Record<string, RohsGroup>> = {
  '1': 'Cadmium',
  '2': 'PBB',
  '3': 'PBDE',
  '4': 'Hexavalent chromium',
  '5': 'Lead',
  '6': 'Mercury',
  '7': 'DEHP',
  '8': 'BBP',
  '9': 'DBP',
  '10': 'DIBP',
}

const BY_NAME: readonly (readonly [RegExp, RohsGroup])[] = [
  [/\bcd\b|c[ao]dmi/, 'Cadmium'],
  [/chrom|\bcr ?\(?(?:vi|6)/, 'Hexavalent chromium'],
  [/\bpb\b|\blead\b|\bblei|\bplomb/, 'Lead'],
  [/\bhg\b|mercur|quecksilber/, 'Mercury'],
  [/\bpbbs?\b|brominated biphenyls?(?! ether)|bromobiphenyls?(?! ether)|bromierte biphenyle/, 'PBB'],
  [/\bpbdes?\b|brom\w* ?di-?phenyl ?-?eth/, 'PBDE'],
  [/\bdehp\b|ethyl-?hexyl/, 'DEHP'],
  [/\bbbp\b|benzyl ?-?butyl|butyl ?-?benzyl/, 'BBP'],
  [/\bdbp\b|\bdi-?(?:n-?)?butyl/, 'DBP'],
  [/\bdibp\b|di-?iso-?butyl/, 'DIBP'],
]

/** The groups that a category of a RoHS list states; empty for one that is none of the ten. */
export const groupsOf = memoized(findGroups, 1_000, (name, code) => `${code}\n${name}`)

function findGroups(name: string, code: string): readonly RohsGroup[] {
  const text = name.normalize('NFKC').toLowerCase()
  const named = BY_NAME.filter(([pattern]) => pattern.test(text)).map(([, group]) => group)
  if (named.length > 0) return named
  const coded = /^0*(\d{1,2})$/.exec(code.trim())?.[1]
  const group = coded === undefined ? undefined : BY_CODE[coded]
  return group === undefined ? [] : [group]
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
