import type { MadeUpPart } from '../../src/sandbox/made-up.ts'

/** The report of a part of the sandbox: written for each case, not derived from its facts. */
interface Expected {
  readonly rohs: 'compliant' | 'compliant with exemptions' | 'not compliant' | 'incomplete' | 'not declared'
  readonly exemptions: readonly string[]
  readonly rohsList: string
  /** Names of the candidate-list substances above 0.1 %; undefined without a REACH list. */
  readonly svhc: readonly string[] | undefined
  readonly reachList: string
  /** The share of the part's mass whose substances class D names; undefined without class D or without a mass. */
  readonly declaredPercent: number | undefined
}

/** The report of a plain part; each situation overrides some fields. */
const COMPLIANT: Expected = {
  rohs: 'compliant',
  exemptions: [],
  rohsList: 'EUROHS-1907',
  svhc: [],
  reachList: 'EUREACH-0624',
  declaredPercent: undefined,
}

const NOTHING_REGULATORY = { rohs: 'not declared', rohsList: '', svhc: undefined, reachList: '' } as const

/** What differs from that, by situation. */
const EXPECTED: Readonly<Record<string, Partial<Expected>>> = {
  'compliant, full material': { declaredPercent: 100 },
  'lead exemption': {
    rohs: 'compliant with exemptions',
    exemptions: ['6(c)'],
    svhc: ['Lead'],
    declaredPercent: 100,
  },
  'full material only': { ...NOTHING_REGULATORY, declaredPercent: 100 },
  'lead without exemption': { rohs: 'not compliant', svhc: ['Lead'] },
  incomplete: { rohs: 'incomplete' },
  'phthalate on an older list': {
    rohs: 'not compliant',
    svhc: ['Bis (2-ethylhexyl)phthalate (DEHP)'],
    reachList: 'EUREACH-0622',
    declaredPercent: 100,
  },
  'six groups of an old list': { rohs: 'incomplete', rohsList: 'EUROHS-0508', reachList: 'EUREACH-0119' },
  'no RoHS list': { rohs: 'not declared', rohsList: '', reachList: 'EUREACH-0721' },
  'eight per cent undeclared': { declaredPercent: 92 },
  'both classes in one file': {
    rohs: 'compliant with exemptions',
    exemptions: ['6(c)'],
    svhc: ['Lead'],
    reachList: 'EUREACH-0622',
    declaredPercent: 97.5,
  },
  'concentrations only': { declaredPercent: 100 },
  'no CAS numbers': { declaredPercent: 100 },
  'family of four numbers': { declaredPercent: 100 },
  'complex object': { svhc: ['Dicyclohexyl phthalate'], reachList: 'EUREACH-0620', declaredPercent: 100 },
  'several exemptions': {
    rohs: 'compliant with exemptions',
    exemptions: ['8(b)', '7(a)', '7(c)-I'],
    svhc: ['Cadmium', 'Lead'],
  },
  'amount in ppm': { svhc: ['Boric acid'], reachList: 'EUREACH-0120' },
  'no REACH list': { svhc: undefined, reachList: '' },
  'exemption below the threshold': { rohs: 'compliant with exemptions', exemptions: ['6(a)-I'] },
  'namespace prefix': { declaredPercent: 100 },
  'grams and kilograms': { declaredPercent: 100 },
  'per cent and ppm': { declaredPercent: 100 },
}

/** What a report says of the part. */
export function expectedOf({ situation }: Pick<MadeUpPart, 'situation'>): Expected {
  return { ...COMPLIANT, ...EXPECTED[situation] }
}
