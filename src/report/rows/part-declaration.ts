import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { memoized } from '../../base/memoized.ts'
import { plural } from '../../base/units.ts'
import { type CompanyIdentity, companyIdentity } from '../../compliance/company-names.ts'
import { type Composition, composition, type SubstanceShare } from '../../compliance/composition.ts'
import {
  type Acceptance,
  type Article,
  acceptanceOf,
  type Contact,
  type DeclarationHeader,
  type Identity,
  isRequest,
  type ProductIdentity,
  statesOnlyMaterials,
  type Unread,
} from '../../compliance/declaration.ts'
import { type Screening, screen } from '../../compliance/indications.ts'
import { digestOfRecord, type PartRecord, partRecord, sizeOfRecord } from '../../compliance/part-record.ts'
import { absoluteMassMg, tidy } from '../../compliance/quantity.ts'
import type { SubstanceTables } from '../../compliance/recognize.ts'
import { digestOf } from '../../compliance/shared-entries.ts'
import { isValidCas } from '../../compliance/substance-identity.ts'
import { isPiece } from '../../parts/read-quantity.ts'
import { numberKey, partKey } from './part-key.ts'

/**
 * What one file declares of one part number: it depends on the file and the substance tables alone. Part numbers are as written; every
 * other text is cleaned.
 */
export interface PartDeclaration extends Omit<PartFacts, 'comment'> {
  readonly kind: 'declared'
  readonly supplier: string
  /** A DUNS number first. */
  readonly companyIds: readonly string[]
  /** The response date as written. */
  readonly dateText: string
  readonly standard: '1752A' | '1752B'
  readonly acceptance: Acceptance
  /** Remarks on the head of the file. */
  readonly headNotes: readonly string[]
  /** What is outside the products and is not understood. */
  readonly fileUnread: readonly Unread[]
  /** The comment of the response and that of the product. */
  readonly comments: readonly string[]
  readonly contact: Contact
  /** What the company is known by. */
  readonly company: CompanyIdentity
  readonly source: string
  /** The statements; the numbers of a family have the same object. */
  readonly record: PartRecord
  /** Identifies the part of its supplier; undefined without a part number. */
  readonly key: string | undefined
  /** Identifies the part number, whoever declares it. */
  readonly numberKey: string | undefined
  /** The same for two declarations that say the same in files of the same date. */
  readonly digest: string
}

/** A file that cannot be read as a declaration. */
export interface UnreadableFile {
  readonly kind: 'unreadable'
  readonly source: string
  readonly reason: string
  /** The file, or its archive, is not as it was written; otherwise what was written is no declaration. */
  readonly isDamaged: boolean
}

export type ReadRow = PartDeclaration | UnreadableFile

/** What a product states of a part number, outside the head of the file. */
interface PartFacts {
  readonly part: string
  readonly requesterPart: string
  readonly name: string
  readonly unitType: string
  readonly massMg: number | undefined
  /** The share of the mass that class D declares; undefined where it is not known. */
  readonly declaredPercent: number | undefined
  /** Undefined without class D. */
  readonly composition: Screening | undefined
  /** What class D states, to be compared; undefined without it. */
  readonly contents: StatedContents | undefined
  readonly classes: string
  /** Remarks on the mass and the composition. */
  readonly notes: readonly string[]
  /** The comment of the product. */
  readonly comment: string
  /** The line of its start tag: those of its record are counted from it. */
  readonly line: number
}

/** The materials and substances of class D as values. */
export interface StatedContents {
  /** The first of them, in the order of the file. */
  readonly substances: readonly StatedSubstance[]
  readonly count: number
  /** How many are not disclosed. */
  readonly confidential: number
  /** Of all of them. */
  readonly digest: string
}

/** A substance in a material, masses in milligrams for one unit of the part. */
interface StatedSubstance {
  readonly material: string
  readonly materialMg: number | undefined
  readonly name: string
  /** Its CAS number, or what stands in its place. */
  readonly cas: string
  readonly massMg: number | undefined
  readonly percent: number | undefined
}

/** What is read of a part number before the head of its file is known. */
export interface ReadPart {
  readonly facts: PartFacts
  readonly record: PartRecord
  /** About what the record takes. */
  readonly recordBytes: number
  readonly statesOnlyMaterials: boolean
  /** Of the facts and the record. */
  readonly digest: string
}

/** One substance in one material of one part; masses in milligrams for one unit of the part. */
export interface SubstanceRow {
  readonly part: string
  readonly material: string
  readonly material_mass_mg: number | null
  readonly substance: string
  readonly cas: string
  /** Null where the substance has no identity. */
  readonly cas_valid: boolean | null
  readonly mass_mg: number | null
  readonly percent_of_material: number | null
  readonly ppm_of_part: number | null
  readonly source: string
}

const CELL_LENGTH = 2_000
const COMMENT_LENGTH = 300
/** The parts of a family usually have the same mass. */
const MOST_MASSES = 100

/** What a product states for each of its ProductIDs; once with an empty number when it has none. */
export function partFacts(product: Article, tables: SubstanceTables | undefined): readonly ReadPart[] {
  const record = partRecord(product)
  const ids = product.ids.length > 0 ? product.ids : [NO_ID]
  const isComposed = record.classes.includes('D')
  const fullOf = memoized((mg: number | undefined) => fullMaterial(product, mg, tables), MOST_MASSES)
  const comment = cleanText(product.comment, COMMENT_LENGTH)
  return ids.map((id) => {
    const mass = unitMass(id, product.unitType)
    const full = isComposed ? fullOf(mass.mg) : undefined
    const facts = {
      part: id.itemNumber,
      classes: record.classes,
      requesterPart: id.requesterItemNumber,
      name: cleanText(id.itemName || id.requesterItemName, CELL_LENGTH),
      unitType: cleanText(product.unitType, CELL_LENGTH),
      massMg: mass.mg,
      declaredPercent: full?.percent,
      composition: full?.screening,
      contents: full?.contents,
      notes: [...mass.notes, ...(full?.notes ?? []).map((note) => cleanText(note, 400))],
      comment,
      line: product.line,
    }
    return {
      facts,
      record,
      recordBytes: sizeOfRecord(record),
      statesOnlyMaterials: statesOnlyMaterials(product),
      digest: digestOf([JSON.stringify({ ...facts, line: 0 }), digestOfRecord(record)]),
    }
  })
}

/** The declaration, from the product and the head of its file; undefined where the file asks for a declaration of the product. */
export function partDeclaration(
  { facts: { comment, ...facts }, record, ...part }: ReadPart,
  header: DeclarationHeader,
  source: string,
): PartDeclaration | undefined {
  const asks = isRequest(header)
  if (asks && !part.statesOnlyMaterials) return undefined
  const head = {
    supplier: cleanText(header.supplier, CELL_LENGTH),
    companyIds: companyIds(header.companyIds).map((id) => cleanText(id, 300)),
    dateText: cleanText(header.responseDate, 60),
    standard: header.standard,
    acceptance: acceptanceOf(header),
    headNotes: headNotes(header, facts.classes, asks),
    fileUnread: header.unread.map(({ text, line }) => ({ text: cleanText(text), line })),
    comments: [cleanText(header.comment, COMMENT_LENGTH), comment].filter((one) => one !== ''),
    contact: {
      name: cleanText(header.contact.name, 200),
      email: cleanText(header.contact.email, 200),
      phone: cleanText(header.contact.phone, 100),
    },
  }
  const digest = digestOf([part.digest, JSON.stringify(head)])
  const numbers = { part: facts.part, requesterPart: facts.requesterPart }
  const keys = {
    key: partKey({ ...numbers, ...head }),
    numberKey: numberKey(numbers),
    company: companyIdentity(head),
  }
  return { kind: 'declared', source, digest, record, ...keys, ...facts, ...head }
}

function headNotes(header: DeclarationHeader, classes: string, asks: boolean): readonly string[] {
  const announced = [...new Set(header.announced)].sort().join('')
  const missing = [
    header.hasResponse ? '' : 'Response',
    header.hasResponse && header.responseDate.trim() === '' ? 'response date' : '',
    header.supplier.trim() === '' ? 'supplier' : '',
    header.hasDeclaration ? '' : 'Declaration',
  ].filter((part) => part !== '')
  const acceptance = acceptanceOf(header)
  return [
    asks ? `mode "${cleanText(header.mode, 40)}": a request, but it declares materials` : '',
    acceptance === 'not yet'
      ? `the supplier has not accepted this declaration yet (supplierAcceptance is "${cleanText(header.supplierAcceptance, 40)}")`
      : '',
    acceptance === 'no'
      ? `the supplier has not accepted this declaration (supplierAcceptance is "${cleanText(header.supplierAcceptance, 40)}")`
      : '',
    acceptance === 'not said' && header.hasDeclaration
      ? 'the file does not say whether its supplier accepts it'
      : '',
    announced === '' || announced === classes
      ? ''
      : `the file announces class ${cleanText(announced, 40)}, but has ${classes === '' ? 'no elements of any class' : `elements of class ${classes}`}`,
    missing.length > 0 ? `the file has no ${missing.join(', no ')}` : '',
  ].filter((note) => note !== '')
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
): { readonly mg: number | undefined; readonly notes: readonly string[] } {
  if (!id.mass || id.mass.value.trim() === '') return { mg: undefined, notes: [] }
  const mg = absoluteMassMg(id.mass)
  const text = cleanText(`${id.mass.value} ${id.mass.unit}`, 60)
  if (mg === undefined) return { mg, notes: [`mass "${text}" not recognized`] }
  return {
    mg,
    notes: [
      ...(mg === 0 ? ['mass 0: a placeholder'] : []),
      ...(isPiece(unitType) ? [] : [`the mass is per ${cleanText(unitType, 40)}, not per piece`]),
      ...(id.mass.value.includes(',') ? [`decimal comma in the mass "${text}"`] : []),
    ],
  }
}

function fullMaterial(
  product: Article,
  massMg: number | undefined,
  tables: SubstanceTables | undefined,
): {
  readonly percent: number | undefined
  readonly notes: readonly string[]
  readonly screening: Screening
  readonly contents: StatedContents
} {
  const whole = composition(product, massMg)
  const base = massMg || whole.materialsMassMg
  const isUnknown = whole.hasUnread || whole.materials.some((material) => material.reading === 'unknown')
  const share = base && !isUnknown ? (whole.substancesMassMg / base) * 100 : undefined
  const percent = Number.isFinite(share) ? share : undefined
  return {
    percent: percent === undefined ? undefined : Number(percent.toFixed(2)),
    notes: [...whole.notes, ...shareNotes(whole, massMg, percent), ...confidentialNotes(whole, base)],
    screening: tables === undefined ? NOT_SCREENED : screen(whole, tables),
    contents: statedContents(whole),
  }
}

/** More are compared as a whole, by their digest. */
const MOST_SUBSTANCES = 300

function statedContents({ materials }: Composition): StatedContents {
  const all = materials.flatMap((material) =>
    material.substances.map(
      ({ substance, massMg, percentOfMaterial }): StatedSubstance => ({
        material: material.name,
        materialMg: material.massMg,
        name: cleanText(substance.name, 200),
        cas: cleanText(bestIdentity(substance.ids) ?? '', 60),
        massMg,
        percent: percentOfMaterial,
      }),
    ),
  )
  return {
    substances: all.slice(0, MOST_SUBSTANCES),
    count: all.length,
    confidential: all.filter(({ cas }) => CONFIDENTIAL.test(cas)).length,
    digest: digestOf([JSON.stringify(all)]),
  }
}

/** Without tables nothing is indicated, and a newer composition speaks for the whole part. */
const NOT_SCREENED: Screening = { indications: [], open: [], notScreened: [], covers: [''] }

function shareNotes(whole: Composition, massMg: number | undefined, percent: number | undefined): string[] {
  const notes: string[] = []
  const unweighed = whole.materials.filter((material) => material.massMg === undefined).length
  const isUnweighed = unweighed > 0 && unweighed === whole.materials.length
  // The only material is the part.
  if (isUnweighed && unweighed > 1) notes.push('the materials have no mass: not screened for SVHCs')
  else if (unweighed > 0 && !isUnweighed)
    notes.push(`${unweighed} of ${plural(whole.materials.length, 'material')} without a mass`)
  // What is written and not read has a note of its own.
  const open = whole.materials
    .filter((material) => material.reading !== 'unknown')
    .flatMap((material) => material.substances)
    .filter((share) => share.massMg === undefined && share.percentOfMaterial === undefined)
  const absent = open.filter((share) => share.mostPercent === 0).length
  const unknown = open.filter(({ substance: { amount, concentration } }) =>
    [amount, concentration].every((one) => one === undefined || one.value.trim() === ''),
  ).length
  if (unknown > 0) notes.push(`${plural(unknown, 'substance')} without amount or concentration`)
  if (absent > 0) notes.push(`${plural(absent, 'substance')} stated as not detected`)
  if (percent !== undefined && !isUnweighed) {
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

/** What writers give in place of a CAS number for substances that they do not disclose. */
const CONFIDENTIAL = /^(?:system|confidential|proprietary|trade ?secret|secret|misc\b.*|.*not to declare)$/i

function confidentialNotes(whole: Composition, baseMg: number | undefined): string[] {
  const found = new Map<string, { count: number; mg: number | undefined }>()
  for (const { substances } of whole.materials) {
    for (const { substance, massMg } of substances) {
      const text = substance.ids.map(({ identity }) => identity.trim()).find((id) => CONFIDENTIAL.test(id))
      if (text === undefined) continue
      const known = found.get(text) ?? { count: 0, mg: 0 }
      const mg = known.mg === undefined || massMg === undefined ? undefined : known.mg + massMg
      found.set(text, { count: known.count + 1, mg })
    }
  }
  return [...found].map(([text, { count, mg }]) => {
    const share =
      mg !== undefined && baseMg ? `, ${Number(((mg / baseMg) * 100).toPrecision(3))} % of the mass` : ''
    return `confidential ("${cleanText(text, 40)}"): ${plural(count, 'substance')}${share}`
  })
}

function companyIds(ids: readonly Identity[]): string[] {
  const isDuns = (id: Identity): boolean => /d-?u-?n-?s/i.test(id.authority)
  const sorted = [...ids.filter(isDuns), ...ids.filter((id) => !isDuns(id))]
  return [...new Set(sorted.map((id) => id.identity.trim()))]
}

/** The class D substances of a product for the ProductID with this index, in the order of the file; generated one by one. */
export function substancesOf(
  product: Article,
  source: string,
): (idIndex: number) => Generator<SubstanceRow, void, void> {
  const composed = memoized((massMg: number | undefined) => composition(product, massMg), MOST_MASSES)
  return function* (idIndex) {
    const id = product.ids[idIndex]
    const partMassMg = absoluteMassMg(id?.mass)
    const part = escapeUnsafe(id?.itemNumber ?? '')
    for (const material of composed(partMassMg).materials) {
      for (const share of material.substances) {
        yield {
          part,
          material: material.name,
          material_mass_mg: material.massMg ?? null,
          ...substanceCells(share),
          mass_mg: share.massMg ?? null,
          percent_of_material: share.percentOfMaterial ?? null,
          ppm_of_part:
            partMassMg && share.massMg !== undefined ? tidy((share.massMg / partMassMg) * 1e6) : null,
          source,
        }
      }
    }
  }
}

function substanceCells({
  substance,
}: SubstanceShare): Pick<SubstanceRow, 'substance' | 'cas' | 'cas_valid'> {
  const id = bestIdentity(substance.ids)
  return {
    substance: cleanText(substance.name),
    cas: cleanText(id ?? ''),
    cas_valid: id === undefined ? null : isValidCas(id),
  }
}

/** Prefers a valid CAS number, then what the file calls one, then any identity. */
function bestIdentity(ids: readonly Identity[]): string | undefined {
  const given = ids
    .map((id) => ({ text: id.identity.trim(), isCas: id.authority.trim().toUpperCase() === 'CAS' }))
    .filter((id) => id.text !== '')
  const best = given.find((id) => isValidCas(id.text)) ?? given.find((id) => id.isCas) ?? given[0]
  return best?.text
}
