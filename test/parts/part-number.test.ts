import { describe, expect, test } from 'vitest'
import { findDamage, LeadingZeros } from '../../src/parts/part-number.ts'

describe('what a spreadsheet does to part numbers is recognised', () => {
  test.each([
    ['1.0E+10', 'number'],
    ['1E+10', 'number'],
    ['1,23E+11', 'number'],
    ['5.1e-05', 'number'],
    ['12345.0', 'number'],
    ['1234567890123450', 'number'],
    ['MAR-01', 'date'],
    ['Mar-01', 'date'],
    ['01-Mar', 'date'],
    ['1-Mar', 'date'],
    ['01. Mrz', 'date'],
    ['Mrz 01', 'date'],
    ['01-Mar-2026', 'date'],
    ['05-août', 'date'],
    ['2026-03-01', 'date'],
    ['2026-03-01 00:00:00', 'date'],
    ['3/1/2026', 'date'],
    ['1.3.2026', 'date'],
    ['#N/A', 'error-value'],
    ['#NV', 'error-value'],
    ['#REF!', 'error-value'],
    ['#DIV/0!', 'error-value'],
    ['########', 'error-value'],
    ['Err:502', 'error-value'],
    ['nan', 'placeholder'],
    ['NULL', 'placeholder'],
    ['N/A', 'placeholder'],
    ['TRUE', 'placeholder'],
    ["'00123", 'quotes'],
    ['"AB-1"', 'quotes'],
    ['AB\u00a01', 'white-space'],
    ['AB-1\u00a0', 'white-space'],
    ['AB\u202f1', 'white-space'],
    [' AB-1', 'white-space'],
    ['AB\u20131', 'dash'],
    ['AB\u20141', 'dash'],
    ['AB\u22121', 'dash'],
    ['\u0410B-1', 'look-alike'],
    ['AB-\u041e1', 'look-alike'],
    ['\u0391-100', 'look-alike'],
    ['\uff21B-1', 'look-alike'],
    ['Ku\u0308hler', 'look-alike'],
    ['AB\u200b1', 'invisible'],
    ['AB\u00ad1', 'invisible'],
    ['AB\u20191', 'quotes'],
    ['AB\ufffd1', 'encoding'],
    ['K\u00c3\u00bchler', 'encoding'],
    ['R&amp;S-123', 'sign'],
    ['AB&#45;12', 'sign'],
    ['AB&#x2d;12', 'sign'],
    ['LM358%2FDR', 'sign'],
    ['AB%20C12', 'sign'],
    ['"BAT54S', 'quotes'],
    ['LM358DR"', 'quotes'],
    ['2N2222"', 'quotes'],
    ['(BAT54S)', 'sign'],
    ['[TPS62130]', 'sign'],
    ['*LM317T', 'sign'],
    ['?LM317T', 'sign'],
    ['//LM317T', 'sign'],
    ['# LM317T', 'sign'],
    ['BAT54S # old', 'sign'],
    ['XC7A35T?', 'sign'],
    ['GRM155R71C104KA88D*', 'sign'],
    ['SN74LVC1G08;', 'sign'],
    ['BC847:', 'sign'],
    ['LM358DR,', 'sign'],
    ['LM358DR.', 'sign'],
    ['TI: LM358DR', 'sign'],
    ['LM358DR BAT54S 1N4148', 'sign'],
  ])('%j is a doubtful %s', (part, kind) => {
    expect(findDamage(part)?.kind).toBe(kind)
  })

  test('the deceptive character is named', () => {
    expect(findDamage('\u0410B-1')?.says).toBe('has U+0410, which only looks like "A"')
    expect(findDamage('AB\u00a01')?.says).toContain('no-break space (U+00A0)')
    expect(findDamage('AB\u20131')?.says).toContain('en dash (U+2013)')
    expect(findDamage('XC7A35T?')?.says).toBe('ends with a sign that few numbers have there')
    expect(findDamage('//OLD1')?.says).toBe('begins with a sign that few numbers have there')
    expect(findDamage('R&amp;S')?.says).toBe('has a code of HTML')
    expect(findDamage('TI: LM358')?.says).toBe('begins with a label')
  })
})

describe('ordinary part numbers are not doubted', () => {
  test.each([
    'RC0402FR-0710KL',
    'PN 4711/8',
    '10-11-2023',
    '22-23-2021',
    '1E5',
    '2E3',
    '12E+6A',
    '1.2.26',
    '13/45/2026',
    '123456789012345',
    'MARK-01',
    'MAY1',
    'DECAL-7',
    '-7X2',
    '#12',
    'A,B',
    'Widerstand-Ü',
    'КР142ЕН5Б',
    '10μF',
    'NULLPUNKT',
    '00123',
    'A=B&C?D#E%F+G',
    'RMC06031K1%N',
    '0805-10K-5%',
    'LT3751IFE#PBF',
    'MAX232CUE+',
    '74HC238PW,118',
    'LM317(SOT223)',
    'TLP291(GB,SE',
    'B2B-PH-K-S(LF)(SN)',
    'C&K KMR231G;LFS',
    'PCH14*09*90G',
    '1264EY-2R2N=P3',
    '1/4"',
    '3/8-16x1"',
    '12.5"',
    'R141A 605 000',
    'Texas Instruments SN74LVC1G07DCKR',
  ])('%j', (part) => {
    expect(findDamage(part)).toBeUndefined()
  })
})

describe('lost leading zeros', () => {
  const lost = (parts: readonly string[]): readonly string[] => {
    const watch = new LeadingZeros()
    for (const [index, part] of parts.entries()) watch.see(part, index + 1)
    return watch.result().first.map(({ part, line }) => `${line}:${part}`)
  }

  test('a shorter number among numbers of one width with zeros', () => {
    expect(lost(['00123', '00456', '789', '01000'])).toEqual(['3:789'])
  })

  test('other part numbers in the column do not matter', () => {
    expect(lost(['AB-1', '000123', 'C', '4567', '012345'])).toEqual(['4:4567'])
  })

  test('numbers of several lengths without zeros are not reported', () => {
    expect(lost(['1', '22', '333', '4444'])).toEqual([])
  })

  test('one number with a zero does not make a width', () => {
    expect(lost(['00001', '22', '33', '44'])).toEqual([])
  })

  test('a single zero is not a width', () => {
    expect(lost(['0', '1', '2'])).toEqual([])
  })

  test('only the first are kept, all are counted', () => {
    const watch = new LeadingZeros(2)
    for (let line = 1; line <= 10; line += 1) watch.see('00001', line)
    for (let line = 11; line <= 15; line += 1) watch.see(String(line), line)
    expect(watch.result()).toEqual({
      first: [
        { part: '11', line: 11 },
        { part: '12', line: 12 },
      ],
      count: 5,
      width: 5,
    })
  })
})

function watched(parts: readonly string[], keep?: number) {
  const watch = new LeadingZeros(keep)
  for (const [index, part] of parts.entries()) watch.see(part, index + 1)
  return watch.result()
}

const NONE = { first: [], count: 0, width: 0 }

test.each([
  [['0012', '0345', '12'], { first: [{ part: '12', line: 3 }], count: 1, width: 4 }],
  [
    ['123', '0012', '45', '1234'],
    {
      first: [
        { part: '123', line: 1 },
        { part: '45', line: 3 },
      ],
      count: 2,
      width: 4,
    },
  ],
])('%j has numbers that lost zeros', (parts, expected) => {
  expect(watched(parts)).toEqual(expected)
})

test.each([
  ['no number begins with zero', ['1234', '5678', '12']],
  ['the full width is in the minority', ['0012', '12', '34']],
  ['longer numbers lost nothing', ['0012', '0034', '12345']],
  ['a shorter number has its zeros', ['0012', '0034', '01']],
  ['only digits count', ['0012', '0034', 'A1', '1-2', '', '１２']],
  ['a single digit has no width', ['0', '0', '1']],
])('nothing is lost if %s', (_, parts) => {
  expect(watched(parts)).toMatchObject({ first: [], count: 0 })
})

test('no digits at all are no finding', () => {
  expect(watched(['A', 'B'])).toEqual(NONE)
})

test('the first ones are kept, all are counted', () => {
  const { first, count } = watched([...Array(10).fill('00001'), '1', '22', '3', '4'], 2)
  expect([first, count]).toEqual([
    [
      { part: '1', line: 11 },
      { part: '22', line: 12 },
    ],
    4,
  ])
})
