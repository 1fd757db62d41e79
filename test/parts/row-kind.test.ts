import { describe, expect, test } from 'vitest'
import {
  isNoPartNumber,
  isRuler,
  isTotal,
  type RowText,
  readFitted,
  readNotFitted,
  skipKind,
} from '../../src/parts/row-kind.ts'

describe('placeholders', () => {
  test.each(
    'N/A n/a NA n.a. TBD tbd. T.B.D. TBC DNP DNI none NULL nan - -- – — ... ? ?? * 0 #REF! #N/A #NV #BEZUG! #VALUE! ### k.A. entfällt 无 未定 不明 Custom DNP/TBD'.split(
      ' ',
    ),
  )('%j', (text) => expect(isNoPartNumber(text)).toBe(true))

  test.each([
    'to be defined',
    'siehe Zeichnung',
    'keine Angabe',
    '(none)',
    'n. a.',
    'Do Not Fit',
    'as required',
    'part number pending',
    'unbekannt',
    'lt. Zeichnung',
    'Beistellung (Kunde)',
    'nicht vorhanden',
    'à confirmer',
    'sin código',
    '客户提供',
    'Removed',
    'não aplicável',
    'fornecido pelo cliente',
    'sans objet',
    'voir plan',
    'vedi disegno',
    'no aplica',
    'ver plano',
    'noch zu klären',
    'in Klärung',
  ])('%j', (text) => expect(isNoPartNumber(text)).toBe(true))

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
  ])('%j is a part number', (text) => expect(isNoPartNumber(text)).toBe(false))
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
    'Übertrag',
    'Zwischenübertrag: 40',
    'Carried forward',
    'Amount brought forward 12',
    'À reporter',
  ])('%j', (text) => expect(isTotal(text)).toBe(true))

  test.each(['TOTAL-100', 'RIPORTO-1', 'Total1', 'SUM-4', 'SUMMER', 'GESAMT-1', 'Totalizer', '4711', ''])(
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
    ['a section', { part: 'Widerstände', first: 'Widerstände', filled: 1, quantity: '' }, undefined],
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

test('the headings that Excel gives a table without any are headings', () => {
  const of = (...cells: readonly string[]): ReturnType<typeof skipKind> =>
    skipKind({ part: cells[0]!, first: cells[0]!, cells, isFirstInPosition: false, quantity: cells[1] })
  expect(of('Column1', 'Column2', 'Column3')).toBe('heading')
  expect(of('Column1', '2', 'a part')).toBeUndefined()
})

describe('rows with', () => {
  type Case = readonly [first: string, part: string, filled: number, quantity: string | undefined]
  test.each<readonly [...Case, isFirstInPosition: boolean, kind: ReturnType<typeof skipKind>]>([
    ['SUM 5', 'SUM 5', 2, '', false, 'total'],
    ['SUM 5', 'SUM 5', 3, '1', false, undefined],
    ['Total', 'Total', 5, '1', false, 'total'],
    ['Electronics total', '', 3, '1', false, 'total'],
    ['Electronics total:', 'Electronics total:', 3, '1', false, 'total'],
    ['Electronics total', 'A-1', 3, '1', false, undefined],
    ['Total', 'A-1', 2, '1', false, 'total'],
    ['Total', 'A-1', 3, '1', false, undefined],
    ['Total', 'A-1', 3, '1', true, 'total'],
    ['Total', '', 5, '1', false, 'total'],
    ['Total', 'TBD', 3, '1', false, 'total'],
    ['2026-01-02', '2026-01-02', 1, '', false, 'footer'],
    ['2026-01-02', '2026-01-02', 1, undefined, false, undefined],
    ['2026-01-02', '2026-01-02', 2, '', false, undefined],
    ['2.1.2026 10:00', '2.1.2026 10:00', 1, '', false, 'footer'],
    ['2.1.2026 10:00', '2.1.2026 10:00', 2, '', false, undefined],
    ['Date: today', 'A-1', 3, '5', true, 'footer'],
    ['Date: today', 'A-1', 3, '5', false, undefined],
    ['Printed by Jo', 'A-1', 3, '5', true, 'footer'],
    ['Printed by Jo', 'A', 2, '', false, 'footer'],
    ['Printed by Jo', 'A', 3, '', false, undefined],
    ['Printed by Jo', '', 3, '', false, 'footer'],
    ['Page 1', 'Page 1', 1, '', false, 'footer'],
    ['Page 1', 'A', 2, '', false, undefined],
    ['Page 1 of 2', 'A', 2, '', false, 'footer'],
    ['Page 1 of 2', 'A', 3, '', false, undefined],
    ['Made in: Bonn', '', 2, '', false, 'footer'],
    ['Made in: Bonn', '', 3, '', false, undefined],
    ['Made in: Bonn', 'A', 2, '', false, undefined],
    ['Made in: Bonn', 'A', 2, '', true, 'footer'],
    ['Made in:', 'A', 2, '', false, 'footer'],
    ['look at the drawing', '', 2, '', false, 'footer'],
    ['look at it', '', 2, '', false, undefined],
    ['look at the drawing 5', 'look at the drawing 5', 1, '', false, 'footer'],
    ['look at 5', 'look at 5', 1, '', false, undefined],
    ['look at', 'look at', 1, '', false, undefined],
    ['look at', 'look at', 2, '', false, undefined],
    ['look at', 'look at', 1, undefined, false, undefined],
  ])('%j before %j, %i cells and the quantity %j (in position: %s) are %j', (...row) => {
    const [first, part, filled, quantity, isFirstInPosition, kind] = row
    const cells = Array.from({ length: filled }, () => 'x')
    expect(skipKind({ first, part, cells, quantity, isFirstInPosition })).toBe(kind)
  })
})

test('words that stand where a quantity should, beside an amount alone, are a label', () => {
  const of = (quantity: string, ...others: readonly string[]): ReturnType<typeof skipKind> =>
    skipKind({
      part: '',
      first: quantity,
      cells: ['', quantity, ...others],
      isFirstInPosition: true,
      quantity,
    })
  expect(of('Price Per Board', '12.50 EUR')).toBe('footer')
  expect([of('as required', 'Glue'), of('5 of each', '1.20'), of('Blue', '0.10')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('words are those of totals and of parts that are not fitted in short texts only', () => {
  expect([80, 81].map((length) => isTotal('Total: '.padEnd(length, 'x')))).toEqual([true, false])
  expect([40, 41].map((length) => readNotFitted('DNP'.padEnd(length, '.')))).toEqual([true, false])
})

test('lines of dashes are rulers', () => {
  expect(['-----', '_____', '=== ==='].every(isRuler)).toBe(true)
  expect(['--', 'A----', '-1-'].some(isRuler)).toBe(false)
})

test.each<[string, boolean, boolean | undefined]>([
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
  ['☑', true, false],
  ['●', true, false],
  ['✗', false, false],
  ['❌', false, false],
  ['✗', true, undefined],
  ['×', true, undefined],
  ['+', true, false],
  ['-', true, true],
  ['-', false, undefined],
  ['☒', false, undefined],
  ['☒', true, undefined],
  ['?', false, undefined],
  ['#', true, undefined],
  ['entfällt', false, undefined],
  ['optional', false, undefined],
  ['empty', true, undefined],
  ['0', true, true],
])('%j in a column of parts that are %s (negated) fitted: %s', (text, isNegated, isFitted) =>
  expect(readFitted(text, isNegated)).toBe(isFitted),
)

test('a cell may say by itself that a part is not fitted', () => {
  const marks = [
    'DNP',
    'Do not fit',
    'nicht bestückt',
    '1 (DNF)',
    'do not stuff',
    'Not placed',
    'unpopulated',
    'NOT STUFFED',
    'não montar',
    'nicht eingebaut',
    'non implanté',
    'no poner',
    '非実装',
    '不上件',
  ]
  for (const mark of marks) expect(readNotFitted(mark), mark).toBe(true)
  for (const mark of ['DNP - LOAD', '10k DNP', 'DNP/10k', '100n (DNP)'])
    expect(readNotFitted(mark), mark).toBe(true)
  for (const mark of [
    'DNP-1206',
    '2 (DNC)',
    '1 (NF)',
    'optional',
    'empty',
    'entfällt',
    '',
    'fitted',
    '100n',
    'NC',
    'NI',
  ])
    expect(readNotFitted(mark), mark).toBe(false)
})

test.each(['NC', 'N.C.', 'NI', 'NF', 'n.b.', 'NP', 'NM', '1 (NF)'])('among notes %s says so too', (mark) => {
  expect(readNotFitted(mark, true)).toBe(true)
})

test('a word that is not known says nothing', () => {
  expect(readFitted('OPTION', false)).toBeUndefined()
  expect(readFitted('OPTION', true)).toBeUndefined()
  expect(readFitted('*', true)).toBeUndefined()
})
