import { expect, test } from 'vitest'
import { type HeadingRole, headingScores, wordClasses } from '../../src/parts/heading.ts'

test('a word has one meaning', () => {
  const words = wordClasses().flatMap(({ words: all }) => all)
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
})

test('the words are in small letters without signs', () => {
  for (const { words } of wordClasses()) {
    for (const word of words) expect(word).toMatch(/^(?:[\p{Ll}\p{Lo}\p{M}\p{N}ー]+|#|n[°º])$/u)
  }
})

const SAYS: readonly (readonly [HeadingRole, string])[] = [
  [
    'manufacturer number',
    'MPN|Manufacturer Part Number|Mfr. Part #|Mfg Part Num|Manufacture P/N|Manufacturer/MPN|Manf#|manf_num|MFR PN|Mrf#|Maker PN|OEM Part Number|' +
      'Herstellerteilenummer|Hersteller-Teile-Nr.|Herst.-Nr.|Hersteller-Typ|Référence fabricant|P/N fabricant|Codice produttore|N. produttore|' +
      'Número de parte del fabricante|Ref. fabricante|Código do fabricante|メーカー型番|メーカー品番|制造商料号|厂商型号|原厂型号|製造商料號|' +
      'ManufacturerPartNum|Manufacturer Part Number 2|Manufacturer’s Part Number|Manufactuer Part Number|Herstellerbezeichnung|Manufacturer’s designation|Parts/Sub Part/Mfr Number',
  ],
  [
    'part number',
    'Part Number|part_number|partNumber|PART NO.|Part #|P/N|PN|Part Number / Type|CATALOG PART NUMBER|Component Number|Model No.|Typnummer|Ordering Code|Order No. / URL|' +
      'Teilenummer|Teile-Nr.|Bestellnummer|Bestellbezeichnung|Bauteil-Nr.|Référence|N° de pièce|Numero parte|Codice componente|Nº de pieza|Número de parte|部番|部品番号|零件号|料号|P#',
  ],
  [
    'supplier number',
    'Supplier Part Number|Vendor PN|Digi-Key Part #|DigiKey PN|Mouser Part Number|LCSC Part #|JLC Part #|RS Components Part No.|Vendor Part ID|SKU Parts4u.com|Distributor P/N|' +
      'Lieferantenartikelnummer|Réf. fournisseur|Codice fornitore|Referencia proveedor|仕入先品番|供应商料号|立创编号',
  ],
  [
    'own number',
    'IPN|Internal Part Number|SOLIDWORKS PART NUMBER|Customer Part No|SKU|Item Code|Material Number|numero_material|Article No|Product Code|bom_line_ids/product_id/default_code|' +
      'BoM Lines/Product Template/Internal Reference Code|Artikelnummer|Materialnummer|SAP-Nr.|Code article|Réf. interne|Codice articolo|Código de artículo|品番|品目コード|物料编码|存货编码|BLItemNo|展開用料',
  ],
  [
    'quantity',
    'Qty|QTY.|Qtty|Quantity|Qty Per Assy|Comp. Qty|Menge|Stückzahl|Anzahl|Quantité|Quantità|Cantidad|Quantidade|数量|員数|用量|bl_quantity|No of Pcs|# needed|Per Board|Per badge|Cnt',
  ],
  ['unit', 'Unit|UoM|U/M|Unit of Measure|Mengeneinheit|ME|Unité|U.M.|Unidad|単位|单位'],
  ['level', 'Level|Lvl|BOM Level|Stufe|Strukturstufe|Niveau|Livello|Nivel|レベル|层级|bl_level_starting_0'],
  ['item', 'Item No.|#|Pos|Pos.-Nr.|Find No|Line #|Position|Poste|Riga|Posición|項番|序号|bl_sequence_no'],
  [
    'manufacturer',
    'Manufacturer|Mfr|Manufacturer Name|Manufacturer 1|Hersteller|Fabricant|Produttore|Fabricante|メーカー|制造商|品牌',
  ],
  [
    'designator',
    'Designator|Ref Des|Reference Designators|RefDes|Reference|References|Bezugszeichen|Repère|回路記号|位号|Part Reference',
  ],
  [
    'description',
    'Description|Desc.|Bezeichnung|Benennung|Désignation|Descrizione|Descripción|Descrição|品名|描述|Part Description',
  ],
  [
    'not fitted',
    'DNP|Do Not Populate|Not Fitted|nicht bestückt|Non monté|No montar|Exclude from BOM|未実装|不贴',
  ],
  ['fitted', 'Fitted|P/NP|Populate|Stuffing|Population|Mounted|ASSY|Bestückung|Montado|実装|贴装'],
]

test.each(SAYS.flatMap(([role, headings]) => headings.split('|').map((heading) => [heading, role] as const)))(
  '%j says %s',
  (heading, role) => {
    const { points, best } = headingScores(heading)
    expect(points[role]).toBeGreaterThanOrEqual(2.3)
    expect(points[role]).toBeGreaterThanOrEqual(best - 2)
  },
)

test.each([
  ...[
    'Description',
    'Supplier',
    'Price',
    'Unit Price',
    'Part Price',
    'Datasheet',
    'Part Description',
    'Part Name',
    'Part Type',
  ],
  ...[
    'Purchase Order Number',
    'Order confirmation No',
    'supplier_id',
    'tax_id',
    'Serial Number',
    'Drawing Number',
    'Revision',
    'Batch Number',
  ],
  ...[
    'Item To Manufacture',
    'Parent Part Number',
    'Assembly Number',
    'Footprint',
    'Value',
    'Partner',
    '',
    '4711',
    'Total Cost',
    'Lead Time',
  ],
])('%j says no part number by itself', (heading) => {
  const { points } = headingScores(heading)
  for (const role of ['manufacturer number', 'part number', 'own number'] as const) {
    expect(points[role] ?? 0, role).toBeLessThan(3)
  }
})

test.each(['Parent', 'Parent Item', 'Parent Name', 'Parent No.'])('%j names the assembly', (heading) => {
  expect(headingScores(heading).points.parent).toBe(5)
})

test('a component or a code is a number of their own more often in one language than in another', () => {
  const own = (heading: string): number => headingScores(heading).points['own number'] ?? 0
  for (const heading of ['Komponente', 'Composant', '子件'])
    expect(own(heading), heading).toBeGreaterThan(own('Component'))
  for (const heading of ['Code', 'Código', 'Codice'])
    expect(own(heading), heading).toBeGreaterThan(own('Number'))
})

test.each(['Unit Price', 'Price per Unit', 'Unit$', 'Unit Cost'])('%j is no unit', (heading) => {
  expect(headingScores(heading).points.unit ?? 0).toBeLessThan(5)
  expect(headingScores(heading).points.quantity ?? 0).toBeLessThan(3)
})

test('a Portuguese "do" denies nothing', () => {
  const { points } = headingScores('Código do fabricante')
  expect(points['manufacturer number']).toBe(headingScores('Código fabricante').points['manufacturer number'])
})

test('choices of one heading have one key', () => {
  const keys = ['MPN', 'MPN 1', 'MPN 2', 'MPN2'].map(headingScores)
  expect(keys.map(({ key }) => key)).toEqual([
    'manufacturer number',
    'manufacturer number',
    'manufacturer number',
    'manufacturer number',
  ])
  expect(keys.map(({ choice }) => choice)).toEqual([0, 1, 2, 2])
  expect(headingScores('Alternate Part Number').isAlternate).toBe(true)
  expect(headingScores('Total Qty').isTotal).toBe(true)
})

test('a long text is no heading, and takes no time', () => {
  for (const text of ['Part Number '.repeat(1000), 'a'.repeat(100_000), 'part'.repeat(17)]) {
    expect(headingScores(text).best).toBeLessThan(7)
  }
})

test('a link is no heading, whatever its words are', () => {
  expect(headingScores('https://example.org/Manufacturer/PartNumber').best).toBe(0)
  expect(headingScores('Order No. / URL').best).toBeGreaterThan(2)
})
