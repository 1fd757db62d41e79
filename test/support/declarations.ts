/** Small IPC-1752 files for tests, with only the given content. */

export interface CategoryXml {
  readonly name?: string
  readonly code?: string
  /** The text of `overThreshold`; undefined omits the Threshold. */
  readonly over?: string | undefined
  readonly inside?: string
}

/** The ten groups of EUROHS-1907, none over. */
export function rohsCategories(change: Readonly<Record<string, CategoryXml>> = {}): CategoryXml[] {
  const names = ['Cadmium', 'PBB', 'PBDE', 'Cr(VI)', 'Lead', 'Mercury', 'DEHP', 'BBP', 'DBP', 'DIBP']
  return names.map((name, index) => ({
    name,
    code: String(index + 1).padStart(5, '0'),
    over: 'false',
    ...change[name],
  }))
}

/** A class C list. */
export function listXml(identity: string, categories: readonly CategoryXml[], authority = 'IPC'): string {
  return `<SubstanceCategoryList><SubstanceCategoryListID identity="${identity}" authority="${authority}"/>${categories
    .map(categoryXml)
    .join('')}</SubstanceCategoryList>`
}

/** An exemption of a category, with the id of its list. */
export function exemptionXml(identity: string, list = 'EL2011/534/EU'): string {
  return `<ExemptionList><ExemptionListID identity="${list}" authority="IPC"/><Exemption identity="${identity}" description="text"/></ExemptionList>`
}

/** A product with these part numbers and this content of its MaterialInfo. */
export function productXml(
  parts: readonly string[],
  info: string,
  { mass = '', after = '' }: { readonly mass?: string; readonly after?: string } = {},
): string {
  const ids = parts.map(
    (part) => `<ProductID itemNumber="${part}" itemName="${part} name">${mass}</ProductID>`,
  )
  return `<Product unitType="Each">${ids.join('')}<MaterialInfo>${info}</MaterialInfo>${after}</Product>`
}

/** A complete 1752A file. */
export function fileA(body: string, { head = HEAD, declaration = '<?xml version="1.0"?>' } = {}): string {
  return `${declaration}<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0" version="2.0">${head}${body}</MainDeclaration>`
}

/** A complete 1752B file. */
export function fileB(body: string, { head = HEAD } = {}): string {
  return `<?xml version="1.0"?><b:MainDeclaration xmlns:b="https://webstds.ipc.org/175x/1752B/1752B"><b:IPC-1752B>${prefixed(`${head}${body}`)}</b:IPC-1752B></b:MainDeclaration>`
}

/** XML that declares these parts, and nothing about them. */
export function idsXml(...parts: readonly string[]): string {
  const escaped = parts.map((part) => part.replaceAll('&', '&amp;').replaceAll('"', '&quot;'))
  return `<P>${escaped.map((part) => `<ProductID itemNumber="${part}"/>`).join('')}</P>`
}

export const HEAD =
  '<BusinessInfo mode="Distribute"><Response date="2024-09-27"><SupplyCompany name="Example Parts"><CompanyID identity="123456789" authority="DUNS"/></SupplyCompany></Response></BusinessInfo>'

function categoryXml({ name = 'Something', code = '00001', over, inside = '' }: CategoryXml): string {
  const limit = name === 'Cadmium' ? '0.01%' : '0.1%'
  const threshold = over === undefined ? '' : `<Threshold overThreshold="${over}" threshold="${limit}"/>`
  return `<SubstanceCategory name="${name}" reportableApplication="All">${threshold}<SubstanceCategoryID identity="${code}" authority="IPC"/>${inside}</SubstanceCategory>`
}

function prefixed(xml: string): string {
  return xml.replace(/<(\/?)([A-Za-z])/g, '<$1b:$2')
}
