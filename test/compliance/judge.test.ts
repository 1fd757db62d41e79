import { describe, expect, test } from 'vitest'
import { composition } from '../../src/compliance/composition.ts'
import { screen } from '../../src/compliance/indications.ts'
import { judge, NOTHING_DECLARED, type PartEvidence, type PartJudgement } from '../../src/compliance/judge.ts'
import { partRecord } from '../../src/compliance/part-record.ts'
import { createSubstanceTables } from '../../src/compliance/recognize.ts'
import { readMoment } from '../../src/compliance/response-date.ts'
import {
  type CategoryXml,
  exemptionXml,
  fileA,
  listXml,
  productXml,
  rohsCategories,
} from '../support/declarations.ts'
import { readText } from '../support/read-text.ts'

interface Stated {
  readonly info: string
  readonly date?: string
  readonly isAccepted?: boolean
  readonly massMg?: number
}

const NOW = Date.parse('2026-03-04T05:06:07Z')

/** The judgement of declarations, the newest first. */
function judged(...declarations: readonly (Stated | string)[]): PartJudgement {
  return judge(
    declarations.map((one): PartEvidence => {
      const {
        info,
        date = '2026-01-01',
        isAccepted = true,
        massMg,
      } = typeof one === 'string' ? { info: one } : one
      const record = partRecord(readText(fileA(productXml(['P'], info))).products[0]!)
      const standing = { moment: readMoment(date), isAccepted, company: { id: '', name: 'acme' } }
      return { record, composition: undefined, massMg, fileUnread: [], ...standing }
    }),
    { nowMs: NOW },
  )
}

const rohs = (change: Readonly<Record<string, CategoryXml>> = {}, identity = 'EUROHS-1907'): string =>
  listXml(identity, rohsCategories(change))
const only = (...names: readonly string[]): string =>
  listXml(
    'EUROHS-1907',
    rohsCategories().filter(({ name }) => names.includes(name!)),
  )
const reach = (categories: readonly CategoryXml[]): string => listXml('EUREACH-0624', categories)
const entry = (code: string, over: string | undefined, name = `entry ${code}`): CategoryXml => ({
  code,
  name,
  over,
})
const LEAD = { Lead: { over: 'true' } }

test('what a file says outside its products is of each of them, also where they state the same', () => {
  const record = partRecord(readText(fileA(productXml(['P'], rohs()))).products[0]!)
  const standing = { moment: undefined, isAccepted: true, company: { id: '', name: 'acme' } }
  const context = { nowMs: NOW }
  const statusOf = (fileUnread: PartEvidence['fileUnread']) =>
    judge([{ record, composition: undefined, massMg: undefined, fileUnread, ...standing }], context).rohs
      .status
  expect(statusOf([])).toBe('compliant')
  expect(statusOf([{ text: 'over in a group', line: 3 }])).toBe('incomplete')
  expect(statusOf([])).toBe('compliant')
})

describe('each statement comes from the newest declaration that makes it', () => {
  test.each<[string, readonly Stated[], string]>([
    [
      'a newer list states lead again',
      [{ info: rohs(), date: '2026-02-01' }, { info: rohs(LEAD) }],
      'compliant',
    ],
    [
      'a newer one has other groups',
      [{ info: only('DEHP', 'BBP', 'DBP', 'DIBP'), date: '2026-02-01' }, { info: rohs(LEAD) }],
      'not compliant',
    ],
    [
      'a newer one is not accepted',
      [{ info: rohs(), date: '2026-02-01', isAccepted: false }, { info: rohs(LEAD) }],
      'not compliant',
    ],
    [
      'neither is accepted',
      [
        { info: rohs(), date: '2026-02-01', isAccepted: false },
        { info: rohs(LEAD), isAccepted: false },
      ],
      'compliant',
    ],
    [
      'one has no date that can be compared',
      [{ info: rohs(), date: 'soon' }, { info: rohs(LEAD) }],
      'not compliant',
    ],
    ['both are of the same day', [{ info: rohs() }, { info: rohs(LEAD) }], 'not compliant'],
    [
      'a newer one has no statement for lead',
      [{ info: rohs({ Lead: { over: undefined } }), date: '2026-02-01' }, { info: rohs(LEAD) }],
      'not compliant',
    ],
    [
      'a newer one states lead in an unknown word',
      [{ info: rohs({ Lead: { over: 'yes' } }), date: '2026-02-01' }, { info: rohs(LEAD) }],
      'not compliant',
    ],
    [
      'the groups come from two',
      [
        { info: only('DEHP', 'BBP', 'DBP', 'DIBP'), date: '2026-02-01' },
        { info: only('Cadmium', 'PBB', 'PBDE', 'Cr(VI)', 'Lead', 'Mercury') },
      ],
      'compliant',
    ],
  ])('%s', (_, declarations, status) => expect(judged(...declarations).rohs.status).toBe(status))

  test('an SVHC stays until the same entry is stated again', () => {
    const old = { info: reach([entry('00188', 'true'), entry('00001', 'false')]) }
    const others = { info: reach([entry('00001', 'false')]), date: '2026-02-01' }
    const again = { info: reach([entry('00188', 'false')]), date: '2026-03-01' }
    expect(judged(others, old).reach).toMatchObject({ status: 'SVHC', over: [{ code: '00188' }] })
    expect(judged(again, others, old).reach.status).toBe('no SVHC')
  })

  test('an entry with only a name is the same as one with that name and a code', () => {
    const old = { info: reach([entry('00188', 'true', 'Lead')]) }
    const named = { info: reach([entry('', 'false', 'LEAD')]), date: '2026-02-01' }
    expect(judged(named, old).reach.status).toBe('no SVHC')
  })
})

describe('an exemption', () => {
  test.each([
    ['6(c)', 'compliant with exemptions'],
    ['99(z)', 'compliant with exemptions'],
    ['6(c) Copper alloy containing up to 4 % lead', 'compliant with exemptions'],
    ['none', 'incomplete'],
    ['see comment', 'incomplete'],
    ['6(c) pending', 'incomplete'],
  ])('%s for lead: %s', (text, status) => {
    const inside = exemptionXml(text)
    expect(judged(rohs({ Lead: { over: 'true', inside } })).rohs.status).toBe(status)
  })
})

const contradictions = (...declarations: readonly (Stated | string)[]): readonly string[] =>
  judged(...declarations).contradictions.map(({ text }) => text)

describe('contradictions', () => {
  const concentration = (value: number): CategoryXml => ({
    over: 'false',
    inside: `<Concentration value="${value}"/>`,
  })

  test.each<[string, string, readonly string[]]>([
    ['lead at the threshold', rohs({ Lead: concentration(0.1) }), []],
    [
      'lead above it',
      rohs({ Lead: concentration(0.11) }),
      ['Lead: concentration 0.11 % beside "not over" in EUROHS-1907'],
    ],
    [
      'cadmium above its own',
      rohs({ Cadmium: concentration(0.02) }),
      ['Cadmium: concentration 0.02 % beside "not over" in EUROHS-1907'],
    ],
    [
      'an SVHC amount',
      reach([{ ...entry('1', 'false', 'Lead'), inside: '<Amount value="2000" UOM="ppm"/>' }]),
      ['Lead: amount 0.2 % beside "not over" in EUREACH-0624'],
    ],
    [
      'an SVHC concentration, whatever threshold the list names',
      reach([
        {
          ...entry('1', undefined, 'Lead'),
          inside: '<Threshold overThreshold="false" threshold="0.5 %"/><Concentration value="0.2"/>',
        },
      ]),
      ['Lead: concentration 0.2 % beside "not over" in EUREACH-0624'],
    ],
    ['a value beside "over"', rohs({ Lead: { over: 'true', inside: '<Concentration value="3"/>' } }), []],
  ])('%s', (_, info, expected) => expect(contradictions(info)).toEqual(expected))

  test('of an amount in milligrams need the mass of the part', () => {
    const info = reach([{ ...entry('1', 'false', 'Lead'), inside: '<Amount value="2" UOM="mg"/>' }])
    expect(contradictions(info)).toEqual([])
    expect(contradictions({ info, massMg: 1_000 })).toEqual([
      'Lead: amount 2 mg of 1000 mg beside "not over" in EUREACH-0624',
    ])
    expect(contradictions({ info, massMg: 10_000 })).toEqual([])
  })

  test('of a class A answer with the class C list', () => {
    const answer = (text: string): string =>
      `<QueryList><QueryListID identity="EUROHS-1907"/><Query code="1" statement="${text}" response="true"/></QueryList>`
    expect(contradictions(rohs(LEAD) + answer('Does not contain RoHS substances'))).toHaveLength(1)
    expect(contradictions(rohs() + answer('Contains RoHS substances above the limits'))).toHaveLength(1)
    expect(contradictions(rohs() + answer('Does not contain RoHS substances'))).toEqual([])
    expect(contradictions(answer('Does not contain RoHS substances'))).toEqual([])
  })
})

describe('a class A answer', () => {
  const answer = (text: string, list = 'EUROHS-1907'): string =>
    `<QueryList><QueryListID identity="${list}"/><Query code="1" statement="${text}" response="true"/></QueryList>`
  const NONE = answer('Does not contain RoHS substances')
  const OVER = answer('Contains RoHS substances above the limits and no exemption applies')
  const EXEMPT = answer('Contains RoHS substances above the limits, all by exemption')
  const SVHC = answer('Contains SVHC above 0.1 %', 'EUREACH-0624')
  const NO_SVHC = answer('Does not contain SVHC', 'EUREACH-0624')
  const EXEMPTED = {
    over: 'true',
    inside: exemptionXml('1', '7(a) Lead in high melting temperature solders'),
  }
  const CLEAN = [entry('1', 'false', 'Lead')]
  const BAD = [entry('1', 'true', 'Lead')]

  test.each<[string, string, RegExp | undefined]>([
    ['none against a list that is over', NONE + rohs(LEAD), /^class A .* against Lead over in EUROHS-1907$/],
    ['none against an exemption', NONE + rohs({ Lead: EXEMPTED }), /against Lead over in EUROHS-1907$/],
    ['exempt against over without one', EXEMPT + rohs(LEAD), /against Lead over without exemption in/],
    ['exempt against an exemption', EXEMPT + rohs({ Lead: EXEMPTED }), undefined],
    ['exempt against a clean list', EXEMPT + rohs(), /against none over in EUROHS-1907$/],
    ['over against a clean list', OVER + rohs(), /against RoHS compliant in EUROHS-1907$/],
    ['over against over', OVER + rohs(LEAD), undefined],
    ['over against an incomplete list', OVER + only('Lead'), undefined],
    ['none against an incomplete list', NONE + only('Lead'), undefined],
    ['over of RoHS against a REACH list', OVER + reach(CLEAN), undefined],
    ['SVHC against a clean list', SVHC + reach(CLEAN), /against no SVHC in EUREACH-0624$/],
    ['SVHC against SVHC', SVHC + reach(BAD), undefined],
    ['no SVHC against SVHC', NO_SVHC + reach(BAD), /against Lead over in EUREACH-0624$/],
    ['no SVHC against a clean list', NO_SVHC + reach(CLEAN), undefined],
    ['SVHC against a RoHS list', SVHC + rohs(), undefined],
    ['no SVHC against a RoHS list', NO_SVHC + rohs(LEAD), undefined],
  ])('%s', (_, info, expected) => {
    expect(contradictions(info)).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)])
  })
})

test('nothing is left unscreened where there is no composition', () => {
  expect(judged(rohs())).toMatchObject({ notScreened: [], notKnown: 0, hasGaps: false, origins: [['RoHS']] })
  expect(judged(only('Lead')).hasGaps).toBe(true)
})

test('nothing is known of a part without a declaration, and it has no gaps', () => {
  expect(NOTHING_DECLARED).toMatchObject({ hasGaps: false, answers: [], contradictions: [], notScreened: [] })
})

test.each<[string, Partial<CategoryXml>, number]>([
  ['by its name', { name: 'Lead/lead compounds' }, 1],
  ['by its CAS number', { name: '7439-92-1' }, 1],
  ['by neither, under the same code', { name: 'Melamine', code: '00005' }, 0],
])('a group that one list has by its code and another one %s is compared as one', (_, change, count) => {
  const coded = listXml(
    'EUROHS-1907',
    rohsCategories().map((one) => ({ ...one, name: '' })),
  )
  const other = listXml('China RoHS', [{ name: '', over: 'true', ...change }])
  expect(judged(coded + other).contradictions).toHaveLength(count)
  expect(judged(only('Cadmium', 'PBB') + other).contradictions).toEqual([])
})

test('a substance that is over in an article may be not over in the product around it, not the other way round', () => {
  const lead = (over: string, base: string): CategoryXml => ({
    code: '00005',
    name: 'Lead',
    inside: `<Threshold overThreshold="${over}" threshold="0.1 % of the ${base}"/>`,
  })
  const stated = (not: string, over: string): readonly string[] =>
    contradictions(listXml('List A', [lead('false', not)]) + listXml('List B', [lead('true', over)]))
  const both = ['Lead over in List B, not over in List A']
  expect(stated('product', 'article')).toEqual([])
  expect(stated('article', 'product')).toEqual(both)
  expect(stated('article', 'article')).toEqual(both)
  expect(stated('product', 'product')).toEqual(both)
})

describe('what class D has above the threshold', () => {
  const tables = createSubstanceTables(
    [],
    [
      { entry: '9', cas: '117-81-7', name: 'DEHP', entryName: 'Bis (2-ethylhexyl) phthalate (DEHP)' },
      { entry: '7', cas: '10124-43-3', name: 'Cobalt sulphate', entryName: 'Cobalt salts' },
      { entry: '7', cas: '7646-79-9', name: 'Cobalt dichloride', entryName: 'Cobalt salts' },
    ],
  )
  const substances = (...numbers: readonly string[]): string => {
    const all = numbers.map(
      (cas) =>
        `<Substance name="${cas}"><SubstanceID identity="${cas}" authority="CAS"/><Concentration value="20"/></Substance>`,
    )
    return `<HomogeneousMaterialList><HomogeneousMaterial name="M"><Amount value="500" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier">${all.join('')}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
  }
  const judgedWith = (info: string): PartJudgement => {
    const product = readText(fileA(productXml(['P'], info))).products[0]!
    const standing = {
      moment: readMoment('2026-01-01'),
      isAccepted: true,
      company: { id: '', name: 'acme' },
    }
    const evidence: PartEvidence = {
      record: partRecord(product),
      composition: screen(composition(product, 1_000), tables),
      massMg: 1_000,
      fileUnread: [],
      ...standing,
    }
    return judge([evidence], { nowMs: NOW, substances: tables })
  }
  const indicated = (info: string): readonly string[] =>
    judgedWith(info).indications.map(({ group }) => group)

  test('is declared where the list has it over by one of its names, or one of its CAS numbers', () => {
    const cobalt = substances('10124-43-3', '7646-79-9')
    expect(indicated(substances('117-81-7'))).toEqual(['Bis (2-ethylhexyl) phthalate (DEHP)'])
    expect(
      indicated(substances('117-81-7') + reach([entry('', 'true', 'Bis(2-ethylhexyl)phthalate')])),
    ).toEqual([])
    expect(indicated(cobalt)).toEqual(['Cobalt salts'])
    expect(indicated(cobalt + reach([entry('7646-79-9', 'true', 'a salt')]))).toEqual([])
    expect(indicated(cobalt + reach([entry('7440-02-0', 'true', 'nickel')]))).toEqual(['Cobalt salts'])
  })

  test('of a share that is not known is not screened, unless a list has that very substance over', () => {
    const named = `<HomogeneousMaterialList><HomogeneousMaterial name="M"><Amount value="500" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier"><Substance name="DEHP"/></SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
    const open = (list: string): readonly string[] =>
      judgedWith(named + list).notScreened.map(({ substance }) => substance)
    expect(open('')).toEqual(['DEHP'])
    expect(open(reach([entry('7439-92-1', 'true', 'Lead')]))).toEqual(['DEHP'])
    expect(open(reach([entry('', 'true', 'DEHP')]))).toEqual([])
  })
})

describe('a Candidate List', () => {
  const DAY = '2024-06-27'
  const names = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `Substance ${index}`)
  /** Of a list that states so many entries, where the table has `known`, and the update has `entries`. */
  const statusOf = (stated: number, known: number, entries: number, newest = DAY): string => {
    const rows = names(known).map((name, index) => ({
      ...{ entry: `${index}`, cas: '', name, entryName: name },
      included: index === 0 ? newest : '2020-01-16',
    }))
    const info = reach(names(stated).map((name) => entry('', 'false', name)))
    const record = partRecord(readText(fileA(productXml(['P'], info))).products[0]!)
    const company = { id: '', name: 'acme' }
    const standing = { moment: readMoment('2026-01-01'), isAccepted: true, company, fileUnread: [] }
    const context = {
      nowMs: NOW,
      substances: createSubstanceTables([], rows),
      updateOf: () => ({ date: DAY, entries, confidence: '', source: '' }),
    }
    return judge([{ record, composition: undefined, massMg: undefined, ...standing }], context).reach.status
  }

  test('is whole when one entry in a hundred lacks, and incomplete when more do', () => {
    expect([200, 198, 197].map((stated) => statusOf(stated, 200, 200))).toEqual([
      'no SVHC',
      'no SVHC',
      'incomplete',
    ])
  })

  test('is whole with all entries that the table knows, if that is as new as the update', () => {
    expect(statusOf(3, 3, 4)).toBe('no SVHC')
    expect(statusOf(3, 3, 4, '2024-01-23')).toBe('incomplete')
  })
})
