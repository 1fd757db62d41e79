import { describe, expect, test } from 'vitest'
import {
  claimsExemption,
  createExemptionLookup,
  type ExemptionDates,
  type ExemptionRow,
  exemptionLabel,
  exemptionNumbers,
} from '../../src/compliance/exemptions.ts'
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
    ['7(a)-10', '7(a)-X'],
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
    ['34 Lead in cermet-based trimmer potentiometer elements', '34'],
    ['9 Hexavalent chromium as an anticorrosion agent', '9'],
    ['Ex. 6(c)', '6(c)'],
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

const row = (exemption: string, expires: string, more: Partial<ExemptionRow> = {}): ExemptionRow => ({
  exemption,
  annex: 'III',
  categories: 'all',
  expires,
  status: 'in force',
  confidence: 'two agreeing summaries',
  source: 'Act A ; https://a.example/',
  note: '',
  ...more,
})

const ROWS = [
  row('6(c)', '2027-06-30', { status: 'in force (renewal announced)' }),
  row('6(b)-I', '2026-12-11', { categories: '1-7, 10', note: 'first' }),
  row('6(b)-I', '2027-06-30', { categories: '9, 11', confidence: 'one summary', source: 'Act B' }),
  row('7(c)-I', '2027-06-30'),
  row('7(c)-II', '2027-12-31'),
  row('8(b)', '', { status: 'not determined', confidence: 'no date seen' }),
  row('13(a)', '2021-07-21', { status: 'expired' }),
  row('13(a)', '2024-07-21', { status: 'expired' }),
  row('39(b)', '2027-12-31', { status: 'Expired soon' }),
  row('34', '2021-07-21'),
  row('34', '2028-01-01', { annex: 'IV' }),
  row('31a', '2023-07-21', { annex: 'IV' }),
]

const find = (identity: string, list = '', today = '2026-11-22'): ExemptionDates => {
  const found = createExemptionLookup(ROWS, today)({ identity, list })
  expect(found).toHaveLength(1)
  return found[0]!
}

describe('the dates of an exemption', () => {
  test('are those of its legal number, whatever the spelling and the list', () => {
    for (const spelling of ['6(c)', '6c', 'III-6(c)', 'Exemption 6(c)']) {
      expect(find(spelling, 'EL2011/534/EU')).toEqual({
        number: '6(c)',
        annex: 'III',
        earliest: '2027-06-30',
        latest: '2027-06-30',
        status: 'in force (renewal announced)',
        confidence: 'two agreeing summaries',
        source: 'Act A; https://a.example/',
        remark: '',
        substances: [],
      })
    }
  })

  test('are the earliest and the latest over product categories, with all confidences and sources', () => {
    expect(find('6(b)-I')).toMatchObject({
      earliest: '2026-12-11',
      latest: '2027-06-30',
      status: 'in force',
      confidence: 'two agreeing summaries; one summary',
      source: 'Act A; https://a.example/; Act B',
      remark: 'first',
    })
  })

  test.each([
    ['before all dates', '6(b)-I', '2026-12-11', 'in force'],
    ['between them', '6(b)-I', '2026-12-12', 'nominal date passed, in force (for some product categories)'],
    ['after all', '6(b)-I', '2027-07-01', 'nominal date passed, in force'],
    ['long after all', '13(a)', '2026-11-22', 'nominal date passed, renewal status unknown'],
    ['before a date that the table calls an end', '39(b)', '2026-11-22', 'nominal date ahead'],
  ])('%s: %s is never called expired', (_, identity, today, status) => {
    expect(find(identity, '', today).status).toBe(status)
  })

  test.each([
    ['8(b)', '8(b)', ''],
    ['99(z)', '99(z)', 'the table does not have this exemption'],
    ['7(c)', '7(c)', 'ambiguous: the table has 7(c)-I, 7(c)-II'],
    ['13', '13', 'ambiguous: the table has 13(a)'],
    ['IV-6(c)', 'IV-6c', 'the table does not have this exemption'],
    ['RoHS_0259', '', 'not an exemption number that is understood'],
  ])('%s is not judged', (identity, number, remark) => {
    expect(find(identity)).toMatchObject({ number, earliest: '', latest: '', status: 'not judged', remark })
  })

  test('are for the substances of what the table has in parts, unless one of these does not say', () => {
    const rows = [
      row('3(a)', '', { substance: 'Mercury' }),
      row('3(b)', '', { substance: 'Mercury; Lead' }),
      row('4(a)', '', { substance: 'Mercury' }),
      row('4(b)', ''),
    ]
    const lookup = createExemptionLookup(rows, '2026-11-22')
    const substancesOf = (identity: string) => lookup({ identity, list: '' })[0]!.substances
    expect(['3(a)', '3', '4', '5'].map(substancesOf)).toEqual([['Mercury'], ['Mercury', 'Lead'], [], []])
  })

  test('are of the annex that the declaration or its list names; of both where neither does', () => {
    expect(find('34', 'EU-RoHS-AnnexIII')).toMatchObject({
      annex: 'III',
      earliest: '2021-07-21',
      latest: '2021-07-21',
    })
    expect(find('IV-34')).toMatchObject({ annex: 'IV', earliest: '2028-01-01' })
    expect(find('34')).toMatchObject({
      annex: '',
      earliest: '2021-07-21',
      latest: '2028-01-01',
      remark: 'the declaration does not name the annex: III and IV each have a 34',
    })
    expect(find('31(a)')).toMatchObject({ number: '31a', annex: 'IV', earliest: '2023-07-21' })
  })

  test('are one result for each number of a declared text', () => {
    const found = createExemptionLookup(ROWS, '2026-11-22')({ identity: '6(c), 7(c)-I', list: '' })
    expect(found.map(({ number }) => number)).toEqual(['6(c)', '7(c)-I'])
  })
})

describe('an exemption is claimed by a text that begins with its number', () => {
  const claims = (identity: string): boolean => claimsExemption({ identity, list: '' }, '2026-11-23')
  test.each([
    '6(c)',
    '6c',
    'III-6(c)',
    'Annex III, 6(c)',
    'Ex. 6(c)',
    'Ausnahme 6(c)',
    'III/6(c)',
    'Anhang III, 6(c)',
    'Exención 6(c)',
    '99(z)',
    '6(c) Copper alloy containing up to 4 % lead by weight',
    '6(c) Kupferlegierung mit einem Massenanteil von bis zu 4 % Blei',
    '6(c) Alliage de cuivre contenant jusqu’à 4 % de plomb',
    '6(c) Aleación de cobre con hasta un 4 % de plomo',
    '6(c) 鉛を4 %まで含む銅合金',
    '24 Lead in solders for the soldering to machined through hole discoidal capacitors',
    '34: Lead in cermet-based trimmer potentiometer elements',
    '1(a) Mercury in compact fluorescent lamps not exceeding (per burner) 2.5 mg',
    '1(a) Quecksilber, das folgende Werte je Brennstelle nicht übersteigt',
    '6(a) lood, niet meer dan 0,35 %',
    '7(c)-I Lead in glass; does not cover applications of 34',
    '6(b) 鉛の含有量が0.4 %未満のアルミニウム',
    '6(c) 鉛の含有量が4 %を超えない銅合金',
    '6(c) 含铅量不超过4%的铜合金',
    '6(c) 납 함량이 4 %를 초과하지 않는 구리 합금',
    '6(a) Blei in Stahl für die Bearbeitung',
    '6(c), expires 21 July 2026',
    '6(c) until 2027-06-30',
  ])('%s', (text) => expect(claims(text)).toBe(true))

  test.each([
    'see comment',
    'Copper alloy 6(c)',
    '6(c): rejected',
    '6(c) does not apply',
    '6(c) pending',
    '6(c) until 2020',
    '6(c) bis 2020',
    '6(c) entfällt',
    '6(c) abgelehnt',
    '6(c) nicht anwendbar',
    '6(c) ne s’applique pas',
    '6(c) no aplica',
    '6(c) non applicabile',
    '6(c) 不適用',
    '6(c) 不适用',
    '6(c) 対象外',
    '6(c) 未批准',
    '6(c) 適用しない',
    '6(c) 適用せず',
    '6(c) 該当しない',
    '6(c) 使用していない',
    '6(c) 非該当',
    '6(c) 承認待ち',
    '6(c) 不使用',
    '6(c) 不涉及',
    '6(c) 申请被拒',
    '6(c) 적용하지 않음',
    '6(c) 신청 중',
    '6(c) deferred',
    '6(c) on hold',
    '6(c) waiting for decision',
    '6(c) zurückgewiesen',
    '6(c) in Bearbeitung',
    '6(c) non utilisé',
    '6(c) no vigente',
    '6(c) sin aplicación',
    '6(c) annullata',
    '6(c) em análise',
    '6(c) ei käytössä',
    '6(c) nie stosuje się',
    '6(c) не используется',
    '6(c) 失效',
    '6(c) not renewed',
    '6(c) - not in use',
    '6(c) does not fit',
    '6(c) is not relevant here',
    '6(c) denied',
    '6(c) declined',
    '6(c) invalid',
    '6(c) inapplicable',
    '6(c) void',
    '6(c) suspended',
    '6(c) withheld',
    '6(c) superseded',
    '6(c) removed',
    '6(c) being reviewed',
    '6(c) under evaluation',
    '6(c) awaiting approval',
    '6(c) niet van toepassing',
    '6(c) vervallen',
    '6(c) non si applica',
    '6(c) n’est plus applicable',
    '6(c)?',
    'none',
  ])('but not by %s', (text) => expect(claims(text)).toBe(false))
})
