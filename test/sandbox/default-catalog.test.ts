import { describe, expect, it } from 'vitest'
import { catalogOn, joinCatalogs, madeUpCatalog } from '../../src/sandbox/catalog.ts'
import { defaultCatalog } from '../../src/sandbox/default-catalog.ts'
import { SPECIAL_PARTS, SPECIAL_SUPPLIER } from '../../src/sandbox/special-parts.ts'
import { running, unzipped } from '../support/sandbox.ts'

const catalog = defaultCatalog()
const madeUp = madeUpCatalog(240)

describe('the catalog without settings', () => {
  it('begins with the made-up one, unchanged', () => {
    expect([...catalog.list()].slice(0, 240)).toEqual([...madeUp.list()])
    expect(catalog.suppliers.slice(0, 8)).toEqual(madeUp.suppliers)
  })

  it('ends with the special supplier', () => {
    const special = [...catalog.list(SPECIAL_SUPPLIER.id)]
    expect(special.map(({ part }) => part)).toEqual(SPECIAL_PARTS)
    expect([...catalog.list()].slice(240)).toEqual(special)
    expect(catalog.suppliers[8]).toEqual({
      ...SPECIAL_SUPPLIER,
      parts: SPECIAL_PARTS.length,
      examples: SPECIAL_PARTS.slice(0, 3).map(({ numbers }) => numbers[0].number),
    })
  })

  it('has every part at its own index, where it is found by number', () => {
    const all = [...catalog.list()]
    expect(all.map(({ index }) => index)).toEqual(all.map((_, index) => index))
    for (const indexed of all) expect(catalog.find(indexed.part.numbers[0].number)).toEqual([indexed])
  })

  it('is what a service has unless it is given a number of parts', async () => {
    await using usual = await running()
    await using counted = await running({ parts: 9 })
    const everything = { format: 'XML', formatClass: 'checkDthenC' }
    expect((await unzipped(await usual.askLegacy(everything))).size).toBe(240 + SPECIAL_PARTS.length)
    expect((await unzipped(await counted.askLegacy(everything))).size).toBe(9)
    const special = await counted.ask(`format=1752A&supplier=${SPECIAL_SUPPLIER.id}`)
    expect((await unzipped(special)).size).toBe(0)
  })
})

it('has another fingerprint on each day and for each of its parts', () => {
  const small = madeUpCatalog(3)
  const all = [
    small,
    catalogOn(small, '2025-01-01'),
    catalogOn(small, '2025-01-02'),
    joinCatalogs(small, madeUp),
  ]
  expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(all.length)
})

it('serves the made-up suppliers by day too', async () => {
  await using service = await running({ date: '2021-12-31' })
  const entries = await unzipped(await service.ask('format=1752A&supplier=100200300'))
  const dates = [...entries.values()].map((xml) => /<Response date="(\d{4}-\d\d-\d\d)/.exec(xml)?.[1])
  expect(dates.length).toBeGreaterThan(0)
  for (const date of dates) expect(date! <= '2021-12-31').toBe(true)
})
