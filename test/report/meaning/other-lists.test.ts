import { describe } from 'vitest'
import { itReports } from './cases.ts'
import { other, reach, rohs } from './declarations.ts'

const STATED = [rohs(), reach()]

describe('other lists are in other_lists: the list with "over: …", "none over" or "incomplete"', () => {
  itReports([
    {
      name: 'none over, where every category is stated',
      files: { a: { lists: [...STATED, other('Prop_65_substances', { Toluene: false, Nickel: '0' })] } },
      rows: [{ part: 'P1', other_lists: ['Prop_65_substances', 'none over'], rohs: 'compliant', gate: [] }],
    },
    {
      name: 'over: what is over is named, and nothing else',
      files: {
        a: { lists: [...STATED, other('Prop_65_substances', { Toluene: true, Nickel: false, Cobalt: '1' })] },
      },
      rows: [
        {
          part: 'P1',
          other_lists: ['Prop_65_substances', /over: [^;]*Toluene/, 'Cobalt'],
          not: { other_lists: /none over|Nickel/ },
        },
      ],
    },
    {
      name: 'incomplete, where a category is not stated',
      files: {
        a: {
          part: 'P1',
          lists: [...STATED, other('Prop_65_substances', { Toluene: false, Nickel: undefined })],
        },
        b: {
          part: 'P2',
          lists: [...STATED, other('Prop_65_substances', { Toluene: false, Nickel: 'perhaps' })],
        },
        c: { part: 'P3', lists: [...STATED, other('Prop_65_substances', { Toluene: false, Nickel: '' })] },
      },
      rows: ['P1', 'P2', 'P3'].map((part) => ({
        part,
        rohs: 'compliant',
        other_lists: ['Prop_65_substances', 'incomplete'],
        not: { other_lists: 'none over' },
      })),
    },
    {
      name: 'a gap does not hide what is over',
      files: { a: { lists: [...STATED, other('Prop_65_substances', { Toluene: true, Nickel: undefined })] } },
      rows: [{ part: 'P1', other_lists: [/over: [^;]*Toluene/], not: { other_lists: 'none over' } }],
    },
    {
      name: 'a list without categories or without statements is never "none over"',
      files: {
        empty: { part: 'P1', lists: [...STATED, other('TSCA_6h', {})] },
        silent: { part: 'P2', lists: [...STATED, other('TSCA_6h', { A: undefined, B: undefined })] },
      },
      rows: ['P1', 'P2'].map((part) => ({
        part,
        other_lists: ['TSCA_6h'],
        not: { other_lists: 'none over' },
      })),
    },
    {
      name: 'several lists, each with its own words',
      files: {
        a: {
          lists: [
            ...STATED,
            other('Prop_65_substances', { Toluene: true }),
            other('TSCA_6h', { 'PIP (3:1)': false }),
            other('EU_POP', { SCCP: undefined }),
            {
              identity: 'IEC_62474 D19.00',
              authority: 'IEC_62474',
              categories: [{ name: 'Gold', code: '1', over: true }],
            },
          ],
        },
      },
      rows: [
        {
          part: 'P1',
          other_lists: [
            /Prop_65_substances[^;]*over: Toluene/,
            /TSCA_6h[^;]*none over/,
            /EU_POP[^;]*incomplete/,
            /IEC_62474 D19\.00[^;]*over: Gold/,
          ],
          rohs: 'compliant',
          reach: 'no SVHC',
        },
      ],
    },
    {
      name: 'the same name repeated with another application is over where one of them is',
      files: {
        a: {
          lists: [
            ...STATED,
            {
              identity: 'IEC_62474 D19.00',
              categories: [
                { name: 'Perchlorates', code: '00010', over: false },
                { name: 'Perchlorates', code: '00011', over: true },
              ],
            },
          ],
        },
      },
      rows: [{ part: 'P1', other_lists: [/over: [^;]*Perchlorates/] }],
    },
    {
      name: 'lead over in another list changes neither RoHS nor REACH',
      files: { a: { lists: [...STATED, other('Prop_65_substances', { Lead: true })] } },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'no SVHC', svhc_count: 0, svhc: '' }],
    },
    {
      name: 'what a list without identity states over may be of RoHS or of the Candidate List',
      files: {
        over: { part: 'P1', lists: [...STATED, other('', { Lead: true })] },
        clean: { part: 'P2', lists: [...STATED, other('', { Lead: false })] },
      },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          reach: 'incomplete',
          note: ['a list without identity states over: Lead'],
          gate: ['contradictory', 'incomplete'],
        },
        { part: 'P2', rohs: 'compliant', reach: 'no SVHC', gate: [] },
      ],
    },
    {
      name: 'no other list is an empty cell',
      files: { a: { lists: STATED } },
      rows: [{ part: 'P1', other_lists: '' }],
    },
    {
      name: 'a newer list of the same name takes back what it states',
      files: {
        old: { date: '2026-01-10', lists: [other('Prop_65_substances', { Toluene: true })] },
        new: { date: '2026-02-10', lists: [...STATED, other('Prop_65_substances', { Toluene: false })] },
      },
      rows: [{ part: 'P1', other_lists: ['none over'], not: { other_lists: 'Toluene' }, sources: ['new'] }],
    },
    {
      // "Each other list" is one statement, and "what a newer declaration does not state, it does not take back": the safest reading
      // of a newer list that leaves a category out is that the category is never told to be "none over" in silence.
      name: 'a newer list of the same name without the category never hides it',
      files: {
        old: { date: '2026-01-10', lists: [other('Prop_65_substances', { Toluene: true, Nickel: false })] },
        new: { date: '2026-02-10', lists: [...STATED, other('Prop_65_substances', { Nickel: false })] },
      },
      rows: [{ part: 'P1', other_lists: ['Toluene'] }],
    },
    {
      name: 'China RoHS with a group over is told, and is not EU RoHS',
      files: { a: { lists: [reach(), { ...rohs({ Pb: true }), identity: 'China RoHS' }] } },
      rows: [{ part: 'P1', rohs: 'not declared', other_lists: [/China RoHS[^;]*over: [^;]*Lead/] }],
    },
  ])
})

describe('--fail-on over:LIST', () => {
  const over = { lists: [...STATED, other('Prop_65_substances', { Toluene: true, Nickel: false })] }
  itReports([
    {
      name: 'exits 13 where that list states something over, and says so',
      files: { a: over },
      options: ['--fail-on', 'over:Prop_65_substances'],
      rows: [{ part: 'P1', gate: ['over:Prop_65_substances'] }],
      exit: 13,
      report: ['over:Prop_65_substances'],
    },
    {
      name: 'not where another list does',
      files: { a: over },
      options: ['--fail-on', 'over:TSCA_6h'],
      rows: [{ part: 'P1', gate: [] }],
    },
    {
      name: 'not where the list is none over',
      files: { a: { lists: [...STATED, other('Prop_65_substances', { Toluene: false })] } },
      options: ['--fail-on', 'over:Prop_65_substances'],
      rows: [{ part: 'P1', gate: [] }],
    },
    {
      name: 'also where the statement comes from an older file',
      files: {
        old: { date: '2026-01-10', ...over },
        new: { date: '2026-02-10', lists: STATED },
      },
      options: ['--fail-on', 'over:Prop_65_substances'],
      rows: [{ part: 'P1', gate: ['over:Prop_65_substances'] }],
      exit: 13,
    },
  ])
})
