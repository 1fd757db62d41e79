import { describe, expect, it } from 'vitest'
import {
  absoluteMassMg,
  concentrationPercent,
  isInPercent,
  readDecimal,
  readingRemarks,
  readThreshold,
  relativePercent,
} from '../../src/compliance/quantity.ts'

describe('a mass', () => {
  it.each([
    ['100', 'g', 100_000],
    ['5.200', 'mg', 5.2],
    ['2', 'KG', 2_000_000],
    ['3', 'µg', 0.003],
    ['0', 'mg', 0],
    ['1e-3', 'g', 1],
    ['0,5', 'g', 500],
    ['1,234.5', 'g', 1_234_500],
    ['1.234,5', 'g', 1_234_500],
    ['1 234,5', 'mg', 1_234.5],
    ['1\u202f234.5', 'mg', 1_234.5],
    ["1'234", 'mg', 1_234],
    ['1,234,567', 'mg', 1_234_567],
    ['1.234.567', 'mg', 1_234_567],
    ['1,234,56', 'mg', undefined],
    ['0,500', 'mg', 0.5],
    ['1234,567', 'mg', 1_234.567],
    ['1.500', 'mg', 1.5],
    ['1,500', 'mg', undefined],
    ['5 mg', '', 5],
    ['5 mg', 'mg', undefined],
    ['-1', 'g', undefined],
    ['', 'g', undefined],
    ['Refer to comment', 'g', undefined],
    ['1', 'massPercent', undefined],
    ['1', 'lb', undefined],
    ['1', '', undefined],
    ['1', 'constructor', undefined],
    ['1', '__proto__', undefined],
    ['1e308', 'kg', undefined],
    ['1e15', 'mg', 1e15],
    ['1e15', 'kg', 1e21],
    ['1.1e15', 'mg', undefined],
    ['4', 'ug', 0.004],
    ['4', 'μg', 0.004],
    ['1', 'ml', undefined],
    ['１．５', 'ｍｇ', 1.5],
    ['٥', 'mg', undefined],
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
    ['2', 'mass %', 2],
    ['2', 'percent', 2],
    ['2', 'wt%', 2],
    ['2', 'mass%', 2],
    ['2', 'Gew.-%', 2],
    ['2', 'Masse-%', 2],
    ['0.3 %', '', 0.3],
    ['300ppm', '', 0.03],
    ['2', '% w/w', 2],
    ['2', 'weight %', 2],
    ['2000', 'mg/kg', 0.2],
    ['2000', 'µg/g', 0.2],
    ['2000', 'μg/g', 0.2],
    ['2000', 'ug/g', 0.2],
    ['3000', 'ppb', 0.0003],
    ['x', 'ppm', undefined],
    ['1', 'constructor', undefined],
    ['1', '__proto__', undefined],
  ] as const)('%j %j is %s percent', (value, unit, percent) => {
    expect(relativePercent({ value, unit })).toBe(percent)
  })
})

it('a number may have a decimal comma, and is in bounds', () => {
  expect(readDecimal('0,5')).toBe(0.5)
  expect(readDecimal('0.5')).toBe(0.5)
  expect(readDecimal('0x10')).toBeUndefined()
  expect(readDecimal('Infinity')).toBeUndefined()
  expect(readDecimal('1e999')).toBeUndefined()
  expect(readDecimal('1e16')).toBeUndefined()
})

it.each([
  ['2', '%', 2, true],
  ['2', ' ', 2, false],
  ['2', 'ppm', 0.0002, false],
  ['2', 'mg', undefined, false],
  ['x', '%', undefined, false],
  ['x', '', undefined, false],
])(
  'a concentration of %j %j is %s percent, and is written in percent: %s',
  (value, unit, percent, isPercent) => {
    expect(concentrationPercent({ value, unit })).toBe(percent)
    expect(isInPercent({ value, unit })).toBe(isPercent)
  },
)

it.each([
  ['0.5', 'g', true, []],
  ['0,5', 'g', true, ['decimal comma in the mass of A']],
  ['0,5', 'lb', false, ['mass "0,5 lb" of A not recognized']],
  ['much', '', false, ['mass "much" of A not recognized']],
  [' ', 'g', false, []],
])('of %j %j, recognized: %s, the remarks are %j', (value, unit, isRead, remarks) => {
  expect(readingRemarks({ value, unit }, isRead, 'mass', 'A')).toEqual(remarks)
  expect(readingRemarks(undefined, isRead, 'mass', 'A')).toEqual([])
})

it.each([
  ['0.1% by weight (1 000 ppm) of any article', 0.1],
  ['0.01 mass % (100 ppm) of homogenous materials', 0.01],
  ['1,000 ppm', 0.1],
  ['0.1% (1,000 ppm)', 0.1],
  ['0,1 Gew.-%', 0.1],
  ['0.1 wt%', 0.1],
  ['0.1 mass% of article', 0.1],
  ['1 g/kg of the product', 0.1],
  ['0.1', undefined],
  ['1 000 mg/kg', 0.1],
  ['0,1 %', 0.1],
  ['0.1 % of the article, 0.01 % of the material', 0.1],
  ['intentionally added', undefined],
  ['', undefined],
  ['1E-2 %', 0.01],
  ['5e0 % of homogeneous material', 5],
  ['1E+3 ppm', 0.1],
])('the threshold %j is %s percent', (text, percent) => expect(readThreshold(text).percent).toBe(percent))
