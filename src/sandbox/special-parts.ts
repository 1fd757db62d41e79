import type {
  ListFacts,
  MaterialDeclarationFacts,
  PartFacts,
  QueryListFacts,
  RegulatoryDeclarationFacts,
} from './facts.ts'
import {
  type AnswersByName,
  EXEMPTION_LIST,
  otherList,
  reachList,
  rohsList,
  type StatedAnswer,
} from './lists.ts'
import { leadedWithExemption, materialsOf, nestedSubProductsOf } from './made-up-composition.ts'

/** The supplier whose parts each show one special case in a report. The part numbers name the case. */
export const SPECIAL_SUPPLIER = { id: '800900100', name: 'Hypothetical Assemblies (sandbox)' }

const MASS_MG = 2_000
const APPROVED = '2025-02-10'
const LEAD = 'Lead/lead compounds'
const CADMIUM = 'Cadmium/cadmium compounds'

const clean = (): readonly ListFacts[] => [rohsList('EUROHS-1907'), reachList('EUREACH-0624')]

/** Lists in which only lead is above the threshold, by these exemptions. */
function exempted(...items: readonly string[]): readonly ListFacts[] {
  return listsWith({ [LEAD]: exempt(items) })
}

function exempt(items: readonly string[]): StatedAnswer {
  return { over: true, concentrationPercent: 3, exemptions: { list: EXEMPTION_LIST, items } }
}

function listsWith(rohs: AnswersByName, reach: AnswersByName = {}): readonly ListFacts[] {
  return [rohsList('EUROHS-1907', rohs), reachList('EUREACH-0624', reach)]
}

const OVER = { over: true, concentrationPercent: 8.5 }
const HEAVY = { over: true, amount: { value: 1.5, unit: 'massPercent' } } as const
/** A Candidate List substance that RoHS does not restrict. */
const SVHC = 'Boric acid'
const SVHC_PHTHALATE = 'Bis (2-ethylhexyl)phthalate (DEHP)'
const DBP = 'Dibutyl phthalate (DBP)'

/** The statements of class A, with made-up codes; exactly one is true. */
const QUERIES: QueryListFacts = {
  identity: 'EUROHS-1907',
  statements: [
    { code: 'A-1', text: 'No RoHS substance is above its limit', isTrue: false },
    { code: 'A-2', text: 'RoHS substances are above their limits, without exemption', isTrue: false },
    { code: 'A-3', text: 'RoHS substances are above their limits, all by exemption', isTrue: true },
    { code: 'A-4', text: 'Obsolete, no information', isTrue: false },
    { code: 'A-5', text: 'Unknown, no information', isTrue: false },
  ],
}

/** The class A statement that nothing is above a limit. */
const NOTHING_OVER: QueryListFacts = {
  ...QUERIES,
  statements: QUERIES.statements.map((statement, index) => ({ ...statement, isTrue: index === 0 })),
}

const PHTHALATES = rohsList('EUROHS-1907').categories.slice(6)

/** All parts of the supplier, in the order of their numbers in the documentation. */
export const SPECIAL_PARTS: readonly PartFacts[] = [
  part('HA-REQUEST', 'file that asks for a declaration', { mode: 'Request', ...classC(clean()) }),
  part('HA-CLASS-A', 'class A statements only', {
    regulatory: { approved: APPROVED, lists: [], queries: [QUERIES] },
  }),
  part('HA-METER', 'wire, declared per meter', { unitType: 'Meter', ...classC(clean()) }),
  part('HA-UNACCEPTED', 'statement that is not accepted', { accepted: false, ...classC(clean()) }),
  part('HA-6A', 'exemption 6(a)', classC(exempted('6(a)'))),
  part('HA-7A', 'exemption 7(a)', classC(exempted('7(a)'))),
  part(
    'HA-8B-I',
    'exemption whose nominal date has passed',
    classC(listsWith({ [CADMIUM]: exempt(['8(b)-I']) })),
  ),
  part('HA-42', 'exemption without a known date', classC(exempted('42'))),
  part('HA-FORM', 'exemption in an unknown form', {
    ...classC(
      listsWith({
        [LEAD]: { ...OVER, exemptions: { list: EXEMPTION_LIST, items: ['6(c)'], isUnusual: true } },
      }),
    ),
  }),
  part('HA-LEAD', 'lead without exemption', classC(listsWith({ [LEAD]: OVER }))),
  part('HA-SVHC', 'Candidate List substance', classC(listsWith({}, { [SVHC]: HEAVY }))),
  part('HA-OLD-LIST', 'old Candidate List', classC([rohsList('EUROHS-1907'), reachList('EUREACH-0119')])),
  part('HA-NEW-LIST', 'newest Candidate List', classC([rohsList('EUROHS-1907'), reachList('EUREACH-0226')])),
  part(
    'HA-FEW',
    'three entries of the Candidate List',
    classC([rohsList('EUROHS-1907'), firstOf(reachList('EUREACH-0624'), 3)]),
  ),
  part('HA-UNSTATED', 'list without a statement', classC([...clean(), unstated(otherList())])),
  part('HA-NESTED', 'assembly in an assembly', {
    ...bothClasses({
      materials: materialsOf(MASS_MG, 'plain'),
      subProducts: nestedSubProductsOf('HA-NESTED', MASS_MG),
    }),
    style: { subProducts: true },
  }),
  part('HA-SHARES', 'shares of the part', {
    ...bothClasses({ materials: materialsOf(MASS_MG, 'plain', 1, 'ofProduct') }),
  }),
  part('HA-SUBSTANCE', 'exemption at a substance', {
    ...bothClasses({ materials: leadedWithExemption(MASS_MG, { list: EXEMPTION_LIST, items: ['6(c)'] }) }),
  }),
  // One part for each rule about what is stated, and what is not.
  part(
    'HA-PHTHALATES',
    'four of the ten RoHS groups',
    classC([{ ...rohsList('EUROHS-1907'), categories: PHTHALATES }, reachList('EUREACH-0624')]),
  ),
  part('HA-NO-NUMBER', 'exemption that is no number', classC(exempted('see comment'))),
  part('HA-OTHER-METAL', 'exemption for cadmium, claimed for lead', classC(exempted('8(b)'))),
  part('HA-UNKNOWN-NUMBER', 'exemption that the table does not have', classC(exempted('99(z)'))),
  part('HA-VALUE', 'concentration above the threshold beside "not over"', {
    ...classC(listsWith({ [LEAD]: { over: false, concentrationPercent: 0.5 } })),
  }),
  part('HA-ANSWER', 'class A answer against the class C list', {
    regulatory: { approved: APPROVED, lists: listsWith({ [LEAD]: OVER }), queries: [NOTHING_OVER] },
  }),
  part('HA-INDICATED', 'lead in class D that no list declares', {
    ...bothClasses({ materials: materialsOf(MASS_MG, 'leaded') }),
  }),
  part('HA-SECRET', 'substances without a CAS number', {
    ...bothClasses({ materials: materialsOf(MASS_MG, 'secret') }),
  }),
  part(
    'HA-NAMED-LIST',
    'Candidate List with another name',
    classC([
      rohsList('EUROHS-1907'),
      { ...reachList('EUREACH-0624', { Lead: HEAVY }), identity: 'REACH SVHC 2024' },
    ]),
  ),
  part('HA-OTHER-LIST', 'another list with an entry over its threshold', {
    ...classC([...clean(), overIn(otherList(), 'Asbestos')]),
  }),
  part('HA-DATE', 'date that cannot be compared', {
    ...classC(clean()),
    style: { dateText: '02/10/2025' },
  }),
  // What is not understood is a finding.
  part('HA-GROUP', 'threshold answer of a group of categories', {
    ...classC([{ ...rohsList('EUROHS-1907'), groupOver: 'Metals' }, reachList('EUREACH-0624')]),
  }),
  part('HA-BESIDE', 'threshold answer beside the product', {
    regulatory: { approved: APPROVED, lists: clean(), beside: 'RoHS summary' },
  }),
  part('HA-WORD', 'threshold answer in another word', classC(listsWith({ [LEAD]: { over: 'exceeded' } }))),
  part('HA-TWO-WAYS', 'number that can be read in two ways', {
    ...classC(listsWith({ [LEAD]: { over: false, concentrationText: { value: '1,500', unit: 'ppm' } } })),
  }),
  part('HA-UNIT', 'concentration in Gew.-% above the threshold beside "not over"', {
    ...classC(listsWith({ [LEAD]: { over: false, concentrationText: { value: '0,5', unit: 'Gew.-%' } } })),
  }),
  part('HA-DIBUTYLTIN', 'tin compound in the place of a phthalate', {
    ...classC([renamed(rohsList('EUROHS-1907'), DBP, 'Dibutyltin (DBT)'), reachList('EUREACH-0624')]),
  }),
  part('HA-TWO-FEWER', 'two entries of the Candidate List fewer', {
    ...classC([rohsList('EUROHS-1907'), firstOf(reachList('EUREACH-0624'), 239)]),
  }),
  part('HA-EMPTY', 'list without categories', {
    ...classC([firstOf(rohsList('EUROHS-1907'), 0), reachList('EUREACH-0624')]),
  }),
  part('HA-REJECTED', 'exemption that was rejected', classC(exempted('6(c): rejected'))),
  part('HA-LANGUAGE', 'exemption with its description in German', {
    ...classC(exempted('6(c) Kupferlegierung mit einem Massenanteil von bis zu 4 % Blei')),
  }),
  part('HA-DEHP', 'phthalate over on the Candidate List, not over in RoHS', {
    ...classC(
      listsWith({}, { [SVHC_PHTHALATE]: { over: true, amount: { value: 5.25, unit: 'massPercent' } } }),
    ),
  }),
  part('HA-OTHER-ROHS', 'RoHS list with another name against the clean one', {
    ...classC([...clean(), { ...rohsList('EUROHS-1907', { [LEAD]: OVER }), identity: 'China RoHS 2' }]),
  }),
  part('HA-FUTURE', 'list dated in the future', {
    ...classC([
      rohsList('EUROHS-1907', { [LEAD]: OVER }),
      { ...rohsList('EUROHS-1907'), identity: 'EUROHS-9912' },
      reachList('EUREACH-0624'),
    ]),
  }),
  part('HA-PENDING', 'statement that is not accepted yet', { accepted: 'pending', ...classC(clean()) }),
  part('HA-COMMENT', 'comment of the product', { comment: 'WITHDRAWN, see notice 12', ...classC(clean()) }),
  // Parts that change from night to night.
  part('HA-ROHS-LATER', 'first the Candidate List alone, then RoHS alone', {
    ...classC([rohsList('EUROHS-1907')], '2025-05-12'),
    revisions: [classC([reachList('EUREACH-0624', { [SVHC]: HEAVY })], APPROVED)],
  }),
  part('HA-WITHDRAWN', 'first not compliant, then better, but not accepted', {
    ...classC(clean(), '2025-05-12'),
    accepted: false,
    revisions: [classC(listsWith({ [LEAD]: OVER }), APPROVED)],
  }),
  part('HA-BETTER', 'first not compliant, then by exemption, then compliant', {
    ...classC(clean(), '2025-09-08'),
    revisions: [classC(exempted('6(c)'), '2025-05-12'), classC(listsWith({ [LEAD]: OVER }), APPROVED)],
  }),
  part('HA-WORSE', 'first compliant, then with a Candidate List substance', {
    ...classC(listsWith({}, { [SVHC]: HEAVY }), '2025-05-12'),
    revisions: [classC([rohsList('EUROHS-1907'), reachList('EUREACH-0622')], APPROVED)],
  }),
  part('HA-OTHER-COMPANY', 'first not compliant, then better from a company with another name', {
    ...classC(clean(), '2025-05-12'),
    supplier: { ...SPECIAL_SUPPLIER, name: 'Hypothetical Modules (sandbox)' },
    revisions: [classC(listsWith({ [LEAD]: OVER }), APPROVED)],
  }),
  part('HA-PARTLY', 'first lead in class D, then a class D that names half of the mass', {
    material: { approved: '2025-05-12', materials: materialsOf(MASS_MG, 'plain', 0.5) },
    revisions: [bothClasses({ materials: materialsOf(MASS_MG, 'leaded') })],
  }),
  part('HA-WHOLLY', 'first lead in class D, then a class D that names all of the mass', {
    material: { approved: '2025-05-12', materials: materialsOf(MASS_MG, 'plain') },
    revisions: [bothClasses({ materials: materialsOf(MASS_MG, 'leaded') })],
  }),
  part('HA-ANSWERED', 'first requested, then declared', {
    ...classC(clean(), '2025-09-08'),
    revisions: [{ mode: 'Request', ...classC([], APPROVED) }],
  }),
  part('HA-LATE', 'new in September 2025', classC(clean(), '2025-09-08')),
]

function overIn(list: ListFacts, name: string): ListFacts {
  return {
    ...list,
    categories: list.categories.map((one) => (one.name === name ? { ...one, over: true } : one)),
  }
}

type SpecialPart = Omit<PartFacts, 'supplier' | 'numbers' | 'massMg' | 'style' | 'revisions'> &
  Partial<Pick<PartFacts, 'style' | 'supplier'>>

function part(
  number: string,
  name: string,
  { revisions, ...declared }: SpecialPart & { readonly revisions?: readonly SpecialPart[] },
): PartFacts {
  const common = {
    supplier: SPECIAL_SUPPLIER,
    numbers: [{ number, name }],
    massMg: MASS_MG,
    style: {},
  } as const
  return { ...common, ...declared, revisions: revisions?.map((state) => ({ ...common, ...state })) }
}

function classC(
  lists: readonly ListFacts[],
  approved = APPROVED,
): { readonly regulatory: RegulatoryDeclarationFacts } {
  return { regulatory: { approved, lists } }
}

/** Class C, and a class D file that has the lists as well. */
function bothClasses(material: Omit<MaterialDeclarationFacts, 'approved' | 'withRegulatory'>): SpecialPart {
  return { ...classC(clean()), material: { approved: APPROVED, withRegulatory: true, ...material } }
}

function renamed(list: ListFacts, name: string, other: string): ListFacts {
  return {
    ...list,
    categories: list.categories.map((one) => (one.name === name ? { ...one, name: other } : one)),
  }
}

function firstOf(list: ListFacts, count: number): ListFacts {
  return { ...list, categories: list.categories.slice(0, count) }
}

function unstated(list: ListFacts): ListFacts {
  return { ...list, categories: list.categories.map((category) => ({ ...category, over: undefined })) }
}
