import { expect, test } from 'vitest'
import { madeUpCatalog } from '../../src/sandbox/catalog.ts'
import type { MockSearch } from '../../src/sandbox/query.ts'
import type { RevisionFacts } from '../../src/sandbox/revisions.ts'
import { select } from '../../src/sandbox/selection.ts'

const CATALOG = madeUpCatalog(60)
const [FIRST, SECOND] = CATALOG.suppliers
const ALL: MockSearch = { standard: '1752A', formatClass: 'C', suppliers: [], parts: [] }

const chosen = (asked: Partial<MockSearch>): RevisionFacts[] => [...select(CATALOG, { ...ALL, ...asked })]
const numbers = (asked: Partial<MockSearch>): string[] =>
  chosen(asked).map(({ part }) => part.numbers[0].number)

test('suppliers and parts both restrict, in the order of the catalog, each family once', () => {
  const [one, two] = numbers({ suppliers: [FIRST!.id] })
  expect(numbers({ parts: [two!, one!, two!] })).toEqual([one, two])
  expect(numbers({ parts: [one!], suppliers: [SECOND!.id] })).toEqual([])
  expect(numbers({ suppliers: ['000000000'] })).toEqual([])
  expect(
    chosen({ suppliers: [FIRST!.id, FIRST!.id] }).every(({ part }) => part.supplier.id === FIRST!.id),
  ).toBe(true)
  expect(numbers({ suppliers: [FIRST!.id, FIRST!.id] })).toEqual(numbers({ suppliers: [FIRST!.id] }))
})

test('a part without the class is left out, one approved on the start date too', () => {
  expect(
    chosen({}).every(({ part, declarationClass }) => declarationClass === 'C' && part.regulatory),
  ).toBeTruthy()
  const startDate = chosen({})
    .map(({ approved }) => approved)
    .sort()[0]!
  const later = chosen({ startDate })
  expect(later.every(({ approved }) => approved > startDate)).toBe(true)
  expect(later).toHaveLength(chosen({}).filter(({ approved }) => approved !== startDate).length)
  expect(later.length).toBeLessThan(chosen({}).length)
})
