import { type Candidate, candidatesOf } from '../../support/candidate-list.ts'
import { pick } from '../../support/seeded.ts'
import {
  ALL_GROUPS,
  type Category,
  type Declaration,
  type Group,
  type List,
  type Material,
} from './declarations.ts'

/*
 * Random declarations of a part as what they mean, and what the contract says of them. Nothing of it reads a text: what each text means
 * is stated beside it. It shares no code with the program.
 */

const LIST = 'EUREACH-0226'
const CANDIDATES = candidatesOf(LIST)
const candidate = (name: string): Candidate => CANDIDATES.find((one) => one.name === name)!

/** What a statement is about: a group of RoHS, or an entry of the Candidate List. */
type Subject = { readonly group: Group } | { readonly entry: Candidate }

/** How it is called: by its own name, by none, by its CAS number, by that of something else, or by one that nobody knows. */
type NameKind = 'own' | 'none' | 'cas' | 'other' | 'invented'
type Answer = 'over' | 'not over' | 'silent' | 'unclear'

/** Thresholds as text, for a limit in percent; whether "not over" it shows that the limit is kept, of a material and of an article. */
const THRESHOLDS = {
  law: {
    text: (limit: number, of: string) => `${limit}% by weight (${limit * 10_000} ppm) of ${of}`,
    proves: [true, true],
  },
  none: { text: () => '', proves: [true, true] },
  words: { text: () => 'as in the directive', proves: [true, true] },
  bare: { text: (limit: number) => `${limit} wt%`, proves: [true, true] },
  german: { text: (limit: number) => `${String(limit).replace('.', ',')} Gew.-%`, proves: [true, true] },
  perMille: { text: (limit: number) => `${limit * 10_000} mg/kg`, proves: [true, true] },
  lower: { text: () => '10 ppm of the homogeneous material', proves: [true, true] },
  material: { text: (limit: number) => `${limit} mass% of homogeneous material`, proves: [true, true] },
  article: { text: (limit: number) => `${limit} mass% of any article`, proves: [false, true] },
  product: { text: (limit: number) => `${limit} % of the product`, proves: [false, false] },
  tenfold: { text: (limit: number) => `${limit * 10} % of the homogeneous material`, proves: [false, false] },
  twoWays: { text: () => '1,500 ppm', proves: [false, false] },
  several: { text: (limit: number) => `${limit} % (${limit * 50} %)`, proves: [false, false] },
  otherUnit: { text: () => '5 mg', proves: [false, false] },
} as const
type ThresholdName = keyof typeof THRESHOLDS
const THRESHOLD_NAMES = Object.keys(THRESHOLDS) as ThresholdName[]

/** Values beside an answer: no doubt of "not over", against it, proof of nothing, or not understood. */
const VALUES = {
  none: { value: undefined, says: 'nothing' },
  zero: { value: '0', says: 'nothing' },
  little: { value: '0.001', says: 'nothing' },
  notDetected: { value: 'n.d.', says: 'nothing' },
  below: { value: '<0.005', says: 'nothing' },
  much: { value: '2', says: 'more' },
  upTo: { value: '<5', says: 'weak' },
  twoWays: { value: '1,500', says: 'unread' },
  text: { value: 'see remark', says: 'unread' },
} as const
type ValueName = keyof typeof VALUES
const VALUE_NAMES = Object.keys(VALUES) as ValueName[]

/** What an exemption is worth, for lead and for another group. */
const EXEMPTIONS = {
  none: ['', ''],
  valid: ['6(c)', '99(z)'],
  described: ['6(c) Copper alloy containing up to 4 % lead by weight', '99(z): 鉛'],
  rejected: ['6(c): rejected', '99(z) abgelehnt'],
  postponed: ['6(c) pending', '99(z) until 2020'],
  text: ['see comment', 'approved by customer'],
  foreign: ['8(b)-I', '6(c)'],
  foreignRejected: ['8(b)-I: rejected', '6(c): rejected'],
} as const
type ExemptionName = keyof typeof EXEMPTIONS
const EXEMPTION_NAMES = Object.keys(EXEMPTIONS) as ExemptionName[]
const WORTH: Readonly<Record<ExemptionName, 'fails' | 'exempt' | 'open'>> = {
  none: 'fails',
  valid: 'exempt',
  described: 'exempt',
  rejected: 'open',
  postponed: 'open',
  text: 'open',
  foreign: 'fails',
  foreignRejected: 'fails',
}

export interface Stated {
  readonly subject: Subject
  readonly name: NameKind
  /** The code of another entry. */
  readonly hasOtherCode: boolean
  readonly hasCode: boolean
  readonly answer: Answer
  readonly threshold: ThresholdName
  readonly value: ValueName
  readonly exemption: ExemptionName
}

/** A substance of class D: lead, as it is written. */
interface Composed {
  readonly by: 'cas' | 'no dashes' | 'name' | 'other language'
  readonly share: 'little' | 'much' | 'unknown' | 'unread' | 'below' | 'both ways'
}

export interface Told {
  /** Undefined where it cannot be compared. */
  readonly day: number | undefined
  readonly isAccepted: boolean | undefined
  readonly id: 'own' | 'absent' | 'other'
  readonly rohs: readonly Stated[] | undefined
  readonly rohsName: 'EUROHS-1907' | 'EU RoHS 2011/65/EU'
  readonly reach: readonly Stated[] | undefined
  readonly reachName: typeof LIST | 'REACH SVHC list' | 'REACH Annex XVII'
  /** What an IEC 62474 list says of lead, for 0.1 % of the material. */
  readonly iec: 'over' | 'not over' | undefined
  readonly composed: Composed | undefined
}

const NAMES: Readonly<Record<Group, string>> = {
  Cd: 'Cadmium/cadmium compounds',
  PBB: 'Polybrominated biphenyls (PBBs)',
  PBDE: 'Polybrominated diphenyl ethers (PBDEs)',
  CrVI: 'Chromium VI compounds',
  Pb: 'Lead/lead compounds',
  Hg: 'Mercury/mercury compounds',
  DEHP: 'Bis(2-ethylhexyl) phthalate (DEHP)',
  BBP: 'Butyl benzyl phthalate (BBP)',
  DBP: 'Dibutyl phthalate (DBP)',
  DIBP: 'Diisobutyl phthalate (DIBP)',
}
/** The groups that are one substance. */
const GROUP_CAS: Readonly<Partial<Record<Group, string>>> = {
  Cd: '7440-43-9',
  Pb: '7439-92-1',
  Hg: '7439-97-6',
  DEHP: '117-81-7',
  BBP: '85-68-7',
  DBP: '84-74-2',
  DIBP: '84-69-5',
}
const LEAD = candidate('Lead')
/** Entries of one substance with a CAS number. */
const SINGLE = ['Lead', 'Triethyl arsenate', 'Acrylamide', 'Hydrazine', 'Anthracene']
  .map(candidate)
  .filter((one) => one !== undefined && one.cas !== '')
const OTHER = candidate('Melamine')

const PLAIN: Omit<Stated, 'subject'> = {
  name: 'own',
  hasOtherCode: false,
  hasCode: true,
  answer: 'not over',
  threshold: 'law',
  value: 'none',
  exemption: 'none',
}

/** A declaration that is clean: whole lists, none over. */
export const CLEAN: Told = {
  day: 2,
  isAccepted: true,
  id: 'own',
  rohs: ALL_GROUPS.map((group) => ({ ...PLAIN, subject: { group } })),
  rohsName: 'EUROHS-1907',
  reach: CANDIDATES.map((entry) => ({ ...PLAIN, subject: { entry } })),
  reachName: LIST,
  iec: undefined,
  composed: undefined,
}

/** One change of a statement. */
function changed(random: () => number, stated: Stated): Stated {
  const isOver = random() < 0.3
  const changes: readonly (() => Partial<Stated>)[] = [
    () => ({ answer: pick(random, ['over', 'over', 'silent', 'unclear'] as const) }),
    () => ({ name: pick(random, ['none', 'cas', 'other', 'invented'] as const) }),
    () => ({ hasCode: false }),
    () => ({ hasOtherCode: true }),
    () => ({ threshold: pick(random, THRESHOLD_NAMES) }),
    () => ({ value: pick(random, VALUE_NAMES) }),
    () => ({ answer: 'over', exemption: pick(random, EXEMPTION_NAMES) }),
  ]
  const next = { ...stated, ...pick(random, changes)() }
  const fixed = isOver ? { ...next, answer: 'over' as const } : next
  return allowed(fixed)
}

/** Without what would be another question: an entry that only has a code, a group by a CAS number that it has not. */
function allowed(stated: Stated): Stated {
  const { subject, answer } = stated
  const isGroup = 'group' in subject
  const cas = isGroup ? GROUP_CAS[subject.group] : subject.entry.cas
  const isNameless = stated.name === 'none' && (!isGroup || !stated.hasCode || stated.hasOtherCode)
  const name = isNameless || (stated.name === 'cas' && !cas) ? 'own' : stated.name
  // Exemptions are for RoHS, and for what is over.
  const exemption = isGroup && answer === 'over' ? stated.exemption : 'none'
  const value = answer === 'over' || answer === 'not over' ? stated.value : 'none'
  // A threshold is said to be exceeded as the law has it.
  const threshold = answer === 'not over' ? stated.threshold : 'law'
  return {
    ...stated,
    name,
    exemption,
    value: answer === 'over' && value !== 'none' ? 'much' : value,
    threshold,
  }
}

/** A change of one stated thing of a declaration. */
export function changedOnce(random: () => number, told: Told): Told {
  const { rohs, reach } = told
  const one = <T>(all: readonly T[], change: (item: T) => readonly T[]): readonly T[] => {
    const at = Math.floor(random() * all.length)
    return all.flatMap((item, index) => (index === at ? change(item) : [item]))
  }
  const inReach = (change: (item: Stated) => readonly Stated[]): Partial<Told> => {
    if (reach === undefined) return {}
    const subjects = new Set(SINGLE)
    const known = reach.filter(({ subject }) => 'entry' in subject && subjects.has(subject.entry))
    if (known.length === 0) return {}
    const item = pick(random, known)
    return { reach: reach.flatMap((each) => (each === item ? change(each) : [each])) }
  }
  const drop = (count: number): Partial<Told> =>
    reach === undefined ? {} : { reach: reach.slice(0, Math.max(0, reach.length - count)) }
  const changes: readonly (() => Partial<Told>)[] = [
    ...Array.from(
      { length: 4 },
      () => (): Partial<Told> =>
        rohs === undefined ? {} : { rohs: one(rohs, (item) => [changed(random, item)]) },
    ),
    ...Array.from({ length: 4 }, () => () => inReach((item) => [changed(random, item)])),
    () => (rohs === undefined ? {} : { rohs: one(rohs, () => []) }),
    () => inReach(() => []),
    () => drop(pick(random, [1, 2, 3, 40])),
    () => ({ rohs: undefined }),
    () => ({ reach: undefined }),
    () => ({ rohsName: 'EU RoHS 2011/65/EU' }),
    () => ({ reachName: pick(random, ['REACH SVHC list', 'REACH Annex XVII'] as const) }),
    () => ({ isAccepted: pick(random, [false, undefined]) }),
    () => ({ iec: pick(random, ['over', 'not over'] as const) }),
    () => ({
      composed: {
        by: pick(random, ['cas', 'no dashes', 'name', 'other language'] as const),
        share: pick(random, ['little', 'much', 'unknown', 'unread', 'below', 'both ways'] as const),
      },
    }),
  ]
  return { ...told, ...pick(random, changes)() }
}

/** Up to three declarations of a part; only one of them has class D. */
export function randomPart(random: () => number): readonly Told[] {
  const count = 1 + Math.floor(random() * 3)
  return Array.from({ length: count }, (_, index) => {
    let told: Told = { ...CLEAN, day: random() < 0.85 ? pick(random, [1, 2, 3]) : undefined }
    const changes = Math.floor(random() * 4)
    for (let at = 0; at < changes; at += 1) told = changedOnce(random, told)
    const id = random() < 0.7 ? 'own' : pick(random, ['absent', 'other'] as const)
    return { ...told, id, composed: index === 0 ? told.composed : undefined }
  })
}

// As files

const DAYS: Readonly<Record<number, string>> = { 1: '2026-01-10', 2: '10.2.2026', 3: '20260301' }
const COMPANIES = { own: '804735132', absent: 'No DUNS', other: '561930274' } as const

/** Lists with another name are simple: what counts is that they are compared. */
function simplified(told: Told): Told {
  const simple = (stated: Stated): Stated => ({
    ...PLAIN,
    subject: stated.subject,
    // What Annex XVII has over is another question.
    answer: told.reachName === 'REACH Annex XVII' && 'entry' in stated.subject ? 'not over' : stated.answer,
    threshold: stated.threshold,
  })
  const { rohs, rohsName, reach, reachName } = told
  return {
    ...told,
    rohs: rohsName === 'EUROHS-1907' ? rohs : rohs?.map(simple),
    reach: reachName === LIST ? reach : reach?.map(simple),
  }
}

export function declarationOf(written: Told, index: number): Declaration {
  const told = simplified(written)
  const { rohs, reach, iec, composed } = told
  return {
    part: 'P1',
    mass: [1_000_000, 'mg'],
    date: told.day === undefined ? 'spring 2026' : DAYS[told.day],
    ids: [[COMPANIES[told.id], 'DUNS']],
    accepted: told.isAccepted === undefined ? '' : String(told.isAccepted),
    lists: [
      ...(rohs === undefined ? [] : [listOf(told.rohsName, rohs, index)]),
      ...(reach === undefined ? [] : [listOf(told.reachName, reach, index)]),
      ...(iec === undefined ? [] : [iecList(iec)]),
    ],
    materials: composed === undefined ? [] : [materialOf(composed)],
  }
}

function listOf(identity: string, all: readonly Stated[], index: number): List {
  return { identity, categories: all.map((stated, at) => categoryOf(stated, `${index}-${at}`)) }
}

function categoryOf(stated: Stated, id: string): Category {
  const { subject, answer, threshold, value, exemption } = stated
  const isGroup = 'group' in subject
  const limit = isGroup && subject.group === 'Cd' ? 0.01 : 0.1
  const words = { over: true, 'not over': false, silent: undefined, unclear: 'perhaps' } as const
  const given = VALUES[value].value
  const text = EXEMPTIONS[exemption][isGroup && subject.group === 'Pb' ? 0 : 1]
  return {
    name: nameOf(stated, id),
    ...(codeOf(stated) === undefined ? {} : { code: codeOf(stated)! }),
    over: words[answer],
    threshold: THRESHOLDS[threshold].text(limit, isGroup ? 'homogenous materials' : 'any article'),
    ...(given === undefined ? {} : isGroup ? { concentration: [given] } : { amount: [given, 'massPercent'] }),
    ...(text === '' ? {} : { exemptions: [text] }),
  }
}

function nameOf({ subject, name }: Stated, id: string): string {
  const isGroup = 'group' in subject
  switch (name) {
    case 'own':
      return isGroup ? NAMES[subject.group] : subject.entry.name
    case 'none':
      return ''
    case 'cas':
      return isGroup ? GROUP_CAS[subject.group]! : subject.entry.cas
    case 'other':
      return OTHER.name
    case 'invented':
      return `Compound ${id} of nothing`
  }
}

function codeOf({ subject, hasCode, hasOtherCode }: Stated): string | undefined {
  if (!hasCode) return undefined
  if ('group' in subject) {
    const own = ALL_GROUPS.indexOf(subject.group) + 1
    return String(hasOtherCode ? (own % 10) + 1 : own).padStart(5, '0')
  }
  return hasOtherCode ? String(Number(subject.entry.code) + 1).padStart(5, '0') : subject.entry.code
}

function iecList(answer: 'over' | 'not over'): List {
  const threshold = '0.1 mass% of homogeneous material'
  const categories = [{ name: 'Lead/lead compounds', over: answer === 'over', threshold }]
  return { identity: 'IEC_62474 D19.00', authority: 'IEC_62474', categories }
}

function materialOf({ by, share }: Composed): Material {
  const name = { cas: 'Substance', 'no dashes': 'Substance', name: 'Lead', 'other language': 'Blei' }[by]
  const cas = { cas: '7439-92-1', 'no dashes': '7439921', name: 'system', 'other language': undefined }[by]
  const value = {
    little: { concentration: [0.01] as const },
    much: { concentration: [50] as const },
    unknown: {},
    unread: { amount: ['<5', 'mg'] as const },
    below: { concentration: ['<0.05'] as const },
    'both ways': { concentration: ['1,500'] as const },
  }[share]
  return {
    name: 'Solder',
    amount: [1, 'mg'],
    substances: [
      { name, cas, ...value },
      { name: 'Copper', cas: '7440-50-8', concentration: [40] },
    ],
  }
}

// What the contract says

export interface Meant {
  readonly rohs: 'compliant' | 'compliant with exemptions' | 'not compliant' | 'incomplete' | 'not declared'
  readonly reach: 'no SVHC' | 'SVHC' | 'incomplete' | 'not declared'
  readonly verdict: 'failed' | 'doubtful' | 'clean'
}

/** A statement with what it is recognized as: a group or an entry; undefined for nothing that is known. */
interface Known {
  readonly stated: Stated
  readonly about: string | undefined
  readonly code: string | undefined
  readonly origin: number
}

function known(stated: Stated, origin: number): Known {
  const { subject, name } = stated
  const own = 'group' in subject ? `group ${subject.group}` : `entry ${subject.entry.code}`
  const about =
    name === 'invented'
      ? undefined
      : name === 'other'
        ? 'group' in subject
          ? undefined
          : `entry ${OTHER.code}`
        : own
  return { stated, about, code: codeOf(stated), origin }
}

export function meaningOf(written: readonly Told[]): Meant {
  const part = written.map(simplified)
  const replaces = (newer: Told, older: Told): boolean =>
    newer.day !== undefined &&
    older.day !== undefined &&
    newer.day > older.day &&
    (newer.id === older.id || newer.id === 'absent' || older.id === 'absent') &&
    (newer.isAccepted !== false || older.isAccepted === false)
  /** The statements of lists of a kind that no newer one makes again. */
  const effective = (of: (told: Told) => readonly Stated[] | undefined): readonly Known[] => {
    const all = part.map((told, origin) => (of(told) ?? []).map((stated) => known(stated, origin)))
    const isNameless = ({ stated }: Known): boolean => stated.name === 'none'
    const isSame = (a: Known, b: Known): boolean =>
      // A name that is not known is not contradicted by none.
      (a.about !== undefined || b.about !== undefined) &&
      !(
        (isNameless(a) || isNameless(b)) &&
        (a.about === undefined || b.about === undefined) &&
        a.code === b.code
      )
        ? a.about === b.about
        : a.code !== undefined && a.code === b.code && nameOf(a.stated, '') !== OTHER.name
    return all
      .flat()
      .filter(
        (one) =>
          !part.some(
            (told, origin) =>
              replaces(told, part[one.origin]!) &&
              all[origin]!.some(
                (other) => isUnderstood(other) && (isSame(other, one) || isSameName(other, one)),
              ),
          ),
      )
  }
  const rohs = effective((told) => (told.rohsName === 'EUROHS-1907' ? told.rohs : undefined))
  const reach = effective((told) => (told.reachName === LIST ? told.reach : undefined))
  const isReachListed =
    reach.length > 0 || part.some((told) => told.reachName === LIST && told.reach !== undefined)
  const doubts = new Set<string>()

  // RoHS
  const answers = new Map<string, readonly Known[]>(
    ALL_GROUPS.map((group) => [group, rohs.filter(({ about }) => about === `group ${group}`)]),
  )
  const failing = rohs.filter(
    ({ stated, about }) => stated.answer === 'over' && WORTH[worthOf(stated, about)] === 'fails',
  )
  const rohsGaps = [
    ...[...answers].filter(([, all]) => !all.some(isUnderstood)).map(() => 'missing'),
    ...rohs.flatMap(({ stated, about }) => gapsOf(stated, 0, about !== undefined)),
    ...rohs
      .filter(({ stated, about }) => stated.answer === 'over' && WORTH[worthOf(stated, about)] === 'open')
      .map(() => 'exemption'),
  ]
  const hasOtherRohs = part.some(
    ({ rohs: list, rohsName }) => list !== undefined && rohsName !== 'EUROHS-1907',
  )
  const isExempt = rohs.some(
    ({ stated, about }) => stated.answer === 'over' && WORTH[worthOf(stated, about)] === 'exempt',
  )
  const rohsStatus: Meant['rohs'] =
    rohs.length === 0
      ? hasOtherRohs
        ? 'incomplete'
        : 'not declared'
      : failing.length > 0
        ? 'not compliant'
        : rohsGaps.length > 0
          ? 'incomplete'
          : isExempt
            ? 'compliant with exemptions'
            : 'compliant'
  if (rohsStatus === 'incomplete' || rohsStatus === 'not declared' || rohsGaps.length > 0) doubts.add('RoHS')

  // REACH
  const over = reach.filter(({ stated }) => stated.answer === 'over')
  const recognized = new Set(reach.filter(isUnderstood).flatMap(({ about }) => about ?? []))
  const misnamed = part.filter(
    ({ reach: list, reachName }) => list !== undefined && reachName === 'REACH SVHC list',
  )
  const isMisnamedOver = misnamed.some(({ reach: list }) => list!.some(({ answer }) => answer === 'over'))
  const reachGaps = [
    ...((CANDIDATES.length - recognized.size) * 100 > CANDIDATES.length ? ['lacks'] : []),
    ...reach.flatMap(({ stated }) => gapsOf(stated, 1, true)),
    ...(isMisnamedOver ? ['misnamed'] : []),
  ]
  const reachStatus: Meant['reach'] = isReachListed
    ? over.length > 0
      ? 'SVHC'
      : reachGaps.length > 0
        ? 'incomplete'
        : 'no SVHC'
    : misnamed.length > 0
      ? 'incomplete'
      : 'not declared'
  if (
    reachStatus === 'incomplete' ||
    reachStatus === 'not declared' ||
    (isReachListed && reachGaps.length > 0)
  ) {
    doubts.add('REACH')
  }

  // Contradictions
  for (const { stated, about } of [...rohs, ...reach]) {
    if (about !== undefined && stated.answer === 'not over' && VALUES[stated.value].says === 'more') {
      doubts.add('value')
    }
  }
  const worst = (group: Group): string => {
    const all = answers.get(group)!
    const weak = all.some(({ stated }) => gapsOf(stated, 0, true).includes('weak'))
    if (all.length === 0 || all.some(({ stated }) => stated.answer !== 'not over')) return 'else'
    return weak ? 'weak' : 'not over'
  }
  const isLeadSvhc = over.some(({ about }) => about === `entry ${LEAD.code}`)
  if (isLeadSvhc && worst('Pb') === 'not over') doubts.add('REACH against RoHS')
  // IEC 62474 for lead, 0.1 % of the material; what is weak has another limit, and is a doubt anyway.
  const iec = part
    .map((told, origin) => ({ told, origin }))
    .filter(({ told }) => told.iec !== undefined)
    .filter(({ told }) => !part.some((other) => other.iec !== undefined && replaces(other, told)))
  const lead = answers.get('Pb')!
  const leadOver = lead.some(({ stated }) => stated.answer === 'over')
  const leadNot = lead.some(({ stated }) => stated.answer === 'not over')
  for (const { told } of iec) {
    if (told.iec === 'over' && leadNot) doubts.add('IEC over')
    if (told.iec === 'not over' && leadOver) doubts.add('IEC not over')
  }
  if (contradictLists(part, effective)) doubts.add('lists')
  if (iec.some(({ told }) => told.iec === 'over') && iec.some(({ told }) => told.iec === 'not over')) {
    doubts.add('IEC')
  }

  // Class D
  const composed = part.find((told) => told.composed !== undefined)?.composed
  if (composed !== undefined) {
    const isAbove = composed.share === 'much' || composed.share === 'both ways'
    const isOpen = composed.share === 'unknown' || composed.share === 'unread'
    // What is read in two ways is not known of the article.
    const isSvhcOpen = isOpen
    if (isAbove && !leadOver) doubts.add('indicated')
    if ((isOpen && !leadOver) || (isSvhcOpen && !isLeadSvhc)) doubts.add('not screened')
    if (composed.share === 'both ways' && !isLeadSvhc) doubts.add('not screened')
  }

  // Acceptance, of the declarations that still state something
  const counting = part.filter(
    (told, origin) =>
      [...rohs, ...reach].some((one) => one.origin === origin) ||
      iec.some((one) => one.origin === origin) ||
      told.composed !== undefined ||
      (told.rohs !== undefined && told.rohsName !== 'EUROHS-1907') ||
      (told.reach !== undefined && told.reachName !== LIST),
  )
  if (counting.some(({ isAccepted }) => isAccepted === false)) doubts.add('unaccepted')

  return {
    rohs: rohsStatus,
    reach: reachStatus,
    verdict: failing.length > 0 ? 'failed' : doubts.size > 0 ? 'doubtful' : 'clean',
  }
}

/** True where a list states over what another one, of another name, states not over for the same limit. */
function contradictLists(
  part: readonly Told[],
  effective: (of: (told: Told) => readonly Stated[] | undefined) => readonly Known[],
): boolean {
  const lists = (['rohs', 'reach'] as const).flatMap((kind) => {
    const nameOfList = (told: Told): string => (kind === 'rohs' ? told.rohsName : told.reachName)
    return [...new Set(part.map(nameOfList))].map((name) => ({
      kind,
      isLaw: name === 'EUROHS-1907' || name === LIST,
      all: effective((told) => (nameOfList(told) === name ? told[kind] : undefined)),
    }))
  })
  return lists.some((a) =>
    lists.some((b) => {
      if (a === b || a.kind !== b.kind) return false
      return a.all.some(
        (over) =>
          over.stated.answer === 'over' &&
          over.about !== undefined &&
          b.all.some(
            (not) =>
              not.about === over.about &&
              not.stated.answer === 'not over' &&
              isSameLimit(not.stated, b) &&
              !b.all.some(
                (one) => one.origin === not.origin && one.about === not.about && one.stated.answer === 'over',
              ),
          ),
      )
    }),
  )
}

/** "Over" is stated for the limit of the law. A lower one is excluded by the law's own lists only. */
function isSameLimit(
  { threshold }: Stated,
  { kind, isLaw }: { kind: 'rohs' | 'reach'; isLaw: boolean },
): boolean {
  if (threshold === 'lower') return isLaw
  return THRESHOLDS[threshold].proves[kind === 'rohs' ? 0 : 1] || threshold === 'otherUnit'
}

function isUnderstood({ stated }: Known): boolean {
  return stated.answer === 'over' || stated.answer === 'not over'
}

function isSameName(a: Known, b: Known): boolean {
  return a.stated.name === 'other' && b.stated.name === 'other'
}

/** An exemption for a group that is not recognized is for another one. */
function worthOf({ exemption }: Stated, about: string | undefined): ExemptionName {
  // Which substance an entry is of, that is not known, no table says.
  if (about === undefined && exemption === 'foreign') return 'valid'
  if (about === undefined && exemption === 'foreignRejected') return 'rejected'
  return exemption
}

/** Why an answer proves less than it says. */
function gapsOf(stated: Stated, of: 0 | 1, isGroup: boolean): readonly string[] {
  const { answer, threshold, value } = stated
  if (answer === 'silent') return ['silent']
  if (answer === 'unclear') return ['unclear']
  if (answer !== 'not over') return []
  const isWeak = isGroup && (!THRESHOLDS[threshold].proves[of] || VALUES[value].says === 'weak')
  return [...(isWeak ? ['weak'] : []), ...(VALUES[value].says === 'unread' ? ['unread'] : [])]
}
