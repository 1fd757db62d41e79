import { parseCalendarDate } from '../../base/calendar-date.ts'
import { cleanText } from '../../base/clean-text.ts'
import { plural } from '../../base/units.ts'
import { type Composition, composition, memoizedByMass } from '../../compliance/composition.ts'
import type { Article, DeclarationHeader, Identity, ProductIdentity } from '../../compliance/declaration.ts'
import { isRequest, isUnaccepted, statesOnlyMaterials } from '../../compliance/declaration-head.ts'
import { otherListNotes } from '../../compliance/other-lists.ts'
import { partClasses, partRohs, partSvhc } from '../../compliance/part-status.ts'
import { absoluteMassMg, readDecimal } from '../../compliance/quantity.ts'
import { queryNotes } from '../../compliance/query-notes.ts'
import { isPiece } from '../../parts/read-quantity.ts'
import { type JudgedRow, joinValues } from './report-row.ts'

/** What a product contributes to its rows: all but the columns that `partRow` adds. */
export type PartFacts = ReturnType<typeof partFacts>[number]

/** Most characters of a text from a file in a cell. */
const CELL_LENGTH = 2_000
/** Values of a cell, and characters of each: the Candidate List has some 250 entries. */
const LISTED_VALUES = 500
const VALUE_LENGTH = 300
/** More notes are counted, not listed. */
const LISTED_NOTES = 20

/**
 * What one product declares: a row for each of its ProductIDs (one with an empty part when it has none). Part numbers are as
 * written; every other text is cleaned.
 */
export function partFacts(product: Article) {
  const rohs = partRohs(product)
  const svhc = partSvhc(product)
  const classes = partClasses(product)
  const shared = {
    classes,
    rohs: rohs.status,
    exemptions: cells(rohs.exemptions),
    rohs_list: cell(rohs.list),
    svhc_count: svhc.count ?? null,
    svhc: cells(svhc.substances),
    reach_list: cell(svhc.list),
    status: 'declared' as const,
    unit_type: cell(product.unitType),
    exemption_expires: '',
    svhc_list_behind: null,
    gate: '',
    has_gaps: rohs.hasGaps || svhc.isIncomplete,
    svhc_gaps: svhc.isIncomplete,
    svhc_stated: svhc.stated,
    states_only_materials: statesOnlyMaterials(product),
    svhc_names: svhc.names.slice(0, LISTED_VALUES).map(value),
    svhc_keys: svhc.keys.slice(0, LISTED_VALUES).map(value),
    waived: [],
    exemption_ids: rohs.exemptionIds
      .slice(0, LISTED_VALUES)
      .map(({ identity, list }) => ({ identity: value(identity), list: value(list) })),
  }
  const notes = [...rohs.notes, ...svhc.notes, ...otherListNotes(product), ...queryNotes(product)]
  const ids = product.ids.length > 0 ? product.ids : [NO_ID]
  const fullOf = classes.includes('D') ? memoizedByMass((mg) => fullMaterial(product, mg)) : () => undefined
  return ids.map((id) => {
    const mass = unitMass(id, product.unitType)
    const full = fullOf(mass.mg)
    return {
      part: id.itemNumber,
      requester_part: id.requesterItemNumber,
      name: cell(id.itemName || id.requesterItemName),
      ...shared,
      mass_mg: mass.mg ?? null,
      declared_percent: full?.percent ?? null,
      note: noteText([
        ...(id.itemNumber === '' ? ['no part number'] : []),
        ...notes,
        ...mass.notes,
        ...(full?.notes ?? []),
      ]),
    }
  })
}

/**
 * The complete row, from the product and the head of its file; undefined where the file asks for the declaration of the product.
 * `source` is already safe to print.
 */
export function partRow(facts: PartFacts, header: DeclarationHeader, source: string): JudgedRow | undefined {
  const { states_only_materials, ...shared } = facts
  const asks = isRequest(header)
  if (asks && !states_only_materials) return undefined
  const { date, note } = responseDate(header.responseDate)
  return {
    supplier: cell(header.supplier),
    company_id: cell(joinValues(companyIds(header.companyIds).map(value))),
    date,
    standard: header.standard,
    unaccepted: isUnaccepted(header) === true,
    source,
    ...shared,
    note: [
      facts.note,
      asks ? `mode "${cleanText(header.mode, 40)}": a request, but it declares materials` : '',
      acceptanceNote(header),
      classesNote(facts.classes, header),
      note,
    ]
      .filter((text) => text !== '')
      .join('; '),
  }
}

function acceptanceNote(header: DeclarationHeader): string {
  const isNot = isUnaccepted(header)
  if (isNot === undefined)
    return `supplierAcceptance "${cleanText(header.supplierAcceptance, 40)}" not recognized`
  return isNot ? 'the supplier has not accepted this declaration (supplierAcceptance is false)' : ''
}

function classesNote(classes: string, header: DeclarationHeader): string {
  const announced = [...new Set(header.announced)].sort().join('')
  if (announced === '' || announced === classes) return ''
  return `the file announces class ${cleanText(announced, 40)}, its elements are ${classes || 'of none'}`
}

const NO_ID: ProductIdentity = {
  itemNumber: '',
  itemName: '',
  requesterItemNumber: '',
  requesterItemName: '',
  mass: undefined,
}

function unitMass(
  id: ProductIdentity,
  unitType: string,
): {
  readonly mg: number | undefined
  readonly notes: readonly string[]
} {
  if (!id.mass || id.mass.value.trim() === '') return { mg: undefined, notes: [] }
  const mg = absoluteMassMg(id.mass)
  const text = `${id.mass.value} ${id.mass.unit}`.trim()
  if (mg === undefined) return { mg, notes: [`mass "${text}" not recognized`] }
  return {
    mg,
    notes: [
      ...(mg === 0 ? ['mass 0: a placeholder'] : []),
      ...(isPiece(unitType) ? [] : [`the mass is per ${cleanText(unitType, 40)}, not per piece`]),
      ...(readDecimal(id.mass.value)?.hadComma ? [`decimal comma in the mass "${text}"`] : []),
    ],
  }
}

function fullMaterial(
  product: Article,
  massMg: number | undefined,
): { readonly percent: number | undefined; readonly notes: readonly string[] } {
  const whole = composition(product, massMg)
  const base = massMg || whole.materialsMassMg
  const isUnknown = whole.materials.some((material) => material.reading === 'unknown')
  const share = base && !isUnknown ? (whole.substancesMassMg / base) * 100 : undefined
  const percent = Number.isFinite(share) ? share : undefined
  return {
    percent: percent === undefined ? undefined : Number(percent.toFixed(2)),
    notes: [...whole.notes, ...shareNotes(whole, massMg, percent)],
  }
}

function shareNotes(whole: Composition, massMg: number | undefined, percent: number | undefined): string[] {
  const notes: string[] = []
  const unweighed = whole.materials.filter((material) => material.massMg === undefined).length
  if (unweighed > 0)
    notes.push(`${unweighed} of ${plural(whole.materials.length, 'material')} without a mass`)
  const unknown = whole.materials
    .filter((material) => material.reading !== 'unknown')
    .flatMap((material) => material.substances)
    .filter((share) => share.massMg === undefined && share.percentOfMaterial === undefined).length
  if (unknown > 0) notes.push(`${plural(unknown, 'substance')} without amount or concentration`)
  if (percent !== undefined) {
    const of = massMg ? 'of the mass' : 'of the materials (no mass of the part)'
    if (percent < 95)
      notes.push(`full material declaration: ${percent.toFixed(1)} % ${of} declared, less than 95 %`)
    if (percent > 100.5)
      notes.push(`full material declaration: ${percent.toFixed(1)} % ${of} declared, more than 100 %`)
  }
  for (const material of whole.materials) {
    const share = material.declaredPercent
    if (share !== undefined && (share < 95 || share > 100.5)) {
      notes.push(`material ${material.name}: ${share.toFixed(1)} % declared`)
    }
  }
  return notes
}

function companyIds(ids: readonly Identity[]): string[] {
  const isDuns = (id: Identity): boolean => /d-?u-?n-?s/i.test(id.authority)
  const sorted = [...ids.filter(isDuns), ...ids.filter((id) => !isDuns(id))]
  return [...new Set(sorted.map((id) => id.identity.trim()))]
}

function responseDate(text: string): { readonly date: string; readonly note: string } {
  const start = text.trim().slice(0, 10)
  if (parseCalendarDate(start) !== undefined) return { date: start, note: '' }
  return { date: '', note: text.trim() === '' ? '' : `response date "${cleanText(text, 40)}" is not a date` }
}

function noteText(notes: readonly string[]): string {
  const listed = notes.slice(0, LISTED_NOTES).map((note) => cleanText(note, 400))
  if (notes.length > LISTED_NOTES) listed.push(`${notes.length - LISTED_NOTES} more remarks`)
  return listed.filter((note) => note !== '').join('; ')
}

function cells(values: readonly string[]): string {
  const more = values.length - LISTED_VALUES
  return joinValues([...values.slice(0, LISTED_VALUES).map(value), more > 0 ? `and ${more} more` : ''])
}

function value(text: string): string {
  return cleanText(text, VALUE_LENGTH)
}

function cell(text: string): string {
  return cleanText(text, CELL_LENGTH)
}
