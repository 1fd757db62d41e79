import { describe } from 'vitest'
import { type Case, itReports } from './cases.ts'
import { exempt, type Material, material, type Product, reach, rohs } from './declarations.ts'

/** A part of 1 g in which a small material is no share worth naming of the whole article. */
const inLargePart = (...materials: Material[]): Pick<Product, 'mass' | 'materials'> => ({
  mass: [1000, 'g'],
  materials: [
    ...materials,
    {
      name: 'case',
      amount: [999, 'g'],
      substances: [{ name: 'Iron', cas: '7439-89-6', concentration: [100] }],
    },
  ],
})
const STATED = [rohs(), reach()]
const NO_WORDS = { gate: [], indications: '' } as const

describe('indications come from class D by CAS number, per homogeneous material for RoHS', () => {
  itReports([
    {
      name: 'above the threshold and not declared: substance, CAS, share and where, with the gate word; the status stays',
      files: { a: { lists: STATED, ...inLargePart(material('solder', 10, '7439-92-1', 3.5, 'Lead')) } },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          reach: 'no SVHC',
          svhc_count: 0,
          indications: ['Lead', '7439-92-1', '3.5', 'solder'],
          gate: ['indicated'],
          findings: 'indicated',
        },
      ],
    },
    {
      name: 'exactly at the threshold is not above it',
      files: { a: { lists: STATED, ...inLargePart(material('solder', 10, '7439-92-1', 0.1, 'Lead')) } },
      rows: [{ part: 'P1', rohs: 'compliant', ...NO_WORDS }],
    },
    {
      name: 'just above the threshold',
      files: { a: { lists: STATED, ...inLargePart(material('solder', 10, '7439-92-1', 0.1001, 'Lead')) } },
      rows: [{ part: 'P1', rohs: 'compliant', indications: ['7439-92-1'], gate: ['indicated'] }],
    },
    {
      name: 'cadmium counts from 0.01 %',
      files: {
        above: {
          part: 'P1',
          lists: STATED,
          ...inLargePart(material('plating', 10, '7440-43-9', 0.02, 'Cadmium')),
        },
        at: {
          part: 'P2',
          lists: STATED,
          ...inLargePart(material('plating', 10, '7440-43-9', 0.01, 'Cadmium')),
        },
      },
      rows: [
        { part: 'P1', indications: ['7440-43-9', 'plating'], gate: ['indicated'] },
        { part: 'P2', ...NO_WORDS },
      ],
    },
    {
      name: 'the share of the metal counts: lead monoxide is 92.83 % lead',
      files: {
        below: {
          part: 'P1',
          lists: STATED,
          ...inLargePart(material('glass', 10, '1317-36-8', 0.107, 'Lead monoxide')),
        },
        above: {
          part: 'P2',
          lists: STATED,
          ...inLargePart(material('glass', 10, '1317-36-8', 0.11, 'Lead monoxide')),
        },
      },
      rows: [
        { part: 'P1', ...NO_WORDS },
        { part: 'P2', indications: ['1317-36-8', 'glass'], gate: ['indicated'] },
      ],
    },
    {
      name: 'lead distearate of 0.3 % is 0.08 % lead',
      files: {
        a: { lists: STATED, ...inLargePart(material('PVC', 10, '1072-35-1', 0.3, 'Lead distearate')) },
      },
      rows: [{ part: 'P1', ...NO_WORDS }],
    },
    {
      name: 'the compounds of a group in one material count together',
      files: {
        a: {
          lists: STATED,
          ...inLargePart({
            name: 'glass',
            amount: [10, 'mg'],
            substances: [
              { name: 'Lead', cas: '7439-92-1', concentration: ['0.06'] },
              { name: 'Lead monoxide', cas: '1317-36-8', concentration: ['0.06'] },
              { name: 'Silicon', cas: '7440-21-3', concentration: ['99.88'] },
            ],
          }),
        },
      },
      rows: [{ part: 'P1', indications: [/lead/i, 'glass'], gate: ['indicated'] }],
    },
    {
      name: 'in two materials they do not',
      files: {
        a: {
          lists: STATED,
          ...inLargePart(
            material('glass', 10, '7439-92-1', 0.06, 'Lead'),
            material('solder', 10, '7439-92-1', 0.06, 'Lead'),
          ),
        },
      },
      rows: [{ part: 'P1', ...NO_WORDS }],
    },
    ...[
      ['an amount in mg', { amount: ['0.02', 'mg'] as const }],
      ['an amount in ppm', { amount: ['2000', 'ppm'] as const }],
      ['an amount in massPercent', { amount: ['0.2', 'massPercent'] as const }],
      ['a concentration in ppm', { concentration: ['2000', 'ppm'] as const }],
    ].map(
      ([words, quantity]): Case => ({
        name: `from ${words} of the material`,
        files: {
          a: {
            lists: STATED,
            ...inLargePart({
              name: 'solder',
              amount: [10, 'mg'],
              substances: [
                { name: 'Lead', cas: '7439-92-1', ...(quantity as object) },
                { name: 'Tin', cas: '7440-31-5', amount: ['99.8', 'massPercent'] },
              ],
            }),
          },
        },
        rows: [{ part: 'P1', rohs: 'compliant', indications: ['7439-92-1'], gate: ['indicated'] }],
      }),
    ),
    {
      name: 'what is declared over is not listed, with an exemption or without',
      files: {
        exempt: {
          part: 'P1',
          lists: [rohs({ Pb: exempt('6(c)') }), reach({ lead: true })],
          ...inLargePart(material('brass', 10, '7439-92-1', 3.5, 'Lead')),
        },
        over: {
          part: 'P2',
          lists: [rohs({ Pb: true }), reach({ lead: true })],
          ...inLargePart(material('brass', 10, '7439-92-1', 3.5, 'Lead')),
        },
      },
      rows: [
        { part: 'P1', rohs: 'compliant with exemptions', indications: '', gate: ['svhc'] },
        { part: 'P2', rohs: 'not compliant', indications: '', gate: ['not-compliant', 'svhc'] },
      ],
    },
    {
      name: 'another group that is declared over does not stand for it',
      files: {
        a: {
          lists: [rohs({ Cd: true }), reach()],
          ...inLargePart(material('brass', 10, '7439-92-1', 3.5, 'Lead')),
        },
      },
      rows: [
        {
          part: 'P1',
          rohs: 'not compliant',
          indications: ['7439-92-1'],
          gate: ['indicated', 'not-compliant'],
        },
      ],
    },
    {
      name: 'without any class C list an indication changes no status',
      files: { a: inLargePart(material('solder', 10, '7439-92-1', 3.5, 'Lead')) },
      rows: [
        {
          part: 'P1',
          rohs: 'not declared',
          reach: 'not declared',
          svhc_count: null,
          indications: ['7439-92-1'],
          gate: ['indicated', 'not-declared', 'reach-not-declared'],
        },
      ],
    },
    {
      name: 'also where class C and class D come from different files',
      files: {
        january: { date: '2026-01-10', ...inLargePart(material('solder', 10, '7439-92-1', 3.5, 'Lead')) },
        march: { date: '2026-03-10', lists: STATED },
      },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant',
          indications: ['7439-92-1'],
          gate: ['indicated'],
          sources: ['january', 'march'],
        },
      ],
    },
    {
      // The share of lead in it is not known (the table leaves it empty): it is named, not left out.
      name: 'a compound of unknown share is never passed over',
      files: {
        a: {
          lists: STATED,
          ...inLargePart(material('paint', 10, '1344-37-2', 50, 'Lead sulfochromate yellow')),
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant', indications: ['1344-37-2'], gate: ['indicated'] }],
    },
    {
      name: 'phthalates and flame retardants count as a whole',
      files: {
        a: { part: 'P1', lists: STATED, ...inLargePart(material('sheath', 10, '117-81-7', 0.2, 'DEHP')) },
        b: { part: 'P2', lists: STATED, ...inLargePart(material('sheath', 10, '1163-19-5', 0.2, 'DecaBDE')) },
        c: { part: 'P3', lists: STATED, ...inLargePart(material('sheath', 10, '117-81-7', 0.09, 'DEHP')) },
      },
      rows: [
        { part: 'P1', indications: ['117-81-7'], gate: ['indicated'] },
        { part: 'P2', indications: ['1163-19-5'], gate: ['indicated'] },
        { part: 'P3', ...NO_WORDS },
      ],
    },
    {
      name: 'a CAS number written otherwise is screened or counted, never passed over',
      files: {
        a: { part: 'P1', lists: STATED, ...inLargePart(material('solder', 10, ' 7439-92-1 ', 5, 'Lead')) },
        b: {
          part: 'P2',
          lists: STATED,
          ...inLargePart(material('solder', 10, '7439\u201392\u20111', 5, 'Lead')),
        },
        c: { part: 'P3', lists: STATED, ...inLargePart(material('solder', 10, 'CAS 7439-92-1', 5, 'Lead')) },
        d: { part: 'P4', lists: STATED, ...inLargePart(material('solder', 10, '7439921', 5, 'Lead')) },
        e: { part: 'P5', lists: STATED, ...inLargePart(material('solder', 10, '0007439-92-1', 5, 'Lead')) },
      },
      rows: ['P1', 'P2', 'P3', 'P4', 'P5'].map((part) => ({
        part,
        rohs: 'compliant',
        told: /7439-92-1|not screened/,
      })),
    },
    {
      name: 'a restricted substance without a readable share is counted, never passed over',
      files: {
        a: {
          lists: STATED,
          ...inLargePart({
            name: 'solder',
            amount: [10, 'mg'],
            substances: [{ name: 'Lead', cas: '7439-92-1' }],
          }),
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant', told: /7439-92-1|not screened/ }],
    },
    {
      name: 'from a concentration alone, where the material has no mass',
      files: {
        a: {
          lists: STATED,
          materials: [
            { name: 'solder', substances: [{ name: 'Lead', cas: '7439-92-1', concentration: [5] }] },
          ],
        },
      },
      rows: [{ part: 'P1', indications: ['7439-92-1', 'solder'], gate: ['indicated'] }],
    },
    {
      name: 'a substance of no concern is none',
      files: { a: { lists: STATED, ...inLargePart(material('wire', 10, '7440-57-5', 99, 'Gold')) } },
      rows: [{ part: 'P1', rohs: 'compliant', ...NO_WORDS }],
    },
  ])
})

describe('per article for SVHC', () => {
  const BPA = '80-05-7'
  itReports([
    {
      name: 'a share of the article above 0.1 % and not declared',
      files: {
        a: { mass: [100, 'mg'], lists: STATED, materials: [material('board', 100, BPA, 0.2, 'Bisphenol A')] },
      },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0, indications: [BPA, '0.2'], gate: ['indicated'] }],
    },
    {
      name: 'a large share of a small material is a small share of the article',
      files: { a: { lists: STATED, ...inLargePart(material('glue', 10, BPA, 20, 'Bisphenol A')) } },
      rows: [{ part: 'P1', reach: 'no SVHC', ...NO_WORDS }],
    },
    {
      name: 'exactly 0.1 % of the article is not above it',
      files: {
        a: { mass: [100, 'mg'], lists: STATED, materials: [material('board', 100, BPA, 0.1, 'Bisphenol A')] },
      },
      rows: [{ part: 'P1', ...NO_WORDS }],
    },
    {
      name: 'the masses in several materials of the article count together',
      files: {
        a: {
          mass: [100, 'mg'],
          lists: STATED,
          materials: [
            material('board', 50, BPA, 0.12, 'Bisphenol A'),
            material('mask', 50, BPA, 0.1, 'Bisphenol A'),
          ],
        },
      },
      rows: [{ part: 'P1', indications: [BPA], gate: ['indicated'] }],
    },
    {
      name: 'without a mass of the product its materials are the article',
      files: { a: { lists: STATED, materials: [material('board', 100, BPA, 0.2, 'Bisphenol A')] } },
      rows: [{ part: 'P1', indications: [BPA], gate: ['indicated'] }],
    },
    {
      name: 'the article is the sub-product, not the product around it',
      files: {
        a: {
          mass: [100, 'g'],
          lists: STATED,
          subProducts: [
            { part: 'label', mass: [10, 'mg'], materials: [material('ink', 10, BPA, 0.5, 'Bisphenol A')] },
            { part: 'housing', mass: [99, 'g'], materials: [material('case', 99000, '7440-21-3', 99)] },
          ],
        },
      },
      rows: [{ part: 'P1', indications: [BPA, 'label'], gate: ['indicated'] }],
    },
    {
      name: 'what is declared as an SVHC is not listed',
      files: {
        a: {
          mass: [100, 'mg'],
          lists: [rohs(), reach({ bpa: true })],
          materials: [material('board', 100, BPA, 0.2, 'Bisphenol A')],
        },
      },
      rows: [{ part: 'P1', reach: 'SVHC', indications: '', gate: ['svhc'] }],
    },
    {
      name: 'the RoHS statement of lead does not declare it as an SVHC',
      files: {
        a: {
          mass: [100, 'mg'],
          lists: [rohs({ Pb: exempt('6(c)') }), reach()],
          materials: [material('brass', 100, '7439-92-1', 3.5, 'Lead')],
        },
      },
      rows: [
        { part: 'P1', rohs: 'compliant with exemptions', indications: ['7439-92-1'], gate: ['indicated'] },
      ],
    },
  ])
})

describe('what is declared or said of one substance hides no other one', () => {
  itReports([
    {
      name: 'a group in two hundred materials does not hide another group',
      files: {
        a: {
          mass: [210, 'g'],
          lists: [rohs({ Pb: exempt('6(c)') }), reach({ lead: true })],
          materials: [
            ...Array.from({ length: 205 }, (_, index) =>
              material(`brass ${index}`, 1000, '7439-92-1', 3, 'Lead'),
            ),
            material('plating', 5000, '7440-43-9', 0.02, 'Cadmium'),
          ],
        },
      },
      rows: [{ part: 'P1', indications: ['7440-43-9', 'plating'], gate: ['indicated', 'svhc'] }],
    },
    {
      name: 'a piece of a chemical name is not a name: DEHP declared over is not another 2-ethylhexyl compound',
      files: {
        a: {
          mass: [100, 'mg'],
          lists: [rohs(), reach({ dehp: true })],
          materials: [material('sheath', 100, '26040-51-7', 5, 'bis(2-ethylhexyl) tetrabromophthalate')],
        },
      },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          indications: ['26040-51-7'],
          gate: ['contradictory', 'indicated', 'svhc'],
        },
      ],
    },
    {
      name: 'two articles of the same name are two articles',
      files: {
        a: {
          mass: [1, 'g'],
          lists: STATED,
          subProducts: [1, 2].map(() => ({
            part: 'resistor',
            mass: [500, 'mg'] as const,
            materials: [material('body', 500, '80-05-7', 0.06, 'Bisphenol A')],
          })),
        },
      },
      rows: [{ part: 'P1', ...NO_WORDS }],
    },
  ])
})

describe('a newer composition takes back what an older one indicates', () => {
  const older = {
    date: '2026-01-10',
    lists: STATED,
    ...inLargePart(material('plating', 10, '7440-43-9', 5, 'Cadmium')),
  }
  const newer = (...substances: Material['substances']) => ({
    date: '2026-02-10',
    mass: [10, 'mg'] as const,
    materials: [{ name: 'plating', amount: [10, 'mg'] as const, substances }],
  })
  const silent: readonly (readonly [string, Material['substances']])[] = [
    ['without substances', []],
    ['with nothing but confidential ones', [{ name: 'secret', cas: 'system', concentration: ['100'] }]],
    ['with shares that cannot be read', [{ name: 'Tin', cas: '7440-31-5', amount: ['1', 'furlong'] }]],
    [
      'with the substance, but without its share',
      [
        { name: 'Cadmium', cas: '7440-43-9' },
        { name: 'Tin', cas: '7440-31-5', concentration: ['99'] },
      ],
    ],
  ]
  itReports([
    ...silent.map(
      ([words, substances]): Case => ({
        name: `not one ${words}`,
        files: { older, newer: newer(...substances) },
        rows: [
          {
            part: 'P1',
            rohs: 'compliant',
            indications: ['7440-43-9'],
            gate: words.includes('without its share') ? ['indicated', 'not-screened'] : ['indicated'],
            sources: ['older', 'newer'],
          },
        ],
      }),
    ),
    {
      name: 'where its substances have shares',
      files: { older, newer: newer({ name: 'Tin', cas: '7440-31-5', concentration: ['100'] }) },
      rows: [{ part: 'P1', rohs: 'compliant', ...NO_WORDS }],
    },
  ])
})

describe('substances without a CAS number are counted as not screened', () => {
  const unnamed = (cas: string | undefined, authority?: string): Material => ({
    name: 'mould',
    amount: [100, 'mg'],
    substances: [
      {
        name: 'Trade secret',
        ...(cas === undefined ? {} : { cas }),
        ...(authority === undefined ? {} : { authority }),
        concentration: ['5'],
      },
      { name: 'Trade secret 2', ...(cas === undefined ? {} : { cas }), concentration: ['5'] },
      { name: 'Silicon dioxide', cas: '7631-86-9', concentration: ['90'] },
    ],
  })
  const TOLD = /\b2\b[^;]*not screened|not screened[^;]*\b2\b/i
  itReports([
    ...(
      [
        ['no identifier', undefined],
        ['system', 'system'],
        ['a dash', '-'],
        ['MISC., NOT TO DECLARE', 'MISC., NOT TO DECLARE'],
        ['a wrong check digit', '7439-92-2'],
      ] as const
    ).map(
      ([words, cas]): Case => ({
        name: words,
        files: { a: { mass: [100, 'mg'], lists: STATED, materials: [unnamed(cas)] } },
        // In which of the two columns the number stands is not fixed.
        rows: [{ part: 'P1', rohs: 'compliant', gate: [], told: TOLD }],
      }),
    ),
    {
      name: 'with CAS numbers there is nothing of the kind',
      files: { a: { mass: [100, 'mg'], lists: STATED, materials: [material('body', 100, '7440-21-3', 99)] } },
      rows: [{ part: 'P1', gate: [], indications: '', not: { note: /not screened/i } }],
    },
  ])
})
