import { describe, expect, it } from 'vitest'
import { fileA, fileB, productXml } from '../support/declarations.ts'
import { readRow, readText } from '../support/read-text.ts'

const amount = (value: string, unit: string): string => `<Amount value="${value}" UOM="${unit}"/>`
const substance = (name: string, cas: string, inside: string): string =>
  `<SubstanceCategory name="Supplier"><Substance name="${name}"><SubstanceID identity="${cas}" authority="CAS"/>${inside}</Substance></SubstanceCategory>`
const material = (name: string, mass: string, substances: string, attributes = ''): string =>
  `<HomogeneousMaterial name="${name}"${attributes}>${mass}<SubstanceCategoryList>${substances}</SubstanceCategoryList></HomogeneousMaterial>`
const materials = (...all: string[]): string =>
  `<HomogeneousMaterialList>${all.join('')}</HomogeneousMaterialList>`

function file(info: string, mass = amount('10', 'mg')): string {
  return fileA(productXml(['P1'], info, { mass }))
}

describe('the masses of a full material declaration', () => {
  it('prefer an absolute amount, then a concentration', () => {
    const { substances } = readText(
      file(
        materials(
          material(
            'Ceramic',
            amount('5', 'mg'),
            substance('A', '7439-92-1', `${amount('0.001', 'g')}<Concentration value="99"/>`) +
              substance('B', '7440-22-4', '<Concentration value="40"/>') +
              substance('C', '7440-31-5', amount('1000', 'ppm')) +
              substance('D', 'system', ''),
          ),
        ),
      ),
    )
    expect(
      substances.map((row) => [row.substance, row.mass_mg, row.percent_of_material, row.ppm_of_part]),
    ).toEqual([
      ['A', 1, 99, 100_000],
      ['B', 2, 40, 200_000],
      ['C', 0.005, 0.1, 500],
      ['D', null, null, null],
    ])
  })

  it('are missing where nothing is written, which is not what is not detected or not read', () => {
    const inside = ['', amount('n.d.', 'ppm'), '<Concentration value="not detected"/>', amount('trace', 'mg')]
    const all = inside.map((one, at) => substance(`S${at}`, 'system', one)).join('')
    const { note } = readText(file(materials(material('M', amount('5', 'mg'), all)))).rows[0]!
    expect(note).toContain('1 substance without amount or concentration')
    expect(note).toContain('2 substances stated as not detected')
    expect(note).toContain('amount "trace mg" of S3 not recognized')
  })

  it('accept a mass on the material or the substance', () => {
    const { substances } = readText(
      file(
        materials(
          `<HomogeneousMaterial name="M" value="4" UOM="mg"><Substance name="S" value="100" UOM="massPercent"/></HomogeneousMaterial>`,
        ),
      ),
    )
    expect(substances).toMatchObject([{ material_mass_mg: 4, mass_mg: 4, cas: '', cas_valid: null }])
  })

  it('are shares of the part if a material declares them that way', () => {
    const xml = materials(
      material('M', amount('25', 'massPercent'), substance('S', '7440-22-4', '<Concentration value="100"/>')),
    )
    expect(readText(file(xml)).substances).toMatchObject([{ material_mass_mg: 2.5, mass_mg: 2.5 }])
    expect(readText(file(xml, '')).substances).toMatchObject([
      { material_mass_mg: null, mass_mg: null, percent_of_material: 100, ppm_of_part: null },
    ])
  })

  it('do not use the amount of a category as the mass of its material', () => {
    const { substances } = readText(
      file(
        materials(
          material(
            'M',
            '',
            `<SubstanceCategory name="x">${amount('3', 'mg')}<Substance name="S"/></SubstanceCategory>`,
          ),
        ),
      ),
    )
    expect(substances).toMatchObject([{ material_mass_mg: null }])
  })

  it('count every instance of a sub-product, and name it', () => {
    const sub = `<SubProduct numberOfInstances="2"><ProductID itemNumber="pin">${amount('3', 'mg')}</ProductID><MaterialInfo>${materials(
      material('Brass', amount('3', 'mg'), substance('Copper', '7440-50-8', '<Concentration value="100"/>')),
    )}</MaterialInfo></SubProduct>`
    const { substances, rows } = readText(
      fileB(productXml(['P1'], '', { mass: amount('6', 'mg'), after: sub })),
    )
    expect(substances).toMatchObject([
      { material: 'pin / Brass', material_mass_mg: 6, mass_mg: 6, ppm_of_part: 1_000_000 },
    ])
    expect(rows[0]).toMatchObject({ declared_percent: 100, classes: 'D', standard: '1752B' })
  })
})

describe('the declared share', () => {
  const one = (percent: string, mass = amount('10', 'mg')): ReturnType<typeof readRow> =>
    readRow(
      file(
        materials(
          material(
            'M',
            amount('10', 'mg'),
            substance('S', '7440-22-4', `<Concentration value="${percent}"/>`),
          ),
        ),
        mass,
      ),
    )

  it('is relative to the mass of the part', () => {
    expect(one('100').declared_percent).toBe(100)
    expect(one('97').declared_percent).toBe(97)
    expect(one('97').note).not.toContain('full material')
  })

  it('is flagged below 95 and above 100.5 percent', () => {
    expect(one('94.9').note).toContain('94.9 % of the mass declared, less than 95 %')
    expect(one('94.9').note).toContain('material M: 94.9 % declared')
    expect(one('100.4').note).not.toContain('full material')
    expect(one('101').note).toContain('more than 100 %')
  })

  it('is relative to the materials if the part has no mass, or a mass of 0', () => {
    expect(one('96', '')).toMatchObject({ mass_mg: null, declared_percent: 96 })
    const zero = one('96', amount('0', 'g'))
    expect(zero).toMatchObject({ mass_mg: 0, declared_percent: 96 })
    expect(zero.note).toContain('mass 0: a placeholder')
  })

  it('is empty if it is too large for a number', () => {
    const row = one('100', amount('1e-310', 'mg'))
    expect(row.declared_percent).toBeNull()
    expect(row.note).not.toContain('Infinity')
  })

  it('is empty for a part without class D', () => {
    expect(readRow(file('')).declared_percent).toBeNull()
  })

  it('reports a decimal comma, and a mass that is not recognized', () => {
    expect(one('99,5').note).toContain('decimal comma in the concentration of S')
    const odd = one('99', amount('12 approx', 'g'))
    expect(odd.mass_mg).toBeNull()
    expect(odd.note).toContain('mass "12 approx g" not recognized')
    const negative = readRow(
      file(
        materials(material('M', amount('1', 'lb'), substance('S', '7440-22-4', amount('-5', 'mg')))),
        amount('10', 'mg'),
      ),
    )
    expect(negative.note).toContain('mass "1 lb" of M not recognized')
    expect(negative.note).toContain('amount "-5 mg" of S not recognized')
  })
})

describe('the identity of a substance', () => {
  it('is shown unchanged and flagged, never dropped', () => {
    const { substances } = readText(
      file(
        materials(
          material(
            'M',
            amount('1', 'mg'),
            substance('ok', '7439-92-1', '') +
              substance('typo', '7439-92-2', '') +
              substance('secret', 'system', ''),
          ),
        ),
      ),
    )
    expect(substances.map((row) => [row.cas, row.cas_valid])).toEqual([
      ['7439-92-1', true],
      ['7439-92-2', false],
      ['system', false],
    ])
  })

  it('is the valid CAS number among several', () => {
    const { substances } = readText(
      file(
        materials(
          material(
            'M',
            amount('1', 'mg'),
            '<Substance name="S"><SubstanceID identity="X-1" authority="Supplier"/><UniqueID identity="7439-92-1" authority="CAS"/></Substance>',
          ),
        ),
      ),
    )
    expect(substances).toMatchObject([{ cas: '7439-92-1', cas_valid: true }])
  })
})

describe('the unit of a concentration', () => {
  const one = (concentration: string): ReturnType<typeof readText> =>
    readText(file(materials(material('M', amount('10', 'mg'), substance('S', '7440-22-4', concentration)))))

  it.each([
    ['<Concentration value="50"/>', 50, 5],
    ['<Concentration value="50" UOM="massPercent"/>', 50, 5],
    ['<Concentration value="1000" UOM="ppm"/>', 0.1, 0.01],
    ['<Concentration value="1000" UOM="mg/kg"/>', 0.1, 0.01],
    ['<Concentration value="1000" UOM="ppb"/>', 0.0001, 0.00001],
  ])('%s is %s %%', (concentration, percent, massMg) => {
    expect(one(concentration).substances).toMatchObject([{ percent_of_material: percent, mass_mg: massMg }])
  })

  it('that is not known leaves the share unknown, and is noted', () => {
    const { substances, rows } = one('<Concentration value="1000" UOM="mol"/>')
    expect(substances).toMatchObject([{ percent_of_material: null, mass_mg: null }])
    expect(rows[0]!.note).toContain('concentration "1000 mol" of S not recognized')
  })
})

describe('massPercent of a substance', () => {
  const shares = (...values: string[]): string =>
    values
      .map((value, index) => substance(`S${index + 1}`, '7440-22-4', amount(value, 'massPercent')))
      .join('')
  /** A part of 200 g with one material of 50 g, as in the documentation of a writer who means shares of the part. */
  const part = (
    inside: string,
    { mass = amount('200', 'g'), materialMass = amount('50', 'g') } = {},
  ): ReturnType<typeof readText> => readText(file(materials(material('Resin', materialMass, inside)), mass))
  const READ_OF_PART =
    'material Resin: massPercent read as share of the part: sum 25 %, the material is 25 % of the part'

  it('is one of the part where they sum to the share of the material, which is noted', () => {
    const { substances, rows } = part(shares('10', '4', '11'))
    expect(substances.map((row) => [row.mass_mg, row.percent_of_material])).toEqual([
      [20_000, 40],
      [8_000, 16],
      [22_000, 44],
    ])
    expect(rows[0]).toMatchObject({ declared_percent: 25 })
    expect(rows[0]!.note).toContain(READ_OF_PART)
  })

  it('is one of the material where they sum to 100', () => {
    const { substances, rows } = part(shares('40', '16', '44'))
    expect(substances.map((row) => row.mass_mg)).toEqual([20_000, 8_000, 22_000])
    expect(rows[0]!.note).not.toContain('massPercent')
  })

  it('is decided for each material', () => {
    const both = materials(
      material('A', amount('50', 'g'), shares('10', '15')),
      material('B', amount('150', 'g'), shares('60', '40')),
    )
    const { substances } = readText(file(both, amount('200', 'g')))
    expect(substances.map((row) => row.mass_mg)).toEqual([20_000, 30_000, 90_000, 60_000])
  })

  it('is read with the share that the material itself declares, with or without a mass of the part', () => {
    const relative = { materialMass: amount('25', 'massPercent') }
    expect(part(shares('10', '15'), relative).substances.map((row) => row.mass_mg)).toEqual([20_000, 30_000])
    const { substances, rows } = part(shares('10', '15'), { ...relative, mass: '' })
    expect(substances.map((row) => [row.mass_mg, row.percent_of_material])).toEqual([
      [null, 40],
      [null, 60],
    ])
    expect(rows[0]!.note).toContain(READ_OF_PART)
  })

  it.each([
    ['60', "sum 60 %, neither 100 % nor the material's 25 % of the part", undefined],
    ['120', "sum 120 %, neither 100 % nor the material's 25 % of the part", undefined],
    ['60', 'sum 60 %, not 100 %', { mass: '' }],
  ])('is unknown, and so are masses, where they sum to neither: %s', (sum, note, masses) => {
    const { substances, rows } = part(shares(sum), masses)
    expect(substances).toMatchObject([{ mass_mg: null, percent_of_material: null, ppm_of_part: null }])
    expect(rows[0]!.declared_percent).toBeNull()
    expect(rows[0]!.note).toContain(`material Resin: massPercent not recognized: ${note}`)
    expect(rows[0]!.note).not.toMatch(/full material|without amount/)
  })

  it('may leave some of a material undeclared', () => {
    const { substances, rows } = part(shares('80', '9'))
    expect(substances.map((row) => row.mass_mg)).toEqual([40_000, 4_500])
    expect(rows[0]!.note).toContain('material Resin: 89.0 % declared')
  })

  it('stays known beside values that are absolute, or shares of the material by definition', () => {
    const mixed =
      shares('10') +
      substance('mass', '7440-22-4', amount('10', 'g')) +
      substance('concentration', '7440-22-4', '<Concentration value="40"/>')
    const { substances } = part(mixed)
    expect(substances.map((row) => row.mass_mg)).toEqual([20_000, 10_000, 20_000])
  })

  it('is one of the material where the sum shows nothing, because a substance has no value', () => {
    const { substances } = part(shares('10') + substance('secret', 'system', ''))
    expect(substances.map((row) => row.mass_mg)).toEqual([5_000, null])
  })
})
