import { expect, test } from 'vitest'
import type { ProductId } from '../../src/declaration/product-ids.ts'
import { accountParts } from '../../src/download/accounting.ts'
import { declaredNumbers } from '../../src/library/library.ts'
import { partsAsList } from '../../src/parts/parts-result.ts'

function declared(products: readonly ProductId[]): ReadonlySet<string> {
  return new Set(declaredNumbers(products))
}

test('parts are found by the number of the supplier or of the requester, exactly', () => {
  const products = [{ itemNumber: 'A-1' }, { itemNumber: 'X', requesterItemNumber: 'B-2' }]
  expect(accountParts(['A-1', 'B-2', 'C-3'], declared(products))).toEqual({
    foundCount: 2,
    missing: ['C-3'],
    near: [],
    unknown: [],
  })
})

test('a near match is reported and never counted', () => {
  const products = [{ itemNumber: 'ab 1\u201300' }, { itemNumber: '00123' }]
  expect(accountParts(['AB-100', '123', 'Z'], declared(products))).toEqual({
    foundCount: 0,
    missing: ['AB-100', '123', 'Z'],
    near: [{ asked: 'AB-100', near: 'ab 1\u201300' }],
    unknown: [],
  })
})

test('a part that a file only asks about is missing, and no near match', () => {
  const products = [{ itemNumber: 'A', isOnlyRequested: true }, { itemNumber: 'B' }] as const
  expect(accountParts(['A', 'a', 'B'], declared(products))).toMatchObject({
    foundCount: 1,
    missing: ['A', 'a'],
    near: [],
  })
  expect(accountParts(['A'], declared([...products, { itemNumber: 'A' }]))).toMatchObject({ foundCount: 1 })
})

test('parts of a failed request are unknown, unless another archive has them', () => {
  expect(accountParts(['A', 'B', 'C'], declared([{ itemNumber: 'B' }]), ['B', 'C'])).toMatchObject({
    foundCount: 1,
    missing: ['A'],
    unknown: ['C'],
  })
})

test('an empty number matches nothing', () => {
  expect(accountParts(['-'], declared([{ itemNumber: '' }, {}]))).toMatchObject({ foundCount: 0, near: [] })
})

test('missing parts make a list', () => {
  expect(partsAsList(['A,B', ' Ü"'], 'missing.txt')).toBe('A,B\n Ü"\n')
  expect(partsAsList([], 'missing.txt')).toBe('')
  expect(partsAsList(['A B', 'A,B', ' Ü"'], 'missing.CSV')).toBe(
    'Requested Part Number\nA B\n"A,B"\n" Ü"""\n',
  )
})
