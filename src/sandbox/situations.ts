import type { ListFacts, MaterialDeclarationFacts, XmlStyle } from './facts.ts'
import {
  EXEMPTION_LIST,
  otherList,
  type ReachIdentity,
  reachList,
  rohsList,
  type StatedAnswer,
} from './lists.ts'
import { materialsOf, type Notation, subProductsOf, type Variety } from './made-up-composition.ts'

/** The expected report of a part: written for each case, not derived from its facts. */
export interface Expected {
  readonly rohs: 'compliant' | 'compliant with exemptions' | 'not compliant' | 'incomplete' | 'not declared'
  readonly exemptions: readonly string[]
  readonly rohsList: string
  /** Names of the candidate-list substances above 0.1 %; undefined without a REACH list. */
  readonly svhc: readonly string[] | undefined
  readonly reachList: string
  /** The share of the part's mass whose substances class D names; undefined without class D or without a mass. */
  readonly declaredPercent: number | undefined
}

/** A case that the made-up catalogue shows. */
interface Situation {
  readonly situation: string
  readonly lists?: (reach: ReachIdentity) => readonly ListFacts[]
  readonly reach?: ReachIdentity
  readonly material?: (massMg: number, number: string) => Omit<MaterialDeclarationFacts, 'approved'>
  readonly packagings?: number
  readonly noMass?: boolean
  readonly style?: XmlStyle
  readonly expected?: Partial<Expected>
}

/** The report of a plain part; each situation overrides some fields. */
export const COMPLIANT: Expected = {
  rohs: 'compliant',
  exemptions: [],
  rohsList: 'EUROHS-1907',
  svhc: [],
  reachList: 'EUREACH-0624',
  declaredPercent: undefined,
}

const NOTHING_REGULATORY = { rohs: 'not declared', rohsList: '', svhc: undefined, reachList: '' } as const

const LEAD = 'Lead/lead compounds'
const PHTHALATE = 'Bis(2-ethylhexyl) phthalate (DEHP)'
const SVHC_PHTHALATE = 'Bis (2-ethylhexyl)phthalate (DEHP)'
/** A phthalate that RoHS does not restrict. */
const OTHER_PHTHALATE = 'Dicyclohexyl phthalate'

const clean = (reach: ReachIdentity): readonly ListFacts[] => [reachList(reach), rohsList('EUROHS-1907')]

/** All cases of the made-up catalogue. */
export const SITUATIONS: readonly Situation[] = [
  {
    situation: 'compliant, full material',
    lists: clean,
    material: full('plain'),
    expected: { declaredPercent: 100 },
  },
  {
    situation: 'lead exemption',
    lists: (reach) => [
      reachList(reach, { Lead: over(0.9) }),
      rohsList('EUROHS-1907', { [LEAD]: exempt(3, '6(c)') }),
    ],
    material: full('leaded'),
    expected: {
      rohs: 'compliant with exemptions',
      exemptions: ['6(c)'],
      svhc: ['Lead'],
      declaredPercent: 100,
    },
  },
  {
    situation: 'full material only',
    material: full('plain'),
    expected: { ...NOTHING_REGULATORY, declaredPercent: 100 },
  },
  { situation: 'materials confidential', lists: clean },
  {
    situation: 'lead without exemption',
    lists: (reach) => [
      reachList(reach, { Lead: over(1.5) }),
      rohsList('EUROHS-1907', { [LEAD]: { over: true, concentrationPercent: 8.5 } }),
    ],
    expected: { rohs: 'not compliant', svhc: ['Lead'] },
  },
  {
    situation: 'incomplete',
    lists: (reach) => [reachList(reach), rohsList('EUROHS-1907', { [PHTHALATE]: { over: undefined } })],
    expected: { rohs: 'incomplete' },
  },
  {
    situation: 'phthalate on an older list',
    reach: 'EUREACH-0622',
    lists: (reach) => [
      reachList(reach, { [SVHC_PHTHALATE]: over(12.25) }),
      rohsList('EUROHS-1907', { [PHTHALATE]: { over: true, concentrationPercent: 35 } }),
    ],
    material: full('plasticised'),
    expected: {
      rohs: 'not compliant',
      svhc: [SVHC_PHTHALATE],
      reachList: 'EUREACH-0622',
      declaredPercent: 100,
    },
  },
  {
    situation: 'six groups of an old list',
    reach: 'EUREACH-0119',
    lists: (reach) => [rohsList('EUROHS-0508'), reachList(reach)],
    expected: { rohs: 'incomplete', rohsList: 'EUROHS-0508', reachList: 'EUREACH-0119' },
  },
  {
    situation: 'no RoHS list',
    reach: 'EUREACH-0721',
    lists: (reach) => [reachList(reach)],
    expected: { rohs: 'not declared', rohsList: '', reachList: 'EUREACH-0721' },
  },
  {
    situation: 'two RoHS lists',
    lists: (reach) => [
      rohsList('EUROHS-1506', { [LEAD]: { over: true } }),
      rohsList('EUROHS-1907'),
      reachList(reach),
    ],
  },
  {
    situation: 'eight per cent undeclared',
    lists: clean,
    material: full('plain', 0.92),
    expected: { declaredPercent: 92 },
  },
  {
    situation: 'both classes in one file',
    reach: 'EUREACH-0622',
    lists: (reach) => [
      reachList(reach, { Lead: over(0.9) }),
      rohsList('EUROHS-1907', { [LEAD]: exempt(3, '6(c)') }),
    ],
    material: (massMg) => ({ materials: materialsOf(massMg, 'leaded', 0.975), withRegulatory: true }),
    expected: {
      rohs: 'compliant with exemptions',
      exemptions: ['6(c)'],
      svhc: ['Lead'],
      reachList: 'EUREACH-0622',
      declaredPercent: 97.5,
    },
  },
  {
    situation: 'concentrations only',
    lists: clean,
    material: full('plain', 1, 'concentration'),
    expected: { declaredPercent: 100 },
  },
  { situation: 'no CAS numbers', lists: clean, material: full('secret'), expected: { declaredPercent: 100 } },
  {
    situation: 'family of four numbers',
    lists: clean,
    material: full('plain'),
    packagings: 4,
    expected: { declaredPercent: 100 },
  },
  {
    situation: 'complex object',
    reach: 'EUREACH-0620',
    lists: (reach) => [reachList(reach, { [OTHER_PHTHALATE]: over(5.25) }), rohsList('EUROHS-1907')],
    material: (massMg, number) => {
      const subProducts = subProductsOf(number, massMg)
      return { materials: subProducts.flatMap(({ materials }) => materials), subProducts }
    },
    expected: { svhc: [OTHER_PHTHALATE], reachList: 'EUREACH-0620', declaredPercent: 100 },
  },
  {
    situation: 'several exemptions',
    lists: (reach) => [
      rohsList('EUROHS-1907', {
        [LEAD]: exempt(85.5, '7(a)', '7(c)-I'),
        'Cadmium/cadmium compounds': exempt(0.5, '8(b)'),
      }),
      reachList(reach, { Lead: over(2.2), Cadmium: { over: true } }),
    ],
    expected: {
      rohs: 'compliant with exemptions',
      exemptions: ['8(b)', '7(a)', '7(c)-I'],
      svhc: ['Cadmium', 'Lead'],
    },
  },
  {
    situation: 'amount in ppm',
    reach: 'EUREACH-0120',
    lists: (reach) => [
      rohsList('EUROHS-1907'),
      reachList(reach, { 'Boric acid': { over: true, amount: { value: 4_800, unit: 'ppm' } } }),
    ],
    expected: { svhc: ['Boric acid'], reachList: 'EUREACH-0120' },
  },
  {
    situation: 'no REACH list',
    lists: () => [rohsList('EUROHS-1907')],
    expected: { svhc: undefined, reachList: '' },
  },
  {
    situation: 'exemption below the threshold',
    lists: (reach) => [
      reachList(reach),
      rohsList('EUROHS-1907', { [LEAD]: { ...exempt(0.05, '6(a)-I'), over: false } }),
    ],
    expected: { rohs: 'compliant with exemptions', exemptions: ['6(a)-I'] },
  },
  {
    situation: 'namespace prefix',
    lists: clean,
    material: full('plain'),
    style: { prefix: 'ipc' },
    expected: { declaredPercent: 100 },
  },
  {
    situation: 'grams and kilograms',
    lists: (reach) => [...clean(reach), otherList()],
    material: full('plain', 1, 'units'),
    style: { massAttributes: true },
    expected: { declaredPercent: 100 },
  },
  {
    situation: 'per cent and ppm',
    lists: clean,
    material: full('plain', 1, 'relative'),
    style: { oddDate: true },
    expected: { declaredPercent: 100 },
  },
  { situation: 'placeholders', lists: clean, noMass: true, style: { taxNumber: true } },
]

function full(
  variety: Variety,
  share = 1,
  notation: Notation = 'absolute',
): (massMg: number) => Omit<MaterialDeclarationFacts, 'approved'> {
  return (massMg) => ({ materials: materialsOf(massMg, variety, share, notation) })
}

function over(percent: number): StatedAnswer {
  return { over: true, amount: { value: percent, unit: 'massPercent' } }
}

function exempt(percent: number, ...items: readonly string[]): StatedAnswer {
  return { over: true, concentrationPercent: percent, exemptions: { list: EXEMPTION_LIST, items } }
}
