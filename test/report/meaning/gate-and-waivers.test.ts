import { describe } from 'vitest'
import { type Case, itReports, PLAIN_RULES } from './cases.ts'
import { classA, type Declaration, exempt, MEETS_ROHS, material, other, reach, rohs } from './declarations.ts'

const STATED = [rohs(), reach()]
const NO_CAS = 'part,rule,reason,owner,until\n'

/** A folder that matches each rule without a value, and one that does not. */
const RULES: Readonly<Record<string, Declaration>> = {
  'not-compliant': { lists: [rohs({ Pb: true }), reach()] },
  svhc: { lists: [rohs(), reach({ bpa: true })] },
  incomplete: { lists: [rohs({ Pb: undefined }), reach()] },
  'not-declared': { lists: [reach()] },
  'reach-not-declared': { lists: [rohs()] },
  unaccepted: { lists: STATED, accepted: 'false' },
  contradictory: { lists: [rohs({ Pb: { over: false, concentration: ['5'] } }), reach()] },
  indicated: { lists: STATED, mass: [10, 'g'], materials: [material('solder', 10, '7439-92-1', 5, 'Lead')] },
}

describe('--fail-on exits 13 when a row matches, and says which', () => {
  itReports([
    ...Object.entries(RULES).flatMap(([rule, declaration]): Case[] => [
      {
        name: `${rule} matches`,
        files: { a: declaration, b: { part: 'GOOD', lists: STATED } },
        options: ['--fail-on', rule],
        rows: [
          { part: 'P1', gate: [rule] },
          { part: 'GOOD', gate: [] },
        ],
        exit: 13,
        report: [rule, 'P1'],
      },
      {
        name: `${rule} is not matched by what the other rules are for`,
        files: { a: { part: 'P1', lists: STATED } },
        options: ['--fail-on', rule],
        rows: [{ part: 'P1', gate: [] }],
        exit: 0,
      },
    ]),
    ...Object.entries(RULES).map(
      ([rule, declaration]): Case => ({
        name: `of all rules only ${rule} matches such a part`,
        files: { a: declaration },
        options: ['--fail-on', PLAIN_RULES.replace('missing,', '')],
        rows: [{ part: 'P1', gate: [rule] }],
        exit: 13,
      }),
    ),
    {
      name: 'missing: a part of the list that no source declares',
      files: { a: { lists: STATED } },
      beside: { 'parts.csv': 'part number\nP1\nP9\n' },
      options: ['--parts-file', 'parts.csv', '--fail-on', 'missing'],
      rows: [
        { part: 'P1', gate: [] },
        { part: 'P9', status: 'missing', gate: ['missing'] },
      ],
      exit: 13,
    },
    {
      name: 'stale:EUREACH-0624 matches an older list, not this one and not a newer one',
      files: {
        older: { part: 'P1', lists: [rohs(), reach({}, { list: 'EUREACH-0124' })] },
        same: { part: 'P2', lists: [rohs(), reach()] },
        newer: { part: 'P3', lists: [rohs(), reach({}, { list: 'EUREACH-0125' })] },
      },
      options: ['--fail-on', 'stale:EUREACH-0624'],
      rows: [
        { part: 'P1', gate: ['stale:EUREACH-0624'] },
        { part: 'P2', gate: [] },
        { part: 'P3', gate: [] },
      ],
      exit: 13,
    },
    {
      // A row may rest on lists of several ages: the oldest that counts is as old as the answer.
      name: 'stale:EUREACH-0624 matches a row of which one entry rests on an older list',
      files: {
        old: { date: '2026-01-10', lists: [rohs(), reach({}, { list: 'EUREACH-0622' })] },
        new: { date: '2026-02-10', lists: [reach({}, { entries: ['lead', 'dehp'] })] },
      },
      options: ['--fail-on', 'stale:EUREACH-0624'],
      rows: [{ part: 'P1', gate: ['stale:EUREACH-0624'] }],
      exit: 13,
    },
    {
      // The list of June 2024 is that of the 27th.
      name: 'stale:12m goes by the date of the list, to the day: a year old is not more than a year',
      today: '2025-06-27',
      files: { a: { date: '2025-06-20', lists: STATED } },
      options: ['--fail-on', 'stale:12m'],
      rows: [{ part: 'P1', gate: [] }],
      exit: 0,
    },
    {
      name: 'stale:12m goes by the date of the list, to the day: a day more is stale',
      today: '2025-06-28',
      files: { a: { date: '2025-06-20', lists: STATED } },
      options: ['--fail-on', 'stale:12m'],
      rows: [{ part: 'P1', gate: ['stale:12m'] }],
      exit: 13,
    },
    {
      name: 'older:24m goes by the date of the declaration, to the day',
      files: {
        old: { part: 'P1', date: '2024-11-21', lists: STATED },
        border: { part: 'P2', date: '2024-11-22', lists: STATED },
        young: { part: 'P3', date: '2026-11-01', lists: STATED },
      },
      options: ['--fail-on', 'older:24m'],
      rows: [
        { part: 'P1', gate: ['older:24m'] },
        { part: 'P2', gate: [] },
        { part: 'P3', gate: [] },
      ],
      exit: 13,
    },
    {
      name: 'older:24m matches a row of which one statement is older',
      files: {
        old: { date: '2023-05-01', lists: [reach()] },
        young: { date: '2026-11-01', lists: [rohs()] },
      },
      options: ['--fail-on', 'older:24m'],
      rows: [{ part: 'P1', gate: ['older:24m'], date: '2023-05-01' }],
      exit: 13,
    },
    {
      name: 'older:24m matches a row of which one statement has no date or one far ahead',
      files: {
        young1: { part: 'P1', date: '2026-11-01', lists: [rohs()] },
        undated: { part: 'P1', date: undefined, lists: [reach()] },
        young2: { part: 'P2', date: '2026-11-01', lists: [rohs()] },
        ahead: { part: 'P2', date: '2029-01-01', lists: [reach()] },
      },
      options: ['--fail-on', 'older:24m'],
      rows: [
        { part: 'P1', gate: ['older:24m'] },
        { part: 'P2', gate: ['older:24m'] },
      ],
      exit: 13,
    },
    {
      // The contract does not say it; a declaration of unknown age is never told to be young.
      name: 'older:24m matches a declaration without a date',
      files: { a: { date: undefined, lists: STATED } },
      options: ['--fail-on', 'older:24m'],
      rows: [{ part: 'P1', gate: ['older:24m'] }],
      exit: 13,
    },
    {
      name: 'exemption-expires matches on its day and before, not after',
      files: {
        on: { part: 'P1', lists: [rohs({ Pb: exempt('6(c)') }), reach()] },
        after: { part: 'P2', lists: [rohs({ Pb: exempt('7(c)-II') }), reach()] },
      },
      options: ['--fail-on', 'exemption-expires:2027-06-30'],
      rows: [
        { part: 'P1', gate: ['exemption-expires:2027-06-30'] },
        { part: 'P2', gate: [] },
      ],
      exit: 13,
    },
    {
      name: 'an unknown rule is a usage error, never a gate that passes',
      files: { a: { lists: [rohs({ Pb: true })] } },
      options: ['--fail-on', 'not-complient'],
      rows: [],
      hasNoRows: true,
      exit: 2,
    },
  ])
})

const waivers = (...lines: string[]): Record<string, string> => ({
  'waivers.csv': NO_CAS + lines.map((line) => `${line}\n`).join(''),
})
const withWaivers = (rules: string): string[] => ['--fail-on', rules, '--waivers', 'waivers.csv']
const SVHC_TWICE: Declaration = { lists: [rohs(), reach({ lead: true, dehp: true })] }
const LEAD: Declaration = { lists: [rohs(), reach({ lead: true })] }
const ACCEPTED = 'no substitute,J. Doe,2027-01-31'

describe('waivers take accepted findings out of the gate until their date', () => {
  itReports([
    {
      name: 'a waived finding does not fail, and is reported',
      files: { a: { lists: [rohs({ Pb: true }), reach()] } },
      beside: waivers(`P1,not-compliant,${ACCEPTED}`),
      options: withWaivers('not-compliant'),
      rows: [{ part: 'P1', rohs: 'not compliant', gate: [] }],
      exit: 0,
      report: ['no substitute', 'J. Doe', '2027-01-31'],
    },
    {
      name: 'on its last day it counts',
      today: '2027-01-31',
      files: { a: { lists: [rohs({ Pb: true }), reach()] } },
      beside: waivers(`P1,not-compliant,${ACCEPTED}`),
      options: withWaivers('not-compliant'),
      rows: [{ part: 'P1', gate: [] }],
      exit: 0,
    },
    {
      name: 'the day after it has run out, and that is reported',
      today: '2027-02-01',
      files: { a: { lists: [rohs({ Pb: true }), reach()] } },
      beside: waivers(`P1,not-compliant,${ACCEPTED}`),
      options: withWaivers('not-compliant'),
      rows: [{ part: 'P1', gate: ['not-compliant'] }],
      exit: 13,
      report: [/"runOut":\[\{"part":"P1"/],
    },
    {
      name: 'of another part or another rule it waives nothing, and that is reported',
      files: { a: { lists: [rohs({ Pb: true }), reach()] } },
      beside: waivers(`P2,not-compliant,${ACCEPTED}`, `P1,svhc,${ACCEPTED}`),
      options: withWaivers('not-compliant,svhc'),
      rows: [{ part: 'P1', gate: ['not-compliant'] }],
      exit: 13,
      report: [/"unmatched":\[\{"part":"P2"/],
    },
    ...['svhc:7439-92-1', 'svhc:00188', 'svhc:Lead', 'svhc:lead'].flatMap((rule): Case[] => [
      {
        name: `a rule may name what it is about: ${rule}`,
        files: { a: LEAD },
        beside: waivers(`P1,${rule},${ACCEPTED}`),
        options: withWaivers('svhc'),
        rows: [{ part: 'P1', reach: 'SVHC', gate: [] }],
        exit: 0,
      },
      {
        name: `then another finding of the same rule is not waived: ${rule}`,
        files: { a: SVHC_TWICE },
        beside: waivers(`P1,${rule},${ACCEPTED}`),
        options: withWaivers('svhc'),
        rows: [{ part: 'P1', reach: 'SVHC', gate: ['svhc'] }],
        exit: 13,
      },
    ]),
    ...['not-compliant:7439-92-1', 'not-compliant:lead', 'not-compliant:00005'].flatMap((rule): Case[] => [
      {
        name: `a group of RoHS is named by CAS number, name or code: ${rule}`,
        files: { a: { lists: [rohs({ Pb: true }), reach()] } },
        beside: waivers(`P1,${rule},${ACCEPTED}`),
        options: withWaivers('not-compliant'),
        rows: [{ part: 'P1', gate: [] }],
        exit: 0,
      },
      {
        name: `then another group is not waived: ${rule}`,
        files: { a: { lists: [rohs({ Pb: true, Cd: true }), reach()] } },
        beside: waivers(`P1,${rule},${ACCEPTED}`),
        options: withWaivers('not-compliant'),
        rows: [{ part: 'P1', gate: ['not-compliant'] }],
        exit: 13,
      },
    ]),
    {
      name: 'a compound is not the group: not-compliant:1317-36-8',
      files: { a: { lists: [rohs({ Pb: true }), reach()] } },
      beside: waivers(`P1,not-compliant:1317-36-8,${ACCEPTED}`),
      options: withWaivers('not-compliant'),
      rows: [{ part: 'P1', gate: ['not-compliant'] }],
      exit: 13,
    },
    {
      name: 'two rules that name both findings waive both',
      files: { a: SVHC_TWICE },
      beside: waivers(`P1,svhc:00188,${ACCEPTED}`, `P1,svhc:117-81-7,${ACCEPTED}`),
      options: withWaivers('svhc'),
      rows: [{ part: 'P1', gate: [] }],
      exit: 0,
    },
    {
      name: 'a rule about another substance matches nothing, and that is reported',
      files: { a: LEAD },
      beside: waivers(`P1,svhc:117-81-7,${ACCEPTED}`),
      options: withWaivers('svhc'),
      rows: [{ part: 'P1', gate: ['svhc'] }],
      exit: 13,
      report: [/"unmatched":\[\{"part":"P1","rule":"svhc:117-81-7"/],
    },
    {
      name: 'a name that is part of another name is not that name',
      files: {
        a: {
          lists: [
            rohs(),
            { identity: 'EUREACH-0624', categories: [{ name: 'Lead dinitrate', code: '00091', over: true }] },
          ],
        },
      },
      beside: waivers(`P1,svhc:Lead,${ACCEPTED}`),
      options: withWaivers('svhc'),
      rows: [{ part: 'P1', gate: ['svhc'] }],
      exit: 13,
    },
    {
      name: 'a rule without a name waives every finding of it',
      files: { a: SVHC_TWICE },
      beside: waivers(`P1,svhc,${ACCEPTED}`),
      options: withWaivers('svhc'),
      rows: [{ part: 'P1', gate: [] }],
      exit: 0,
    },
    {
      name: 'indicated: by CAS number, another indication is not waived',
      files: {
        one: {
          part: 'P1',
          lists: STATED,
          mass: [10, 'g'],
          materials: [material('solder', 10, '7439-92-1', 5, 'Lead')],
        },
        two: {
          part: 'P2',
          lists: STATED,
          mass: [10, 'g'],
          materials: [
            material('solder', 10, '7439-92-1', 5, 'Lead'),
            material('plating', 10, '7440-43-9', 5, 'Cadmium'),
          ],
        },
      },
      beside: waivers(`P1,indicated:7439-92-1,${ACCEPTED}`, `P2,indicated:7439-92-1,${ACCEPTED}`),
      options: withWaivers('indicated'),
      rows: [
        { part: 'P1', gate: [] },
        { part: 'P2', gate: ['indicated'] },
      ],
      exit: 13,
    },
    {
      name: 'over:LIST waives that list alone',
      files: {
        a: {
          lists: [
            ...STATED,
            other('Prop_65_substances', { Toluene: true }),
            other('TSCA_6h', { 'PIP (3:1)': true }),
          ],
        },
      },
      beside: waivers(`P1,over:Prop_65_substances,${ACCEPTED}`),
      options: withWaivers('over:Prop_65_substances,over:TSCA_6h'),
      rows: [{ part: 'P1', gate: ['over:TSCA_6h'] }],
      exit: 13,
    },
    {
      name: 'a waiver of one finding does not waive another of the same part',
      files: { a: { queries: [classA(MEETS_ROHS)], lists: [rohs({ Pb: true }), reach({ lead: true })] } },
      beside: waivers(`P1,svhc:7439-92-1,${ACCEPTED}`),
      options: withWaivers('svhc,not-compliant,contradictory'),
      rows: [{ part: 'P1', gate: ['contradictory', 'not-compliant'] }],
      exit: 13,
    },
    {
      name: 'TOML says the same',
      files: { a: LEAD },
      beside: {
        'waivers.toml':
          '[[waiver]]\npart = "P1"\nrule = "svhc:7439-92-1"\nreason = "no substitute"\nowner = "J. Doe"\nuntil = 2027-01-31\n',
      },
      options: ['--fail-on', 'svhc', '--waivers', 'waivers.toml'],
      rows: [{ part: 'P1', gate: [] }],
      exit: 0,
    },
  ])
})
