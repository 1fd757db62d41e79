import { describe } from 'vitest'
import { type Case, itReports } from './cases.ts'
import { other, reach, rohs } from './declarations.ts'

describe('reach is "no SVHC", "SVHC", "incomplete" or "not declared"', () => {
  itReports([
    {
      name: 'no entry over',
      files: { a: { lists: [rohs(), reach()] } },
      rows: [{ part: 'P1', reach: 'no SVHC', svhc_count: 0, svhc: '', reach_list: 'EUREACH-0624', gate: [] }],
    },
    {
      name: 'an entry over, with its code and share',
      files: { a: { lists: [rohs(), reach({ lead: { over: true, amount: ['0.25', 'massPercent'] } })] } },
      rows: [
        {
          part: 'P1',
          reach: 'SVHC',
          svhc_count: 1,
          svhc: ['Lead', '00188', '0.25'],
          rohs: 'compliant',
          gate: ['contradictory', 'svhc'],
        },
      ],
    },
    {
      name: 'an amount in mg is shown with its unit',
      files: {
        a: { mass: [1000, 'g'], lists: [rohs(), reach({ lead: { over: true, amount: ['12.5', 'mg'] } })] },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc: [/12\.5 mg/] }],
    },
    {
      name: 'of several amounts in mg the highest is shown',
      files: {
        a: {
          mass: [1000, 'g'],
          subProducts: ['4', '12.5', '7'].map((amount, index) => ({
            part: `sub ${index}`,
            lists: [rohs(), reach({ lead: { over: true, amount: [amount, 'mg'] } })],
          })),
        },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc: 'Lead (00188, 12.5 mg)' }],
    },
    {
      name: 'every entry over is counted and named',
      files: { a: { lists: [rohs(), reach({ lead: true, dehp: true, bpa: '1' })] } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 3, svhc: ['Lead', 'DEHP', 'bisphenol A'] }],
    },
    {
      name: 'an entry in two spellings is one, by its code',
      files: {
        a: { lists: [rohs(), reach({ dehp: true })] },
        b: {
          lists: [
            reach({ dehp: { over: true, name: 'Bis(2-ethylhexyl)phthalate (DEHP)' } }, { entries: ['dehp'] }),
          ],
        },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['DEHP'] }],
    },
    {
      name: 'an entry for several applications is one',
      files: {
        a: {
          lists: [
            rohs(),
            {
              identity: 'EUREACH-0624',
              categories: [
                { name: 'Lead', code: '00188', over: true, amount: ['0.2', 'massPercent'] },
                { name: 'Lead', code: '00188', over: true, amount: ['0.7', 'massPercent'] },
              ],
            },
          ],
        },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['0.7'] }],
    },
    {
      name: 'no list is not declared, and no number',
      files: { a: { lists: [rohs()] } },
      rows: [
        {
          part: 'P1',
          reach: 'not declared',
          svhc_count: null,
          svhc: '',
          reach_list: '',
          gate: ['reach-not-declared'],
        },
      ],
    },
    {
      name: 'a number only where reach is "no SVHC" or "SVHC": an entry without a statement is incomplete',
      files: {
        a: { part: 'P1', lists: [rohs(), reach({ lead: undefined })] },
        b: { part: 'P2', lists: [rohs(), reach({ lead: 'maybe' })] },
        c: { part: 'P3', lists: [rohs(), reach({ lead: '' })] },
      },
      rows: ['P1', 'P2', 'P3'].map((part) => ({
        part,
        reach: 'incomplete',
        svhc_count: null,
        gate: ['incomplete'],
      })),
    },
    {
      // An SVHC beside a gap: what is stated over stays stated, and the gap is told by the gate.
      name: 'a gap does not hide an SVHC',
      files: { a: { lists: [rohs(), reach({ lead: true, dehp: undefined })] } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc: ['Lead'], gate: ['contradictory', 'svhc', 'incomplete'] }],
    },
    {
      name: 'a list without categories is never "no SVHC"',
      files: { a: { lists: [rohs(), { identity: 'EUREACH-0624', categories: [] }] } },
      rows: [{ part: 'P1', reach: /^(?:incomplete|not declared)$/, svhc_count: null }],
    },
    {
      name: 'an exemption is nothing to REACH',
      files: { a: { lists: [rohs(), reach({ lead: { over: true, exemptions: ['6(c)'] } })] } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, rohs: 'compliant' }],
    },
    {
      name: 'SVHC belongs to REACH, never to RoHS',
      files: { a: { lists: [rohs(), reach({ lead: true })] } },
      rows: [{ part: 'P1', reach: 'SVHC', not: { note: /RoHS[^;]*SVHC/ } }],
      notReport: /RoHS: [^"\n;.]*SVHC/,
    },
  ])
})

describe('a report never says better than what is declared', () => {
  // Some programs write an amount for every entry of every article.
  const articles = Array.from({ length: 6 }, (_, article) => ({
    part: `S${article}`,
    lists: [
      {
        identity: 'EUREACH-0624',
        categories: Array.from({ length: 250 }, (_, entry) => ({
          name: `Entry ${entry}`,
          code: String(entry + 1).padStart(5, '0'),
          over: article === 5 && entry === 249,
          amount: ['0', 'massPercent'] as const,
        })),
      },
    ],
  }))
  itReports([
    {
      name: 'the last of 1,500 entries with an amount',
      files: { a: { lists: [rohs()], subProducts: articles } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['Entry 249'], gate: ['svhc', 'incomplete'] }],
    },
    {
      name: 'a code of the writer is no entry: another name under it takes nothing back',
      files: {
        old: {
          date: '2026-01-10',
          lists: [
            rohs(),
            { identity: 'EUREACH-0624', categories: [{ name: 'Lead', code: '7', over: true }] },
          ],
        },
        new: {
          date: '2026-02-10',
          lists: [{ identity: 'EUREACH-0624', categories: [{ name: 'Benzene', code: '7', over: false }] }],
        },
      },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1, svhc: ['Lead'], sources: ['old', 'new'] }],
    },
  ])
})

describe('the Candidate List is EUREACH-MMYY', () => {
  const names = [
    'REACH_SVHC_2024',
    'SVHC',
    'reach candidate',
    'Candidate List of Substances of Very High Concern',
    'EU REACH',
    'EUREACH',
    'EUREACH-9924',
    'UK REACH SVHC',
    'Candidate List of SVHC for Authorisation',
    'Substances of Very High Concern',
  ]
  itReports([
    ...names.map(
      (identity): Case => ({
        name: `a list with another name that says REACH, SVHC or Candidate makes reach incomplete: ${identity}`,
        files: { a: { lists: [rohs(), reach({}, { list: identity })] } },
        rows: [{ part: 'P1', reach: 'incomplete', svhc_count: null, gate: ['incomplete'] }],
      }),
    ),
    ...['EUREACH-0624 Annex XIV', 'EUREACH-0624-XVII', 'REACH Annex XVII', 'REACH Authorisation List'].map(
      (identity): Case => ({
        name: `Annex XIV and XVII are other lists, and leave the Candidate List whole: ${identity}`,
        files: {
          a: {
            lists: [
              rohs(),
              reach(),
              reach({ bpa: { over: true, threshold: '' } }, { list: identity, entries: ['bpa'] }),
            ],
          },
        },
        rows: [{ part: 'P1', reach: 'no SVHC', gate: [], other_lists: [`${identity}: over`] }],
      }),
    ),
    {
      name: 'and what it states over is named',
      files: { a: { lists: [rohs(), reach({ bpa: true }, { list: 'REACH_SVHC_2024' })] } },
      rows: [{ part: 'P1', reach: /^(?:incomplete|SVHC)$/, told: /bisphenol A/, gate: ['incomplete'] }],
    },
    ...['REACH_SVHC_2024', 'Candidate List'].map(
      (identity): Case => ({
        name: `also beside the Candidate List: ${identity}`,
        files: {
          a: { lists: [rohs(), reach(), reach({ bpa: true }, { list: identity, entries: ['bpa'] })] },
        },
        rows: [{ part: 'P1', reach: /^(?:incomplete|SVHC)$/, note: /./ }],
      }),
    ),
    {
      name: 'it hides nothing that the Candidate List states over',
      files: { a: { lists: [rohs(), reach({ lead: true }), reach({}, { list: 'SVHC' })] } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc: ['Lead'], gate: ['contradictory', 'svhc'] }],
    },
    {
      name: 'lower case and blanks around the name are the same list',
      files: { a: { lists: [rohs(), reach({ lead: true }, { list: ' eureach-0624 ' })] } },
      rows: [{ part: 'P1', reach: 'SVHC', svhc_count: 1 }],
    },
    {
      name: 'a list that says none of these words is no REACH list',
      files: { a: { lists: [rohs(), other('Prop_65_substances', { Lead: true })] } },
      rows: [{ part: 'P1', reach: 'not declared', svhc_count: null, svhc: '' }],
    },
    {
      name: 'svhc_list_behind is how many entries the newest list in the table has more',
      files: { a: { lists: [rohs(), reach()] } },
      rows: [{ part: 'P1', svhc_list_behind: 12 }],
      notReport: /newest list known to this table/,
    },
  ])
})
