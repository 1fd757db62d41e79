import { memoized } from '../base/memoized.ts'
import { casOfEntry, type ListEntry } from './entry-keys.ts'
import { plainName } from './plain-name.ts'
import { casNumber } from './substance-identity.ts'

/**
 * The ten groups of Annex II of Directive 2011/65/EU, in its order: each with its code in IPC's EUROHS lists, which count in another
 * order, the CAS number of the substance itself, and how writers name it. Names are compared as a whole, never by a piece of them.
 */
const GROUPS = [
  [
    'Cadmium',
    1,
    ['7440-43-9'],
    'Cd; cadmio; cádmio; Kadmium; cadmiu; kadm; kadmiyum; кадмий; 카드뮴; カドミウム; 镉; 鎘',
  ],
  [
    'Hexavalent chromium',
    4,
    ['18540-29-9'],
    'Cr VI; Cr 6; Cr6+; Cr+6; chromium VI; chromium 6+; chrome VI; Chrom VI; chromium hexavalent; chrome hexavalent; hexavalentes Chrom; sechswertiges Chrom; 6-wertiges Chrom; cromo VI; cromo esavalente; cromo hexavalente; crómio hexavalente; crom hexavalent; šestimocný chrom; chrom sześciowartościowy; zeswaardig chroom; chroom VI; sexvärt krom; seksverdig krom; hexavalent krom; kuudenarvoinen kromi; hat vegyértékű króm; шестивалентный хром; 6가 크롬; 六価クロム; 六价铬; 六價鉻',
  ],
  [
    'Lead',
    5,
    ['7439-92-1'],
    'Pb; Blei; plomb; plomo; piombo; chumbo; plumb; olovo; ołów; lood; bly; lyijy; ólom; kurşun; свинец; 납; 鉛; 铅',
  ],
  [
    'Mercury',
    6,
    ['7439-97-6'],
    'Hg; Quecksilber; mercure; mercurio; mercúrio; mercur; rtuť; rtęć; kwik; kvicksilver; kviksølv; kvikksølv; elohopea; higany; cıva; ртуть; 수은; 水銀; 汞',
  ],
  [
    'PBB',
    2,
    ['59536-65-1', '67774-32-7'],
    'PBBs; polybrominated biphenyl; polybrominated biphenyls; polybrominated biphenyle; polybromobiphenyl; polybromobiphenyls; polybromiertes Biphenyl; polybromierte Biphenyle; polybromobiphényles; bifenilos polibromados; bifenili polibromurati; ポリ臭化ビフェニル; ポリ臭化ビフェニル類; 多溴联苯; 多溴聯苯',
  ],
  [
    'PBDE',
    3,
    [],
    'PBDEs; polybrominated diphenyl ether; polybrominated diphenyl ethers; polybrominated diphenylethers; polybrominated diphenylether; polybrominated diphenyl oxides; polybromodiphenyl ether; polybromodiphenyl ethers; polybromierte Diphenylether; polybromierter Diphenylether; polybromodiphényléthers; éteres difenílicos polibromados; éteres de difenilo polibromados; eteri di difenile polibromurati; ポリ臭化ジフェニルエーテル; ポリ臭化ジフェニルエーテル類; 多溴二苯醚; 多溴聯苯醚',
  ],
  [
    'DEHP',
    7,
    ['117-81-7'],
    'bis(2-ethylhexyl) phthalate; di(2-ethylhexyl) phthalate; di-2-ethylhexyl phthalate; diethylhexyl phthalate; diethyl hexyl phthalate; bis(2-ethylhexyl)phthalat; di(2-ethylhexyl)phthalat; diethylhexylphthalat; phtalate de bis(2-éthylhexyle); ftalato de bis(2-etilhexilo); フタル酸ビス(2-エチルヘキシル); フタル酸ジ-2-エチルヘキシル; 邻苯二甲酸二(2-乙基己)酯; 邻苯二甲酸二(2-乙基己基)酯',
  ],
  [
    'BBP',
    8,
    ['85-68-7'],
    'BBzP; benzyl butyl phthalate; benzylbutyl phthalate; butyl benzyl phthalate; butylbenzyl phthalate; Benzylbutylphthalat; Butylbenzylphthalat; phtalate de benzyle et de butyle; フタル酸ブチルベンジル; 邻苯二甲酸丁苄酯; 邻苯二甲酸丁酯苯甲酯',
  ],
  [
    'DBP',
    9,
    ['84-74-2'],
    'DnBP; dibutyl phthalate; di-butyl phthalate; di-n-butyl phthalate; Dibutylphthalat; phtalate de dibutyle; ftalato de dibutilo; フタル酸ジブチル; フタル酸ジ-n-ブチル; 邻苯二甲酸二丁酯',
  ],
  [
    'DIBP',
    10,
    ['84-69-5'],
    'diisobutyl phthalate; di-isobutyl phthalate; di-iso-butyl phthalate; Diisobutylphthalat; phtalate de diisobutyle; ftalato de diisobutilo; フタル酸ジイソブチル; 邻苯二甲酸二异丁酯',
  ],
] as const satisfies readonly (readonly [string, number, readonly string[], string])[]

export const ROHS_GROUPS = GROUPS.map(([group]) => group)
export type RohsGroup = (typeof ROHS_GROUPS)[number]

const BY_CODE = new Map<number, RohsGroup>(GROUPS.map(([group, code]) => [code, group]))
const BY_CAS = new Map<string, RohsGroup>(GROUPS.flatMap(([group, , all]) => all.map((cas) => [cas, group])))
const BY_NAME = new Map<string, RohsGroup>(
  GROUPS.flatMap(([group, , , names]) =>
    [group, ...names.split(';')].map((name) => [plainName(name), group]),
  ),
)

/**
 * The groups that an entry of a list states: by its name; else by CAS number, unless its name is of another substance; else by the code
 * of IPC's RoHS list, whose codes are fixed, where it has no name. Empty for none of the ten.
 */
export function groupsOf(
  entry: ListEntry,
  { hasRohsCodes, hasOtherName }: { readonly hasRohsCodes: boolean; readonly hasOtherName: boolean },
): readonly RohsGroup[] {
  const named = namedGroups(entry.name)
  if (named.length > 0) return named
  const listed = hasOtherName ? [] : casOfEntry(entry).flatMap((one) => BY_CAS.get(one) ?? [])
  if (listed.length > 0) return [...new Set(listed)]
  const group = hasRohsCodes && isBlank(entry.name) ? groupOfCode(entry) : undefined
  return group === undefined ? [] : [group]
}

/** The group whose code in IPC's RoHS list an entry has, whatever its name. */
export function groupOfCode({
  code,
  authority,
}: Pick<ListEntry, 'code' | 'authority'>): RohsGroup | undefined {
  const coded = /^\s*0*(\d{1,2})\s*$/.exec(code)?.[1]
  return coded === undefined || !/^\s*(?:ipc.*)?$/i.test(authority) ? undefined : BY_CODE.get(Number(coded))
}

/** No name, or only a number. */
function isBlank(name: string): boolean {
  return !/\p{L}/u.test(name)
}

const namedGroups = memoized(groupsNamed, 1_000)

/** `compounds`, `and its compounds`, `/lead compounds`, `及其化合物`: what is said beside a metal. */
const COMPOUNDS = [
  /[\s-]*(?:compounds?|verbindungen|composés|compuestos|composti|compostos)\s*$/iu,
  /(?:\s*[/,;&+]\s*|\s+(?:and|or|und|et|y|e)\s+)(?:(?:its|seine|ihre|ses|sus|suoi|seus|other|the|any)\s+)?(?:[\p{L}-]+(?:\s+\(?vi\)?)?[\s-]+)?(?:compounds?|salts|verbindungen|[\p{L}-]*verbindungen|composés|compuestos|composti|compostos)\s*$/iu,
  /\s+(?:en (?:zijn|haar) verbindingen|och dess föreningar|og (?:dets|dens) forbindelser|ja sen yhdisteet|i jego związki|a jeho (?:sloučeniny|zlúčeniny)|и (?:его|её|ее) соединения)\s*$/iu,
  /\s*(?:(?:及び|および|及|和|與|与)(?:その|其)|및\s*그)?\s*(?:化合物|화합물)(?:類|类)?\s*$/u,
]

function groupsNamed(name: string): readonly RohsGroup[] {
  const text = name.normalize('NFKC').trim()
  const whole = groupNamed(text)
  if (whole !== undefined) return [whole]
  const [, front = text, brackets] = /^(.*\S)\s*\(([^()]+)\)\s*$/s.exec(text) ?? []
  const inside = brackets === undefined ? undefined : groupNamed(brackets)
  const ahead = groupNamed(front)
  // An abbreviation behind a name in another script, or behind one of the table.
  if (ahead !== undefined && brackets !== undefined) {
    return inside === ahead || SAYS_NO_MORE.test(brackets) || casNumber(brackets) !== undefined ? [ahead] : []
  }
  if (inside !== undefined && !/[a-z]/i.test(front)) return [inside]
  // Two in one: `PBB/PBDE`.
  const pieces = text.split(/\s*(?:[/,;&+]|\b(?:and|und|et)\b)\s*/iu).filter((piece) => piece !== '')
  const each = pieces.map((piece) => groupNamed(piece))
  const isKnown = pieces.length > 1 && each.every((one) => one !== undefined)
  return isKnown ? ROHS_GROUPS.filter((group) => each.includes(group)) : []
}

/** Brackets behind a name that limit it to nothing. */
const SAYS_NO_MORE =
  /^\s*(?:Cd|Pb|Hg|Cr|Cr ?\+?6\+?|Cr ?VI|6\+|\+6|metal|total|all|and (?:its|their) compounds|compounds|metal and compounds|BB[zZ]?P|DnBP)\s*$/i

/** The CAS numbers of the substance of a group that a name is the name of, with nothing else in it but brackets. */
export function casNamed(name: string): readonly string[] {
  const text = name.normalize('NFKC')
  const group = BY_NAME.get(plainName(text)) ?? BY_NAME.get(plainName(text.replace(/\s*\([^()]*\)\s*$/, '')))
  return GROUPS.find(([one]) => one === group)?.[2] ?? []
}

/** The group that a text is the name of, with or without its compounds; undefined for any other text. */
export function groupNamed(text: string): RohsGroup | undefined {
  const known = BY_NAME.get(plainName(text))
  if (known !== undefined) return known
  for (const compounds of COMPOUNDS) {
    const substance = text.replace(compounds, '')
    const group = substance === text ? undefined : BY_NAME.get(plainName(substance))
    if (group !== undefined) return group
  }
  return undefined
}
