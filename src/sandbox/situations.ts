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

/** A case that the made-up catalogue shows. */
interface Situation {
  readonly situation: string
  readonly lists?: (reach: ReachIdentity) => readonly ListFacts[]
  readonly reach?: ReachIdentity
  readonly material?: (massMg: number, number: string) => Omit<MaterialDeclarationFacts, 'approved'>
  readonly packagings?: number
  readonly noMass?: boolean
  readonly style?: XmlStyle
}

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
  },
  {
    situation: 'lead exemption',
    lists: (reach) => [
      reachList(reach, { Lead: over(0.9) }),
      rohsList('EUROHS-1907', { [LEAD]: exempt(3, '6(c)') }),
    ],
    material: full('leaded'),
  },
  {
    situation: 'full material only',
    material: full('plain'),
  },
  { situation: 'materials confidential', lists: clean },
  {
    situation: 'lead without exemption',
    lists: (reach) => [
      reachList(reach, { Lead: over(1.5) }),
      rohsList('EUROHS-1907', { [LEAD]: { over: true, concentrationPercent: 8.5 } }),
    ],
  },
  {
    situation: 'incomplete',
    lists: (reach) => [reachList(reach), rohsList('EUROHS-1907', { [PHTHALATE]: { over: undefined } })],
  },
  {
    situation: 'phthalate on an older list',
    reach: 'EUREACH-0622',
    lists: (reach) => [
      reachList(reach, { [SVHC_PHTHALATE]: over(12.25) }),
      rohsList('EUROHS-1907', { [PHTHALATE]: { over: true, concentrationPercent: 35 } }),
    ],
    material: full('plasticised'),
  },
  {
    situation: 'six groups of an old list',
    reach: 'EUREACH-0119',
    lists: (reach) => [rohsList('EUROHS-0508'), reachList(reach)],
  },
  {
    situation: 'no RoHS list',
    reach: 'EUREACH-0721',
    lists: (reach) => [reachList(reach)],
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
  },
  {
    situation: 'both classes in one file',
    reach: 'EUREACH-0622',
    lists: (reach) => [
      reachList(reach, { Lead: over(0.9) }),
      rohsList('EUROHS-1907', { [LEAD]: exempt(3, '6(c)') }),
    ],
    material: (massMg) => ({ materials: materialsOf(massMg, 'leaded', 0.975), withRegulatory: true }),
  },
  {
    situation: 'concentrations only',
    lists: clean,
    material: full('plain', 1, 'concentration'),
  },
  { situation: 'no CAS numbers', lists: clean, material: full('secret') },
  {
    situation: 'family of four numbers',
    lists: clean,
    material: full('plain'),
    packagings: 4,
  },
  {
    situation: 'complex object',
    reach: 'EUREACH-0620',
    lists: (reach) => [reachList(reach, { [OTHER_PHTHALATE]: over(5.25) }), rohsList('EUROHS-1907')],
    material: (massMg, number) => {
      const subProducts = subProductsOf(number, massMg)
      return { materials: subProducts.flatMap(({ materials }) => materials), subProducts }
    },
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
  },
  {
    situation: 'amount in ppm',
    reach: 'EUREACH-0120',
    lists: (reach) => [
      rohsList('EUROHS-1907'),
      reachList(reach, { 'Boric acid': { over: true, amount: { value: 4_800, unit: 'ppm' } } }),
    ],
  },
  {
    situation: 'no REACH list',
    lists: () => [rohsList('EUROHS-1907')],
  },
  {
    situation: 'exemption below the threshold',
    lists: (reach) => [
      reachList(reach),
      rohsList('EUROHS-1907', { [LEAD]: { ...exempt(0.05, '6(a)-I'), over: false } }),
    ],
  },
  {
    situation: 'namespace prefix',
    lists: clean,
    material: full('plain'),
    style: { prefix: 'ipc' },
  },
  {
    situation: 'grams and kilograms',
    lists: (reach) => [...clean(reach), otherList()],
    material: full('plain', 1, 'units'),
    style: { massAttributes: true },
  },
  {
    situation: 'per cent and ppm',
    lists: clean,
    material: full('plain', 1, 'relative'),
    style: { oddDate: true },
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
