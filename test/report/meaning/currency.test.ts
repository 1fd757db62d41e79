import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'
import { itReports, TODAY } from './cases.ts'
import {
  type Category,
  classA,
  type Declaration,
  exempt,
  type List,
  MEETS_ROHS,
  METALS_AND_FLAME_RETARDANTS,
  material,
  other,
  PHTHALATES,
  reach,
  rohs,
  xmlOf,
} from './declarations.ts'

const JANUARY = '2026-01-15'
const FEBRUARY = '2026-02-16'
const MARCH = '2026-03-17'
const APRIL = '2026-04-20'

const BRASS = { name: 'Brass', cas: '12597-71-6', concentration: [100], exemptions: ['6(c)'] } as const

const file = (date: string, lists: Declaration['lists'], more: Declaration = {}): Declaration => ({
  date,
  lists: lists ?? [],
  ...more,
})

describe('what a newer declaration does not state, it does not take back', () => {
  itReports([
    {
      name: 'a RoHS file leaves the REACH statement of an older file standing',
      files: {
        february: file(FEBRUARY, [reach({ lead: true })]),
        march: file(MARCH, [rohs()]),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'SVHC',
          svhc_count: 1,
          svhc: ['Lead'],
          sources: ['february', 'march'],
          date: FEBRUARY,
          classes: 'C',
          gate: ['contradictory', 'svhc'],
        },
      ],
    },
    {
      name: 'a RoHS file leaves "no SVHC" of an older file standing',
      files: { february: file(FEBRUARY, [reach()]), march: file(MARCH, [rohs()]) },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'no SVHC',
          svhc_count: 0,
          sources: ['february', 'march'],
          gate: [],
        },
      ],
    },
    {
      name: 'a REACH file leaves the RoHS statement of an older file standing',
      files: { february: file(FEBRUARY, [rohs({ Pb: true })]), march: file(MARCH, [reach()]) },
      rows: [
        {
          part: 'P1',
          rohs: 'not compliant',
          reach: 'no SVHC',
          sources: ['february', 'march'],
          gate: ['not-compliant'],
        },
      ],
    },
    {
      name: 'four phthalates leave lead standing',
      files: {
        february: file(FEBRUARY, [
          rohs({ Pb: true }, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS }),
        ]),
        march: file(MARCH, [rohs({}, { groups: PHTHALATES })]),
      },
      rows: [
        { part: 'P1', rohs: 'not compliant', sources: ['february', 'march'], note: ['lead'], date: FEBRUARY },
      ],
    },
    {
      name: 'four phthalates and six older groups are all ten',
      files: {
        february: file(FEBRUARY, [rohs({}, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS })]),
        march: file(MARCH, [rohs({}, { groups: PHTHALATES })]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', sources: ['february', 'march'], date: FEBRUARY }],
    },
    {
      name: 'an exemption of an older file stands with its statement',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: exempt('6(c)') })]),
        march: file(MARCH, [rohs({}, { groups: PHTHALATES })]),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant with exemptions',
          exemptions: ['6(c)'],
          sources: ['february', 'march'],
        },
      ],
    },
    {
      name: 'a class D file leaves class C standing',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ dehp: true })]),
        march: file(MARCH, [], { mass: [100, 'mg'], materials: [material('body', 100, '7440-21-3', 99)] }),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'not compliant',
          reach: 'SVHC',
          classes: 'CD',
          sources: ['february', 'march'],
          date: FEBRUARY,
        },
      ],
    },
    {
      name: 'a class C file leaves class D standing',
      files: {
        february: file(FEBRUARY, [], {
          mass: [100, 'mg'],
          materials: [material('body', 100, '7440-21-3', 99)],
        }),
        march: file(MARCH, [rohs()]),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          classes: 'CD',
          declared_percent: 100,
          sources: ['february', 'march'],
          date: FEBRUARY,
        },
      ],
    },
    {
      name: 'a class C file leaves the class A answers standing',
      files: {
        february: file(FEBRUARY, [], { queries: [classA(MEETS_ROHS)] }),
        march: file(MARCH, [rohs(), reach()]),
      },
      rows: [
        { part: 'P1', rohs: 'compliant', classes: 'AC', sources: ['february', 'march'], date: FEBRUARY },
      ],
    },
    {
      name: 'another list stays until the same list is stated again',
      files: {
        february: file(FEBRUARY, [other('Prop_65_substances', { Toluene: true, Nickel: false })]),
        march: file(MARCH, [rohs(), reach(), other('TSCA_6h', { 'PIP (3:1)': false })]),
      },
      rows: [
        {
          part: 'P1',
          other_lists: ['Prop_65_substances', /over: Toluene/, 'TSCA_6h'],
          sources: ['february', 'march'],
        },
      ],
    },
    {
      name: 'a file that declares another part leaves this one standing',
      files: { february: file(FEBRUARY, [rohs({ Pb: true })]), march: file(MARCH, [rohs()], { part: 'P2' }) },
      rows: [
        { part: 'P1', rohs: 'not compliant', sources: ['february'] },
        { part: 'P2', rohs: 'compliant', sources: ['march'] },
      ],
    },
    {
      name: 'an empty newer file takes back nothing',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        march: file(MARCH, []),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc_count: 1 }],
    },
    {
      name: 'lists without categories in a newer file take back nothing',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        march: file(MARCH, [
          { identity: 'EUROHS-1907', categories: [] },
          { identity: 'EUREACH-0624', categories: [] },
        ]),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc_count: 1 }],
    },
    {
      name: 'an entry without a statement in an older file stays open until it is stated',
      files: {
        february: file(FEBRUARY, [rohs(), reach({ lead: undefined })]),
        march: file(MARCH, [rohs(), reach({}, { entries: ['arsenate', 'dehp', 'bpa'] })]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'incomplete', svhc_count: null, gate: ['incomplete'] }],
    },
    {
      name: 'an entry with a statement that is not understood stays open until it is stated',
      files: {
        february: file(FEBRUARY, [rohs(), reach({ lead: 'exceeded' })]),
        march: file(MARCH, [rohs(), reach({}, { entries: ['arsenate', 'dehp', 'bpa'] })]),
        april: file(APRIL, [rohs()]),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'incomplete',
          svhc_count: null,
          note: ['exceeded'],
          gate: ['incomplete'],
        },
      ],
    },
    {
      name: 'and is open no longer once it is',
      files: {
        february: file(FEBRUARY, [rohs(), reach({ lead: 'exceeded', dehp: undefined })]),
        march: file(MARCH, [rohs(), reach({}, { entries: ['lead', 'dehp'] })]),
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0, sources: ['february', 'march'], gate: [] }],
    },
    {
      // A category without a Threshold states nothing of its group; the safest reading is that it neither clears nor completes it.
      name: 'a category without a statement in a newer file takes back nothing',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        march: file(MARCH, [rohs({ Pb: undefined }), reach({ lead: undefined })]),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc: ['Lead'] }],
    },
  ])
})

describe('what several files say of a part is told together', () => {
  itReports([
    {
      name: 'the articles inside a newer product take back only what all of them state',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        march: file(MARCH, [], {
          subProducts: [
            { part: 'S1', lists: [rohs(), reach()] },
            { part: 'S2', lists: [other('TSCA_6h', { A: false })] },
          ],
        }),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc: ['Lead'] }],
    },
    {
      name: 'two products of one number in one file that state different things',
      files: {
        march: {
          date: MARCH,
          products: [
            { parts: ['P1'], lists: [rohs()] },
            { parts: ['P1'], lists: [reach({ lead: true })] },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'SVHC', svhc_count: 1 }],
    },
    {
      name: 'the mass is that of the file that gives one',
      files: {
        february: file(FEBRUARY, [reach()], { mass: [2, 'g'] }),
        march: file(MARCH, [rohs()]),
      },
      rows: [{ part: 'P1', mass_mg: 2000, sources: ['february', 'march'] }],
    },
    {
      name: 'a contradiction with a mass of another file',
      files: {
        february: file(FEBRUARY, [reach({ lead: { over: false, amount: ['500', 'mg'] } })], {
          mass: [1, 'g'],
        }),
        march: file(MARCH, [rohs()]),
      },
      rows: [{ part: 'P1', note: /^[^;]*contradict/i, gate: ['contradictory'] }],
    },
    {
      name: 'what is not understood in an older file that counts is told',
      files: {
        february: xmlOf(file(FEBRUARY, [reach({ lead: true })])).replace(
          '</MaterialInfo>',
          '</MaterialInfo><Special><SubstanceCategoryList><SubstanceCategoryListID identity="EUREACH-0624"/></SubstanceCategoryList></Special>',
        ),
        march: file(MARCH, [rohs()]),
      },
      rows: [{ part: 'P1', reach: 'SVHC', not: { rohs: /^not compliant$/ } }],
    },
    {
      // Its list in an unknown place may state anything about REACH; a RoHS file cannot take that back.
      name: 'what is not understood in an older file is not taken back by a file about something else',
      files: {
        february: xmlOf(file(FEBRUARY, [reach({ lead: true })]))
          .replace('<MaterialInfo>', '<MaterialInfo><Special>')
          .replace('</MaterialInfo>', '</Special></MaterialInfo>'),
        march: file(MARCH, [rohs()]),
      },
      rows: [
        {
          part: 'P1',
          not: { reach: /^no SVHC$/ },
          note: /unknown|not understood|not recognized|does not know|not read/i,
        },
      ],
    },
  ])
})

describe('an entry stated above its threshold stays until the same entry is stated again', () => {
  itReports([
    {
      name: 'a newer list without the entry leaves it standing',
      files: {
        february: file(FEBRUARY, [reach({ lead: true }, { list: 'EUREACH-0622' })]),
        march: file(MARCH, [reach({}, { entries: ['arsenate', 'dehp'] })]),
      },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc_count: 1,
          svhc: ['Lead'],
          sources: ['february', 'march'],
          date: FEBRUARY,
          reach_list: ['EUREACH-0622', 'EUREACH-0624'],
        },
      ],
    },
    {
      name: 'the same entry not over in a newer file takes it back',
      files: {
        february: file(FEBRUARY, [reach({ lead: true })]),
        march: file(MARCH, [reach()]),
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0, svhc: '', sources: ['march'], date: MARCH }],
    },
    {
      name: 'the same entry of a newer list takes it back',
      files: {
        february: file(FEBRUARY, [reach({ lead: true }, { list: 'EUREACH-0622', entries: ['lead'] })]),
        march: file(MARCH, [reach()]),
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0, sources: ['march'], date: MARCH }],
    },
    {
      name: 'an older file that states the entry not over takes nothing back',
      files: {
        february: file(FEBRUARY, [reach()]),
        march: file(MARCH, [reach({ lead: true }, { entries: ['lead'] })]),
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['Lead'], sources: ['february', 'march'] }],
    },
    {
      name: 'entries over in several files are all there',
      files: {
        february: file(FEBRUARY, [reach({ lead: true }, { entries: ['lead'] })]),
        march: file(MARCH, [reach({ dehp: true }, { entries: ['dehp'] })]),
        april: file(APRIL, [reach({}, { entries: ['bpa'] })]),
      },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc_count: 2,
          svhc: ['Lead', 'DEHP'],
          sources: ['february', 'march', 'april'],
          date: FEBRUARY,
        },
      ],
    },
    {
      name: 'another entry of the same name prefix does not take it back',
      files: {
        february: file(FEBRUARY, [
          {
            identity: 'EUREACH-0624',
            categories: [{ name: 'Lead monoxide (lead oxide)', code: '00096', over: true }],
          },
        ]),
        march: file(MARCH, [reach({}, { entries: ['lead'] })]),
      },
      rows: [
        { part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['Lead monoxide'], sources: ['february', 'march'] },
      ],
    },
    {
      name: 'without codes, as converters write it, the name is the entry',
      files: {
        february: file(FEBRUARY, [{ identity: 'EUREACH-0624', categories: [{ name: 'Lead', over: true }] }]),
        march: file(MARCH, [{ identity: 'EUREACH-0624', categories: [{ name: 'Lead', over: false }] }]),
      },
      rows: [{ part: 'P1', reach: 'incomplete', svhc: '', note: ['1 of 241 entries'], sources: ['march'] }],
    },
    {
      name: 'without codes, another name takes nothing back',
      files: {
        february: file(FEBRUARY, [{ identity: 'EUREACH-0624', categories: [{ name: 'Lead', over: true }] }]),
        march: file(MARCH, [
          { identity: 'EUREACH-0624', categories: [{ name: 'Lead dinitrate', over: false }] },
        ]),
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, sources: ['february', 'march'] }],
    },
    {
      name: 'an exemption of the whole list is for one of two groups, also where a newer file states the other',
      files: {
        february: file(FEBRUARY, [{ ...rohs({ Pb: true, Cd: true }), exemptions: ['6(c)'] }]),
        march: file(MARCH, [rohs({}, { groups: ['Cd'] })]),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          note: ['whole RoHS list, and 1 category is over'],
          sources: ['february', 'march'],
        },
      ],
    },
    {
      name: 'an exemption for a substance is in use as long as its composition counts',
      files: {
        february: file(FEBRUARY, [rohs(), reach()], {
          mass: [10, 'mg'],
          materials: [{ name: 'pin', amount: [10, 'mg'], substances: [BRASS] }],
        }),
        march: file(MARCH, [], { mass: [10, 'mg'], materials: [material('pin', 10, '7440-31-5', 99)] }),
      },
      rows: [{ part: 'P1', rohs: 'compliant', exemptions: '', sources: ['february', 'march'] }],
    },
    {
      name: 'and else listed, whatever else is stated later',
      files: {
        february: file(FEBRUARY, [rohs(), reach()], {
          mass: [10, 'mg'],
          materials: [{ name: 'pin', amount: [10, 'mg'], substances: [BRASS] }],
        }),
        march: file(MARCH, [reach()]),
      },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: [/6\(c\).* in pin/] }],
    },
    {
      name: 'a newer exemption for lead clears its RoHS statement',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true })]),
        march: file(MARCH, [rohs({ Pb: exempt('6(c)') })]),
      },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', sources: ['march'], date: MARCH }],
    },
    {
      name: 'a newer worse statement replaces an older better one',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: exempt('6(c)') })]),
        march: file(MARCH, [rohs({ Pb: true }, { groups: ['Pb'] })]),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', sources: ['february', 'march'], date: FEBRUARY }],
    },
    {
      name: 'the code of a group in the Candidate List is not that of a RoHS list',
      // 00009 is DEHP in EUREACH and DBP in EUROHS.
      files: {
        february: file(FEBRUARY, [rohs({ DBP: true }), reach({ dehp: true }, { entries: ['dehp'] })]),
        march: file(MARCH, [rohs({}, { groups: ['DBP'] })]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'SVHC', svhc_count: 1, sources: ['february', 'march'] }],
    },
  ])
})

describe('within one file an older list of the same family counts in the same way', () => {
  itReports([
    {
      name: 'for what the newer one does not state',
      files: {
        march: file(MARCH, [
          rohs({}, { groups: PHTHALATES }),
          rohs({ Pb: true }, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS }),
        ]),
      },
      rows: [
        { part: 'P1', rohs: 'not compliant', rohs_list: ['EUROHS-0508', 'EUROHS-1907'], sources: ['march'] },
      ],
    },
    {
      name: 'and with it all ten groups are stated',
      files: {
        march: file(MARCH, [
          rohs({}, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS }),
          rohs({}, { groups: PHTHALATES }),
        ]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', sources: ['march'], date: MARCH }],
    },
    {
      name: 'not for what the newer one states',
      files: {
        march: file(MARCH, [
          rohs({ Pb: true }, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS }),
          rohs(),
        ]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', sources: ['march'] }],
    },
    {
      name: 'an entry of an older Candidate List stays',
      files: {
        march: file(MARCH, [
          reach({ lead: true }, { list: 'EUREACH-0622' }),
          reach({}, { list: 'EUREACH-0624', entries: ['arsenate'] }),
        ]),
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['Lead'] }],
    },
    {
      name: 'the month of a Candidate List comes first, its year last',
      // 0721 is newer than 0120 by year and older by text; 1223 would be newer than 0624 by text.
      files: {
        march: file(MARCH, [
          reach({ lead: true }, { list: 'EUREACH-1223' }),
          reach({}, { list: 'EUREACH-0624' }),
        ]),
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0 }],
    },
    {
      // Two lists of one identity in one file say the opposite of the same moment: the worse decides.
      name: 'two lists of the same date that disagree: the worse decides',
      files: { march: file(MARCH, [rohs({ Pb: true }), rohs(), reach({ lead: true }), reach()]) },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc_count: 1 }],
    },
    {
      name: 'a newer file with an older list is still the newer statement',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true })]),
        march: file(MARCH, [rohs({}, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS })]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', sources: ['february', 'march'], date: FEBRUARY }],
    },
  ])
})

describe('a row may rest on several files', () => {
  itReports([
    {
      name: 'source names them all, date is the oldest of their dates, classes the union',
      files: {
        january: file(JANUARY, [], {
          mass: [100, 'mg'],
          materials: [material('body', 100, '7440-21-3', 99)],
        }),
        february: file(FEBRUARY, [reach()]),
        march: file(MARCH, [rohs()]),
        april: file(APRIL, [], { queries: [classA(MEETS_ROHS)] }),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'no SVHC',
          classes: 'ACD',
          date: JANUARY,
          sources: ['january', 'february', 'march', 'april'],
          status: 'declared',
        },
      ],
    },
    {
      name: 'note says which statement comes from which file where they differ',
      files: { february: file(FEBRUARY, [reach()]), march: file(MARCH, [rohs()]) },
      rows: [
        {
          part: 'P1',
          note: [/RoHS[^;]*(?:2026-03-17|march)/i, /(?:REACH|SVHC)[^;]*(?:2026-02-16|february)/i],
        },
      ],
    },
    {
      name: 'a file nothing of which counts any more is superseded',
      files: {
        january: file(JANUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        february: file(FEBRUARY, [rohs({ Pb: true })]),
        march: file(MARCH, [rohs(), reach()]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'no SVHC', sources: ['march'], date: MARCH, gate: [] }],
      report: [/"superseded":2/],
    },
    {
      name: 'a file of which one entry counts is not superseded',
      files: {
        january: file(JANUARY, [rohs(), reach()]),
        march: file(MARCH, [rohs(), reach({}, { entries: ['arsenate', 'dehp', 'lead'] })]),
      },
      rows: [
        { part: 'P1', rohs: 'compliant', reach: 'no SVHC', sources: ['january', 'march'], date: JANUARY },
      ],
      report: [/"superseded":0/],
    },
    {
      name: 'with --history a superseded file has a row of that status, and only such a file',
      files: {
        january: file(JANUARY, [rohs({ Pb: true })]),
        february: file(FEBRUARY, [rohs(), reach()]),
        march: file(MARCH, [rohs()]),
      },
      options: ['--history'],
      rows: [
        {
          part: 'P1',
          status: 'declared',
          rohs: 'compliant',
          reach: 'no SVHC',
          sources: ['february', 'march'],
        },
        { part: 'P1', status: 'superseded', sources: ['january'], date: JANUARY },
      ],
    },
    {
      name: 'with --history what is superseded in part is named, and by which declaration',
      files: {
        january: file(JANUARY, [rohs({ Pb: true }), reach({ lead: true })], {
          queries: [classA(MEETS_ROHS)],
        }),
        march: file(MARCH, [rohs({}, { groups: ['Pb', 'Cd'] }), reach({}, { entries: ['lead'] })], {
          queries: [{ list: 'EUROHS-1907', statements: [] }],
        }),
      },
      options: ['--history'],
      rows: [
        {
          part: 'P1',
          note: [
            `january.xml: EUREACH-0624 (1 entry), EUROHS-1907 (Cadmium, Lead) by the declaration of ${MARCH}`,
          ],
        },
      ],
    },
    {
      name: 'with --history nothing is called superseded that is not stated again',
      files: {
        january: file(JANUARY, [rohs({}, { groups: METALS_AND_FLAME_RETARDANTS }), reach()]),
        march: file(MARCH, [rohs({}, { groups: PHTHALATES })]),
      },
      options: ['--history'],
      rows: [{ part: 'P1', rohs: 'compliant', not: { note: 'superseded' } }],
    },
    {
      name: 'a superseded row never fails the gate',
      files: { january: file(JANUARY, [rohs({ Pb: true }), reach()]), march: file(MARCH, [rohs(), reach()]) },
      options: ['--history', '--fail-on', 'not-compliant'],
      rows: [
        { part: 'P1', status: 'declared', rohs: 'compliant' },
        { part: 'P1', status: 'superseded', gate: [] },
      ],
      exit: 0,
    },
    {
      name: 'a product with several numbers has a row each, each with its own older file',
      files: {
        february: file(FEBRUARY, [reach({ lead: true })], { part: 'P2' }),
        march: file(MARCH, [rohs()], { parts: ['P1', 'P2'] }),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'not declared',
          svhc_count: null,
          sources: ['march'],
          date: MARCH,
        },
        { part: 'P2', rohs: 'compliant', reach: 'SVHC', sources: ['february', 'march'], date: FEBRUARY },
      ],
    },
    {
      name: 'the newest composition counts alone, also where the older file counts for something else',
      files: {
        february: file(FEBRUARY, [reach()], {
          mass: [100, 'mg'],
          materials: [material('old body', 100, '7440-43-9', 5, 'Cadmium')],
        }),
        march: file(MARCH, [rohs()], {
          mass: [100, 'mg'],
          materials: [material('body', 100, '7440-21-3', 99)],
        }),
      },
      rows: [{ part: 'P1', sources: ['february', 'march'], classes: 'CD', indications: '', gate: [] }],
    },
    {
      // Of two compositions the newer holds as a whole: its materials are not added to those of the older.
      name: 'the composition is one statement: the newest counts alone',
      files: {
        february: file(FEBRUARY, [], {
          mass: [100, 'mg'],
          materials: [material('old body', 100, '7439-92-1', 5, 'Lead')],
        }),
        march: file(MARCH, [], { mass: [100, 'mg'], materials: [material('body', 100, '7440-21-3', 99)] }),
      },
      rows: [
        {
          part: 'P1',
          classes: 'D',
          declared_percent: 100,
          sources: ['march'],
          date: MARCH,
          indications: '',
          gate: ['not-declared', 'reach-not-declared'],
        },
      ],
    },
  ])
})

describe('the example of docs/status.md', () => {
  const files = {
    january: file('2026-01-12', [rohs({ Pb: true }), reach({ lead: true })]),
    february: file('2026-02-09', [rohs({ Pb: exempt('6(c)') })]),
    march: file('2026-03-02', [rohs({}, { groups: PHTHALATES })]),
    april: file('2026-04-20', [], {
      mass: [100, 'mg'],
      materials: [material('terminals', 100, '7439-92-1', 3, 'Lead')],
    }),
  }
  const row = {
    part: 'P1',
    rohs: 'compliant with exemptions',
    reach: 'SVHC',
    svhc: ['Lead'],
    indications: '',
    date: '2026-01-12',
    classes: 'CD',
    gate: ['svhc'],
  }
  itReports([
    {
      name: 'four files are one row',
      files,
      rows: [
        {
          ...row,
          sources: ['january', 'february', 'march', 'april'],
          note: [/RoHS \([^;]*Lead[^;]*\) from [^;]*february/, /RoHS \([^)]*BBP[^)]*\) from [^;]*march/],
        },
      ],
    },
    {
      name: 'a fifth with all ten groups supersedes those of February and March',
      files: { ...files, may: file('2026-05-11', [rohs()]) },
      rows: [
        {
          ...row,
          rohs: 'compliant',
          sources: ['january', 'april', 'may'],
          indications: /RoHS/,
          gate: ['contradictory', 'indicated', 'svhc'],
        },
      ],
      report: [/"superseded":2/],
    },
    {
      name: 'a sixth that states lead of the Candidate List changes REACH',
      files: { ...files, june: file('2026-06-15', [reach()]) },
      rows: [
        {
          ...row,
          reach: 'no SVHC',
          svhc: '',
          indications: ['7439-92-1'],
          gate: ['indicated'],
          sources: ['february', 'march', 'april', 'june'],
          date: '2026-02-09',
        },
      ],
    },
  ])
})

describe('a declaration that its supplier has not accepted takes back nothing that one has accepted', () => {
  itReports([
    {
      name: 'a newer one that says better',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]),
        march: file(MARCH, [rohs(), reach()], { accepted: 'false' }),
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc: ['Lead'] }],
    },
    {
      name: 'what only it states counts and is not accepted',
      files: {
        february: file(FEBRUARY, [rohs()]),
        march: file(MARCH, [reach({ lead: true })], { accepted: '0' }),
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'SVHC',
          sources: ['february', 'march'],
          gate: ['contradictory', 'svhc', 'unaccepted'],
        },
      ],
    },
    {
      // The contract does not say whether a newer, worse and unaccepted statement counts: the safest reading is that it does.
      name: 'a newer one that says worse is never passed over',
      files: {
        february: file(FEBRUARY, [rohs(), reach()]),
        march: file(MARCH, [rohs({ Pb: true }), reach({ lead: true })], { accepted: 'false' }),
      },
      rows: [{ part: 'P1', not: { rohs: /^compliant$/, reach: /^no SVHC$/ } }],
    },
    {
      name: 'an unaccepted older one is replaced by an accepted newer one',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })], { accepted: 'false' }),
        march: file(MARCH, [rohs(), reach()]),
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'no SVHC', sources: ['march'], gate: [] }],
    },
    {
      name: 'an unaccepted newer one replaces an unaccepted older one',
      files: {
        february: file(FEBRUARY, [rohs({ Pb: true }), reach()], { accepted: 'false' }),
        march: file(MARCH, [rohs(), reach()], { accepted: 'false' }),
      },
      rows: [{ part: 'P1', rohs: 'compliant', sources: ['march'], gate: ['unaccepted'] }],
    },
  ])
})

describe('an entry that one file states by its code and another by its name is one entry', () => {
  const named = (list: List): List => ({
    ...list,
    categories: list.categories.map(({ code: _, ...category }) => category),
  })
  const byCas = (list: List): List => ({
    ...list,
    categories: list.categories.map((category, index) => ({ ...category, code: `7439-92-${index}` })),
  })
  const twoOfLead = ['00001', '00002'].map((code) => ({ name: 'Lead', code, over: false }))
  const january = file(JANUARY, [reach({ lead: { over: true, amount: [0.2, 'massPercent'] } })])
  const byName = (lead: Category): Declaration =>
    file(FEBRUARY, [{ identity: 'EUREACH-0624', categories: [lead] }])

  itReports([
    {
      name: 'in counts, and in what each file decides',
      files: {
        january,
        february: byName({ name: 'LEAD', over: true, amount: [0.3, 'massPercent'] }),
      },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc_count: 1,
          svhc: 'LEAD (0.3 %)',
          note: [
            '241 entries of EUREACH-0624',
            /REACH \(240 entries\) from \S*january/,
            /REACH \(1 entry\) from \S*february/,
          ],
          not: { note: '242 entries' },
        },
      ],
    },
    {
      name: 'where the names come first, and the codes later take them back',
      files: {
        january: file(JANUARY, [named(reach({ lead: true }))]),
        february: file(FEBRUARY, [reach()]),
      },
      rows: [
        {
          part: 'P1',
          reach: 'no SVHC',
          svhc_count: 0,
          sources: ['february'],
          date: FEBRUARY,
          gate: ['not-declared'],
        },
      ],
      report: /"superseded":1/,
    },
    {
      name: 'where names later state all that codes did',
      files: { january, february: file(FEBRUARY, [named(reach())]) },
      rows: [
        {
          part: 'P1',
          reach: 'no SVHC',
          sources: ['february'],
          date: FEBRUARY,
          note: ['241 entries of EUREACH-0624'],
        },
      ],
      report: /"superseded":1/,
    },
    {
      name: 'in the history, where the older file is superseded as a whole',
      files: { january, february: file(FEBRUARY, [named(reach())]) },
      options: ['--history'],
      rows: [
        { part: 'P1', status: 'superseded', sources: ['january'], note: [`the declaration of ${FEBRUARY}`] },
        { part: 'P1', status: 'declared', sources: ['february'], not: { note: 'superseded' } },
      ],
    },
    {
      name: 'where the code is a CAS number',
      files: { january, february: file(FEBRUARY, [byCas(reach({ lead: true }))]) },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc_count: 1,
          sources: ['february'],
          note: ['241 entries of EUREACH-0624'],
        },
      ],
    },
    {
      name: 'within a file that has two lists',
      files: {
        january: file(JANUARY, [
          reach({ lead: true }, { list: 'EUREACH-0622' }),
          named(reach({}, { entries: ['lead'] })),
        ]),
      },
      rows: [{ part: 'P1', reach: 'incomplete', svhc: '', note: ['224 of 241 entries'] }],
    },
    {
      name: 'a name that two codes have is stated again where both are',
      files: {
        january: file(JANUARY, [{ identity: 'EUREACH-0624', categories: twoOfLead }]),
        february: byName({ name: 'Lead', over: true }),
        march: file(MARCH, [{ identity: 'EUREACH-0624', categories: twoOfLead }]),
      },
      rows: [{ part: 'P1', reach: 'incomplete', svhc: '', sources: ['march'] }],
    },
  ])
})

describe('statements are merged', () => {
  const february = xmlOf(file(FEBRUARY, [rohs({ Pb: true }), reach({ lead: true })]))
  const march = xmlOf(file(MARCH, [rohs()]))
  const MERGED = [
    { part: 'P1', rohs: 'compliant', reach: 'SVHC', svhc_count: 1, date: FEBRUARY, classes: 'C' },
  ]

  it('over archives, directories and files alike', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'february.zip'), zip([{ name: 'a.xml', data: february }]))
      await writeFile(join(cwd, 'march.zip'), zip([{ name: 'a.xml', data: march }]))
      await writeFile(join(cwd, 'march.xml'), march)
      const env = { XDG_CONFIG_HOME: cwd, XDG_STATE_HOME: cwd }
      const nowMs = Date.parse(`${TODAY}T12:00:00Z`)
      for (const sources of [
        ['february.zip', 'march.zip'],
        ['march.zip', 'february.zip'],
        ['february.zip', 'march.xml'],
      ]) {
        const result = await cli(['report', ...sources, '--json'], { cwd, env, nowMs })
        expect(result.json().rows, sources.join(' ')).toMatchObject(MERGED)
        expect(String((result.json().rows as { source: string }[])[0]?.source)).toContain(
          'february.zip!a.xml',
        )
      }
    })
  })
})
