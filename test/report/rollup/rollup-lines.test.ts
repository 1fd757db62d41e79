import { expect, test } from 'vitest'
import { formatMass, rollupLines } from '../../../src/report/rollup/rollup-lines.ts'
import type { Rollup } from '../../../src/report/rollup/rollup-result.ts'

const CLEAN: Rollup = {
  rohs: 'compliant',
  leftOut: 0,
  parts: 1,
  pieces: 1_200,
  statuses: { compliant: 1 },
  notCompliant: { parts: [], count: 0 },
  incomplete: { parts: [], count: 0 },
  withoutData: { parts: [], missing: 0, notDeclared: 0, unreadable: 0 },
  exemptions: [],
  svhcs: [],
  reach: { status: 'no SVHC', withSvhc: 0, withoutSvhc: 1, incomplete: 0, notDeclared: 0 },
  mass: { mg: 12_500, knownMg: 12_500, unknown: [], unknownCount: 0 },
  assemblies: { count: 0, declared: 0, flattened: null, lines: [] },
}

test('a product without findings takes two lines', () => {
  expect(rollupLines(CLEAN)).toEqual([
    'Product: RoHS compliant, REACH no SVHC (1 part, 1,200 pieces)',
    '  mass: 12.5 g',
  ])
})

test('everything else has a line, with a few parts named and the others counted', () => {
  const parts = ['A', 'B', 'C', 'D', 'E', 'F']
  const line = { declared: false, parts: 2, withSvhc: 1, withoutData: 1, rohs: 'incomplete' }
  expect(
    rollupLines({
      ...CLEAN,
      rohs: 'not compliant',
      parts: 6,
      pieces: null,
      notCompliant: { parts, count: 1_006 },
      incomplete: { parts: ['B'], count: 1 },
      withoutData: {
        parts: [
          { part: 'row 5', reason: 'missing' },
          { part: 'C', reason: 'not declared' },
        ],
        missing: 1,
        notDeclared: 1,
        unreadable: 2,
      },
      exemptions: [
        { exemption: '6(c)', expires: '2027-06-30', status: 'in force', parts: ['A'], count: 1 },
        {
          exemption: '5',
          expires: '2020-01-01',
          status: 'nominal date passed, renewal status unknown',
          parts: ['B'],
          count: 1,
        },
        { exemption: '99', expires: null, status: 'not judged', parts: ['B'], count: 1 },
      ],
      svhcs: Array.from({ length: 12 }, (_, n) => ({ substance: `S${n}`, parts: ['A'], count: 1 })),
      reach: { status: 'SVHC', withSvhc: 1, withoutSvhc: 4, incomplete: 0, notDeclared: 1 },
      mass: {
        mg: null,
        knownMg: 3,
        unknown: [{ part: 'C', reason: 'the quantity is blank' }],
        unknownCount: 3,
      },
      assemblies: {
        count: 12,
        declared: 1,
        flattened: null,
        lines: [
          { ...line, part: 'X', quantity: 2.5, massMg: 2_000_000 },
          { ...line, part: 'Y', quantity: null, massMg: null, withoutData: 0, withSvhc: 0 },
        ],
      },
    }),
  ).toEqual([
    'Product: RoHS not compliant, REACH SVHC (6 parts, not all quantities are known)',
    '  not compliant: A, B, C, D, E and 1,001 more',
    '  incomplete: B',
    '  without data: row 5, C (1 missing, 1 not declared)',
    '  unreadable: 2 files, which may be about any of the parts',
    '  exemption 6(c) (2027-06-30): A',
    '  exemption 5 (2020-01-01: nominal date passed): B',
    '  exemption 99 (no date known): B',
    ...Array.from({ length: 10 }, (_, n) => `  SVHC S${n}: A`),
    '  and 2 more SVHCs',
    '  no REACH statement: 1 part',
    '  mass: no total (3 mg known): C (the quantity is blank) and 2 more',
    '  12 assemblies, evaluated from their parts, 1 with their own declaration:',
    '    X × 2.5: RoHS incomplete, 1 without data, 1 with SVHC, 2 kg each',
    '    Y: RoHS incomplete',
    '  and 10 more assemblies',
  ])
})

test('levels that could not be used are said', () => {
  const assemblies = { ...CLEAN.assemblies, flattened: 'b.csv:3: level 3 comes without the level above it' }
  expect(rollupLines({ ...CLEAN, assemblies }).at(-1)).toBe(
    '  assemblies: none, b.csv:3: level 3 comes without the level above it',
  )
})

test.each([
  [0, '0 mg'],
  [12.34567, '12.35 mg'],
  [999, '999 mg'],
  [1_500, '1.5 g'],
  [2_345_678, '2.346 kg'],
])('%d mg is %s', (mg, text) => expect(formatMass(mg)).toBe(text))
