import { describe } from 'vitest'
import { type Case, itReports } from './cases.ts'
import {
  classA,
  DOES_NOT_MEET_ROHS,
  exempt,
  MEETS_ROHS,
  MEETS_WITH_EXEMPTIONS,
  other,
  type Quantity,
  reach,
  rohs,
} from './declarations.ts'

/** The first remark of a note is about the contradiction. */
const BEGINS = /^[^;]*contradict/i
const NONE = /contradict/i

describe('an amount or concentration above the threshold beside "not over" is contradictory and begins the note', () => {
  const above: readonly (readonly [string, Quantity])[] = [
    ['0.5 %', ['0.5']],
    ['0.11 massPercent', ['0.11', 'massPercent']],
    ['1500 ppm', ['1500', 'ppm']],
    ['just above', ['0.1001']],
  ]
  const notAbove: readonly (readonly [string, Quantity])[] = [
    ['exactly at the threshold', ['0.1']],
    ['below', ['0.05', 'massPercent']],
    ['1000 ppm', ['1000', 'ppm']],
    ['zero', ['0']],
  ]
  itReports([
    ...above.map(
      ([words, concentration]): Case => ({
        name: `concentration of a RoHS group: ${words}`,
        files: { a: { lists: [rohs({ Pb: { over: false, concentration } }), reach()] } },
        rows: [{ part: 'P1', note: [BEGINS, /lead/i], gate: ['contradictory'] }],
      }),
    ),
    ...notAbove.map(
      ([words, concentration]): Case => ({
        name: `no contradiction: ${words}`,
        files: { a: { lists: [rohs({ Pb: { over: false, concentration } }), reach()] } },
        rows: [{ part: 'P1', rohs: 'compliant', gate: [], not: { note: NONE } }],
      }),
    ),
    {
      name: 'the threshold of cadmium is 0.01 %',
      files: {
        above: { part: 'P1', lists: [rohs({ Cd: { over: false, concentration: ['0.02'] } }), reach()] },
        below: { part: 'P2', lists: [rohs({ Cd: { over: false, concentration: ['0.009'] } }), reach()] },
      },
      rows: [
        { part: 'P1', note: [BEGINS, /cadmium/i], gate: ['contradictory'] },
        { part: 'P2', gate: [], not: { note: NONE } },
      ],
    },
    {
      name: 'an amount of an SVHC in massPercent',
      files: { a: { lists: [rohs(), reach({ lead: { over: false, amount: ['0.2', 'massPercent'] } })] } },
      rows: [{ part: 'P1', note: [BEGINS, /lead/i], gate: ['contradictory'] }],
    },
    {
      name: 'an amount of an SVHC in ppm at the threshold is none',
      files: { a: { lists: [rohs(), reach({ lead: { over: false, amount: ['1000', 'ppm'] } })] } },
      rows: [{ part: 'P1', reach: 'no SVHC', gate: [], not: { note: NONE } }],
    },
    {
      name: 'an amount of an SVHC in mg is a share of the part',
      files: {
        a: { mass: [1, 'g'], lists: [rohs(), reach({ lead: { over: false, amount: ['500', 'mg'] } })] },
      },
      rows: [{ part: 'P1', note: [BEGINS, /lead/i], gate: ['contradictory'] }],
    },
    {
      name: 'in another list, by the threshold that it states',
      files: {
        a: {
          lists: [
            rohs(),
            reach(),
            other('Prop_65_substances', { Toluene: { over: false, concentration: ['0.5', 'massPercent'] } }),
          ],
        },
      },
      rows: [{ part: 'P1', note: [BEGINS, 'Toluene'], gate: ['contradictory'] }],
    },
    {
      name: 'an amount above the threshold beside "over" is none',
      files: {
        a: {
          lists: [
            rohs({ Pb: { over: true, concentration: ['3.5'], exemptions: ['6(c)'] } }),
            reach({ lead: { over: true, amount: ['1.2', 'massPercent'] } }),
          ],
        },
      },
      rows: [
        { part: 'P1', rohs: 'compliant with exemptions', reach: 'SVHC', gate: ['svhc'], not: { note: NONE } },
      ],
    },
    {
      name: 'a newer statement without the contradiction takes it back',
      files: {
        old: { date: '2026-01-10', lists: [rohs({ Pb: { over: false, concentration: ['0.5'] } }), reach()] },
        new: { date: '2026-02-10', lists: [rohs()] },
      },
      rows: [{ part: 'P1', rohs: 'compliant', gate: [], not: { note: NONE } }],
    },
    {
      name: 'a newer file about something else does not',
      files: {
        old: { date: '2026-01-10', lists: [rohs({ Pb: { over: false, concentration: ['0.5'] } })] },
        new: { date: '2026-02-10', lists: [reach()] },
      },
      rows: [{ part: 'P1', note: BEGINS, gate: ['contradictory'] }],
    },
    {
      name: 'it begins the note, whatever else the note says',
      files: {
        a: {
          comment: 'a comment of the response',
          lists: [
            rohs({ Hg: true, Pb: { over: false, concentration: ['0.5'] } }, { list: 'EUROHS-0508' }),
            reach({ dehp: undefined }),
          ],
        },
      },
      rows: [
        {
          part: 'P1',
          note: [BEGINS, 'a comment of the response'],
          gate: ['contradictory', 'incomplete', 'not-compliant'],
        },
      ],
    },
  ])
})

describe('a class A answer against the class C list', () => {
  const agree: readonly (readonly [string, string, Parameters<typeof rohs>[0]])[] = [
    ['meets, none over', MEETS_ROHS, {}],
    ['meets with exemptions, over with an exemption', MEETS_WITH_EXEMPTIONS, { Pb: exempt('6(c)') }],
    ['does not meet, over without an exemption', DOES_NOT_MEET_ROHS, { Pb: true }],
  ]
  const disagree: readonly (readonly [string, string, Parameters<typeof rohs>[0]])[] = [
    ['meets without exemptions, a group over', MEETS_ROHS, { Pb: true }],
    ['meets without exemptions, over with an exemption', MEETS_ROHS, { Pb: exempt('6(c)') }],
    ['meets with exemptions, over without one', MEETS_WITH_EXEMPTIONS, { Pb: true }],
    ['does not meet, none over', DOES_NOT_MEET_ROHS, {}],
  ]
  itReports([
    ...disagree.map(
      ([words, answer, changes]): Case => ({
        name: `contradictory: ${words}`,
        files: { a: { queries: [classA(answer)], lists: [rohs(changes), reach()] } },
        rows: [
          {
            part: 'P1',
            classes: 'AC',
            note: BEGINS,
            // The rule of the RoHS status itself may be there beside it.
            not: { gate: /^(?:not-compliant)?$/ },
          },
        ],
        options: ['--fail-on', 'contradictory'],
        exit: 13,
      }),
    ),
    ...agree.map(
      ([words, answer, changes]): Case => ({
        name: `not contradictory: ${words}`,
        files: { a: { queries: [classA(answer)], lists: [rohs(changes), reach()] } },
        rows: [{ part: 'P1', gate: [], not: { note: NONE } }],
        options: ['--fail-on', 'contradictory'],
      }),
    ),
    {
      name: 'also where the answer and the list come from different files',
      files: {
        january: { date: '2026-01-10', queries: [classA(MEETS_ROHS)] },
        march: { date: '2026-03-10', lists: [rohs({ Pb: true }), reach()] },
      },
      rows: [{ part: 'P1', classes: 'AC', note: BEGINS, gate: ['contradictory', 'not-compliant'] }],
    },
    ...(
      [
        ['without statements', []],
        ['without an answer that is understood', [[MEETS_ROHS, 'perhaps']]],
      ] as const
    ).map(
      ([words, statements]): Case => ({
        name: `a newer file ${words} takes no answer back`,
        files: {
          old: { date: '2026-01-10', queries: [classA(DOES_NOT_MEET_ROHS)], lists: [rohs(), reach()] },
          new: { date: '2026-02-10', queries: [{ list: 'EUROHS-1907', statements }] },
        },
        rows: [
          {
            part: 'P1',
            note: BEGINS,
            gate: [...(words.includes('understood') ? ['incomplete'] : []), 'contradictory'],
          },
        ],
      }),
    ),
    {
      name: 'a newer answer that agrees takes the older one back',
      files: {
        old: { date: '2026-01-10', queries: [classA(DOES_NOT_MEET_ROHS)], lists: [rohs(), reach()] },
        new: { date: '2026-02-10', queries: [classA(MEETS_ROHS)] },
      },
      rows: [{ part: 'P1', gate: [], not: { note: NONE } }],
    },
    {
      name: 'a class A answer changes no status',
      files: {
        meets: { part: 'P1', queries: [classA(MEETS_ROHS)], lists: [reach()] },
        fails: { part: 'P2', queries: [classA(DOES_NOT_MEET_ROHS)], lists: [reach()] },
      },
      rows: [
        { part: 'P1', rohs: 'not declared' },
        { part: 'P2', rohs: 'not declared' },
      ],
    },
    {
      name: 'on REACH against the Candidate List',
      files: {
        over: {
          part: 'P1',
          queries: [
            {
              list: 'EUREACH-0624',
              statements: [
                ['Product(s) does not contain REACH Substances of Very High Concern above the limits', true],
              ],
            },
          ],
          lists: [rohs(), reach({ lead: true })],
        },
        none: {
          part: 'P2',
          queries: [
            {
              list: 'EUREACH-0624',
              statements: [
                ['Product(s) does not contain REACH Substances of Very High Concern above the limits', true],
              ],
            },
          ],
          lists: [rohs(), reach()],
        },
      },
      rows: [
        { part: 'P1', note: BEGINS, gate: ['contradictory', 'svhc'] },
        { part: 'P2', gate: [], not: { note: NONE } },
      ],
    },
    {
      name: 'obsolete or unknown says nothing against a list',
      files: {
        a: {
          queries: [
            {
              list: 'EUROHS-1907',
              statements: [
                [MEETS_ROHS, false],
                ['Product(s) is obsolete, no information is available', true],
              ],
            },
          ],
          lists: [rohs({ Pb: true }), reach()],
        },
      },
      rows: [{ part: 'P1', gate: ['not-compliant'], not: { note: NONE } }],
    },
    {
      name: 'in the words of the first version of the standard',
      files: {
        a: {
          queries: [
            {
              list: 'EUROHS-0508',
              statements: [
                ['Item(s) does not contain RoHS restricted substances per the definition above', 'true'],
                ['Item(s) is obsolete, no information is available', 'false'],
              ],
            },
          ],
          lists: [rohs({ Pb: true }), reach()],
        },
      },
      rows: [{ part: 'P1', note: BEGINS, gate: ['contradictory', 'not-compliant'] }],
    },
  ])
})
