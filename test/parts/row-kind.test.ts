import { describe, expect, test } from 'vitest'
import {
  isDesignators,
  isPlaceholder,
  isRuler,
  isTotal,
  type RowText,
  readFitted,
  readNotFitted,
  skipKind,
} from '../../src/parts/row-kind.ts'

describe('placeholders', () => {
  test.each(
    'N/A n/a NA n.a. TBD tbd. T.B.D. TBC DNP DNI none NULL nan - -- – — ... ? ?? * 0 #REF! #N/A #NV #BEZUG! #VALUE! ### k.A. entfällt 无 未定'.split(
      ' ',
    ),
  )('%j', (text) => expect(isPlaceholder(text)).toBe(true))

  test.each(['to be defined', 'siehe Zeichnung', 'keine Angabe', '(none)', 'n. a.', 'Do Not Fit'])(
    '%j',
    (text) => expect(isPlaceholder(text)).toBe(true),
  )

  test.each([
    'NA555DR',
    'TBD62083APG',
    'DNP-1206',
    'NC7SZ125M5X',
    '00',
    '#1',
    'NAN-100',
    'NULL1',
    'LM358',
    'A',
    'ABC-DEF',
    'NONESUCH',
    '1N4148',
    'Ü',
    '型番1',
  ])('%j is a part number', (text) => expect(isPlaceholder(text)).toBe(false))
})

describe('totals', () => {
  test.each([
    'Total',
    'TOTAL:',
    'Grand Total',
    'Sub-total',
    'Total items',
    'Total 12',
    'Total: 12 parts',
    'Summe',
    'Zwischensumme:',
    'Gesamt',
    'Gesamtsumme',
    'Total général',
    'Totale complessivo',
    '合計',
    '总计',
  ])('%j', (text) => expect(isTotal(text)).toBe(true))

  test.each(['TOTAL-100', 'Total1', 'SUM-4', 'SUMMER', 'GESAMT-1', 'Totalizer', '4711', ''])(
    '%j is none',
    (text) => expect(isTotal(text)).toBe(false),
  )
})

describe('rows', () => {
  const row = { filled: 4, quantity: '1' }
  test.each<
    [
      string,
      Omit<RowText, 'isFirstInPosition' | 'cells'> & { readonly filled: number },
      ReturnType<typeof skipKind>,
    ]
  >([
    ['a part', { part: 'A-1', first: '1', ...row }, undefined],
    ['a part with spaces', { part: 'DIN 912 - M8 x 25', first: 'DIN 912 - M8 x 25', ...row }, undefined],
    ['without a number', { part: '', first: '1', ...row }, undefined],
    ['a placeholder', { part: 'TBD', first: '1', ...row }, 'placeholder'],
    ['a total in another column', { part: '', first: 'Summe', filled: 2, quantity: '40' }, 'total'],
    [
      'a total with a count below the parts',
      { part: '12', first: 'Total', filled: 2, quantity: '' },
      'total',
    ],
    ['a page', { part: 'Page 1 of 3', first: 'Page 1 of 3', filled: 1, quantity: '' }, 'footer'],
    ['an author', { part: 'J. Doe', first: 'Erstellt von:', filled: 2, quantity: '' }, 'footer'],
    ['an author without a colon', { part: 'J. Doe', first: 'Ersteller', filled: 2, quantity: '' }, 'footer'],
    [
      'a label',
      { part: 'Printed by: J. Doe', first: 'Printed by: J. Doe', filled: 1, quantity: undefined },
      'footer',
    ],
    [
      'the end',
      { part: '*** End of report ***', first: '*** End of report ***', filled: 1, quantity: '' },
      'footer',
    ],
    ['a section', { part: 'Widerstände', first: 'Widerstände', filled: 1, quantity: '' }, 'footer'],
    ['a lone part', { part: 'PAGE-2', first: 'PAGE-2', filled: 1, quantity: '' }, undefined],
    [
      'a lone part in a list without quantities',
      { part: 'ABC', first: 'ABC', filled: 1, quantity: undefined },
      undefined,
    ],
  ])('%s', (_, { filled, ...text }, kind) => {
    const cells = Array.from({ length: filled }, () => 'x')
    expect(skipKind({ isFirstInPosition: false, cells, ...text })).toBe(kind)
  })
})

test('lines of dashes are rulers', () => {
  expect(['-----', '_____', '=== ==='].every(isRuler)).toBe(true)
  expect(['--', 'A----', '-1-'].some(isRuler)).toBe(false)
})

test.each<[string, boolean, boolean]>([
  ['Fitted', false, true],
  ['Not Fitted', false, false],
  ['yes', false, true],
  ['no', false, false],
  ['0', false, false],
  ['', false, true],
  ['未実装', false, false],
  ['DNP', true, false],
  ['x', true, false],
  ['1', true, false],
  ['yes', true, false],
  ['', true, true],
  ['no', true, true],
  ['0', true, true],
])('%j in a column of parts that are %s (negated) fitted: %s', (text, isNegated, isFitted) =>
  expect(readFitted(text, isNegated)).toBe(isFitted),
)

test('a cell may say by itself that a part is not fitted', () => {
  expect(['DNP', 'Do not fit', 'nicht bestückt', '1 (DNF)'].every(readNotFitted)).toBe(true)
  expect(['DNP-1206', '2 (DNC)', '', 'fitted', '100n'].some(readNotFitted)).toBe(false)
})

test('reference designators are not part numbers', () => {
  expect(['R1', 'R1, R2', 'C1-C24', 'U3;U4'].every(isDesignators)).toBe(true)
  expect(['NA555DR', '4711', 'RC0603FR-0710KL'].some(isDesignators)).toBe(false)
})
