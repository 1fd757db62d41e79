import { describe, expect, it } from 'vitest'
import { exemptionXml, fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { readJudged, readRow, readText } from '../../support/read-text.ts'

const head = (inside: string, date = '2024-09-27'): string =>
  `<BusinessInfo><Response date="${date}">${inside}</Response></BusinessInfo>`
const rowWith = (text: string): ReturnType<typeof readRow> =>
  readRow(fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())), { head: text }))

describe('the row of a part', () => {
  it.each([
    ['2024-09-27', '2024-09-27', ''],
    ['2016-11-29-00-00', '2016-11-29', ''],
    ['2016-11-29T10:00:00Z', '2016-11-29', ''],
    [' 2016-11-29 ', '2016-11-29', ''],
    ['2024-02-30', '', 'response date "2024-02-30" is not a date'],
    ['29.11.2016', '2016-11-29', ''],
    ['20161129', '2016-11-29', ''],
    ['29-Nov-2016', '2016-11-29', ''],
    ['2016/11/9', '2016-11-09', ''],
    ['11/29/2016', '', 'response date "11/29/2016" is not a date'],
    ['', '', 'the file has no response date'],
  ])('reads the date %j as %j', (text, date, note) => {
    const row = rowWith(head('', text))
    expect(row.date).toBe(date)
    if (note === '') expect(row.note).not.toContain('response date')
    else expect(row.note).toContain(note)
  })

  it('puts the DUNS number of the company first', () => {
    const row = rowWith(
      head(
        '<SupplyCompany name="Acme"><CompanyID identity="DE 12" authority="VAT"/><CompanyID identity=""/><CompanyID identity="123456789" authority="DUNS"/></SupplyCompany>',
      ),
    )
    expect(row).toMatchObject({ supplier: 'Acme', company_id: '123456789; DE 12' })
  })

  it('has no separator within an identifier of the company', () => {
    const row = rowWith(head('<SupplyCompany name="Acme"><CompanyID identity="12;&#9;3"/></SupplyCompany>'))
    expect(row.company_id).toBe('12, 3')
  })

  it('notes a file that announces other classes than it contains', () => {
    const include = '<Include><Sectional name="MaterialInfo"><SubSectional name="D"/></Sectional></Include>'
    expect(rowWith(include).note).toContain('the file announces class D, but has elements of class C')
    expect(rowWith(include.replace('"D"', '"C"')).note).not.toContain('announces')
  })

  it('has the part name of the supplier, or else of the buyer', () => {
    const id = (attributes: string): string =>
      readRow(fileA(`<Product><ProductID itemNumber="P" ${attributes}/></Product>`)).name
    expect(id('itemName="ours" requesterItemName="theirs"')).toBe('ours')
    expect(id('requesterItemName="theirs"')).toBe('theirs')
    expect(id('')).toBe('')
  })

  it('exists for a product without a number, and for one without ProductID', () => {
    const { rows } = readText(fileA('<Product><ProductID itemName="x"/></Product><Product/>'))
    expect(rows.map((row) => [row.part, row.status])).toEqual([
      ['', 'declared'],
      ['', 'declared'],
    ])
    expect(rows[1]!.note).toContain('no part number')
  })

  it('escapes control and direction characters, except in part numbers, which are matched first', () => {
    const row = readJudged(
      fileA('<Product><ProductID itemNumber="A&#x202E;B" itemName="x&#xA;y&#x202E;z"/></Product>', {
        head: head('<SupplyCompany name="evil&#x9B;31m"/>'),
      }),
    )
    expect(row.name).toBe('x y\\u202ez')
    expect(row.supplier).toBe('evil\\u009b31m')
    expect(row.part).toBe('A\u202eB')
  })

  it('joins several values unambiguously', () => {
    const lead = { name: 'Lead; compounds', code: '5', over: 'true' }
    const row = readRow(
      fileA(productXml(['P1'], listXml('EUREACH-0624', [lead, { ...lead, name: 'Other' }]))),
    )
    expect(row.svhc.split('; ')).toEqual(['Lead, compounds (5)', 'Other (5)'])
  })

  it('has a short note, whatever a file contains', () => {
    const lists = Array.from({ length: 200 }, (_, n) =>
      listXml(`LIST-${n}`, [{ over: 'true', name: 'x'.repeat(900) }]),
    )
    const { note, other_lists } = readRow(fileA(productXml(['P1'], lists.join(''))))
    expect(other_lists.length).toBeLessThan(50_000)
    expect(note.length).toBeLessThan(10_000)
  })

  it('keeps a bounded number of exemptions in use, each of bounded length', () => {
    const inside = Array.from({ length: 900 }, (_, n) => exemptionXml(`${n}-${'x'.repeat(900)}`)).join('')
    const list = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside } }))
    const { exemption_ids } = readRow(fileA(productXml(['P1'], list)))
    expect(exemption_ids).toHaveLength(500)
    expect(Math.max(...exemption_ids.map(({ identity }) => identity.length))).toBeLessThan(400)
  })
})

describe('the unit of a product', () => {
  const withUnit = (unit: string): ReturnType<typeof readRow> =>
    readRow(
      fileA(
        productXml(['P1'], '', { mass: '<Amount value="3" UOM="g"/>' }).replace(
          'unitType="Each"',
          unit === '' ? '' : `unitType="${unit}"`,
        ),
      ),
    )

  it.each(['Each', 'each', 'EA', 'Piece', 'pcs', ''])('%j is a piece', (unit) => {
    const row = withUnit(unit)
    expect(row).toMatchObject({ unit_type: unit, mass_mg: 3_000 })
    expect(row.note).not.toContain('piece')
  })

  it.each(['Meter', 'kg', 'Square meter'])('%j is none: the note says what the mass is for', (unit) => {
    const row = withUnit(unit)
    expect(row).toMatchObject({ unit_type: unit, mass_mg: 3_000 })
    expect(row.note).toContain(`the mass is per ${unit}, not per piece`)
  })
})
