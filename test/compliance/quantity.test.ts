import { describe, expect, it } from 'vitest'
import { absoluteMassMg, readDecimal, relativePercent } from '../../src/compliance/quantity.ts'

describe('a mass', () => {
  it.each([
    ['100', 'g', 100_000],
    ['5.200', 'mg', 5.2],
    ['2', 'KG', 2_000_000],
    ['3', 'µg', 0.003],
    ['0', 'mg', 0],
    ['1e-3', 'g', 1],
    ['0,5', 'g', 500],
    ['1,234.5', 'g', undefined],
    ['-1', 'g', undefined],
    ['', 'g', undefined],
    ['Refer to comment', 'g', undefined],
    ['1', 'massPercent', undefined],
    ['1', 'lb', undefined],
    ['1', '', undefined],
    ['1', 'constructor', undefined],
    ['1', '__proto__', undefined],
    ['1e308', 'kg', undefined],
  ] as const)('%j %j is %s mg', (value, unit, mg) => {
    expect(absoluteMassMg({ value, unit })).toBe(mg)
  })

  it('is unknown without a number', () => {
    expect(absoluteMassMg(undefined)).toBeUndefined()
  })
})

describe('a share', () => {
  it.each([
    ['0.25', 'massPercent', 0.25],
    ['1500', 'ppm', 0.15],
    ['1500', 'PPM', 0.15],
    ['2', '%', 2],
    ['2', 'mg', undefined],
    ['x', 'ppm', undefined],
    ['1', 'constructor', undefined],
    ['1', '__proto__', undefined],
  ] as const)('%j %j is %s percent', (value, unit, percent) => {
    expect(relativePercent({ value, unit })).toBe(percent)
  })
})

it('distinguishes a decimal comma from a decimal point', () => {
  expect(readDecimal('0,5')).toEqual({ value: 0.5, hadComma: true })
  expect(readDecimal('0.5')).toEqual({ value: 0.5, hadComma: false })
  expect(readDecimal('0x10')).toBeUndefined()
  expect(readDecimal('Infinity')).toBeUndefined()
  expect(readDecimal('1e999')).toBeUndefined()
  expect(readDecimal('1e16')).toBeUndefined()
})
