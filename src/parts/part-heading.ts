// Headings that say "part number", without letters' case, spaces and punctuation. The first group names the maker's number,
// which is what a supplier knows; the second is taken only when none of the first is there.
const PART_HEADINGS: ReadonlySet<string> = new Set(
  [
    'partnumber partnumbers partno partnos partnr partnum partid part parts pn pno pnr',
    'manufacturerpartnumber manufacturerpartno manufacturerpartnr manufacturerpartnum manufacturerpart manufacturerpn',
    'manufacturerspartnumber manufacturerspartno manufacturernumber mfrpartnumber mfrpartno mfrpartnr mfrpart mfrpn',
    'mfgpartnumber mfgpartno mfgpart mfgpn mpn mpns mpnumber makerpartnumber vendorpartnumber vendorpartno vendorpn',
    'supplierpartnumber supplierpartno supplierpartnr supplierpart supplierpn spn oempartnumber oempn',
    'requestedpart requestedpartnumber componentpartnumber orderingpartnumber orderablepartnumber opn',
    'teilenummer teilenr teilnummer teilnr herstellerteilenummer herstellerteilenr herstellernummer herstellernr',
    'lieferantenteilenummer référencefabricant referencefabricant numérodepièce numerodepiece numérodepieza numerodepieza',
    'codiceparte numerodiparte 部品番号 型番 零件号 物料号',
  ].flatMap((group) => group.split(' ')),
)

const ITEM_HEADINGS: ReadonlySet<string> = new Set(
  [
    'itemnumber itemno itemnr itemid itemcode articlenumber articleno articlenr materialnumber materialno materialnr',
    'material productnumber productno productcode productid partcode componentnumber componentno component ordernumber',
    'orderno ordercode ordernr orderingcode catalognumber catalogno cataloguenumber stocknumber sku requesteritemnumber',
    'artikelnummer artikelnr sachnummer sachnr materialnummer bestellnummer bestellnr produktnummer référence',
    'codicearticolo artikkelnummer',
  ].flatMap((group) => group.split(' ')),
)

/** A heading without case, spaces and punctuation; `#` reads as "no". */
export function headingKey(heading: string): string {
  return heading
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'no')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** True when the text is one of the usual headings of a part number column, and no part number that begins like one (`PN-1`). */
export function isPartHeading(heading: string): boolean {
  return !/\S\d/.test(heading) && partColumns([heading]).length > 0
}

/**
 * The columns (from 0) whose heading says part number: all that name the part's own number, else all that name an item,
 * article or material number. More than one means that a person has to choose.
 */
export function partColumns(headings: readonly string[]): readonly number[] {
  const keys = headings.map(headingKey)
  const inGroup = (group: ReadonlySet<string>): number[] =>
    keys.flatMap((key, index) => (group.has(key) || group.has(key.replace(/1$/, '')) ? [index] : []))
  const parts = inGroup(PART_HEADINGS)
  return parts.length > 0 ? parts : inGroup(ITEM_HEADINGS)
}

/** The columns (from 0) that a person's name for a column means: exact first, then without case, spaces and punctuation. */
export function namedColumns(headings: readonly string[], name: string): readonly number[] {
  const indexes = (matches: (heading: string) => boolean): number[] =>
    headings.flatMap((heading, index) => (matches(heading) ? [index] : []))
  const exact = indexes((heading) => heading.trim() === name.trim())
  if (exact.length > 0) return exact
  const key = headingKey(name)
  return key === '' ? [] : indexes((heading) => headingKey(heading) === key)
}
