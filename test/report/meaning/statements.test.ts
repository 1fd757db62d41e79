import { describe } from 'vitest'
import { itReports } from './cases.ts'
import {
  type Category,
  type Declaration,
  exempt,
  material,
  other,
  reach,
  rohs,
  xmlOf,
} from './declarations.ts'

const older = '2026-02-10'
const newer = '2026-03-10'
const CLEAN = [rohs(), reach()]

/** The XML of a declaration with this in the place of a text. */
const changed = (declaration: Declaration, from: string, to: string): string => {
  const xml = xmlOf(declaration)
  if (!xml.includes(from)) throw new Error(`no ${from}`)
  return xml.replace(from, to)
}
const OVER = '<Threshold overThreshold="true" threshold=""/>'

const NOT_GOOD = [
  'present="true"',
  'contains="yes"',
  'status="non-compliant"',
  'rohsCompliant="false"',
  'compliance="not compliant"',
  'isNonCompliant="true"',
  'result="failed"',
]

describe('a threshold answer "over" that the tool does not know is never dropped: it makes the status of its list incomplete, quoted', () => {
  const lists = { lists: [rohs(), reach(), other('Prop_65_substances', { Toluene: false })] }
  itReports([
    {
      name: 'in a group, a sub-category or in other letters: RoHS',
      files: {
        group: changed(
          { part: 'P1', ...lists },
          '<SubstanceCategory name="Cadmium',
          `<SubstanceCategoryGroup name="Metals">${OVER}</SubstanceCategoryGroup><SubstanceCategory name="Cadmium`,
        ),
        sub: changed(
          { part: 'P2', ...lists },
          '<SubstanceCategoryID identity="00005"',
          `<SubCategory name="Lead oxide">${OVER}</SubCategory><SubstanceCategoryID identity="00005"`,
        ),
        letters: changed(
          { part: 'P3', ...lists },
          'overThreshold="false"',
          'overThreshold="false" OverThreshold="true"',
        ),
        level: changed(
          { part: 'P4', ...lists },
          'overThreshold="false"',
          'overThreshold="false" aboveThresholdLevel="yes"',
        ),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          reach: 'no SVHC',
          note: ['overThreshold="true"'],
        },
        { part: 'P2', rohs: 'incomplete', reach: 'no SVHC', note: ['overThreshold="true"'] },
        { part: 'P3', rohs: 'incomplete', reach: 'no SVHC', note: ['OverThreshold="true"'] },
        { part: 'P4', rohs: 'incomplete', reach: 'no SVHC', note: ['aboveThresholdLevel="yes"'] },
      ],
      isOneWriter: true,
    },
    {
      name: 'in the Candidate List: REACH; in another list: that list',
      files: {
        reach: changed(
          { part: 'P1', ...lists },
          '<SubstanceCategory name="Lead" ',
          `<SubstanceCategoryGroup>${OVER}</SubstanceCategoryGroup><SubstanceCategory name="Lead" `,
        ),
        other: changed(
          { part: 'P2', ...lists },
          '<SubstanceCategory name="Toluene" ',
          `<SubstanceCategoryGroup>${OVER}</SubstanceCategoryGroup><SubstanceCategory name="Toluene" `,
        ),
      },
      rows: [
        { part: 'P1', rohs: 'compliant', reach: 'incomplete' },
        { part: 'P2', rohs: 'compliant', reach: 'no SVHC', other_lists: ['incomplete'] },
      ],
      isOneWriter: true,
    },
    {
      name: 'outside any list that of the product, beside the product those of all products of the file',
      files: {
        inside: changed(
          { part: 'P1', ...lists },
          '</MaterialInfo>',
          `</MaterialInfo><Summary>${OVER}</Summary>`,
        ),
        beside: changed(
          {
            products: [
              { parts: ['P2'], ...lists },
              { parts: ['P3'], ...lists },
            ],
          },
          '</MainDeclaration>',
          '<Summary name="RoHS" aboveThreshold="true"/></MainDeclaration>',
        ),
      },
      rows: ['P1', 'P2', 'P3'].map((part) => ({
        part,
        rohs: 'incomplete',
        reach: 'incomplete',
        gate: ['incomplete'],
      })),
      isOneWriter: true,
    },
    {
      name: 'an element that is an answer by its name',
      files: {
        a: changed(
          { part: 'P1', ...lists },
          '<SubstanceCategoryID identity="00005"',
          '<OverThreshold>true</OverThreshold><SubstanceCategoryID identity="00005"',
        ),
      },
      rows: [{ part: 'P1', rohs: 'incomplete', note: ['<OverThreshold>'] }],
      isOneWriter: true,
    },
    {
      name: 'by the value of an attribute or element of any name, and by the negation of its opposite',
      files: {
        value: changed(
          { part: 'P1', ...lists },
          'overThreshold="false"',
          'overThreshold="false" result="Above threshold"',
        ),
        element: changed(
          { part: 'P2', ...lists },
          '<SubstanceCategoryID identity="00005"',
          '<Status value="exceeds the limit"/><SubstanceCategoryID identity="00005"',
        ),
        below: changed(
          { part: 'P3', ...lists },
          'overThreshold="false"',
          'overThreshold="false" belowThreshold="false"',
        ),
        exceeded: changed(
          { part: 'P4', ...lists },
          'overThreshold="false"',
          'overThreshold="false" limitExceeded="true"',
        ),
      },
      rows: [
        { part: 'P1', rohs: 'incomplete', note: ['result="Above threshold"'] },
        { part: 'P2', rohs: 'incomplete', note: ['<Status>'] },
        { part: 'P3', rohs: 'incomplete', note: ['belowThreshold="false"'] },
        { part: 'P4', rohs: 'incomplete', note: ['limitExceeded="true"'] },
      ],
      isOneWriter: true,
    },
    {
      name: 'by a word for what is contained, or does not comply',
      files: Object.fromEntries(
        NOT_GOOD.map((said, index) => [
          `f${index}`,
          changed({ part: `P${index}`, ...lists }, 'overThreshold="false"', `overThreshold="false" ${said}`),
        ]),
      ),
      rows: NOT_GOOD.map((said, index) => ({ part: `P${index}`, rohs: 'incomplete' as const, note: [said] })),
      isOneWriter: true,
    },
    {
      name: '"not over" in an unknown place is no finding',
      files: {
        a: changed(
          { part: 'P1', ...lists },
          '</MaterialInfo>',
          '</MaterialInfo><Summary aboveThreshold="false" result="below threshold" belowThreshold="true" overallStatus="ok" contains="none" isCompliant="true" nonCompliant="false" complianceStatus="compliant"/>',
        ),
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'no SVHC', gate: [] }],
      isOneWriter: true,
    },
  ])
})

describe('the Candidate List is whole, or incomplete', () => {
  const without = (count: number) => ({ ...reach(), categories: reach().categories.slice(0, 241 - count) })
  itReports([
    ...[0, 1, 2].map((count) => ({
      name: `up to 1 % fewer, since groups are counted differently: ${count}`,
      files: { a: { lists: [rohs(), without(count)] } },
      rows: [
        {
          part: 'P1',
          reach: 'no SVHC',
          svhc_count: 0,
          gate: [],
          note: count === 0 ? [] : [new RegExp(`${241 - count} of 241|not stated`)],
        },
      ],
    })),
    {
      name: 'what lacks of a whole list is named beside the product too',
      files: { a: { lists: [rohs(), without(1)] } },
      beside: { 'l.csv': 'MPN,Qty\nP1,1\n' },
      options: ['--parts-file', 'l.csv'],
      rows: [{ part: 'P1', reach: 'no SVHC', gate: [] }],
      report: /"notStated":\["[^"]/,
    },
    {
      name: 'a code under the name of another group is that group, and noted',
      files: { a: { lists: [rohs({ Pb: { over: false, name: 'Mercury' } }), reach()] } },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          gate: ['incomplete'],
          note: [/the code of Lead has the name "Mercury", which counts/, /Lead not stated/],
        },
      ],
    },
    {
      name: 'a code under the name of another entry is that entry, takes nothing back, and is noted',
      files: {
        old: {
          date: '2026-01-10',
          lists: [
            rohs(),
            { identity: 'EUREACH-0624', categories: [{ name: 'Lead', code: '00182', over: true }] },
          ],
        },
        new: {
          date: '2026-02-10',
          lists: [
            rohs(),
            { identity: 'EUREACH-0624', categories: [{ name: 'Melamine', code: '00182', over: false }] },
          ],
        },
      },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc: ['Lead'],
          note: [/code 00182 has the names "(?:Lead|Melamine)" and "(?:Lead|Melamine)", which count/],
        },
      ],
    },
    {
      name: 'a code under the name of another substance states nothing, and is named',
      files: { a: { lists: [rohs({ Pb: { over: false, name: 'Melamine' } }), reach()] } },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          gate: ['incomplete'],
          note: [/Lead not stated \(the code of Lead has the name "Melamine"\)/],
        },
      ],
    },
    {
      name: 'fewer is incomplete with how many are stated',
      files: { a: { lists: [rohs(), without(3)] } },
      rows: [
        { part: 'P1', reach: 'incomplete', svhc_count: null, note: ['238 of 241'], gate: ['incomplete'] },
      ],
    },
    {
      name: 'and the first five that lack where their names are known',
      files: { a: { lists: [rohs(), reach({}, { entries: ['lead'] })] } },
      rows: [{ part: 'P1', reach: 'incomplete', note: ['1 of 241', /not stated: [^;]*, …/] }],
    },
    {
      name: 'an update that the table does not have is not known to be whole',
      files: { a: { lists: [rohs(), reach({}, { list: 'EUREACH-0325' })] } },
      rows: [{ part: 'P1', reach: 'incomplete', note: ['EUREACH-0325'] }],
    },
    {
      name: 'an entry for several applications counts once',
      files: {
        a: {
          lists: [
            rohs(),
            { ...reach(), categories: [...without(100).categories, ...without(141).categories] },
          ],
        },
      },
      rows: [{ part: 'P1', reach: 'incomplete', note: ['141 of 241'] }],
    },
  ])
})

describe('codes are per list: entries are the same by code in the same list, by name or CAS number between lists', () => {
  const entry = (name: string, code: string, over: boolean): Category => ({ name, code, over })
  const update = (list: string, ...own: readonly Category[]) => ({
    identity: list,
    categories: [...own, ...reach({}, { list }).categories.slice(own.length)],
  })
  itReports([
    {
      name: 'the same code of another update is another entry',
      files: {
        old: {
          date: older,
          lists: [rohs(), update('EUREACH-0120', entry('Asbestos', '00042', true))],
        },
        new: { date: newer, lists: [rohs(), update('EUREACH-0624', entry('Melamine', '00042', false))] },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc: ['Asbestos'], sources: ['old', 'new'] }],
    },
    {
      name: 'the same name with another code is the same entry',
      files: {
        old: { date: older, lists: [rohs(), update('EUREACH-0120', entry('Melamine', '00042', true))] },
        new: { date: newer, lists: [rohs(), update('EUREACH-0624', entry('melamine', '00077', false))] },
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc: '' }],
    },
    {
      name: 'the same CAS number in another name is the same entry',
      files: {
        old: {
          date: older,
          lists: [rohs(), update('EUREACH-0120', entry('Melamine (108-78-1)', '00042', true))],
        },
        new: {
          date: newer,
          lists: [
            rohs(),
            update('EUREACH-0624', entry('1,3,5-triazine-2,4,6-triamine (108-78-1)', '00077', false)),
          ],
        },
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc: '' }],
    },
  ])
})

describe('within one file', () => {
  itReports([
    {
      name: 'a list dated in the future hides nothing',
      files: { a: { lists: [rohs({ Pb: true }), rohs({}, { list: 'EUROHS-9912' }), reach()] } },
      rows: [{ part: 'P1', rohs: 'not compliant' }],
    },
    {
      name: 'an older list of the same family counts for what the newer one does not state',
      files: {
        a: {
          lists: [rohs({ Pb: true }, { list: 'EUROHS-1506' }), rohs({}, { groups: ['Cd', 'Hg'] }), reach()],
        },
      },
      rows: [{ part: 'P1', rohs: 'not compliant' }],
    },
  ])
})

describe('RoHS lists with another name', () => {
  itReports([
    {
      name: 'over beside a clean one is contradictory',
      files: { a: { lists: [...CLEAN, { ...rohs({ Pb: true }), identity: 'RoHS China' }] } },
      rows: [{ part: 'P1', rohs: 'compliant', gate: ['contradictory'], note: [/RoHS China/] }],
    },
    {
      name: 'that state what the RoHS list states contradict nothing',
      files: {
        a: {
          lists: [rohs({ Pb: exempt('6(c)') }), reach(), { ...rohs({ Pb: true }), identity: 'RoHS China' }],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', gate: [] }],
    },
  ])
})

describe('RoHS against REACH', () => {
  const over = (name: string, percent?: number): Category => ({
    name,
    over: true,
    ...(percent === undefined ? {} : { amount: [percent, 'massPercent'] as const }),
  })
  const stating = (one: Category) => ({ ...reach(), categories: [one, ...reach().categories.slice(0, 240)] })
  itReports([
    ...[
      [
        'DEHP at 5.25 % of the article',
        reach({ dehp: { over: true, amount: [5.25, 'massPercent'] } }),
      ] as const,
      ['the substance itself, without an amount', reach({ lead: true })] as const,
      [
        'a compound, its share of the metal above the limit',
        stating(over('Lead monoxide (lead oxide)', 0.2)),
      ] as const,
      ['cadmium oxide, whose limit is lower', stating(over('Cadmium oxide', 0.11))] as const,
    ].map(([name, list]) => ({
      name: `${name} on the Candidate List, its group "not over"`,
      files: { a: { lists: [rohs(), list] } },
      rows: [{ part: 'P1', reach: 'SVHC', gate: ['contradictory', 'svhc'] }],
    })),
    ...[
      ['a compound without an amount', stating(over('Lead monoxide (lead oxide)'))] as const,
      [
        'a compound whose share of the metal is below the limit',
        stating(over('Lead monoxide (lead oxide)', 0.105)),
      ] as const,
      ['a substance that RoHS does not restrict', reach({ bpa: true })] as const,
    ].map(([name, list]) => ({
      name: `${name} contradicts nothing`,
      files: { a: { lists: [rohs(), list] } },
      rows: [{ part: 'P1', reach: 'SVHC', gate: ['svhc'] }],
    })),
    {
      name: 'nor where the group is over by an exemption',
      files: { a: { lists: [rohs({ Pb: exempt('6(c)') }), reach({ lead: true })] } },
      rows: [{ part: 'P1', reach: 'SVHC', gate: ['svhc'] }],
    },
  ])
})

describe('one reader for every quantity', () => {
  const stated = (value: string, unit?: string) =>
    rohs({ Pb: { over: false, concentration: unit === undefined ? [value] : [value, unit] } })
  itReports([
    ...[
      '0.5|mass%',
      '0,5|wt%',
      '0.5|Gew.-%',
      '5000|ppm',
      '5 000|ppm',
      '5.000,0|mg/kg',
      '0.5|%',
      '0.5 %|',
    ].map((text) => ({
      name: `${text} above the threshold beside "not over"`,
      files: { a: { lists: [stated(...(text.split('|') as [string, string])), reach()] } },
      rows: [{ part: 'P1', gate: ['contradictory'] }],
    })),
    {
      name: 'a number that can be read in two ways is not read, and said to be so',
      files: { a: { lists: [stated('1,500', 'ppm'), reach()] } },
      rows: [{ part: 'P1', rohs: 'incomplete', note: ['1,500', 'two ways'] }],
    },
    {
      name: 'all amounts of a category count, the highest decides',
      files: {
        a: changed(
          { lists: [rohs({ Pb: { over: false, concentration: ['0.01'] } }), reach()] },
          '<Concentration value="0.01"/>',
          '<Concentration value="0.01"/><Concentration value="0.5"/><Concentration value="0.02"/>',
        ),
      },
      rows: [{ part: 'P1', gate: ['contradictory'], note: ['0.5 %'] }],
      isOneWriter: true,
    },
  ])
})

describe('a composition takes back an older one', () => {
  const leaded = {
    part: 'board',
    mass: [100, 'mg'] as const,
    materials: [material('solder', 100, '7439-92-1', 5)],
  }
  const plain = (part: string, percent: number) => ({
    part,
    mass: [100, 'mg'] as const,
    materials: [material('solder', percent, '7440-31-5', 50)],
  })
  const old = {
    date: older,
    mass: [200, 'mg'] as const,
    lists: CLEAN,
    subProducts: [leaded, plain('cover', 100)],
  }
  itReports([
    {
      name: 'only for the sub-products it covers',
      files: { old, new: { date: newer, mass: [200, 'mg'], subProducts: [plain('cover', 100)] } },
      rows: [{ part: 'P1', indications: ['7439-92-1'], gate: ['indicated'] }],
    },
    {
      name: 'those that it covers',
      files: { old, new: { date: newer, mass: [200, 'mg'], subProducts: [plain('board', 100)] } },
      rows: [{ part: 'P1', indications: '', gate: [] }],
    },
    {
      name: 'only when it declares and names at least 95 % of their mass',
      files: { old, new: { date: newer, mass: [200, 'mg'], subProducts: [plain('board', 94)] } },
      rows: [{ part: 'P1', indications: ['7439-92-1'], gate: ['indicated'] }],
    },
  ])
})

describe('acceptance', () => {
  const said = (accepted: string | undefined) => ({ lists: CLEAN, accepted })
  itReports([
    {
      name: 'unaccepted: its supplier says no, or not yet',
      files: { no: { part: 'P1', ...said('false') }, yet: { part: 'P2', ...said('pending') } },
      rows: ['P1', 'P2'].map((part) => ({ part, gate: ['unaccepted'] })),
    },
    {
      name: 'a file that says nothing of it is noted only',
      files: { a: { lists: CLEAN, accepted: '' } },
      rows: [{ part: 'P1', gate: [], note: ['does not say whether its supplier accepts it'] }],
    },
  ])
})

describe('an exemption for another substance', () => {
  itReports([
    {
      name: 'one of another law exempts nothing, whatever its number is for here',
      files: {
        a: changed(
          { part: 'P1', lists: [rohs({ Pb: exempt('8(b)') }), reach()] },
          'EL2011/534/EU',
          'ELV Annex II',
        ),
      },
      rows: [{ part: 'P1', rohs: 'incomplete', note: ['is from the list "ELV Annex II", not of RoHS'] }],
      isOneWriter: true,
    },
    {
      name: 'exempts nothing and is not in use',
      files: { a: { lists: [rohs({ Pb: exempt('8(b)') }), reach()] } },
      rows: [{ part: 'P1', rohs: 'not compliant', exemptions: '' }],
    },
  ])
})
