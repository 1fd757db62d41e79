import { describe } from 'vitest'
import { type Case, itReports } from './cases.ts'
import {
  ALL_GROUPS,
  exempt,
  type Group,
  type List,
  METALS_AND_FLAME_RETARDANTS,
  material,
  other,
  PHTHALATES,
  reach,
  rohs,
} from './declarations.ts'

const NAMED: Readonly<Record<Group, RegExp>> = {
  Cd: /cadmium|\bCd\b/i,
  PBB: /\bPBBs?\b|polybrominated biphenyl/i,
  PBDE: /\bPBDEs?\b|polybrominated diphenyl/i,
  CrVI: /chromium|Cr ?\(?VI/i,
  Pb: /\blead\b|\bPb\b/i,
  Hg: /mercury|\bHg\b/i,
  DEHP: /DEHP/i,
  BBP: /\bBBP/i,
  DBP: /\bDBP/i,
  DIBP: /DIBP/i,
}

/** The list as other programs write it: without codes, without names, or with other names. */
const withoutCodes = (list: List): List => ({
  ...list,
  categories: list.categories.map((category) => ({ ...category, code: undefined })),
})
const withNames = (list: List, names: readonly string[]): List => ({
  ...list,
  categories: list.categories.map((category, index) => ({
    ...category,
    name: names[index] ?? category.name,
  })),
})
const SHORT_NAMES = ['Cadmium', 'PBB', 'PBDE', 'Cr(VI)', 'Lead', 'Mercury', 'DEHP', 'BBP', 'DBP', 'DIBP']

describe('RoHS is compliant only when all ten groups of Annex II are stated', () => {
  itReports([
    {
      name: 'all ten, none over',
      files: { a: { lists: [rohs()] } },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          rohs_list: 'EUROHS-1907',
          exemptions: '',
          gate: ['reach-not-declared'],
        },
      ],
    },
    ...ALL_GROUPS.map(
      (group): Case => ({
        name: `without ${group} it is incomplete and names what is missing`,
        files: { a: { lists: [rohs({}, { groups: ALL_GROUPS.filter((one) => one !== group) })] } },
        rows: [
          {
            part: 'P1',
            rohs: 'incomplete',
            note: [NAMED[group]],
            gate: ['incomplete', 'reach-not-declared'],
          },
        ],
      }),
    ),
    {
      name: 'six groups of EUROHS-0508 are incomplete: four phthalates are missing',
      files: { a: { lists: [rohs({}, { list: 'EUROHS-0508', groups: METALS_AND_FLAME_RETARDANTS })] } },
      rows: [{ part: 'P1', rohs: 'incomplete', note: PHTHALATES.map((group) => NAMED[group]) }],
    },
    {
      name: 'whatever the list is called: ten groups under the name EUROHS-0508',
      files: { a: { lists: [rohs({}, { list: 'EUROHS-0508' })] } },
      rows: [{ part: 'P1', rohs: 'compliant' }],
    },
    {
      name: 'whatever the list is called: six groups under the name EUROHS-1907',
      files: { a: { lists: [rohs({}, { groups: METALS_AND_FLAME_RETARDANTS })] } },
      rows: [{ part: 'P1', rohs: 'incomplete', note: [NAMED.DEHP] }],
    },
    {
      name: 'whatever the list is called: six groups under a name of a year to come',
      files: { a: { lists: [rohs({}, { list: 'EUROHS-3001', groups: METALS_AND_FLAME_RETARDANTS })] } },
      rows: [{ part: 'P1', rohs: 'incomplete', note: [NAMED.DIBP] }],
    },
    {
      name: 'ten categories of which two are the same group are nine groups',
      files: {
        a: {
          lists: [
            {
              identity: 'EUROHS-1907',
              categories: [
                ...rohs({}, { groups: ALL_GROUPS.filter((group) => group !== 'Hg') }).categories,
                { name: 'Lead/lead compounds', code: '00005', over: false },
              ],
            },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', note: [NAMED.Hg] }],
    },
    {
      name: 'ten groups without codes, as converters write them',
      files: { a: { lists: [withoutCodes(rohs())] } },
      rows: [{ part: 'P1', rohs: 'compliant' }],
    },
    {
      name: 'ten groups without codes by their short names',
      files: { a: { lists: [withoutCodes(withNames(rohs(), SHORT_NAMES))] } },
      rows: [{ part: 'P1', rohs: 'compliant' }],
    },
    {
      name: 'ten groups with codes and without names',
      files: {
        a: {
          lists: [
            withNames(
              rohs(),
              ALL_GROUPS.map(() => ''),
            ),
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant' }],
    },
    {
      name: 'without codes, DBP is not DIBP and PBB is not PBDE',
      files: {
        a: {
          lists: [
            withoutCodes(rohs({}, { groups: ALL_GROUPS.filter((one) => !['DIBP', 'PBDE'].includes(one)) })),
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', note: [NAMED.DIBP, NAMED.PBDE] }],
    },
    {
      name: 'a group that is over in the second of two categories is over',
      files: {
        a: {
          lists: [
            {
              identity: 'EUROHS-1907',
              categories: [...rohs().categories, { name: 'Lead/lead compounds', code: '00005', over: true }],
            },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'not compliant', note: [NAMED.Pb] }],
    },
    {
      name: 'a category that is over and of no known group is never passed over',
      files: {
        a: {
          lists: [
            {
              identity: 'EUROHS-1907',
              categories: [
                ...rohs().categories,
                { name: 'Tetrabromobisphenol A', code: '00042', over: true },
              ],
            },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: /^(?:not compliant|incomplete)$/, note: ['Tetrabromobisphenol'] }],
    },
    {
      name: 'no list is not declared, never compliant',
      files: { a: { lists: [reach()] } },
      rows: [{ part: 'P1', rohs: 'not declared', rohs_list: '', gate: ['not-declared'] }],
    },
    {
      name: 'a list inside a homogeneous material is not class C',
      files: {
        a: { mass: [10, 'mg'], materials: [material('EUROHS-1907', 10, '7440-21-3', 99)] },
      },
      rows: [{ part: 'P1', rohs: 'not declared', classes: 'D' }],
    },
    {
      name: 'China RoHS is another list, never EU RoHS',
      files: { a: { lists: [{ ...rohs(), identity: 'China_RoHS_2' }] } },
      rows: [{ part: 'P1', rohs: 'not declared', other_lists: ['China_RoHS_2', 'none over'] }],
    },
  ])
})

describe('an exemption exempts when it is a number', () => {
  itReports([
    ...[
      '6(c)',
      '6c',
      '6 (c)',
      'III-6(c)',
      'RoHS-6(c)',
      'Exemption number: 6(c)',
      '7(c)-I',
      '7cI',
      '7c-I',
      '7(c) - 1',
    ].map(
      (exemption): Case => ({
        name: `in any usual spelling: ${exemption}`,
        files: { a: { lists: [rohs({ Pb: exempt(exemption) })] } },
        rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: [/\d/, 'Lead'] }],
      }),
    ),
    {
      name: 'several numbers in one text',
      files: { a: { lists: [rohs({ Pb: exempt('6(c), 7(a)') })] } },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: ['6(c)', '7(a)'] }],
    },
    {
      name: 'a number with its description',
      files: {
        a: {
          lists: [
            rohs({
              Pb: exempt({
                identity: '6(c)',
                description: 'Copper alloy containing up to 4 % lead by weight',
              }),
            }),
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: ['6(c)'] }],
    },
    ...[
      '6(c) Copper alloy containing up to 4 % lead by weight',
      '5(b) Lead in glass of fluorescent tubes not exceeding 0,2 % by weight',
      '7(a) - Lead in high melting temperature type solders (i.e. lead-based alloys containing 85 % by weight or more lead)',
      '7(c)-I: Electrical and electronic components containing lead in a glass or ceramic other than dielectric ceramic in capacitors',
    ].map(
      (text): Case => ({
        name: `a number with the words of the directive: ${text.slice(0, 40)} …`,
        files: { a: { lists: [rohs({ Pb: exempt(text) })] } },
        rows: [{ part: 'P1', rohs: 'compliant with exemptions' }],
      }),
    ),
    {
      name: '8(b)-I is for cadmium',
      files: { a: { lists: [rohs({ Cd: exempt('8(b)-I') })] } },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: ['8(b)-I', 'Cadmium'] }],
    },
    {
      name: 'an unknown number included',
      files: { a: { lists: [rohs({ Pb: exempt('99(z)-IV') })] } },
      rows: [
        { part: 'P1', rohs: 'compliant with exemptions', exemptions: ['99(z)-IV'], exemption_expires: '' },
      ],
    },
    ...['none', 'None', 'N/A', 'pending', 'see comment', 'yes', 'TBD', 'lead in solder', 'not exempt'].map(
      (text): Case => ({
        name: `any other text is incomplete with the text quoted: ${text}`,
        files: { a: { lists: [rohs({ Pb: exempt(text) })] } },
        rows: [{ part: 'P1', rohs: 'incomplete', note: [text], gate: ['incomplete', 'reach-not-declared'] }],
      }),
    ),
    ...[
      '6(c) pending',
      'not 6(c)',
      '6(c)?',
      '6(c) expired',
      '6(c) not claimed',
      '2011/65/EU',
      'III',
      '0.1 %',
      'up to 4 % lead',
      '6(c) does not apply',
      '6(c) cannot be used',
      '6(c) rejected',
      '6(c) ended 2024',
      '6(c) to be confirmed',
      '6(c) if renewed',
      '6(c) no',
      '6(c) nicht anwendbar',
      '6(c) lead in brass, lapsed',
    ].map(
      (text): Case => ({
        name: `a number among other words is no number: ${text}`,
        files: { a: { lists: [rohs({ Pb: exempt(text) })] } },
        rows: [{ part: 'P1', rohs: /^(?:incomplete|not compliant)$/, note: [text] }],
      }),
    ),
    {
      name: 'a description that takes the number back exempts from nothing, and is quoted',
      files: {
        a: { lists: [rohs({ Pb: exempt({ identity: '6(c)', description: 'exemption not claimed' }) })] },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', note: ['exemption not claimed'] }],
    },
    ...['6(c) Annex III', '6(c) of RoHS Annex III', '6(c), expires 21 July 2026', '6(c) and 7(a)'].map(
      (text): Case => ({
        name: `a number with its law or its date: ${text}`,
        files: { a: { lists: [rohs({ Pb: exempt(text) })] } },
        rows: [{ part: 'P1', rohs: 'compliant with exemptions' }],
      }),
    ),
    ...[
      { identity: 'none', description: 'exemption 6(c) is not claimed' },
      { identity: 'N/A', description: 'Copper alloy containing up to 4 % lead by weight' },
      { identity: 'pending', description: '6(c)' },
      { identity: '', description: 'to be determined' },
    ].map(
      (exemption): Case => ({
        name: `words in the description exempt from nothing: ${exemption.identity}, ${exemption.description}`,
        files: { a: { lists: [rohs({ Pb: exempt(exemption) })] } },
        rows: [{ part: 'P1', rohs: /^(?:incomplete|not compliant)$/ }],
      }),
    ),
    {
      name: 'an empty text exempts from nothing',
      files: { a: { lists: [rohs({ Pb: exempt('') })] } },
      rows: [{ part: 'P1', rohs: /^(?:incomplete|not compliant)$/ }],
    },
    {
      // 39(a) is for cadmium, 6(c) for lead: the shipped table says so in words only, or in a column of its own.
      name: 'not when the table says that it is for another substance',
      files: {
        cadmium: { part: 'P1', lists: [rohs({ Pb: exempt('39(a)') })] },
        lead: { part: 'P2', lists: [rohs({ Cd: exempt('6(c)') })] },
        phthalate: { part: 'P3', lists: [rohs({ DEHP: exempt('6(c)') })] },
      },
      rows: ['P1', 'P2', 'P3'].map((part) => ({ part, rohs: /^(?:incomplete|not compliant)$/ })),
    },
    {
      name: 'a number and another text: the number exempts, the text is never better',
      files: { a: { lists: [rohs({ Pb: exempt('6(c)', 'pending') })] } },
      rows: [{ part: 'P1', rohs: /^(?:incomplete|compliant with exemptions)$/, note: ['pending'] }],
    },
    {
      name: 'one of two groups over has none: not compliant',
      files: { a: { lists: [rohs({ Pb: exempt('6(c)'), Cd: true })] } },
      rows: [{ part: 'P1', rohs: 'not compliant', note: [NAMED.Cd] }],
    },
    {
      name: 'one group over without, one with another text: not compliant',
      files: { a: { lists: [rohs({ Pb: exempt('pending'), Cd: true })] } },
      rows: [{ part: 'P1', rohs: 'not compliant', note: [NAMED.Cd, 'pending'] }],
    },
    {
      name: 'an exemption where nothing is over is told',
      files: { a: { lists: [rohs({ Pb: { over: false, exemptions: ['6(c)'] } })] } },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemptions: ['6(c)'] }],
    },
    {
      name: 'exempt, but with nine groups: incomplete',
      files: {
        a: { lists: [rohs({ Pb: exempt('6(c)') }, { groups: ALL_GROUPS.filter((one) => one !== 'DBP') })] },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', exemptions: ['6(c)'], note: [NAMED.DBP] }],
    },
    {
      name: 'over without an exemption, and with nine groups: not compliant',
      files: { a: { lists: [rohs({ Pb: true }, { groups: ALL_GROUPS.filter((one) => one !== 'DBP') })] } },
      rows: [{ part: 'P1', rohs: 'not compliant', note: [NAMED.Pb] }],
    },
  ])
})

describe('over the threshold', () => {
  itReports([
    {
      name: 'true and 1 are over',
      files: {
        a: { part: 'P1', lists: [rohs({ Pb: 'true' })] },
        b: { part: 'P2', lists: [rohs({ Pb: '1' })] },
        c: { part: 'P3', lists: [rohs({ Pb: 'TRUE' })] },
      },
      rows: ['P1', 'P2', 'P3'].map((part) => ({ part, rohs: 'not compliant' })),
    },
    {
      name: 'false and 0 are not',
      files: {
        a: { part: 'P1', lists: [rohs({ Pb: 'false' })] },
        b: { part: 'P2', lists: [rohs({ Pb: '0' })] },
      },
      rows: ['P1', 'P2'].map((part) => ({ part, rohs: 'compliant' })),
    },
    {
      name: 'a missing Threshold, an empty and another word are incomplete, never better and never worse',
      files: {
        a: { part: 'P1', lists: [rohs({ Pb: undefined })] },
        b: { part: 'P2', lists: [rohs({ Pb: '' })] },
        c: { part: 'P3', lists: [rohs({ Pb: 'unknown' })] },
        d: { part: 'P4', lists: [rohs({ Pb: 'yes' })] },
      },
      rows: ['P1', 'P2', 'P3', 'P4'].map((part) => ({
        part,
        rohs: 'incomplete',
        gate: ['incomplete', 'reach-not-declared'],
      })),
    },
    {
      name: 'what is not understood does not hide what is over',
      files: { a: { lists: [rohs({ Pb: 'unknown', Cd: true })] } },
      rows: [{ part: 'P1', rohs: 'not compliant' }],
    },
    {
      name: 'of several articles inside the product the worst status counts',
      files: {
        a: {
          lists: [],
          subProducts: [
            { part: 'S1', lists: [rohs(), reach()] },
            { part: 'S2', lists: [rohs({ Pb: true }), reach({ lead: true })] },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc: ['Lead'] }],
    },
    {
      name: 'a list of the product does not hide what an article inside it states over',
      files: {
        a: {
          lists: [rohs(), reach()],
          subProducts: [
            { part: 'S1', lists: [rohs({ Pb: true }), reach({ lead: true })] },
            { part: 'S2', lists: [rohs(), reach()] },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC', svhc: ['Lead'] }],
    },
    {
      name: 'two articles that state different groups state those together that both state',
      files: {
        a: {
          lists: [],
          subProducts: [
            { part: 'S1', lists: [rohs({}, { groups: METALS_AND_FLAME_RETARDANTS })] },
            { part: 'S2', lists: [rohs({}, { groups: PHTHALATES })] },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'incomplete' }],
    },
    {
      name: 'a list for one of two articles inside the product is incomplete',
      files: {
        a: {
          lists: [],
          subProducts: [
            { part: 'S1', lists: [rohs(), reach()] },
            { part: 'S2', lists: [other('Prop_65_substances', { Toluene: false })] },
          ],
        },
      },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          reach: 'incomplete',
          svhc_count: null,
          note: ['S2 has no RoHS list; S1 states 10 entries', 'S2 has no REACH list'],
        },
      ],
    },
    {
      name: 'an old list alone is incomplete; its status is not that of its groups alone',
      files: {
        a: {
          lists: [rohs({ Pb: exempt('6(c)') }, { list: 'EUROHS-0509', groups: METALS_AND_FLAME_RETARDANTS })],
        },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', exemptions: ['6(c)'] }],
    },
  ])
})
