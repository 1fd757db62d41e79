import { describe, expect, test } from 'vitest'
import { exemptionLabel, exemptionNumbers } from '../../src/compliance/exemption-number.ts'
import { seeded } from '../support/seeded.ts'

const labels = (text: string, list?: string): string[] => exemptionNumbers(text, list).map(exemptionLabel)

describe('the legal number of an exemption', () => {
  test.each([
    ['6(c)', '6(c)'],
    ['6c', '6(c)'],
    ['6C', '6(c)'],
    [' 6 c ', '6(c)'],
    ['06(c)', '6(c)'],
    ['6a1', '6(a)-I'],
    ['7ci', '7(c)-I'],
    ['7cI', '7(c)-I'],
    ['7c-I', '7(c)-I'],
    ['7(c)-1', '7(c)-I'],
    ['7c-1', '7(c)-I'],
    ['7(c)I', '7(c)-I'],
    ['7(c) -II', '7(c)-II'],
    ['7 (c)-11', '7(c)-II'],
    ['7(c)-ll', '7(c)-II'],
    ['7. c) I.', '7(c)-I'],
    ['7(a)-VII', '7(a)-VII'],
    ['7a7', '7(a)-VII'],
    ['7av', '7(a)-V'],
    ['1(f)- I', '1(f)-I'],
    ['13(b)-(III)', '13(b)-III'],
    ['7(c)\u2013I', '7(c)-I'],
    ['7(c)\u2011IV', '7(c)-IV'],
    ['7(c)\u2212\u2160', '7(c)-I'],
    ['\uff16\uff08\uff43\uff09', '6(c)'],
    ['Exemption number: 8(b)-I', '8(b)-I'],
    ['RoHS exemption 8(b)', '8(b)'],
    ['III-6(c)', '6(c)'],
    ['RoHS-6(c)', '6(c)'],
    ['Annex III, 6(c)', '6(c)'],
    ['annex 3 - 7a', '7(a)'],
    ['2011/65/EU 6(c)', '6(c)'],
    ['EL2011/534/EU-6(c)', '6(c)'],
    ['2002/95/EC: 7(a)', '7(a)'],
    ['6[c]', '6(c)'],
    ['2(a)(1)', '2(a)(1)'],
    ['2b3', '2(b)(3)'],
    ['2(b)-4', '2(b)(4)'],
    ['2(b)(4)-II', '2(b)(4)-II'],
    ['31a', '31a'],
    ['31(a)', '31a'],
    ['34', '34'],
    ['IV-34', 'IV-34'],
    ['Annex IV 34', 'IV-34'],
    ['IV 1a', 'IV-1a'],
    ['7(c)', '7(c)'],
    ['6(c) Copper alloy containing up to 4 % lead by weight', '6(c)'],
    ['6(c), lead', '6(c)'],
    ['6(a)-I Lead in steel', '6(a)-I'],
    ['6(c): Copper alloy', '6(c)'],
    ['34: Lead in cermet-based trimmer potentiometer elements', '34'],
  ])('%j is %s', (text, number) => {
    expect(labels(text)).toEqual([number])
  })

  test.each([
    ['6(c), 7(a)', ['6(c)', '7(a)']],
    ['6c;7c-I', ['6(c)', '7(c)-I']],
    ['7(a) / 7(c)-I', ['7(a)', '7(c)-I']],
    ['6(a) and 6(b)', ['6(a)', '6(b)']],
    ['6(c) Copper alloy; 7(a) Solder', ['6(c)', '7(a)']],
  ])('%j is several', (text, numbers) => {
    expect(labels(text)).toEqual(numbers)
  })

  test.each([
    '',
    'none',
    'RoHS_0259',
    'EU010111',
    '00001-A-00',
    '0',
    '6 copper alloys',
    '10 mg of mercury in a lamp',
    '4 % of lead',
    '7(c)-XXX',
    'Lead in copper alloys',
  ])('%j is not recognized', (text) => {
    expect(exemptionNumbers(text)).toEqual([])
  })

  test('has the annex that the declaration or its list names', () => {
    expect(exemptionNumbers('34')).toEqual([{ number: '34', annex: undefined }])
    expect(exemptionNumbers('III-34')).toEqual([{ number: '34', annex: 'III' }])
    expect(exemptionNumbers('34', 'EU-RoHS-AnnexIII')).toEqual([{ number: '34', annex: 'III' }])
    expect(exemptionNumbers('34', 'EU-RoHS-AnnexIV')).toEqual([{ number: '34', annex: 'IV' }])
    expect(exemptionNumbers('31a')).toEqual([{ number: '31a', annex: 'IV' }])
    expect(exemptionNumbers('6(c)', 'EL2011/534/EU')).toEqual([{ number: '6(c)', annex: undefined }])
  })

  test('normalized twice is the same as normalized once', () => {
    const random = seeded(12)
    const pieces = [
      '6',
      '7',
      '2',
      '31',
      'a',
      '(c)',
      'b',
      '-',
      ' ',
      'I',
      'ii',
      '1',
      '(1)',
      '.',
      'IV',
      '–',
      'rohs',
    ]
    let understood = 0
    for (let n = 0; n < 20_000; n += 1) {
      const length = 1 + Math.floor(random() * 5)
      const text = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('')
      const once = labels(text)
      understood += once.length
      for (const label of once) expect([text, ...labels(label)]).toEqual([text, label])
    }
    expect(understood).toBeGreaterThan(1_000)
  })
})
