import { describe, expect, test } from 'vitest'
import {
  groupLimit,
  SVHC_LIMIT,
  weakApplication,
  weakThreshold,
  weakValue,
} from '../../src/compliance/legal-limits.ts'
import { partRecord } from '../../src/compliance/part-record.ts'
import { fileA, listXml, productXml } from '../support/declarations.ts'
import { readText } from '../support/read-text.ts'

const entry = (threshold: string) => ({ code: '', authority: '', name: 'Lead', cas: [], threshold })

describe('"not over" a stated threshold', () => {
  test.each([
    ['', undefined, undefined],
    ['as the directive has it', undefined, undefined],
    ['0.1% by weight (1 000 ppm) of homogenous materials', undefined, undefined],
    ['0.1% by weight (1 000 ppm) of any article', 'of the article', undefined],
    ['0.1 wt%', undefined, undefined],
    ['0,1 Gew.-%', undefined, undefined],
    ['1 g/kg', undefined, undefined],
    ['0.05 % of the material', undefined, undefined],
    ['0.1 mass% of the product', 'of the product', 'of the product'],
    ['5%', '5 %', '5 %'],
    ['1 % of the product', '1 % of the product', '1 % of the product'],
    ['1,500 ppm', '0.15 %', '0.15 %'],
    ['0.1', 'is not recognized', 'is not recognized'],
    ['Intentionally added', 'is not recognized', 'is not recognized'],
  ])(
    '%j proves what the law asks for of a material: but %s, of an article: but %s',
    (text, material, article) => {
      for (const [limit, why] of [
        [groupLimit('Lead'), material],
        [SVHC_LIMIT, article],
      ] as const) {
        const found = weakThreshold(entry(text), limit)
        if (why === undefined) expect(found).toBeUndefined()
        else expect(found).toContain(why)
      }
    },
  )

  test('has the lower limit for cadmium', () => {
    expect(weakThreshold(entry('0.1 %'), groupLimit('Cadmium'))).toBe(
      '"not over" 0.1 %, the limit is 0.01 % of the homogeneous material',
    )
    expect(weakThreshold(entry('100 ppm'), groupLimit('Cadmium'))).toBeUndefined()
  })
})

test.each([
  ['&lt;5', '', true],
  ['&lt; 5', 'massPercent', true],
  ['less than 5 %', '', true],
  ['&lt;0.05', '', false],
  ['&lt; 500', 'ppm', false],
  ['&lt;5000', 'ppm', true],
  ['n.d.', '', false],
  ['not detected', '', false],
  ['&lt;LOD', '', false],
  ['0', '', false],
])('the value %j %s beside "not over" leaves it open: %s', (value, unit, isWeak) => {
  const uom = unit === '' ? '' : ` UOM="${unit}"`
  for (const element of ['Amount', 'Concentration']) {
    const list = listXml('EUROHS-1907', [
      { name: 'Lead', over: 'false', inside: `<${element} value="${value}"${uom}/>` },
    ])
    const [one] = partRecord(readText(fileA(productXml(['P'], list))).products[0]!).lists[0]!.marked
    expect(weakValue(one!, groupLimit('Lead')) !== undefined, element).toBe(isWeak)
    expect(one!.unreadValue, element).toBe('')
  }
})

test.each([
  ['Batteries', [], true],
  ['Textiles and leather', ['Batteries'], true],
  ['Batteries', ['All, except batteries'], false],
  ['Batteries', [''], false],
  ['All, except batteries', [], false],
  ['All, except solder', [], true],
  ['Solder only', [], true],
  ['External housing', [], true],
  ['Nur Kunststoffe', [], true],
  ['All homogeneous materials of the shipping container', [], false],
  ['Alle Anwendungen', [], false],
  ['Electrical and electronic equipment', [], false],
  ['', [], false],
])('"not over" for %j beside %j is for some uses only: %s', (application, others, isWeak) => {
  const alike = others.map((one) => ({ application: one }))
  expect(weakApplication({ application }, alike) !== undefined).toBe(isWeak)
})
